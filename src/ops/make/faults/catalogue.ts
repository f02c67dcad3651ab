/**
 * Catalogue of faults. One entry is one mistake; several may be found by the same rule. The errors come first, in the order
 * of rules.
 */
import type { Plain } from '../../model/index.ts'
import type { Design } from '../design.ts'
import type { Fault, FaultSite, OtherValues } from './fault.ts'

/** A DSCP that nobody uses, next to that of RoCE. */
const typo = ({ dscp }: Design): number => dscp + 1
/** A class that is neither that of RoCE nor that of CNPs. */
const otherClass = ({ draw, design: { lossless, cnpClass } }: FaultSite): number =>
  draw.one([1, 2, 3, 4, 5, 7].filter((c) => c !== lossless && c !== cnpClass))
/** Values of the lossless class, and more. */
const ofLossless = ({ design: { lossless } }: FaultSite, values: OtherValues): OtherValues =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [`classes.${lossless}.${field}`, value]))
const job = (tclass: Plain): OtherValues => ({
  'job.ncclIbTc': tclass,
  'job.ncclIbFifoTc': tclass,
  'job.ncclGinIbTc': tclass,
})
const dscpMap = (classOf: (dscp: number) => Plain | null): OtherValues =>
  Object.fromEntries(Array.from({ length: 64 }, (_, dscp) => [`dscpToClass.${dscp}`, classOf(dscp)]))

const HEADROOM = ['headroomBytes', 'reserveBytes', 'xonBytes', 'xonOffsetBytes', 'alpha'] as const
const noHeadroom = (site: FaultSite): OtherValues =>
  ofLossless(site, { hasHeadroom: false, ...Object.fromEntries(HEADROOM.map((field) => [field, null])) })

/** Class 0 in the queue of RoCE, which marks and is served as one. */
function lossyBesideLossless({ design: { lossless }, port }: FaultSite): OtherValues {
  const own = port.settings.classes[lossless]!
  const shared = ['marks', 'kminBytes', 'kmaxBytes', 'kminRatio', 'kmaxRatio', 'pmaxRatio', 'schedule'] as const
  const values = shared.map((field) => [`classes.0.${field}`, 'value' in own[field] ? own[field].value : null])
  return { 'classes.0.queue': lossless, ...Object.fromEntries(values) }
}

/** Whether most ports of its kind at the device are not the one with the fault. */
function hasLikePorts({ design, device, port }: FaultSite): boolean {
  const kindOf = (name: string): string | undefined => design.devices.find((one) => one.name === name)?.kind
  const peer = device.ports.find(({ name }) => name === port.name)?.peer ?? ''
  return device.ports.filter((one) => kindOf(one.peer) === kindOf(peer)).length >= 3
}

/** Whether there is more than one switch. */
const hasOthers = ({ design: { devices } }: FaultSite): boolean =>
  devices.filter(({ kind }) => kind === 'switch').length > 1

/** Whether some host tells that it takes packets in their order only. */
const hasTellingHost = ({ design: { devices } }: FaultSite): boolean =>
  devices.some(({ kind, language }) => kind === 'host' && language === 'mlnx_qos')

/** Fill at which the lossless class is paused where it is alone. */
const xoffBytes = ({ poolBytes, alpha }: Design): number => (poolBytes * alpha) / (1 + alpha)

const HOSTS: readonly Fault[] = [
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

const LINKS: readonly Fault[] = [
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

const SWITCHES: readonly Fault[] = [
  { rule: 'ref01', title: 'a name with a typo', where: 'switch', found: 'device', edit: 'dangling name' },
  {
    rule: 'pfc02',
    title: 'headroom for another priority than PFC',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: (site) => {
      const other = otherClass(site)
      const own = site.port.settings.classes[site.design.lossless]!
      const moved = Object.fromEntries(
        HEADROOM.map((field) => [`classes.${other}.${field}`, 'value' in own[field] ? own[field].value : null]),
      )
      return {
        ...noHeadroom(site),
        [`classes.${other}.group`]: other,
        [`classes.${other}.hasHeadroom`]: true,
        ...moved,
      }
    },
  },
  {
    rule: 'pfc03',
    title: 'pauses that stop another queue',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'junos'],
    values: (site) => ofLossless(site, { pausedQueue: otherClass(site) }),
  },
  {
    rule: 'pfc05',
    title: 'lossy traffic in the queue of RoCE',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'os10'],
    values: lossyBesideLossless,
  },
  {
    rule: 'pfc05',
    title: 'lossy traffic in the queue of RoCE at all ports',
    where: 'switch',
    isOfDevice: true,
    found: 'port',
    languages: ['nvue', 'eos', 'junos'],
    values: lossyBesideLossless,
  },
  {
    rule: 'pfc05',
    title: 'lossy traffic in the priority group of RoCE',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: ({ design: { lossless } }) => ({ 'classes.0.group': lossless }),
  },
  {
    rule: 'map04',
    title: 'a port at which nothing classifies',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'nx-os', 'eos', 'os10', 'junos'],
    also: ['map02', 'map01', 'cnp01'],
    values: () => ({ classifies: false, trust: null, ...dscpMap(() => null) }),
  },
  {
    rule: 'wd01',
    title: 'a port to a host without watchdog',
    where: 'leaf',
    found: 'device',
    values: (site) => ofLossless(site, { isWatched: false }),
  },
  {
    rule: 'wd02',
    title: 'a watchdog that polls too rarely',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    deviceValues: ({ design: { detectionPs } }) => ({ 'watchdog.pollPs': detectionPs }),
  },
  {
    rule: 'fld01',
    title: 'flooding of lossless packets',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    deviceValues: () => ({ floodsLossless: true }),
  },
  {
    rule: 'map01',
    title: 'a typo in the DSCP of a spine',
    where: 'spine',
    isOfDevice: true,
    found: 'links',
    values: ({ design }) => ({ [`dscpToClass.${design.dscp}`]: 0, [`dscpToClass.${typo(design)}`]: design.lossless }),
  },
  {
    rule: 'adr01',
    title: 'packets sprayed over paths',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    isDecidable: hasTellingHost,
    deviceValues: () => ({ balance: 'spray' }),
  },
]

const BUFFERS: readonly Fault[] = [
  {
    rule: 'buf01',
    title: 'headroom for a shorter cable',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: (site) => ofLossless(site, { headroomBytes: Math.floor(site.needBytes * site.draw.between(0.3, 0.8)) }),
  },
  {
    rule: 'buf02',
    title: 'a cable of a length that the table does not have',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    deviceValues: ({ config, port }) => {
      const table = 'headroomTable' in config.settings ? config.settings.headroomTable : undefined
      const length = 'value' in port.settings.cableM ? port.settings.cableM.value : NaN
      return {
        headroomTable:
          table !== undefined && 'value' in table ? table.value.filter(({ cableM }) => cableM !== length) : null,
      }
    },
  },
  {
    rule: 'buf11',
    title: 'PFC without headroom',
    where: 'switch',
    found: 'port',
    languages: ['sonic', 'junos'],
    also: ['buf02'],
    values: noHeadroom,
  },
  {
    rule: 'buf07',
    title: 'an egress queue that drops before pauses begin',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    values: (site) => ofLossless(site, { dropsAtEgress: true }),
  },
  {
    rule: 'buf08',
    title: 'pauses that end where they begin',
    where: 'switch',
    found: 'port',
    values: (site) => ofLossless(site, { xonBytes: 0, xonOffsetBytes: 0 }),
  },
  {
    rule: 'ecn01',
    title: 'marks that begin above XOFF',
    where: 'switch',
    found: 'port',
    languages: ['sonic'],
    also: ['ecn04'],
    values: (site) =>
      ofLossless(site, {
        kminBytes: Math.ceil((1.2 * xoffBytes(site.design)) / 1000) * 1000,
        kmaxBytes: Math.ceil((1.5 * xoffBytes(site.design)) / 1000) * 1000,
      }),
  },
  {
    rule: 'ecn03',
    title: 'a lossless queue without marks',
    where: 'switch',
    found: 'port',
    values: (site) =>
      ofLossless(site, {
        marks: false,
        kminBytes: null,
        kmaxBytes: null,
        kminRatio: null,
        kmaxRatio: null,
        pmaxRatio: null,
      }),
  },
  {
    rule: 'ecn07',
    title: 'a switch of the path without marks',
    where: 'switch',
    isOfDevice: true,
    found: 'device',
    also: ['ecn03'],
    isDecidable: hasOthers,
    values: (site) =>
      ofLossless(site, {
        marks: false,
        kminBytes: null,
        kmaxBytes: null,
        kminRatio: null,
        kmaxRatio: null,
        pmaxRatio: null,
      }),
  },
  {
    rule: 'buf04',
    title: 'a port with another alpha',
    where: 'switch',
    found: 'port',
    also: ['buf05', 'ecn01', 'ecn02'],
    isDecidable: hasLikePorts,
    values: (site) => ofLossless(site, { alpha: site.design.alpha / 4 }),
  },
]

/** Mistakes that rules only warn of. */
const WARNINGS: readonly Omit<Fault, 'isWarning'>[] = [
  { rule: 'trn01', title: 'a file that was cut', where: 'switch', found: 'device', edit: 'cut' },
  {
    rule: 'lld01',
    title: "cables of two hosts in each other's ports",
    where: 'leaf',
    found: 'links',
    edit: 'swapped cables',
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

export const FAULTS: readonly Fault[] = [
  ...HOSTS,
  ...LINKS,
  ...SWITCHES,
  ...BUFFERS,
  ...WARNINGS.map((fault) => ({ ...fault, isWarning: true })),
]
