/**
 * Lane: the PSNs of one requester in a second reading: when each was sent last, when answers moved on, which holes there were.
 * Memory is bounded: the latest of each are kept.
 */
import { unwrapped } from '../psn.ts'

const SENT_MAX = 4096
const ANSWERS_MAX = 256
const HOLES_MAX = 64
const SPANNING_MAX = 64
/** A PSN further from the last one is that of a queue pair made anew, as for the decoder. */
const JUMP_MAX = 2 ** 18

/** Where a packet passed. */
export interface Passed {
  readonly timePs: number
  readonly frame: number
}

export interface Transmission extends Passed {
  /** Transmissions of this PSN up to this one. */
  readonly times: number
}

interface Moved extends Passed {
  /** One past the last PSN that is answered. */
  readonly to: number
}

/** PSNs that a packet stands for, or that one came without. */
interface Hole extends Passed {
  readonly from: number
  readonly to: number
}

export class Lane {
  /** One past the highest PSN; null: no request yet. PSNs here count on without wrapping. */
  high: number | null = null
  answered = 0
  /** Requests with the PSN of another one. */
  reused = 0
  /** Taken from a PSN, so that the first is 0. */
  #base = 0
  #sent = new Map<number, Transmission>()
  #moved: Moved[] = []
  #holes: Hole[] = []
  /** READs, which take the PSNs of their responses. */
  #spanning: Hole[] = []

  /** PSNs sent and not answered, and requests with the PSN of another one, which no answer is to. */
  get outstanding(): number {
    return this.reused + (this.high === null ? 0 : Math.max(0, this.high - this.answered))
  }

  /** PSN without wrapping. */
  at(psn: number): number {
    return unwrapped(psn, this.high === null ? null : this.high - 1)
  }

  /** From the first PSN on. */
  relative(at: number): number {
    return at - this.#base
  }

  /** @param span PSNs that the request takes. The result is its transmission before; null: none is known. */
  request(at: number, span: number, passed: Passed): Transmission | null {
    const { high } = this
    if (high === null || Math.abs(at - high) > JUMP_MAX) this.#begin(at, high)
    else if (at > high) {
      if (this.#holes.length >= HOLES_MAX) this.#holes.shift()
      this.#holes.push({ from: high, to: at, ...passed })
    }
    this.high = Math.max(this.high!, at + span)
    const before = this.sent(at)
    this.#sent.delete(at)
    this.#sent.set(at, { ...passed, times: (before?.times ?? 0) + 1 })
    if (this.#sent.size > SENT_MAX) this.#sent.delete(this.#sent.keys().next().value!)
    if (span > 1) {
      if (this.#spanning.length >= SPANNING_MAX) this.#spanning.shift()
      this.#spanning.push({ from: at, to: at + span, ...passed })
    }
    return before
  }

  /** All below `to` is answered. The result is whether that is new. */
  advance(to: number, passed: Passed): boolean {
    if (this.high === null || to <= this.answered || to > this.high) return false
    this.answered = to
    if (this.#moved.length >= ANSWERS_MAX) this.#moved.shift()
    this.#moved.push({ to, ...passed })
    return true
  }

  /** The last transmission of a PSN; null: it did not pass here, or long ago. */
  sent(at: number): Transmission | null {
    const own = this.#sent.get(at)
    if (own !== undefined) return own
    const read = this.#spanning.findLast(({ from, to }) => from <= at && at < to)
    return read === undefined ? null : { timePs: read.timePs, frame: read.frame, times: 1 }
  }

  /** The answer that covered a PSN first; null: none did, or long ago. */
  answeredBy(at: number): Passed | null {
    return this.#moved.find(({ to }) => to > at) ?? null
  }

  /** The packet that came without this PSN before it; null: there is none. */
  holeOf(at: number): Passed | null {
    return this.#holes.findLast(({ from, to }) => from <= at && at < to) ?? null
  }

  #begin(at: number, high: number | null): void {
    // PSNs of a queue pair made anew stand above those before.
    this.#base = at - (high === null ? 0 : high - this.#base)
    this.high = at
    this.answered = at
    this.#sent = new Map()
    this.#moved = []
    this.#holes = []
    this.#spanning = []
  }
}
