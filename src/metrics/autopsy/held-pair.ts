/**
 * Held pair: who holds the sender of a queue pair now, and who has held it: the rules by which a state of the sender has an
 * origin (docs/models/autopsy.md).
 * Units: picoseconds.
 */
import {
  ANSWER,
  BEHIND,
  CAP,
  CREDITS,
  FETCH,
  HOST,
  NAK_WAIT,
  OWN,
  RATE,
  RESEND,
  RNR,
  TIMEOUT_WAIT,
  WINDOW,
} from '../../results/flow-parts.ts'
import { NO_ORIGIN } from '../pauses/origins.ts'
import type { Blame } from './blame.ts'
import { Ledger } from './ledger.ts'

/** Weight of a mark after each further one. */
const OLDER = 0.95

/** When a message was posted, and when the queue pair had sent everything before it; NaN: not yet. */
interface MessageTimes {
  readonly postedPs: number
  readonly begunPs: number
}

export class HeldPair {
  ledger = new Ledger()
  /** Origin of what lowered its rate or window: of most of its late marks, or without marks of the last delay. */
  loweredBy = NO_ORIGIN
  /** Origin of most of the delay of the packet that arrived last; NO_ORIGIN: it was not late. */
  delayedBy = NO_ORIGIN
  /** Where it last lost a packet, and whether nothing has arrived since that was sent again. */
  lostBy = NO_ORIGIN
  isLosing = false
  /** Marks by origin. */
  readonly #marks = new Map<number, number>()
  readonly #source: () => number
  readonly #destination: () => number

  /** @param source origin of its sending host @param destination of its receiving host */
  constructor(source: () => number, destination: () => number) {
    this.#source = source
    this.#destination = destination
  }

  /** A packet arrives with a mark. The origin of most of them lowers the rate; older marks count less. */
  addMark(origin: number): void {
    let most = 0
    const marks = this.#marks
    marks.set(origin, (marks.get(origin) ?? 0) + 1)
    for (const [each, weight] of marks) {
      marks.set(each, weight * OLDER)
      if (weight <= most) continue
      most = weight
      this.loweredBy = each
    }
  }

  /**
   * Adds who held the sender's part of a message (`split`): each part by what the ledger has of its state in that time, the
   * waits for a loss to be noticed by where it was, and the wait for earlier messages by all that held those.
   */
  blame({ postedPs, begunPs }: MessageTimes, leftPs: number, parts: Float64Array, blame: Blame): void {
    const begin = Math.min(leftPs, Number.isNaN(begunPs) ? leftPs : begunPs)
    const byState = new Map<number, Map<number, number>>()
    this.ledger.visit(begin, leftPs, (state, origin, spanPs) => {
      const ofState = byState.get(state) ?? new Map<number, number>()
      byState.set(state, ofState.set(origin, (ofState.get(origin) ?? 0) + spanPs))
    })
    if (parts[BEHIND]! > 0) {
      const before = new Map<number, number>()
      this.ledger.visit(postedPs, begin, (_, origin, spanPs) => before.set(origin, (before.get(origin) ?? 0) + spanPs))
      blame.share(BEHIND, parts[BEHIND]!, before, begin - postedPs)
    }
    const lost = new Map([[this.lostBy, 1]])
    for (let part = 0; part <= TIMEOUT_WAIT; part++) {
      if (part === OWN || !(parts[part]! > 0)) continue
      const isOfLoss = part === NAK_WAIT || part === TIMEOUT_WAIT
      blame.share(
        part,
        parts[part]!,
        (isOfLoss ? byState.get(ANSWER) : byState.get(part)) ?? (isOfLoss ? lost : new Map()),
      )
    }
  }

  /** Who holds a sender in this state. */
  originOf(state: number): number {
    switch (state) {
      case RATE:
        return this.loweredBy
      case WINDOW:
        return this.loweredBy === NO_ORIGIN ? this.delayedBy : this.loweredBy
      case CAP:
        return this.isLosing ? this.lostBy : this.delayedBy
      case ANSWER:
        return this.isLosing ? this.lostBy : this.delayedBy
      case RESEND:
      case FETCH:
        return this.lostBy
      case RNR:
      case CREDITS:
        return this.#destination()
      case HOST:
        return this.#source()
      default:
        return NO_ORIGIN
    }
  }
}
