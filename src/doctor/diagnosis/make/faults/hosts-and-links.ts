/** Faults of hosts and of the two ends of a link. */
import type { Fault } from './fault.ts'
import { dscpMap, job, otherClass, typo } from './values.ts'

export const HOSTS: readonly Fault[] = [
  {
    rule: 'map03',
    title: 'a NIC that trusts VLAN tags',
    where: 'host',
    found: 'port',
    values: () => ({ trust: 'pcp' }),
  },
  {
    rule: 'map06',
    title: 'RoCE with a DSCP that the NIC takes as lossy',
    where: 'host',
    isOfDevice: true,
    found: 'port',
    values: ({ design: { lossless, dscp } }) => ({
      'nic.sysfsTclass': 4 * ((dscp + 8 * (lossless === 5 ? -1 : 1)) % 64),
      'nic.cmaTclass': 4 * ((dscp + 8 * (lossless === 5 ? -1 : 1)) % 64),
    }),
    deviceValues: ({ design: { lossless, dscp } }) => job(4 * ((dscp + 8 * (lossless === 5 ? -1 : 1)) % 64)),
  },
  {
    rule: 'map06',
    title: 'the DSCP of RoCE in another priority of the NIC',
    where: 'host',
    found: 'port',
    values: ({ design: { dscp } }) => ({ [`dscpToClass.${dscp}`]: 0 }),
  },
  {
    rule: 'hst05',
    title: 'a job that sets no traffic class beside a kernel that does',
    where: 'host',
    isOfDevice: true,
    found: 'port',
    deviceValues: () => job(0),
  },
  {
    rule: 'hst05',
    title: 'RDMA-CM with another traffic class than the job',
    where: 'host',
    isOfDevice: true,
    found: 'port',
    values: () => ({ 'nic.cmaTclass': 0 }),
  },
  {
    rule: 'pfc06',
    title: '802.3x pauses at a NIC',
    where: 'host',
    found: 'port',
    values: ({ draw }) => draw.one([{ takesGlobalPause: true }, { takesGlobalPause: true, sendsGlobalPause: true }]),
  },
  {
    rule: 'pfc06',
    title: '802.3x pauses at a switch',
    where: 'leaf',
    found: 'port',
    values: () => ({ takesGlobalPause: true, sendsGlobalPause: true }),
  },
]

export const LINKS: readonly Fault[] = [
  {
    rule: 'pfc01',
    title: 'a NIC without PFC',
    where: 'host',
    found: 'link',
    also: ['hst02'],
    values: () => ({ pfcClasses: [] }),
  },
  {
    rule: 'pfc01',
    title: 'a NIC with PFC for another priority',
    where: 'host',
    found: 'link',
    also: ['hst02'],
    values: (site) => ({ pfcClasses: [otherClass(site)] }),
  },
  {
    rule: 'pfc01',
    title: 'a port of a switch without PFC',
    where: 'switch',
    found: 'link',
    also: ['pfc08', 'ecn07'],
    values: () => ({ pfcClasses: [], pfcWritten: [], pfcMode: 'off' }),
  },
  {
    rule: 'pfc08',
    title: 'PFC written and off',
    where: 'leaf',
    found: 'link',
    languages: ['nx-os', 'os10', 'eos'],
    also: ['pfc01'],
    values: () => ({ pfcClasses: [], pfcMode: 'off' }),
  },
  {
    rule: 'map02',
    title: 'a typo in the DSCP of a leaf',
    where: 'leaf',
    isOfDevice: true,
    found: 'links',
    also: ['map01'],
    values: ({ design }) => ({ [`dscpToClass.${design.dscp}`]: 0, [`dscpToClass.${typo(design)}`]: design.lossless }),
  },
  {
    rule: 'vln01',
    title: 'a port that classifies by tags which nobody sends',
    where: 'switch',
    found: 'port',
    also: ['map04'],
    values: () => ({ trust: 'pcp', ...dscpMap(() => null) }),
  },
  {
    rule: 'mtu01',
    title: 'a small MTU at a switch',
    where: 'switch',
    found: 'link',
    values: ({ draw }) => ({ mtuBytes: draw.one([1500, 2048, 4096]) }),
  },
  {
    rule: 'mtu01',
    title: 'a small MTU at a NIC',
    where: 'host',
    found: 'link',
    values: () => ({ mtuBytes: 1500 }),
  },
]
