/**
 * Built run: a scenario built and run. Reads as the flow of data: scenario, network, run, watch, collect.
 */
import { assert } from '../../core/base/assert.ts'
import { Memory } from '../../core/base/memory.ts'
import { LAST_PS, NEVER_PS } from '../../core/base/params.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import type { PauseCircle, Result } from '../../core/results/result.ts'
import type { Table } from '../../core/results/table.ts'
import { partSince, type TablePart } from '../../core/results/table-part.ts'
import { printScenario } from '../scenario/index.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { bufferCircle, type BufferCircle } from '../../core/topology/buffer-circle.ts'
import type { FloodPorts } from '../../core/topology/buffer-dependencies.ts'
import { VERSION } from '../../core/base/version.ts'
import { scheduleChanges } from '../run/changes.ts'
import { losslessFloodsOf } from '../network/layer2.ts'
import { layFaults } from '../run/faults/index.ts'
import { type Forecast, forecastOf } from '../checks/forecast.ts'
import { ForeignFrames } from '../checks/foreign-frames.ts'
import { assertLaws, assertPairLaws, type Lawful } from '../checks/laws.ts'
import { isProvablyLossless } from '../checks/lossless.ts'
import { Mistakes } from '../network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from '../network/network-builder.ts'
import { Observation } from '../run/observation.ts'
import { QuietPairs } from '../checks/quiet-pairs.ts'
import { longestRoundTripPs } from '../times/round-trips.ts'
import { patiencePs, StallWatch } from '../checks/stall-watch.ts'
import { assertWaking } from '../checks/waking.ts'
import { MessageStatus, type RunState } from '../checks/message-status.ts'
import { named, runCounters } from '../run/run-counters.ts'
import { TIMEOUT_CAUSES, TimeoutCauses } from '../checks/timeout-causes.ts'
import type { ByteStore } from '../run/flow-pages.ts'
import { jobsOf, operationTables } from '../jobs/operation-tables.ts'
import { probeTables } from '../run/probe-table.ts'
import { Traffic } from '../run/traffic.ts'
import { eachDelivered } from '../run/delivered-rows.ts'
import { deliveredBytes, lastDeliveredPs, WindowCount } from '../run/window-count.ts'
import { pairsHeldBy, pauseCirclesOf } from '../metrics/pauses/pause-circles.ts'
import { pauseGraphOf } from '../metrics/pauses/pause-graph.ts'

/** The circle of lowest class, if ports wait so now; null: none do. */
function pauseCircleOf({ network, topology }: BuiltNetwork): PauseCircle | null {
  const graph = pauseGraphOf(network)
  const [first] = pauseCirclesOf(network, graph)
  if (first === undefined) return null
  const ports = first.circle.map((index) => graph.pauses[index]!.port)
  return {
    nodes: ports.map((port) => topology.names[port.node]!),
    ports: ports.map((port) => port.index),
    trafficClass: first.trafficClass,
    sincePs: first.sincePs,
    members: first.members.length,
    victims: first.victims.length,
    hosts: first.hosts.length,
    pairs: pairsHeldBy(network, graph, first).length,
  }
}

/** How far a run is. */
export interface Progress {
  readonly nowPs: number
  /** Planned end, or NEVER_PS when it runs until everything is finished. */
  readonly endPs: number
  /** 0..1, the best estimate there is. */
  readonly fraction: number
  readonly flowsStarted: number
  readonly flowsFinished: number
  readonly packetHops: number
  readonly pauseFrames: number
  readonly drops: number
  readonly events: number
}

/** How a run is checked, and when it ends early; neither changes its events. */
export interface SimulationOptions {
  /** Checks conservation laws at many instants of the run, and at its end. */
  readonly check?: boolean
  /** Ends the run when `messages` messages with this tag are finished, whatever else is in flight. */
  readonly stopAfter?: { readonly tag: string; readonly messages: number }
  /**
   * Takes the rows of messages that are over, so that a long run does not hold them in memory. Its result can be made once,
   * after which the simulation does not go on; the flows in it are read from the store.
   */
  readonly flowStore?: ByteStore
}

/** A scenario that was built. It is advanced in slices, can give a result at any time, and must be closed. */
export interface Simulation {
  /**
   * Runs about `events` events, none of them after `untilPs` (default: no limit). True while there is more to do, before
   * or after that time. Throws Bug for a broken law.
   */
  advance(events: number, untilPs?: number): boolean
  progress(): Progress
  /** The result up to now. @param interrupted marks it partial. */
  result(interrupted: boolean): Result
  /**
   * Tables of the observers up to now, for watching a run: of each the part that is not in `seen`, the tables of an earlier
   * call, to which withPart() adds it.
   * @param only tables of observers of this kind
   */
  tables(seen?: readonly Table[], only?: string): TablePart[]
  /** Round trip of a full packet and its ACK, alone in the network: the longest of all pairs of hosts; NaN: no two are connected. */
  longestRttPs(): number
  /**
   * Ports of switches that may wait for each other in a circle for ever; null: the routes close no circle.
   * @param floods what switches flood besides; not given: what the scenario's tables of layer 2 may flood
   */
  bufferCircle(floods?: FloodPorts): BufferCircle | null
  /**
   * Cost of the whole run, from the sizes of the scenario.
   * @param messages of a workload that are looked at, at most; fewer make it quick and rough
   * @throws InputError where it cannot end in simulated time
   */
  forecast(messages?: number): Forecast
  /**
   * Frees the simulation's part of the thread's memory; nothing else may be called after it. A simulation that is not
   * closed is freed by the garbage collector, which may be too late for a program that makes hundreds in a row.
   */
  close(): void
}

/** Messages of each workload that are checked for a possible end when a run is built. */
const FORECAST_MESSAGES = 1000

class Run implements Simulation {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #traffic: Traffic
  readonly #observation: Observation
  readonly #window: WindowCount
  readonly #causes: TimeoutCauses
  /** null: laws are not checked. */
  readonly #lawful: Lawful | null
  readonly #endPs: number
  readonly #memory: Memory
  #isClosed = false
  /** The rows of the flows are in a result, and not copied. */
  #isGiven = false
  readonly #hasStore: boolean
  #isOver = false
  /** The run was not done at LAST_PS. */
  #isOutOfTime = false
  /** Watches a run without a stop. */
  readonly #stall: StallWatch | null = null
  readonly #status: MessageStatus

  constructor(scenario: Scenario, options: SimulationOptions, memory: Memory) {
    this.#scenario = scenario
    this.#memory = memory
    const random = createRandomStreams(scenario.seed)
    this.#traffic = new Traffic(scenario, options.flowStore ?? null)
    this.#hasStore = options.flowStore !== undefined
    this.#traffic.stopAfter = options.stopAfter ?? null
    // Input errors of all parts are reported together.
    const mistakes = new Mistakes()
    this.#built = buildNetwork(scenario, random, this.#traffic, { memory, reported: mistakes })
    layFaults(scenario, this.#built, random, mistakes)
    this.#built.watchdogs.start()
    this.#causes = new TimeoutCauses(this.#built.network)
    this.#built.network.fabric.losses = this.#causes
    const foreign = options.check === true ? new ForeignFrames(this.#built.network) : null
    this.#lawful =
      foreign !== null
        ? {
            built: this.#built,
            isLossless: isProvablyLossless(scenario, this.#built),
            traffic: this.#traffic,
            causes: this.#causes,
            connections: [],
            foreign,
          }
        : null
    if (this.#lawful !== null)
      this.#built.network.pairs.onRelease.push((pair) => assertPairLaws(pair, this.#traffic, this.#built))
    const watches = foreign === null ? [] : [foreign.watch]
    this.#observation = new Observation(scenario, this.#built, this.#traffic, mistakes, watches)
    const { measure } = scenario
    this.#window = new WindowCount(measure, this.#built.network, this.#traffic)
    this.#endPs = measure.stop ?? (measure.end === 'stop' ? (measure.generate ?? NEVER_PS) : NEVER_PS)
    if (measure.end === 'drain') this.#traffic.onDrained = () => this.#built.network.halt()
    this.#traffic.start(this.#built, random, mistakes)
    scheduleChanges(scenario, this.#built, this.#traffic, mistakes)
    mistakes.settle()
    if (this.#endPs === NEVER_PS) {
      // The first messages show a start time or a link rate with which a run cannot end; forecast() looks at all of them.
      forecastOf(scenario, this.#built, FORECAST_MESSAGES)
      this.#traffic.onGivenUp = () => this.#built.network.halt()
      this.#stall = new StallWatch(scenario, this.#built, this.#traffic)
    }
    const quiet = this.#stall === null ? new QuietPairs(this.#built.network, this.#endPs, patiencePs(scenario)) : null
    this.#status = new MessageStatus(this.#built, this.#traffic, this.#stall, quiet)
  }

  advance(events: number, untilPs: number = NEVER_PS): boolean {
    this.#assertOpen()
    assert(!this.#isGiven, 'a simulation with a flow store goes on after its result')
    if (this.#isOver) return false
    const { network } = this.#built
    const hasMore = network.advance(events, Math.min(untilPs, this.#endPs))
    this.#isOver = !hasMore && !(untilPs < this.#endPs && !network.isHalted && network.fabric.queue.size > 0)
    // Without a stop there is always an event, that of the stall watch, until the run is halted.
    this.#isOutOfTime = this.#isOver && this.#endPs === NEVER_PS && !network.isHalted
    if (this.#lawful !== null) {
      assertLaws(this.#lawful)
      assertWaking(network)
    }
    return !this.#isOver
  }

  tables(seen: readonly Table[] = [], only?: string): TablePart[] {
    this.#assertOpen()
    const tables = this.#observation.tables(this.#built.network.fabric.queue.nowPs, false, only)
    return tables.map((table) =>
      partSince(
        table,
        seen.find(({ name }) => name === table.name),
      ),
    )
  }

  longestRttPs(): number {
    this.#assertOpen()
    return longestRoundTripPs(this.#built)
  }

  bufferCircle(floods?: FloodPorts): BufferCircle | null {
    this.#assertOpen()
    const { topology, routes, network } = this.#built
    return bufferCircle(topology, routes, floods ?? losslessFloodsOf(this.#scenario, network))
  }

  forecast(messages?: number): Forecast {
    this.#assertOpen()
    return forecastOf(this.#scenario, this.#built, messages)
  }

  close(): void {
    if (!this.#isClosed) this.#memory.release()
    this.#isClosed = true
  }

  #assertOpen(): void {
    assert(!this.#isClosed, 'a simulation is used after it was closed')
  }

  progress(): Progress {
    this.#assertOpen()
    const { fabric } = this.#built.network
    const nowPs = fabric.queue.nowPs
    return {
      nowPs,
      endPs: this.#endPs,
      fraction: this.#isOver ? 1 : this.#endPs === NEVER_PS ? this.#delivered(nowPs) : nowPs / this.#endPs,
      flowsStarted: this.#traffic.log.count,
      flowsFinished: this.#traffic.finished,
      packetHops: fabric.counters.packetHops,
      pauseFrames: fabric.counters.pauseFrames,
      drops: fabric.counters.drops.reduce((sum, n) => sum + n, 0),
      events: this.#built.network.events,
    }
  }

  /** Share of its bytes that a run without a stop has delivered, 0..1. */
  #delivered(nowPs: number): number {
    const { postedBytes, leftBytes } = this.#traffic
    if (postedBytes === 0) return 0
    const bytes = deliveredBytes(this.#built.network)
    const { generate } = this.#scenario.measure
    // The run ends when everything is delivered, or generation has ended and all posted messages are delivered.
    const byTime = generate === null ? 0 : Math.min(1, nowPs / generate, bytes / postedBytes)
    return Math.max(byTime, bytes / (postedBytes + leftBytes))
  }

  result(interrupted: boolean): Result {
    this.#assertOpen()
    const { network } = this.#built
    const { fabric } = network
    const { queue } = fabric
    const { measure } = this.#scenario
    // A run that ends by the clock has simulated up to its end, whatever the last event's time.
    const isByClock = this.#isOver && !network.isHalted
    const simulatedPs = isByClock ? Math.min(this.#endPs, LAST_PS) : queue.nowPs
    const windowToPs = measure.window === null ? simulatedPs : Math.min(simulatedPs, measure.warmUp + measure.window)
    const log = this.#traffic.log
    const circle = pauseCircleOf(this.#built)
    const isInterrupted = interrupted && !this.#isOver
    const attachments = this.#observation.files()
    const state: RunState = { nowPs: simulatedPs, isInterrupted, isOutOfTime: this.#isOutOfTime, circle }
    this.#completeRows(state)
    this.#isGiven = this.#hasStore
    const untilPs = measure.window === null ? Infinity : measure.warmUp + measure.window
    const isMeasured = (startPs: number): boolean => startPs >= measure.warmUp && startPs < untilPs
    return {
      schemaVersion: 1,
      version: VERSION,
      scenario: printScenario(this.#scenario),
      name: this.#scenario.name,
      seed: this.#scenario.seed,
      digest: fabric.digest.text(),
      partial: this.#isOutOfTime || isInterrupted,
      simulatedPs,
      stalledFromPs: this.#stall?.isStalled === true ? lastDeliveredPs(network) : null,
      pauseCircle: circle,
      completion: measure.completion,
      windowFromPs: Math.min(measure.warmUp, simulatedPs),
      windowToPs,
      windowPayloadBytes: this.#window.payloadBytes,
      windowPayloadBytesByTag: this.#window.payloadBytesByTag(),
      unposted: this.#status.unposted(state),
      ...jobsOf(this.#scenario, this.#traffic),
      counters: runCounters(this.#built, simulatedPs, this.#timeoutsByCause()),
      flows: this.#observation.withColumns(log.table(isMeasured), simulatedPs),
      series: [
        ...this.#observation.tables(simulatedPs, true),
        ...probeTables(this.#scenario, this.#traffic.sources, simulatedPs),
        ...operationTables(this.#scenario, this.#built, this.#traffic),
      ],
      ...(attachments.length === 0 ? {} : { attachments }),
    }
  }

  /** Writes into the rows of the log how their messages stand. */
  #completeRows(state: RunState): void {
    const { log } = this.#traffic
    eachDelivered(this.#traffic, (row, bytes) => {
      const pair = this.#traffic.pairOf(row)
      if (pair === null) return
      // A QP counts for all its messages together; with one message per QP the counts are the message's.
      const isOnly = this.#traffic.isOnly(pair)
      log.set('retransmissions', row, isOnly ? pair.sender.retransmissions : NaN)
      log.set('timeouts', row, isOnly ? pair.sender.timeouts + pair.receiver.timeouts : NaN)
      log.set('deliveredBytes', row, bytes)
      log.setWord('status', row, this.#status.of(row, pair, state))
    })
  }

  #timeoutsByCause(): Record<string, number> {
    const { pairs } = this.#built.network
    const { counts } = this.#causes
    const total = pairs.released.timeouts + pairs.sum(({ sender, receiver }) => sender.timeouts + receiver.timeouts)
    assert(total === counts.reduce((sum, count) => sum + count, 0), 'each timeout has one cause')
    return named(TIMEOUT_CAUSES, counts)
  }
}

/** Builds a scenario. Throws InputError for what only the build can see. */
export function createSimulation(scenario: Scenario, options: SimulationOptions = {}): Simulation {
  const memory = new Memory()
  try {
    return new Run(scenario, options, memory)
  } catch (error) {
    memory.release()
    throw error
  }
}
