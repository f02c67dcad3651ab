/**
 * Simulation: a scenario built and run. Reads as the flow of data: scenario, network, run, watch, collect.
 */
import { assert, Bug } from '../base/assert.ts'
import { Memory } from '../base/memory.ts'
import { LAST_PS, NEVER_PS } from '../base/params.ts'
import { createRandomStreams } from '../base/random.ts'
import { DROP_NO_ROUTE, DROP_REASONS } from '../fabric/counters.ts'
import type { QueuePair } from '../fabric/nic/queue-pair.ts'
import type { PauseCircle, Result } from '../results/result.ts'
import { printScenario } from '../scenario/index.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { bufferCircle } from '../topology/buffer-circle.ts'
import { VERSION } from '../base/version.ts'
import { layFaults } from './run/link-faults.ts'
import { scenarioTimeout } from './build/definitions.ts'
import { type Forecast, forecastOf } from './checks/forecast.ts'
import { assertLaws, assertPairLaws, type Lawful } from './checks/laws.ts'
import { isProvablyLossless } from './checks/lossless.ts'
import { Mistakes } from './build/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from './build/network-builder.ts'
import { Observation } from './run/observation.ts'
import { pauseCircleOf } from './checks/pause-circle.ts'
import { QuietPairs } from './checks/quiet-pairs.ts'
import { longestRoundTripPs } from './times/round-trips.ts'
import { patiencePs, StallWatch } from './checks/stall-watch.ts'
import { STATUS } from './run/status.ts'
import { TIMEOUT_CAUSES, TimeoutCauses } from './checks/timeout-causes.ts'
import { Traffic } from './run/traffic.ts'
import { deliveredByRow } from './run/delivered-rows.ts'
import { deliveredBytes, lastDeliveredPs, WindowCount } from './run/window-count.ts'

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

/** How a run is watched, and when it is over; else none of it changes the run. */
export interface SimulationOptions {
  /** Conservation laws at instants all over the run, and at its end. */
  readonly check?: boolean
  /** The run is over when so many messages with this tag are finished, whatever else is under way. */
  readonly stopAfter?: { readonly tag: string; readonly messages: number }
}

/** A scenario that was built: advanced in slices, asked at any time, closed at the end. */
export interface Simulation {
  /**
   * Runs about `events` events, none of them after `untilPs` (unlimited unless given); true while there is more to do,
   * before or after that time. Throws Bug for a broken law.
   */
  advance(events: number, untilPs?: number): boolean
  progress(): Progress
  /** What there is so far; `interrupted` marks it partial. */
  result(interrupted: boolean): Result
  /** A full packet there and its ACK back, alone in the network: the longest of all pairs of hosts, ps; NaN: no two are connected. */
  longestRttPs(): number
  /** Names of switches round which packets may wait for each other's buffers for ever; null: the routes close no circle. */
  bufferCircle(): string[] | null
  /** What the run will have to do, from the sizes of the scenario. @throws InputError where it cannot end in time. */
  forecast(): Forecast
  /**
   * Ends it: what it takes of the thread's memory is free for others, and it cannot be asked any more. One that is
   * forgotten is closed when it is collected, which may be too late for a program that makes hundreds without a pause.
   */
  close(): void
}

const SLICE_EVENTS = 65_536
/** Messages of a workload of which it is seen at once whether they can end. */
const LOOKED_AT = 1000
/** With --check: laws are looked at after about this many events, more or less at random. */
const CHECKED_EVENTS = 20_000

class Run implements Simulation {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #traffic: Traffic
  readonly #observation: Observation
  readonly #window: WindowCount
  readonly #causes: TimeoutCauses
  /** null: nobody asks for laws. */
  readonly #lawful: Lawful | null
  readonly #endPs: number
  readonly #memory: Memory
  #isClosed = false
  #isOver = false
  /** It was not done at the last instant that can be simulated. */
  #isOutOfTime = false
  /** Of a run that ends when all is done. */
  #stall: StallWatch | null = null
  /** Of the result that is being made. */
  #circle: PauseCircle | null = null
  /** Of a run that ends by the clock. */
  readonly #quiet: QuietPairs | null = null

  constructor(scenario: Scenario, options: SimulationOptions, memory: Memory) {
    this.#scenario = scenario
    this.#memory = memory
    const random = createRandomStreams(scenario.seed)
    this.#traffic = new Traffic(scenario)
    this.#traffic.stopAfter = options.stopAfter ?? null
    // One mistake hides no other, but in the topology, on which all else stands: all are told at once.
    const mistakes = new Mistakes()
    this.#built = buildNetwork(scenario, random, this.#traffic, memory, mistakes)
    layFaults(scenario, this.#built, random, mistakes)
    this.#causes = new TimeoutCauses(this.#built.network)
    this.#built.network.fabric.losses = this.#causes
    this.#lawful =
      options.check === true
        ? {
            built: this.#built,
            isLossless: isProvablyLossless(scenario, this.#built),
            traffic: this.#traffic,
            causes: this.#causes,
            connections: [],
          }
        : null
    if (this.#lawful !== null)
      this.#built.network.pairs.onRelease.push((pair) => assertPairLaws(pair, this.#traffic, this.#built))
    this.#observation = new Observation(scenario, this.#built, this.#traffic, mistakes)
    const { measure } = scenario
    this.#window = new WindowCount(measure, this.#built.network, this.#traffic)
    this.#endPs = measure.stop ?? (measure.end === 'stop' ? (measure.generate ?? NEVER_PS) : NEVER_PS)
    if (measure.end === 'drain') this.#traffic.onDrained = () => this.#built.network.halt()
    this.#traffic.start(this.#built, random, mistakes)
    mistakes.settle()
    if (this.#endPs === NEVER_PS) {
      // The first messages show a start or a link that leaves no time; all of them are looked at where it is asked for.
      forecastOf(scenario, this.#built, LOOKED_AT)
      this.#traffic.onGivenUp = () => this.#built.network.halt()
      this.#stall = new StallWatch(scenario, this.#built, this.#traffic)
    } else this.#quiet = new QuietPairs(this.#built.network, this.#endPs, patiencePs(scenario))
  }

  advance(events: number, untilPs: number = NEVER_PS): boolean {
    this.#assertOpen()
    if (this.#isOver) return false
    const { network } = this.#built
    const hasMore = network.advance(events, Math.min(untilPs, this.#endPs))
    this.#isOver = !hasMore && !(untilPs < this.#endPs && !network.isHalted && network.fabric.queue.size > 0)
    // Without a stop there is always an event, that of the stall watch, until the run is halted.
    this.#isOutOfTime = this.#isOver && this.#endPs === NEVER_PS && !network.isHalted
    if (this.#lawful !== null) assertLaws(this.#lawful)
    return !this.#isOver
  }

  longestRttPs(): number {
    this.#assertOpen()
    return longestRoundTripPs(this.#built)
  }

  bufferCircle(): string[] | null {
    this.#assertOpen()
    const { topology, routes } = this.#built
    return bufferCircle(topology, routes)?.map((node) => topology.names[node]!) ?? null
  }

  forecast(): Forecast {
    this.#assertOpen()
    return forecastOf(this.#scenario, this.#built)
  }

  close(): void {
    if (!this.#isClosed) this.#memory.release()
    this.#isClosed = true
  }

  #assertOpen(): void {
    assert(!this.#isClosed, 'a simulation is asked after it was closed')
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

  /** How much of what a run without an end of its own has to deliver it has delivered, 0..1. */
  #delivered(nowPs: number): number {
    const { postedBytes, leftBytes } = this.#traffic
    if (postedBytes === 0) return 0
    const bytes = deliveredBytes(this.#built.network)
    const { generate } = this.#scenario.measure
    // It is over when everything is delivered, or time has ended the messages and those that were posted are.
    const byTime = generate === null ? 0 : Math.min(1, nowPs / generate, bytes / postedBytes)
    return Math.max(byTime, bytes / (postedBytes + leftBytes))
  }

  result(interrupted: boolean): Result {
    this.#assertOpen()
    const { network } = this.#built
    const { fabric } = network
    const { counters, queue } = fabric
    const { measure } = this.#scenario
    // A run that ends by the clock has simulated up to it, whatever the last event's time.
    const isByClock = this.#isOver && !network.isHalted
    const simulatedPs = isByClock ? Math.min(this.#endPs, LAST_PS) : queue.nowPs
    const windowToPs = measure.window === null ? simulatedPs : Math.min(simulatedPs, measure.warmUp + measure.window)
    const log = this.#traffic.log
    const delivered = deliveredByRow(this.#traffic)
    const perMessage = messagesPerPair(network.pairs.count, log)
    this.#circle = pauseCircleOf(this.#built)
    return {
      schemaVersion: 1,
      version: VERSION,
      scenario: printScenario(this.#scenario),
      name: this.#scenario.name,
      seed: this.#scenario.seed,
      digest: fabric.digest.text(),
      partial: this.#isOutOfTime || (interrupted && !this.#isOver),
      simulatedPs,
      stalledFromPs: this.#stall?.isStalled === true ? lastDeliveredPs(network) : null,
      pauseCircle: this.#circle,
      completion: measure.completion,
      windowFromPs: Math.min(measure.warmUp, simulatedPs),
      windowToPs,
      windowPayloadBytes: this.#window.payloadBytes,
      windowPayloadBytesByTag: this.#window.payloadBytesByTag(),
      unposted: this.#unposted(simulatedPs, interrupted),
      counters: {
        packetHops: counters.packetHops,
        events: network.events,
        dataPacketsSent: counters.dataSent,
        controlPacketsSent: counters.controlSent,
        payloadBytesDelivered: deliveredBytes(network),
        drops: named(DROP_REASONS, counters.drops),
        dataPacketsDropped: counters.dataDrops,
        pauseFrames: counters.pauseFrames,
        resumeFrames: counters.resumeFrames,
        pausedPs: this.#pausedByTier(simulatedPs),
        ecnMarks: counters.ecnMarks,
        cnps: network.pairs.released.cnps + network.pairs.sum(({ receiver }) => receiver.cnpsSent),
        cnms: counters.cnms,
        rnrNaks: network.pairs.released.rnrNaks + network.pairs.sum(({ receiver }) => receiver.rnrNaksSent),
        trimmed: counters.trimmed,
        trimmedBytes: counters.trimmedBytes,
        retransmissions:
          network.pairs.released.retransmissions + network.pairs.sum(({ sender }) => sender.retransmissions),
        timeouts: this.#timeoutsByCause(),
      },
      flows: log.table((row) => {
        const pair = this.#traffic.pairOf(row)
        const startPs = log.get('startPs', row)
        const measured =
          startPs >= measure.warmUp && (measure.window === null || startPs < measure.warmUp + measure.window)
        if (pair === null) {
          const [retransmissions, timeouts] = [log.get('retransmissions', row), log.get('timeouts', row)]
          return { retransmissions, timeouts, deliveredBytes: delivered[row]!, measured, status: STATUS.finished }
        }
        // A QP counts for all its messages; with one message per QP the figures are the message's own.
        const isOnly = perMessage[pair.id] === 1
        return {
          retransmissions: isOnly ? pair.sender.retransmissions : NaN,
          timeouts: isOnly ? pair.sender.timeouts + pair.receiver.timeouts : NaN,
          deliveredBytes: delivered[row]!,
          measured,
          status: this.#statusOf(row, pair, interrupted, simulatedPs),
        }
      }),
      series: this.#observation.tables(simulatedPs),
    }
  }

  #statusOf(row: number, pair: QueuePair | null, interrupted: boolean, nowPs: number): string {
    if (pair === null) return STATUS.finished
    const log = this.#traffic.log
    const isReceived = !Number.isNaN(log.get('receivedPs', row))
    const needsAck = pair.isAcknowledged
    if (isReceived && (!needsAck || !Number.isNaN(log.get('acknowledgedPs', row)))) return STATUS.finished
    if (this.#traffic.hasFailed(pair)) return STATUS.failed
    if (interrupted && !this.#isOver) return STATUS.interrupted
    if (this.#isOutOfTime) return STATUS.clock
    const isHeld = this.#isHeld(pair, nowPs)
    if (this.#stall?.isStalled === true) {
      return this.#stall.isSending && !isHeld ? STATUS.livelock : this.#whyStalled(pair)
    }
    if (this.#quiet === null) return isReceived ? STATUS.unacknowledged : this.#whyStalled(pair)
    if (!isReceived && log.get('messageOfPair', row) > pair.messagesDelivered) return STATUS.behind
    if (!this.#hasLink(pair)) return this.#whyStalled(pair)
    const verdict = this.#quiet.verdict(nowPs, pair, log.get('startPs', row), isHeld)
    if (verdict === 'livelock') return STATUS.livelock
    if (verdict === 'stalled') return this.#whyStalled(pair)
    return isReceived ? STATUS.unacknowledged : STATUS.sending
  }

  /** By the status of what they wait for. */
  #unposted(nowPs: number, interrupted: boolean): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { row, messages } of this.#traffic.unposted(nowPs)) {
      const reason = row >= 0 ? this.#statusOf(row, this.#traffic.pairOf(row), interrupted, nowPs) : STATUS.notDue
      counts[reason] = (counts[reason] ?? 0) + messages
    }
    return counts
  }

  #whyStalled(pair: QueuePair): string {
    if (!this.#hasLink(pair)) return STATUS.linkDown
    const port = this.#built.network.nics[pair.source]!.port
    if ((port.pausedMask & (1 << pair.trafficClass)) !== 0 || this.#circle?.trafficClass === pair.trafficClass) {
      return STATUS.paused
    }
    if (pair.isRead && pair.receiver.timeouts > 0) return STATUS.readUnanswered
    const { drops } = this.#built.network.fabric.counters
    const isLossy = drops.some((count) => count > 0)
    if (isLossy && drops.every((count, reason) => count === 0 || reason === DROP_NO_ROUTE)) return STATUS.noRoute
    return scenarioTimeout(this.#traffic.schemesOf(pair)) === null && isLossy ? STATUS.lost : STATUS.stalled
  }

  /** Its class has been paused at its host for half of the run and more. */
  #isHeld({ source, trafficClass }: QueuePair, nowPs: number): boolean {
    const sincePs = this.#built.network.nics[source]!.port.pausedSincePs(trafficClass)
    return sincePs >= 0 && sincePs <= nowPs / 2
  }

  /** Both hosts are cabled. */
  #hasLink(pair: QueuePair): boolean {
    const { nics } = this.#built.network
    return nics[pair.source]!.port.isUp && nics[pair.destination]!.port.isUp
  }

  #timeoutsByCause(): Record<string, number> {
    const { pairs } = this.#built.network
    const { counts } = this.#causes
    const total = pairs.released.timeouts + pairs.sum(({ sender, receiver }) => sender.timeouts + receiver.timeouts)
    assert(total === counts.reduce((sum, count) => sum + count, 0), 'each timeout has one cause')
    return named(TIMEOUT_CAUSES, counts)
  }

  #pausedByTier(nowPs: number): Record<string, number> {
    const { network, topology } = this.#built
    const sums: Record<string, number> = {}
    for (const port of network.ports) {
      const pausedPs = port.pausedPs(nowPs)
      if (pausedPs === 0) continue
      const tier = topology.tiers[network.nodeOf(port.id)]!
      const name = tier === 0 ? 'host' : `tier ${tier}`
      sums[name] = (sums[name] ?? 0) + pausedPs
    }
    return sums
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

/** Runs a scenario to its end. A Bug names scenario and seed. */
export function run(scenario: Scenario, options: SimulationOptions = {}): Result {
  const simulation = createSimulation(scenario, options)
  try {
    const random = createRandomStreams(scenario.seed).stream('check')
    const slice = options.check === true ? () => 1 + random.below(CHECKED_EVENTS) : () => SLICE_EVENTS
    while (simulation.advance(slice()));
    return simulation.result(false)
  } catch (error) {
    if (error instanceof Bug) throw new Bug(`${scenario.name}, seed ${scenario.seed}: ${error.message}`)
    throw error
  } finally {
    simulation.close()
  }
}

function named(names: readonly string[], values: Float64Array): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]).filter(([, n]) => n !== 0))
}

function messagesPerPair(pairs: number, log: Traffic['log']): Int32Array {
  const counts = new Int32Array(pairs)
  for (let row = 0; row < log.count; row++) counts[log.get('pair', row)]!++
  return counts
}
