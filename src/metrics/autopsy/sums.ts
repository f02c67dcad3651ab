/** Sums: how many a clock has, a pair by state. */
import { PARTS, STATES } from '../../results/flow-parts.ts'

/** Sums of a clock: by state while no retransmission is pending, then while one is. */
export const SUMS = 2 * STATES
/** Number of parts. */
export const PART_COUNT: number = PARTS.length
