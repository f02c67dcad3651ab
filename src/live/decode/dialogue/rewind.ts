/**
 * Rewind: packets that are sent again one behind the other, from a PSN on. Until something else is sent again it is open: answers
 * show whether the packets that were sent before had arrived, and only their answer was late.
 */
import type { OpenSighting } from '../found.ts'

/** An answer that passed in this last share of the wait was in flight when the timer ran out. */
const CROSSED_SHARE = 0.1

export class Rewind {
  readonly start: number
  readonly sighting: OpenSighting
  /** One past the last PSN that was sent again. */
  next: number
  /** False: new packets followed, and it does not go on. */
  isGoing = true
  readonly beganPs: number
  #packets = 1
  /** ACKs of its PSNs, and responses of its first one: those of others may be to packets that were not lost. */
  #acks = 0
  #responses = 0
  readonly #isCrossed: boolean

  /** @param waitedPs since the transmission before @param answeredPs when the first PSN was answered before; null: it was not */
  constructor(sighting: OpenSighting, start: number, next: number, waitedPs: number, answeredPs: number | null) {
    this.sighting = sighting
    this.start = start
    this.next = next
    this.beganPs = sighting.sight.timePs
    const sincePs = answeredPs === null ? -1 : this.beganPs - answeredPs
    this.#isCrossed = sincePs >= 0 && sincePs < CROSSED_SHARE * waitedPs
  }

  goOn(next: number): void {
    this.next = next
    this.#packets++
    this.sighting.values['packets'] = Number(this.sighting.values['packets']) + 1
  }

  /** @param isResponse of a READ or atomic */
  answered(psn: number, isResponse: boolean): void {
    if (psn < this.start) return
    if (isResponse) this.#responses += Number(psn === this.start)
    else if (psn < this.next) this.#acks++
  }

  /** Nothing was lost: the answer was in flight, or both transmissions were answered. */
  isOfLateAnswer(): boolean {
    return this.#isCrossed || this.#acks > this.#packets || this.#responses > 1
  }
}
