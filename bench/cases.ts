/**
 * Bench cases: the scenarios that are timed. Each uses PFC, ECN, ECMP, DCQCN, completion records and the digest.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { hpcc } from '../src/importers/hpcc/hpcc.ts'
import { congestions, recoveries } from '../src/core/transport/index.ts'
import { parseScenario, printScenario, type Scenario } from '../src/lab/scenario/index.ts'

/** bench/data, relative to bench/ and to the built dist-bench/bench/. */
export const DATA = ['./data', '../../bench/data']
  .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
  .find((folder) => existsSync(folder))!

export interface BenchCase {
  readonly name: string
  readonly title: string
  /** Target rate in million packet-hops per CPU second; `bareShare` of the bare loop of `bareArity` meets it too. */
  readonly barMillion: number
  readonly bareShare: number
  readonly bareArity: number
  /** Limit of the peak resident memory, MB. */
  readonly memoryMb: number | null
  readonly warmUpHops: number
  readonly hops: number
  scenario(): Scenario
}

function imported(folder: string, changes: Readonly<Record<string, object>> = {}): Scenario {
  const { scenario } = hpcc.import({
    path: path.join(DATA, folder, 'config.txt'),
    readFile: (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    options: {},
  })
  const changed = Object.entries(changes).map(([group, values]) => [
    group,
    'kind' in values ? values : { ...(scenario[group] as object), ...values },
  ])
  return parseScenario(JSON.stringify({ ...scenario, ...(Object.fromEntries(changed) as object) }))
}

/** The same messages as work requests. */
function asWork(scenario: Scenario): Scenario {
  const printed = printScenario(scenario) as { readonly workload: readonly object[] }
  const workload = printed.workload.map((source) => ({ ...source, workRequests: true }))
  return parseScenario(JSON.stringify({ ...printed, workload }))
}

/** The same with an observer. */
function observed(scenario: Scenario, ...observe: readonly object[]): Scenario {
  return parseScenario(JSON.stringify({ ...(printScenario(scenario) as object), observe }))
}

/** The same without PFC: losses are retransmitted, every packet is acknowledged. */
const WITHOUT_PFC = {
  pfc: { classes: [] },
  qp: { ackInterval: 1, ackTimeout: '320us', window: 'off', windowVariable: false },
}

const LARGE = `
name: k16
topology: {kind: fat-tree, arity: 16, linkRate: 40Gbps, linkDelay: 2us}
switch: {buffer: {kind: shared-buffer, size: 4MB, alpha: 0.125}}
congestion: dcqcn
workload: [{kind: poisson, load: 0.7, sizes: {kind: websearch}}]
measure: {generate: 10ms, stop: 10ms, end: stop}
`

/** Eight hosts send to one over `pairs` queue pairs each, all of which always have something to send. */
const incastOfPairs = (pairs: number, barMillion: number): BenchCase => ({
  name: `pairs-${pairs}`,
  title: `8:1 on one switch, 100G, ${pairs} queue pairs a host`,
  barMillion,
  bareShare: barMillion / 10,
  bareArity: 6,
  memoryMb: null,
  warmUpHops: 5e5,
  hops: 2e6,
  scenario: () =>
    parseScenario(`
topology: {kind: star, hosts: 9, linkRate: 100Gbps, linkDelay: 1us}
congestion: dcqcn
workload: [{kind: closed-loop, pairs: ["0-7 8"], qpsPerPair: ${pairs}, messageSize: 1GB}]
measure: {stop: 100ms, end: stop}
`),
})

export const cases: readonly BenchCase[] = [
  {
    name: 's1',
    title: 'fat tree k=6, 54 hosts, 40G, WebSearch 70 %, imported, 15 ms',
    barMillion: 5,
    bareShare: 0.65,
    bareArity: 6,
    memoryMb: 250,
    warmUpHops: 2e6,
    hops: Infinity,
    scenario: () => imported('s1'),
  },
  {
    name: 's1-autopsy',
    title: 's1 with the observer autopsy',
    // 1 / 1.5 of s1.
    barMillion: 3.3,
    bareShare: 0.43,
    bareArity: 6,
    memoryMb: null,
    warmUpHops: 2e6,
    hops: Infinity,
    scenario: () => observed(imported('s1'), { kind: 'autopsy' }),
  },
  {
    name: 's1-capture',
    title: 's1 with a capture of 200,000 frames',
    barMillion: 1.5,
    bareShare: 0.2,
    bareArity: 6,
    memoryMb: 250,
    warmUpHops: 0,
    hops: 1e6,
    scenario: () => observed(imported('s1'), { kind: 'capture' }),
  },
  {
    name: 's1-irn',
    title: 'the same without PFC, IRN in place of go-back-N, an ACK for every packet',
    barMillion: 3.5,
    bareShare: 0.45,
    bareArity: 6,
    memoryMb: 250,
    warmUpHops: 2e6,
    hops: 16e6,
    scenario: () => imported('s1', { ...WITHOUT_PFC, recovery: { kind: 'irn' } }),
  },
  {
    name: 's1-work',
    title: 's1 with its messages as WRITEs of verbs queue pairs',
    // 0.8 of s1.
    barMillion: 4,
    bareShare: 0.52,
    bareArity: 6,
    memoryMb: null,
    warmUpHops: 2e6,
    hops: Infinity,
    scenario: () => asWork(imported('s1')),
  },
  {
    name: 's2',
    title: '30:1 on one switch, 100G, imported',
    barMillion: 6.5,
    bareShare: 0.65,
    bareArity: 6,
    memoryMb: null,
    warmUpHops: 2e6,
    hops: 16e6,
    scenario: () => imported('s2'),
  },
  {
    name: 'k16',
    title: 'fat tree k=16, 1024 hosts, 40G, WebSearch 70 %, 4 MB shared buffers',
    barMillion: 2.5,
    bareShare: 0.65,
    bareArity: 16,
    memoryMb: 600,
    warmUpHops: 4e6,
    hops: 30e6,
    scenario: () => parseScenario(LARGE),
  },
  // 0.6 and 0.5 of the first.
  incastOfPairs(10, 3),
  incastOfPairs(1000, 1.8),
  incastOfPairs(3000, 1.5),
]

/** Cost per packet-hop of one scheme, on the traffic of s1 without PFC. */
interface SchemeCase {
  readonly name: string
  scenario(): Scenario
}

/** Reference for all schemes: go-back-N with an ACK for every packet, no congestion control. */
export const PLAIN = 'go-back-n, none'
const DATA_CLASS = 3
export const SCHEME_WARM_UP_HOPS = 0.5e6
export const SCHEME_HOPS = 3e6

function withSchemes(recovery: string, congestion: string): Scenario {
  const { needs } = congestions.find(({ name }) => name === congestion)!
  const echo = needs.ecn === true && needs.cnp !== true ? { ecnEcho: 'ack' } : { ecnEcho: 'cnp' }
  const wred = needs.wred === true ? { switch: { wred: { classes: [DATA_CLASS] } } } : {}
  return imported('s1', {
    ...WITHOUT_PFC,
    ...wred,
    qp: { ...WITHOUT_PFC.qp, ...echo },
    recovery: { kind: recovery },
    congestion: { kind: congestion },
  })
}

/** mp-rdma is one scheme in two halves; every other control runs over go-back-N, every other recovery without one. */
const both = 'mp-rdma'

const pairs: readonly (readonly [string, string])[] = [
  ...recoveries.map(({ name }) => [name, name === both ? both : 'none'] as const),
  ...congestions.filter(({ name }) => name !== 'none' && name !== both).map(({ name }) => ['go-back-n', name] as const),
]

/** Every registered recovery, and every congestion control over go-back-N. */
export const schemeCases: readonly SchemeCase[] = pairs.map(([recovery, congestion]) => ({
  name: `${recovery}, ${congestion}`,
  scenario: () => withSchemes(recovery, congestion),
}))
