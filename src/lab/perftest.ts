/**
 * Perftest: work requests of one kind between pairs of hosts, with a fixed number outstanding on each queue pair, through
 * the network of a scenario, as the perftest tools run them on real NICs (ib_write_bw, ib_read_lat, ib_atomic_lat). It is
 * a scenario itself, whose workload is a closed loop.
 * Latency of a request: from the call that posts it to its CQE, at the end that posted it.
 * Units: picoseconds, bytes. Payload is counted and not moved.
 */
import { InputError, type Issue } from '../core/base/issue.ts'
import { numberColumns, numbersOf, type Result, textsOf } from '../core/results/index.ts'
import { parseScenario, printScenario } from './scenario/index.ts'
import type { Scenario } from './scenario/scenario.ts'
import type { Topology, TopologyDefinition } from '../core/topology/topology.ts'
import type { Mode, NicState } from '../core/verbs/index.ts'
import { ATOMIC_BYTES, isAnswered, isAtomic, type Operation, OPERATIONS } from '../core/workload/workload.ts'
import { topologies } from '../core/topology/index.ts'
import { definitionOf } from './network/definitions.ts'
import { irnStateOf } from './network/irn-state.ts'
import { createSimulation, type Simulation, SLICE_EVENTS } from './simulation/simulation.ts'
import { STATUS } from './run/status.ts'
import { modeOf } from './pairs/verbs-links.ts'

export const PERFTEST_OPERATIONS = OPERATIONS
export type PerftestOperation = Operation

export interface PerftestPlan {
  /** roce: packets are accepted in order only; irn: in any order. */
  readonly mode: Mode
  readonly operation: PerftestOperation
  /** Size of each request; atomics have 8 bytes. */
  readonly sizeBytes: number
  /** Requests on each queue pair. */
  readonly requests: number
  /** Requests outstanding on each queue pair, 1 or more. */
  readonly depth: number
  /** Receive WQEs that the other end keeps posted. */
  readonly receives: number
  /** Hosts that post, each with the host it posts to; empty: the first host to the last. */
  readonly pairs: readonly (readonly [from: number, to: number])[]
  /** Payload of a full packet; left out: the scenario's. */
  readonly mtuBytes?: number
  /** The scenario's own workload runs too; the first requests are posted when its warm-up is over. */
  readonly hasBackground: boolean
}

export interface PerftestResult {
  /** Hosts that posted, each with the host it posted to. */
  readonly pairs: readonly (readonly [from: number, to: number])[]
  /** Payload of a full packet. */
  readonly mtuBytes: number
  /** Requests posted, and planned. */
  readonly posted: number
  readonly asked: number
  /** Requests by status, in words. */
  readonly endings: Readonly<Record<string, number>>
  /** Latencies of successful requests, in the order of their completions. */
  readonly latenciesPs: Float64Array
  /** When the first requests were posted. */
  readonly startPs: number
  /**
   * From the first post to the last successful completion; where a request has none, to the end of the run, however long
   * nothing moved.
   */
  readonly elapsedPs: number
  /** Payload of successful requests. */
  readonly payloadBytes: number
  readonly retransmissions: number
  readonly timeouts: number
  readonly rnrNaks: number
  /** Drops by reason, those that are not 0. */
  readonly drops: Readonly<Record<string, number>>
  readonly pauseFrames: number
  readonly packetHops: number
  readonly digest: string
  readonly recovery: string
  /** Congestion control of each queue pair. */
  readonly congestion: string
  readonly cnps: number
  /** The scenario's own messages; null: they were left out. */
  readonly background: Background | null
  /** State that IRN adds to a NIC for each queue pair; null: the recovery is not IRN. */
  readonly nicState: NicState | null
}

/** Progress of the scenario's own messages. */
export interface Background {
  readonly posted: number
  readonly finished: number
  /** When the last of them was received; NaN: not all were, or more may come. */
  readonly drainedPs: number
}

const TAG = 'perftest'
/** Recoveries that replace one of the other mode. */
const RECOVERIES: Readonly<Record<Mode, string>> = { roce: 'go-back-n', irn: 'irn' }

export class Perftest {
  readonly scenario: Scenario
  readonly #plan: PerftestPlan
  readonly #pairs: PerftestPlan['pairs']
  readonly #topology: Topology
  readonly #simulation: Simulation

  /**
   * @param isChecked checks conservation laws at many instants: advance() throws a Bug for a broken one
   * @throws InputError for hosts that the network does not have, or a scenario that does not go with the plan
   */
  constructor(scenario: Scenario, plan: PerftestPlan, isChecked = false) {
    this.#plan = plan
    this.#topology = definitionOf<TopologyDefinition>(topologies, scenario.topology).build(scenario.topology)
    const hosts = this.#topology.hostPorts.length
    this.#pairs = plan.pairs.length === 0 ? [[0, hosts - 1]] : plan.pairs
    expectHosts(this.#pairs, hosts)
    this.scenario = perftestScenario(scenario, plan, this.#pairs)
    const stopAfter = { tag: TAG, messages: plan.requests * this.#pairs.length }
    this.#simulation = createSimulation(this.scenario, { check: isChecked, stopAfter })
  }

  /** Share of the run that is over. */
  get fraction(): number {
    return this.#simulation.progress().fraction
  }

  get nowPs(): number {
    return this.#simulation.progress().nowPs
  }

  get events(): number {
    return this.#simulation.progress().events
  }

  get packetHops(): number {
    return this.#simulation.progress().packetHops
  }

  /** Runs for some milliseconds of real time; true while there is more. */
  advance(): boolean {
    return this.#simulation.advance(SLICE_EVENTS)
  }

  /** The result up to now. */
  result(isInterrupted = false): PerftestResult {
    const result = this.#simulation.result(isInterrupted)
    const { counters } = result
    const { requests, hasBackground } = this.#plan
    const ours = requestsOf(result, this.#plan.operation)
    const asked = requests * this.#pairs.length
    const startPs = hasBackground ? this.scenario.measure.warmUp : 0
    const endPs = ours.endsPs.length === asked ? ours.endsPs.at(-1)! : Math.max(startPs, result.simulatedPs)
    return {
      pairs: this.#pairs,
      mtuBytes: this.scenario.frames.payload,
      posted: ours.posted,
      asked,
      endings: ours.endings,
      latenciesPs: ours.latenciesPs,
      startPs,
      elapsedPs: endPs - startPs,
      payloadBytes: ours.payloadBytes,
      retransmissions: counters.retransmissions,
      timeouts: Object.values(counters.timeouts).reduce((sum, count) => sum + count, 0),
      rnrNaks: counters.rnrNaks,
      drops: counters.drops,
      pauseFrames: counters.pauseFrames,
      packetHops: counters.packetHops,
      digest: result.digest,
      recovery: this.scenario.recovery.kind,
      congestion: this.scenario.congestion.kind,
      cnps: counters.cnps,
      background: hasBackground ? backgroundOf(result) : null,
      nicState: irnStateOf(this.scenario, this.#topology, this.#simulation.longestRttPs())?.state ?? null,
    }
  }

  close(): void {
    this.#simulation.close()
  }
}

/** The scenario with such requests as its workload, beside its own workload if the plan keeps it. */
function perftestScenario(scenario: Scenario, plan: PerftestPlan, pairs: PerftestPlan['pairs']): Scenario {
  const { operation, sizeBytes, requests, depth, receives, mode, mtuBytes, hasBackground } = plan
  const isRead = isAnswered(operation)
  const printed = printScenario(scenario) as Record<string, object>
  const isOfMode = modeOf(scenario) === mode
  const loop = {
    kind: 'closed-loop',
    // Data of READs and atomics flow to the host that posts.
    pairs: pairs.map(([from, to]) => (isRead ? `${to} ${from}` : `${from} ${to}`)),
    operation,
    workRequests: true,
    messageSize: `${isAtomic(operation) ? ATOMIC_BYTES : sizeBytes}B`,
    outstanding: depth,
    messages: requests,
    start: hasBackground ? `${scenario.measure.warmUp}ps` : '0ps',
    tag: TAG,
  }
  const { workload, verbs, frames } = printed
  return parseScenario(
    JSON.stringify({
      ...printed,
      ...(isOfMode ? {} : { recovery: RECOVERIES[mode] }),
      ...(mtuBytes === undefined ? {} : { frames: { ...frames, payload: `${mtuBytes}B` } }),
      verbs: { ...verbs, sendDepth: depth, receives },
      workload: [loop, ...(hasBackground ? (workload as object[]) : [])],
    }),
  )
}

/** Endings and latencies of the requests. */
function requestsOf({ flows }: Result, operation: Operation) {
  const [start, done, size] = numberColumns(flows, ['startPs', 'acknowledgedPs', 'sizeBytes'])
  const [tags, statuses, operations] = ['tag', 'status', 'operation'].map((name) => textsOf(flows, name)) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ]
  const rows = Array.from({ length: flows.rowCount }, (_, row) => row).filter(
    (row) => tags[row] === TAG && operations[row] === operation,
  )
  const good = rows.filter((row) => statuses[row] === STATUS.finished).toSorted((a, b) => done[a]! - done[b]!)
  const endings: Record<string, number> = {}
  for (const row of rows) endings[statuses[row]!] = (endings[statuses[row]!] ?? 0) + 1
  return {
    posted: rows.length,
    endings,
    latenciesPs: Float64Array.from(good, (row) => done[row]! - start[row]!),
    endsPs: good.map((row) => done[row]!),
    payloadBytes: good.reduce((sum, row) => sum + size[row]!, 0),
  }
}

function backgroundOf({ flows, unposted }: Result): Background {
  const tags = textsOf(flows, 'tag')
  const received = numbersOf(flows, 'receivedPs')
  const rows = Array.from({ length: flows.rowCount }, (_, row) => row).filter((row) => tags[row] !== TAG)
  const whole = rows.filter((row) => !Number.isNaN(received[row]!))
  const isDrained = whole.length === rows.length && Object.keys(unposted).length === 0
  return {
    posted: rows.length,
    finished: whole.length,
    drainedPs: isDrained ? whole.reduce((last, row) => Math.max(last, received[row]!), 0) : NaN,
  }
}

function expectHosts(pairs: PerftestPlan['pairs'], hostCount: number): void {
  const issues = pairs.flatMap(([from, to]): Issue[] => {
    if (from < hostCount && to < hostCount && from !== to) return []
    const expected = `two different hosts 0 to ${hostCount - 1}`
    return [{ path: 'pairs', expected, received: `"${from} ${to}"`, hint: '' }]
  })
  if (issues.length > 0) throw new InputError(issues)
}
