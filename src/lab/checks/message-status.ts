/**
 * Message status: how each message stands when a result is made, and what it waits for. docs/models/results.md says when
 * each status holds.
 */
import { DROP_NO_ROUTE } from '../../fabric/counters.ts'
import type { QueuePair } from '../../fabric/nic/queue-pair.ts'
import type { PauseCircle } from '../../results/result.ts'
import { scenarioTimeout } from '../build/definitions.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'
import { STATUS } from '../run/status.ts'
import type { Traffic } from '../run/traffic.ts'
import type { QuietPairs } from './quiet-pairs.ts'
import type { StallWatch } from './stall-watch.ts'

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
    if (this.#stall?.isStalled === true) {
      return this.#stall.isSending && !isHeld ? STATUS.livelock : this.#whyStalled(pair, circle)
    }
    if (this.#quiet === null) return isReceived ? STATUS.unacknowledged : this.#whyStalled(pair, circle)
    if (!isReceived && log.get('messageOfPair', row) > pair.messagesDelivered) return STATUS.behind
    if (!this.#hasLink(pair)) return this.#whyStalled(pair, circle)
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
    const port = this.#built.network.nics[pair.source]!.port
    if ((port.pausedMask & (1 << pair.trafficClass)) !== 0 || circle?.trafficClass === pair.trafficClass) {
      return STATUS.paused
    }
    if (pair.isRead && pair.receiver.timeouts > 0) return STATUS.readUnanswered
    const { drops } = this.#built.network.fabric.counters
    const isLossy = drops.some((count) => count > 0)
    if (isLossy && drops.every((count, reason) => count === 0 || reason === DROP_NO_ROUTE)) return STATUS.noRoute
    return scenarioTimeout(this.#traffic.schemesOf(pair)) === null && isLossy ? STATUS.lost : STATUS.stalled
  }

  /** Its class has been paused at its host for half of the run or longer. */
  #isHeld({ source, trafficClass }: QueuePair, nowPs: number): boolean {
    const sincePs = this.#built.network.nics[source]!.port.pausedSincePs(trafficClass)
    return sincePs >= 0 && sincePs <= nowPs / 2
  }

  /** The links of both hosts are up. */
  #hasLink(pair: QueuePair): boolean {
    const { nics } = this.#built.network
    return nics[pair.source]!.port.isUp && nics[pair.destination]!.port.isUp
  }
}
