/**
 * Cells of the table of notes: what a cell is, and settings that several have.
 */
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
  readonly id: string
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

export const LEAF = 'leaf 1'
export const FIXED = 'it may not change during a run'
export const NO_PORT = 'it belongs to devices'
export const ALIKE = 'it compares devices: one value everywhere is no difference'
export const SWITCHES = 'it belongs to switches and NICs, not to queue pairs'
const PAIRS = 'it belongs to queue pairs, which have no device'
export const PLAIN = 'importers write the values of other simulators into the base, whose cell holds for them'
export const AT = 1_000_000_000

export const change = (path: string, value: string, where: string): string =>
  `{path: ${path}, value: ${value}, ${where}}`
export const changing = (...changes: string[]): string => `changes=[${changes.join(', ')}]`

/** The same change at one device, at one of its ports, and at the device from 1 ms on. */
export const atDevice = (path: string, value: string, before: readonly string[] = [], port = 'host 2') => ({
  device: { sets: [...before, changing(change(path, value, `nodes: ${LEAF}`))], device: LEAF },
  port: { sets: [...before, changing(change(path, value, `nodes: ${LEAF}, ports: ${port}`))], device: LEAF, port },
  later: { sets: [...before, changing(change(path, value, `nodes: ${LEAF}, at: 1ms`))], device: LEAF, atPs: AT },
})

/** A change of queue pairs from 1 ms on, and a workload with the value. */
export const schemes = (path: string, value: string, before: readonly string[] = [], own: readonly string[] = []) => ({
  device: PAIRS,
  port: PAIRS,
  later: { sets: [...before, changing(change(path, value, 'at: 1ms'))], atPs: AT },
  workload: { sets: [...before, ...own, `workload.1.${path}=${value}`], workload: 'b' },
})

export const TIMED = 'qp.ackTimeout=1ms'
export const DCQCN = 'congestion=dcqcn'
export const TCP = ['recovery=tcp', 'congestion=cubic']
export const MANAGED = 'switch.buffer={kind: memory-manager, staticTh: 20KB, xon: 10KB}'
export const WATCHDOG = 'switch.watchdog=broadcom'
export const THREE_CLASSES = [
  'pfc.classes=[3, 4, 5]',
  'workload=[{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB 0us class=4, 1 2 1KB 0us class=5]}]',
]
export const TRIMMED = ['switch.trimming.of=lossy', 'pfc.classes=[]', TIMED, 'recovery=irn', 'topology.hostsPerLeaf=8']
export const QCN = ['congestion=qcn', 'classes.cnpAtSwitch=3', 'pfc.classes=[3]']
export const NET = `9 5 6
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
export const LOSSY_NET = `4 1 3
3
0 3 100Gbps 0.001ms 0
1 3 100Gbps 0.001ms 0.001
2 3 100Gbps 0.001ms 0
`
/** Three switches in a ring whose packets all go one way round. */
export const RING = `
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
