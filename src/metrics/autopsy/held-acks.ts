/**
 * Held acks: the messages of one queue pair that are whole at their receiver and not complete at their sender, and who holds
 * their ACKs meanwhile (docs/models/autopsy-acks.md).
 * Units: picoseconds.
 */
import type { QueuePair } from '../../fabric/pairs/queue-pair.ts'
import { ACK, NAK, RNR_NAK } from '../../transport/segment.ts'
import type { Hop } from './copies.ts'
import type { Surroundings } from './pair-clock.ts'

/** A message that is complete at its receiver. */
export interface Whole {
  readonly number: number
  /** Number of the row with its parts. */
  readonly row: number
  readonly wholePs: number
}

/** Where the two ends of the queue pair send, and the class of ACKs there. */
export interface AckPorts {
  readonly near: number
  readonly far: number
  readonly farClass: number
}

export class HeldAcks {
  /** In order. */
  readonly wholes: Whole[] = []
  /** The way of the last ACK, NAK or other reply that came while there were such messages. */
  reply: readonly Hop[] = []
  readonly #pair: QueuePair
  readonly #ports: AckPorts
  readonly #surroundings: Surroundings
  /** Replies that were lost since the oldest of the messages was whole, in the order in which they left. */
  #lost: { readonly leftPs: number; readonly origin: number }[] = []

  constructor(pair: QueuePair, ports: AckPorts, surroundings: Surroundings) {
    this.#pair = pair
    this.#ports = ports
    this.#surroundings = surroundings
  }

  add(number: number, row: number, wholePs: number): void {
    this.wholes.push({ number, row, wholePs })
  }

  /** The oldest message is complete at its sender, too. */
  take(): void {
    this.wholes.shift()
    const nextPs = this.wholes[0]?.wholePs ?? Infinity
    if (this.#lost.length > 0) this.#lost = this.#lost.filter(({ leftPs }) => leftPs >= nextPs)
  }

  onLoss(kind: number, leftPs: number, origin: number): void {
    if (this.wholes.length > 0 && isAnswer(kind)) this.#lost.push({ leftPs, origin })
  }

  /** Who held the ACK of a message from when it was whole until that time. */
  holders(wholePs: number, leftPs: number): Map<number, number> {
    const byOrigin = new Map<number, number>()
    const add = (origin: number, spanPs: number): void => {
      if (spanPs > 0) byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + spanPs)
    }
    const { near, far, farClass } = this.#ports
    const surroundings = this.#surroundings
    const lost = this.#lost.filter((one) => one.leftPs >= wholePs && one.leftPs < leftPs)
    lost.forEach((one, i) => add(one.origin, (lost[i + 1]?.leftPs ?? leftPs) - one.leftPs))
    const readyPs = lost[0]?.leftPs ?? leftPs
    const pausedPs = surroundings.addPauses(far, farClass, wholePs, readyPs, byOrigin)
    const downPs = Math.min(surroundings.downPs(far, wholePs, readyPs), readyPs - wholePs - pausedPs)
    add(surroundings.linkOrigin(far), downPs)
    // The ACK of a work request without a signal is that of a later one.
    const own = surroundings.portOrigin(this.#pair.verbs === null ? far : near)
    add(own, readyPs - wholePs - pausedPs - downPs)
    return byOrigin
  }
}

function isAnswer(kind: number): boolean {
  return kind === ACK || kind === NAK || kind === RNR_NAK
}
