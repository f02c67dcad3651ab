/** Sums: how many a clock has, a pair by state; and arrays for them. */
import { PARTS, STATES } from '../../../core/results/flow-parts.ts'

/** Sums of a clock: by state while no retransmission is pending, then while one is. */
export const SUMS = 2 * STATES
/** Number of parts. */
export const PART_COUNT: number = PARTS.length

/** Arrays that are used again: to create typed arrays for each message takes longer than all that is done with them. */
export class SumsPool {
  readonly #free: Float64Array[] = []

  /** An array with the same sums. */
  copyOf(sums: Float64Array): Float64Array {
    const copy = this.#free.pop() ?? new Float64Array(SUMS)
    for (let i = 0; i < SUMS; i++) copy[i] = sums[i]!
    return copy
  }

  /** The caller does not use it any more. */
  give(sums: Float64Array | null): void {
    if (sums !== null) this.#free.push(sums)
  }
}
