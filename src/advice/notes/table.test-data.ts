/**
 * Table of notes: for each note, scenarios that give it, one for each way to write the setting; where there is none, why.
 */
import type { NoteId } from './note.ts'

export interface Cell {
  /** Settings on top of BASE, as --set takes them; a YAML text of its own where there is one in `text`. */
  readonly sets?: readonly string[]
  readonly text?: string
  /** A topology file as simulators of the HPCC family write it. */
  readonly file?: string
  readonly device?: string
  readonly port?: string
  readonly workload?: string
  readonly atPs?: number
  readonly values?: Readonly<Record<string, unknown>>
}

/** A scenario, or why there is none. */
export type Entry = Cell | string

export interface Row {
  readonly id: NoteId
  /** From the start and everywhere. */
  readonly base: Entry
  readonly device: Entry
  readonly port: Entry
  /** From 1 ms on. */
  readonly later: Entry
  /** A setting of one workload alone. */
  readonly workload: Entry
  readonly imported: Entry
}

/** Hosts 0 to 5, two at each of leaves 0 to 2; two spines. */
export const BASE = `
name: noted
topology: {kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, hostDelay: 40m, fabricRate: 100Gbps, fabricDelay: 40m}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload:
  - {kind: incast, senders: 2, receiver: 0, tag: a}
  - {kind: incast, senders: 2, receiver: 3, tag: b}
`

const LEAF = 'leaf 1'
const FIXED = 'it may not change during a run'
const NO_PORT = 'it belongs to devices'
const ALIKE = 'it compares devices: one value everywhere is no difference'
const SWITCHES = 'it belongs to switches and NICs, not to queue pairs'
const PAIRS = 'it belongs to queue pairs, which have no device'
const PLAIN = 'importers write the values of other simulators into the base, whose cell holds for them'
const AT = 1_000_000_000

const change = (path: string, value: string, where: string): string => `{path: ${path}, value: ${value}, ${where}}`
const changing = (...changes: string[]): string => `changes=[${changes.join(', ')}]`

/** The same change at one device, at one of its ports, and at the device from 1 ms on. */
const ways = (path: string, value: string, before: readonly string[] = [], port = 'host 2') => ({
  device: { sets: [...before, changing(change(path, value, `nodes: ${LEAF}`))], device: LEAF },
  port: { sets: [...before, changing(change(path, value, `nodes: ${LEAF}, ports: ${port}`))], device: LEAF, port },
  later: { sets: [...before, changing(change(path, value, `nodes: ${LEAF}, at: 1ms`))], device: LEAF, atPs: AT },
})

/** A change of queue pairs from 1 ms on, and a workload with the value. */
const schemes = (path: string, value: string, before: readonly string[] = [], own: readonly string[] = []) => ({
  device: PAIRS,
  port: PAIRS,
  later: { sets: [...before, changing(change(path, value, 'at: 1ms'))], atPs: AT },
  workload: { sets: [...before, ...own, `workload.1.${path}=${value}`], workload: 'b' },
})

const TIMED = 'qp.ackTimeout=1ms'
const DCQCN = 'congestion=dcqcn'
const TCP = ['recovery=tcp', 'congestion=cubic']
const MANAGED = 'switch.buffer={kind: memory-manager, staticTh: 20KB, xon: 10KB}'
const WATCHDOG = 'switch.watchdog=broadcom'
const THREE_CLASSES = [
  'pfc.classes=[3, 4, 5]',
  'workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4, 1 2 1KB 0us class=5]}]',
]
const TRIMMED = ['switch.trimming.of=lossy', 'pfc.classes=[]', TIMED, 'recovery=irn', 'topology.hostsPerLeaf=8']
const QCN = ['congestion=qcn', 'classes.cnpAtSwitch=3', 'pfc.classes=[3]']
const NET = `9 5 6
4 5 6 7 8
0 4 100Gbps 0.0005ms 0
1 5 100Gbps 0.0005ms 0
2 6 100Gbps 0.0005ms 0
3 7 100Gbps 0.0005ms 0
4 8 400Gbps 0.0005ms 0
5 8 400Gbps 0.0005ms 0
6 8 400Gbps 0.0005ms 0
7 8 400Gbps 0.0005ms 0
`
const LOSSY_NET = `4 1 3
3
0 3 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0.001
2 3 100Gbps 0.001ms 0
`
/** Three switches in a ring whose packets all go one way round. */
const RING = `
name: ring
topology:
  kind: graph
  nodes: 6
  switches: [3, 4, 5]
  links: [0 3 40Gbps 1us, 1 4 40Gbps 1us, 2 5 40Gbps 1us, 3 4 40Gbps 1us, 4 5 40Gbps 1us, 5 3 40Gbps 1us]
  routes: ["3: 1,2 via 2", "4: 2,0 via 3", "5: 0,1 via 3"]
workload: [{kind: trace, flows: [0 2 1KB 0us, 1 0 1KB 0us, 2 1 1KB 0us]}]
qp: {ackTimeout: 1ms}
`

export const TABLE: readonly Row[] = [
  {
    id: 'hosts-unreachable',
    base: {
      text: `{name: n, topology: {kind: graph, nodes: 5, switches: [4], links: [0 4 1Gbps 1us, 1 4 1Gbps 1us, 2 3 1Gbps 1us]}, workload: [{kind: trace, flows: [0 2 1KB 0us, 1 3 1KB 0us, 0 1 1KB 0us]}]}`,
      device: 'host 2',
      values: { pairs: 8, ofPairs: 12, source: 'host 0', flows: 2 },
    },
    device: { sets: ['faults=[{kind: switch-down, switches: leaf 1, down: 0ps}]', TIMED], device: 'host 2', atPs: 0 },
    port: {
      sets: ['faults=[{kind: link-down, links: host 5-leaf 2, down: 0ps}]', TIMED],
      device: 'host 5',
      atPs: 0,
      values: { pairs: 10, ofPairs: 30 },
    },
    later: { sets: ['faults=[{kind: link-down, links: host 5, down: 1ms}]', TIMED], device: 'host 5', atPs: AT },
    workload: 'a path is of the network',
    imported: { file: NET, device: 'host 3', values: { pairs: 10, ofPairs: 12, flows: 3 } },
  },
  {
    id: 'pfc-class-without-data',
    base: { sets: ['pfc.classes=[4]', TIMED], values: { pfcClasses: [4], dataClasses: [3] } },
    ...ways('pfc.classes', '[4]', [TIMED]),
    workload: { sets: ['workload.0.trafficClass=5', 'workload.1.trafficClass=5', TIMED] },
    imported: 'importers give data and PFC one class',
  },
  { id: 'pfc-at-one-end', base: ALIKE, ...ways('pfc.classes', '[]', [TIMED]), workload: SWITCHES, imported: PLAIN },
  {
    id: 'headroom-for-another-cable',
    base: { sets: ['switch.buffer.believedDelay=1ns'], device: 'leaf 0', port: 'host 0' },
    ...ways('switch.buffer.believedDelay', '1ns'),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'mtu-below-frames',
    base: { sets: ['switch.mtu=500B'], device: 'leaf 0', values: { mtuBytes: 500 } },
    ...ways('switch.mtu', '500B'),
    later: FIXED,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'vlan-tag-not-taken',
    base: { sets: ['switch.vlan.ports=trunk', 'nic.vlan=untagged'], device: 'leaf 0', port: 'host 0' },
    device: {
      sets: ['switch.vlan.ports=trunk', changing(change('nic.vlan', 'untagged', 'nodes: host 3'))],
      device: 'host 3',
    },
    port: {
      sets: [
        'switch.vlan.ports=trunk',
        'nic.vlan=tagged',
        changing(change('switch.vlan.ports', 'access', 'nodes: leaf 1, ports: host 2')),
      ],
      device: LEAF,
      port: 'host 2',
    },
    later: FIXED,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'nic-trusts-missing-tag',
    base: { sets: ['nic.trust=pcp'], device: 'host 0' },
    device: { sets: [changing(change('nic.trust', 'pcp', 'nodes: host 3'))], device: 'host 3' },
    port: NO_PORT,
    later: FIXED,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'class-map-differs',
    base: 'hosts write the codepoints of the map that holds everywhere',
    ...ways('classes.dscpMap', '["3: 0"]', [TIMED]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'alpha-differs-in-role',
    base: ALIKE,
    ...ways('switch.buffer.alpha', '1/64'),
    device: {
      sets: [changing(change('switch.buffer.alpha', '1/64', `nodes: ${LEAF}`))],
      device: LEAF,
      values: { alpha: 1 / 64, expectedAlpha: 1 / 16 },
    },
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'marking-differs-in-role',
    base: ALIKE,
    ...ways('switch.ecn.kmin', '1KB'),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-missing',
    base: ALIKE,
    ...ways('switch.watchdog', '"off"', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-differs-in-role',
    base: ALIKE,
    ...ways('switch.watchdog.detectionTime', '400ms', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'loss-without-timeout',
    base: { sets: ['pfc.classes=[]'], values: { causes: ['no-pfc'], classesWithoutPfc: [3] } },
    ...ways('pfc.classes', '[]'),
    workload: { sets: ['qp.ackTimeout=1ms', 'pfc.classes=[]', 'workload.1.qp={ackTimeout: "off"}'], workload: 'b' },
    imported: { file: LOSSY_NET, values: { causes: ['lossy-links'], lossyLinks: 1 } },
  },
  {
    id: 'headroom-below-need',
    base: { sets: ['switch.buffer.headroom=1KB'], device: 'leaf 0', port: 'host 0' },
    ...ways('switch.buffer.headroom', '1KB'),
    later: {
      sets: [changing(change('switch.buffer.headroom', '1KB', 'nodes: leaf 1, at: 1ms'))],
      device: LEAF,
      atPs: AT,
      values: { givenBytes: 1000 },
    },
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'headroom-below-family',
    base: { sets: ['switch.family=spc1'], device: 'leaf 0', port: 'host 0' },
    ...ways('switch.buffer.headroom', '170KB', ['switch.family=th', 'switch.buffer.headroom=180KB']),
    device: {
      sets: ['switch.buffer.headroom=180KB', changing(change('switch.family', 'th5', 'nodes: leaf 1'))],
      device: LEAF,
      values: { family: 'th5', leastShippedBytes: 445_770 },
    },
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'headroom-of-family-unknown',
    base: { sets: ['switch.family=th5', 'topology.hostDelay=41m'], device: 'leaf 0', port: 'host 0' },
    ...ways('switch.buffer.headroom', '430KB', [
      'switch.family=th5',
      'switch.buffer={kind: shared-buffer, size: 40MB, headroom: 450KB}',
      'topology={kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 2, hostRate: 400Gbps, hostDelay: 30m, fabricRate: 400Gbps, fabricDelay: 30m}',
    ]),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'marks-after-pauses',
    base: { sets: [DCQCN, 'switch.ecn={kmin: 800KB, kmax: 900KB}'], values: { kminBytes: 800_000 } },
    ...ways('switch.ecn', '{kmin: 800KB, kmax: 900KB}', [DCQCN]),
    workload: {
      sets: ['switch.ecn={kmin: 800KB, kmax: 900KB}', 'workload.1.congestion=dcqcn'],
      values: { kminBytes: 800_000 },
    },
    imported: PLAIN,
  },
  {
    id: 'xon-above-xoff',
    base: { sets: ['switch.buffer={kind: memory-manager, staticTh: 20KB, xon: 30KB}'], values: { xonBytes: 30_000 } },
    ...ways('switch.buffer.xon', '30KB', [MANAGED]),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'lossless-without-signal',
    base: 'one workload has signals and another none: that is the cell of workloads',
    ...ways('switch.ecn.classes', '[3]', [
      'pfc.classes=[3, 4]',
      'switch.ecn.classes=[3, 4]',
      'workload.0.congestion=dcqcn',
      'workload.1.trafficClass=4',
    ]),
    workload: { sets: ['pfc.classes=[3, 4]', 'workload.0.congestion=dcqcn', 'workload.1.trafficClass=4'] },
    imported: PLAIN,
  },
  {
    id: 'one-headroom-for-all-links',
    base: { sets: ['topology.fabricDelay=300m', 'switch.buffer.headroom=200KB'] },
    device: 'it is about one headroom for all: a change gives some another',
    port: 'as at a device',
    later: 'as at a device',
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'reserves-beyond-buffer',
    base: {
      sets: [...THREE_CLASSES, 'switch.buffer={kind: shared-buffer, size: 2MB, reserve: 40KB}'],
      values: { dataClasses: 3, beyondBytes: 320_000 },
    },
    ...ways('switch.buffer.size', '2MB', [
      ...THREE_CLASSES,
      'switch.buffer={kind: shared-buffer, size: 40MB, reserve: 40KB}',
    ]),
    port: NO_PORT,
    later: FIXED,
    workload: 'classes of all workloads count together',
    imported: PLAIN,
  },
  {
    id: 'pauses-expire',
    base: { sets: ['pfc.refresh=0'] },
    ...ways('pfc.refresh', '0'),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-without-pfc',
    base: { sets: [WATCHDOG, 'pfc.classes=[]', TIMED] },
    ...ways('pfc.classes', '[]', [WATCHDOG, TIMED]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-time-unusual',
    base: { sets: ['switch.watchdog={kind: broadcom, pollInterval: 50ms}'], values: { timePs: 50 * AT } },
    ...ways('switch.watchdog.detectionTime', '6s', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-without-restoration',
    base: { sets: ['switch.watchdog={kind: nvidia, restorationTime: "off"}'] },
    ...ways('switch.watchdog.restorationTime', '"off"', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'watchdog-only-alerts',
    base: { sets: ['switch.watchdog={kind: nvidia, action: alert}'] },
    ...ways('switch.watchdog.action', 'alert', [WATCHDOG]),
    port: NO_PORT,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'trimmed-headers-fill-link',
    base: { sets: TRIMMED, values: { senders: 14 } },
    ...ways('switch.strictClasses', '[7]', [...TRIMMED, 'switch.strictClasses=[6]'], 'host 8'),
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'trimming-ignored',
    base: { sets: ['switch.trimming.of=lossy', 'pfc.classes=[]', TIMED], values: { recovery: 'go-back-n' } },
    ...schemes('recovery', 'go-back-n', ['switch.trimming.of=lossy', 'pfc.classes=[]', TIMED, 'recovery=irn']),
    imported: PLAIN,
  },
  {
    id: 'silent-host-unreachable',
    base: {
      sets: ['switch.layer2={kind: tables, macMissing: host 0, onIncomplete: drop-lossless}', TIMED],
      device: 'host 0',
      values: { classes: [3] },
    },
    device: 'its base names hosts',
    port: 'its base names hosts',
    later: FIXED,
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'deadlock-possible',
    base: { text: RING, device: 'switch 3' },
    device: 'a circle is of several switches',
    port: 'a circle is of several switches',
    later: {
      text: `${RING}pfc: {classes: []}\nchanges: [{path: pfc.classes, value: [3], at: 1ms}]\n`,
      device: 'switch 3',
      atPs: AT,
    },
    workload: SWITCHES,
    imported: PLAIN,
  },
  {
    id: 'target-below-idle-rtt',
    base: { sets: ['congestion={kind: swift, baseTarget: 1us}'], values: { targetPs: 1_000_000 } },
    ...schemes('congestion', '{kind: swift, baseTarget: 1us}', ['congestion={kind: swift, baseTarget: 50us}']),
    imported: PLAIN,
  },
  {
    id: 'reordering-taken-for-loss',
    base: { sets: ['balance=spray', TIMED], values: { recovery: 'go-back-n' } },
    ...schemes('recovery', 'go-back-n', ['balance=spray', TIMED, 'recovery={kind: irn, nackThreshold: 8}']),
    imported: PLAIN,
  },
  {
    id: 'timeout-below-rtt',
    base: { sets: ['qp.ackTimeout=1us'], values: { timeoutPs: 1_000_000 } },
    ...schemes('qp.ackTimeout', '1us', [TIMED]),
    workload: { sets: [TIMED, 'workload.1.qp={ackTimeout: 1us}'], workload: 'b' },
    imported: PLAIN,
  },
  {
    id: 'delayed-ack-beyond-timeout',
    base: { sets: [...TCP, 'recovery.rtoMin=5ms'], values: { leastPs: 5 * AT } },
    ...schemes('recovery', '{kind: tcp, rtoMin: 5ms}', TCP),
    imported: PLAIN,
  },
  {
    id: 'start-window-beyond-receive-window',
    base: {
      sets: ['recovery={kind: tcp, receiveWindow: 64}', 'congestion={kind: cubic, initialWindow: 64}'],
      values: { initialPackets: 64, receivePackets: 64 },
    },
    ...schemes('congestion', '{kind: cubic, initialWindow: 100}', [
      'recovery={kind: tcp, receiveWindow: 64}',
      'congestion={kind: cubic, initialWindow: 10}',
    ]),
    imported: PLAIN,
  },
  {
    id: 'class-without-signal',
    base: {
      sets: [DCQCN, 'pfc.classes=[3, 5]', 'workload.1.trafficClass=5', 'switch.ecn.classes=[3]'],
      values: { signal: 'ecn', congestion: 'dcqcn', listedClasses: [3] },
    },
    ...ways('switch.ecn.classes', '[3]', [
      DCQCN,
      'pfc.classes=[3, 5]',
      'workload.1.trafficClass=5',
      'switch.ecn.classes=[3, 5]',
    ]),
    workload: {
      sets: [
        'pfc.classes=[3, 5]',
        'workload=[{kind: incast, senders: 2, tag: a}, {kind: incast, senders: 2, tag: b, congestion: dcqcn}, {kind: incast, senders: 2, tag: c, congestion: dcqcn, trafficClass: 5}]',
      ],
      workload: 'b, c',
    },
    imported: PLAIN,
  },
  {
    id: 'notifications-in-lossless-class',
    base: { sets: QCN },
    ...ways('pfc.classes', '[3, 6]', ['congestion=qcn', 'classes.cnpAtSwitch=6']),
    workload: { sets: ['classes.cnpAtSwitch=3', 'workload.1.congestion=qcn', TIMED], workload: 'b' },
    imported: PLAIN,
  },
]
