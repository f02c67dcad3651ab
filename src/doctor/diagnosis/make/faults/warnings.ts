/** Mistakes that rules only warn of. */
import type { Fault } from './fault.ts'
import { ofLossless } from './values.ts'

export const WARNINGS: readonly Omit<Fault, 'isWarning'>[] = [
  {
    rule: 'trn01',
    title: 'a file that was cut',
    where: 'switch',
    found: 'device',
    edit: 'cut',
    languages: ['sonic', 'nx-os', 'eos', 'os10'],
    also: ['ref01', 'pfc01', 'pfc08', 'ecn03', 'ecn07'],
  },
  {
    rule: 'lld01',
    title: "links of two hosts in each other's ports",
    where: 'leaf',
    found: 'links',
    edit: 'swapped links',
  },
  {
    rule: 'buf03',
    title: 'a port set to a shorter cable',
    where: 'switch',
    found: 'port',
    also: ['buf02'],
    values: ({ port }) => ({ cableM: 'value' in port.settings.cableM ? Math.ceil(port.settings.cableM.value / 4) : 1 }),
  },
  {
    rule: 'mtu02',
    title: 'a NIC that was opened with a small MTU',
    where: 'host',
    found: 'port',
    values: () => ({ 'nic.activeMtuBytes': 1024 }),
  },
  {
    rule: 'ecn06',
    title: 'a NIC that does not answer marks',
    where: 'host',
    found: 'port',
    values: ({ draw }) => draw.one([{ 'nic.npClasses': [] }, { 'nic.rpClasses': [] }]),
  },
  {
    rule: 'hst09',
    title: 'a job that names a device which is not there',
    where: 'host',
    isOfDevice: true,
    found: 'device',
    deviceValues: () => ({ 'job.ncclIbHca': '=mlx5_9' }),
  },
  {
    rule: 'sch01',
    title: 'RoCE in a strict queue',
    where: 'switch',
    found: 'port',
    values: (site) => ofLossless(site, { schedule: 'strict' }),
  },
]
