/**
 * Round trips: from a packet that asks for an answer to that answer, of packets that were sent once (Karn).
 * Seen in the middle of a path they are those of its rest.
 */
import { Histogram } from '../../results/index.ts'

const PENDING_MAX = 128
/** Buckets of 6 %: a histogram of each direction has to be small. */
const PRECISION = 5

export interface RoundTrips {
  readonly count: number
  readonly minPs: number
  readonly p50Ps: number
  readonly p99Ps: number
  readonly maxPs: number
}

export class RoundTripMeter {
  #pending: { readonly answerOf: number; readonly timePs: number }[] = []
  #histogram: Histogram | null = null
  #sumPs = 0

  /** @param answerOf PSN that its answer will have */
  asked(answerOf: number, timePs: number): void {
    if (this.#pending.length >= PENDING_MAX) this.#pending.shift()
    this.#pending.push({ answerOf, timePs })
  }

  answered(psn: number, timePs: number): void {
    const pending = this.#pending
    if (pending.length === 0 || pending[0]!.answerOf > psn) return
    const found = pending.find(({ answerOf }) => answerOf === psn)
    this.#pending = pending.filter(({ answerOf }) => answerOf > psn)
    if (found === undefined || timePs < found.timePs) return
    const tookPs = Math.round(timePs - found.timePs)
    // Clocks of damaged files run anywhere.
    if (!Number.isSafeInteger(tookPs)) return
    this.#histogram ??= new Histogram(PRECISION)
    this.#histogram.record(tookPs)
    this.#sumPs += tookPs
  }

  /** Packets from here on are sent again, so that their answers say nothing. */
  repeated(from: number): void {
    if (this.#pending.length > 0) this.#pending = this.#pending.filter(({ answerOf }) => answerOf < from)
  }

  get meanPs(): number | null {
    return this.#histogram === null ? null : this.#sumPs / this.#histogram.count
  }

  facts(): RoundTrips | null {
    const histogram = this.#histogram
    if (histogram === null) return null
    const { count, min, max } = histogram
    return { count, minPs: min, p50Ps: histogram.quantile(0.5), p99Ps: histogram.quantile(0.99), maxPs: max }
  }
}
