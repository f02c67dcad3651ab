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
export type CollectiveName = (typeof COLLECTIVES)[number]

/** @param ranks size of the group, n. */
export function busFactor(operation: CollectiveName, ranks: number): number {
  if (operation === 'all-reduce') return (2 * (ranks - 1)) / ranks
  const isWhole = operation === 'broadcast' || operation === 'reduce' || operation === 'barrier'
  return isWhole ? 1 : (ranks - 1) / ranks
}
