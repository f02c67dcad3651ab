/** Runs whose frames are captured at all ports, under several schemes. */
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const STAR = 'topology: {kind: star, hosts: 4, linkRate: 40Gbps, linkDelay: 500ns}'
const INCAST = '"0 3 60KB 0us", "1 3 60KB 0us", "2 3 60001B 0us op=send"'
const SMALL = 'switch: {buffer: {kind: shared-buffer, size: 60KB, alpha: 1/4}}'
const REQUESTS = `"0 3 40KB 0us", "1 3 40KB 0us op=write-immediate", "2 3 6KB 0us op=send-immediate",
  "3 1 3001B 1us op=send-invalidate", "3 2 5000B 1us op=read", "3 2 8B 1us op=compare-and-swap", "1 2 8B 1us op=fetch-and-add"`

export interface CapturedRun {
  readonly name: string
  readonly text: string
  /** Wireshark knows the formats of all of its packets; it shows no ICRC of others. */
  readonly isStandard: boolean
}

const runs: readonly CapturedRun[] = [
  {
    name: 'go-back-N with PFC and READs',
    isStandard: true,
    text: `${STAR}
${SMALL}
workload: [{kind: trace, flows: [${INCAST}, "3 2 5003B 1us op=read"]}]`,
  },
  {
    name: 'frames from 18.4 ms of a second on',
    isStandard: true,
    text: `${STAR}
workload: [{kind: trace, flows: ["0 3 40KB 18.44ms", "1 3 60KB 18.44ms", "2 3 80KB 1.9999s"]}]`,
  },
  {
    name: 'go-back-N with losses, NAKs and no PFC',
    isStandard: true,
    text: `${STAR}
${SMALL}
pfc: {classes: []}
qp: {ackTimeout: 100us}
workload: [{kind: trace, flows: [${INCAST}, "3 2 5003B 1us op=read"]}]`,
  },
  {
    name: 'DCQCN with marks and CNPs',
    isStandard: true,
    text: `${STAR}
congestion: {kind: dcqcn}
switch: {ecn: {kmin: 5KB, kmax: 20KB}}
workload: [{kind: trace, flows: [${INCAST}]}]`,
  },
  {
    name: 'work requests of all operations',
    isStandard: true,
    text: `${STAR}
congestion: {kind: dcqcn}
switch: {ecn: {kmin: 5KB, kmax: 20KB}}
workload: [{kind: trace, workRequests: true, flows: [${REQUESTS}]}]`,
  },
  {
    name: 'work requests under IRN with losses',
    isStandard: false,
    text: `${STAR}
${SMALL}
recovery: {kind: irn}
congestion: {kind: none}
qp: {ackTimeout: 100us}
pfc: {classes: []}
workload: [{kind: trace, workRequests: true, flows: [${REQUESTS}]}]`,
  },
  {
    name: 'IRN with NACKs',
    isStandard: false,
    text: `${STAR}
${SMALL}
recovery: {kind: irn}
congestion: {kind: none}
pfc: {classes: []}
workload: [{kind: trace, flows: [${INCAST}, "3 2 5000B 1us op=read"]}]`,
  },
  {
    name: 'tags by PCP',
    isStandard: true,
    text: `${STAR}
${SMALL}
classes: {classify: pcp}
workload: [{kind: trace, flows: [${INCAST}]}]`,
  },
  {
    name: 'VLANs on trunks, routed at the ToR',
    isStandard: true,
    text: `topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 500ns, fabricDelay: 500ns}
switch: {vlan: {ports: trunk, layer3At: tor}}
workload: [{kind: trace, flows: ["0 2 20KB 0us", "3 2 20KB 0us", "1 0 9KB 0us"]}]`,
  },
  {
    name: 'iWARP',
    isStandard: true,
    text: `${STAR}
${SMALL}
recovery: {kind: iwarp, timestamps: true}
congestion: {kind: none}
pfc: {classes: []}
workload: [{kind: trace, flows: [${INCAST}, "3 2 5000B 1us op=read"]}]`,
  },
  {
    name: 'losses on links',
    isStandard: true,
    text: `${STAR}
qp: {ackTimeout: 100us}
faults: [{kind: corruption, bitErrorRatio: 0.000004, links: all}, {kind: bernoulli, probability: 0.01, packets: both, links: all}]
workload: [{kind: trace, flows: [${INCAST}]}]`,
  },
]

/** Runs one of them. @param observer further params of the observer */
export function runCaptured({ text }: CapturedRun, observer = ''): Result {
  return run(parseScenario(`name: captured\n${text}\nobserve: [{kind: capture${observer}}]`))
}

export const RUNS: readonly CapturedRun[] = runs

/** Rows of the observer's table. */
export function rowsOf({ series }: Result): {
  readonly timePs: number
  readonly nodeName: string
  readonly port: number
  readonly direction: string
  readonly kind: string
  readonly psn: number
  readonly sizeBytes: number
  readonly encodedBytes: number
  readonly comment: string
}[] {
  const table = series[0]!
  const [timePs, port, psn] = [numbersOf(table, 'timePs'), numbersOf(table, 'port'), numbersOf(table, 'psn')]
  const [sizeBytes, encodedBytes] = [numbersOf(table, 'sizeBytes'), numbersOf(table, 'encodedBytes')]
  const [nodeName, direction] = [textsOf(table, 'nodeName'), textsOf(table, 'direction')]
  const [kind, comment] = [textsOf(table, 'kind'), textsOf(table, 'comment')]
  return nodeName.map((name, i) => ({
    timePs: timePs[i]!,
    nodeName: name,
    port: port[i]!,
    direction: direction[i]!,
    kind: kind[i]!,
    psn: psn[i]!,
    sizeBytes: sizeBytes[i]!,
    encodedBytes: encodedBytes[i]!,
    comment: comment[i]!,
  }))
}
