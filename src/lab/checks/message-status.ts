/**
 * Message status: how each message stands when a result is made, and what it waits for. docs/models/results.md says when
 * each status holds.
 */
import { DROP_FOREIGN, DROP_NO_ROUTE } from '../../core/fabric/counters.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { QueuePair, Lane } from '../../core/fabric/pairs/queue-pair.ts'
import type { PauseCircle } from '../../core/results/result.ts'
import { scenarioTimeout } from '../network/definitions.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { STATUS } from '../run/status.ts'
import type { Traffic } from '../run/traffic.ts'
import type { QuietPairs } from './quiet-pairs.ts'
import type { StallWatch } from './stall-watch.ts'

/** Reasons of drops where no path leads to the destination. */
const WITHOUT_ROUTE: ReadonlySet<number> = new Set([DROP_NO_ROUTE, DROP_FOREIGN])

/** The run at the time of the result. */
export interface RunState {
  readonly nowPs: number
  /** Somebody stopped it before its end. */
  readonly isInterrupted: boolean
  /** It was not done at LAST_PS. */
  readonly isOutOfTime: boolean
  readonly circle: PauseCircle | null
}

export class MessageStatus {
  readonly #built: BuiltNetwork
  readonly #traffic: Traffic
  readonly #stall: StallWatch | null
  readonly #quiet: QuietPairs | null

  /** A run without a stop has a stall watch, one that ends by the clock has quiet pairs; the other is null. */
  constructor(built: BuiltNetwork, traffic: Traffic, stall: StallWatch | null, quiet: QuietPairs | null) {
    this.#built = built
    this.#traffic = traffic
    this.#stall = stall
    this.#quiet = quiet
  }

  /** @param pair queue pair of the row; null: it was released, with its message finished */
  of(row: number, pair: QueuePair | null, { nowPs, isInterrupted, isOutOfTime, circle }: RunState): string {
    if (pair === null) return STATUS.finished
    const log = this.#traffic.log
    const isReceived = !Number.isNaN(log.get('receivedPs', row))
    const needsAck = pair.isAcknowledged
    if (isReceived && (!needsAck || !Number.isNaN(log.get('acknowledgedPs', row)))) return STATUS.finished
    if (pair.isReset) return STATUS.serverDown
    if (this.#traffic.hasFailed(pair)) return STATUS.failed
    if (isInterrupted) return STATUS.interrupted
    if (isOutOfTime) return STATUS.clock
    const isHeld = this.#isHeld(pair, nowPs)
    const isCut = this.#isCut(pair)
    if (this.#stall?.isStalled === true) {
      return this.#stall.isSending && !isHeld && !isCut ? STATUS.livelock : this.#whyStalled(pair, circle)
    }
    if (this.#quiet === null) return isReceived ? STATUS.unacknowledged : this.#whyStalled(pair, circle)
    if (!isReceived && log.get('messageOfPair', row) > pair.messagesDelivered) return STATUS.behind
    if (isCut) return this.#whyStalled(pair, circle)
    const verdict = this.#quiet.verdict(nowPs, pair, log.get('startPs', row), isHeld)
    if (verdict === 'livelock') return STATUS.livelock
    if (verdict === 'stalled') return this.#whyStalled(pair, circle)
    return isReceived ? STATUS.unacknowledged : STATUS.sending
  }

  /** Number of messages that workloads have not posted, by the status of the message that they wait for. */
  unposted(state: RunState): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { row, messages } of this.#traffic.unposted(state.nowPs)) {
      const reason = row >= 0 ? this.of(row, this.#traffic.pairOf(row), state) : STATUS.notDue
      counts[reason] = (counts[reason] ?? 0) + messages
    }
    return counts
  }

  #whyStalled(pair: QueuePair, circle: PauseCircle | null): string {
    if (!this.#hasLink(pair)) return STATUS.linkDown
    if (this.#isCut(pair)) return STATUS.noRoute
    const isPaused = lanesOf(pair).every(({ from }) => (this.#portAt(from).pausedMask & (1 << pair.trafficClass)) !== 0)
    if (isPaused || circle?.trafficClass === pair.trafficClass) return STATUS.paused
    if (pair.isRead && pair.receiver.timeouts > 0) return STATUS.readUnanswered
    const { drops } = this.#built.network.fabric.counters
    const isLossy = drops.some((count) => count > 0)
    if (isLossy && drops.every((count, reason) => count === 0 || WITHOUT_ROUTE.has(reason))) return STATUS.noRoute
    return scenarioTimeout(this.#traffic.schemesOf(pair)) === null && isLossy ? STATUS.lost : STATUS.stalled
  }

  /** Its class has been paused at its host for half of the run or longer. */
  #isHeld(pair: QueuePair, nowPs: number): boolean {
    return lanesOf(pair).every(({ from }) => {
      const sincePs = this.#portAt(from).pausedSincePs(pair.trafficClass)
      return sincePs >= 0 && sincePs <= nowPs / 2
    })
  }

  /** A link of one of the hosts is down, or no path leads there and back. */
  #isCut(pair: QueuePair): boolean {
    const { hostPorts } = this.#built
    return !lanesOf(pair).some(
      (lane) => this.#isUp(lane) && hostPorts.isJoined(lane.from, lane.to) && hostPorts.isJoined(lane.to, lane.from),
    )
  }

  /** The links of both hosts are up. */
  #hasLink(pair: QueuePair): boolean {
    return lanesOf(pair).some((lane) => this.#isUp(lane))
  }

  #isUp({ from, to }: Lane): boolean {
    return this.#portAt(from).isUp && this.#portAt(to).isUp
  }

  #portAt(endpoint: number): Port {
    return this.#built.network.nics[endpoint]!.port
  }
}

/** Lanes that its next data packet may take; where no port of its host is usable, that of its home port. */
function lanesOf(pair: QueuePair): readonly Lane[] {
  const lanes = pair.nextLanes()
  return lanes.length > 0 ? lanes : [{ from: pair.source, to: pair.destination }]
}
