/**
 * Collectives by name, and their bus factor: what a collective's algorithm bandwidth is multiplied with to compare it with the
 * rate of a NIC. Source of the factors: nccl-tests, doc/PERFORMANCE.md.
 */

export const COLLECTIVES = [
  'all-reduce',
  'reduce-scatter',
  'all-gather',
  'all-to-all',
  'broadcast',
  'reduce',
  'gather',
  'scatter',
  'barrier',
] as const
/** With the one whose sizes a matrix gives: each position sends each other one as much as it says. */
export const ALL_COLLECTIVES = [...COLLECTIVES, 'all-to-all-v'] as const
export type CollectiveName = (typeof ALL_COLLECTIVES)[number]

/** Work of a round: a collective, or an exchange of a mixture of experts. */
export type RoundName = CollectiveName | 'dispatch' | 'combine'

/** Rounds whose size is that of a whole buffer, or of what the busiest rank sends or receives. */
const WHOLE: ReadonlySet<RoundName> = new Set(['broadcast', 'reduce', 'barrier', 'all-to-all-v', 'dispatch', 'combine'])

/** @param ranks size of the group, n. */
export function busFactor(operation: RoundName, ranks: number): number {
  if (operation === 'all-reduce') return (2 * (ranks - 1)) / ranks
  return WHOLE.has(operation) ? 1 : (ranks - 1) / ranks
}
