/** Counts: the counters of a fabric as they are collected in files, by time or at least by order. */
export { countsOf, FabricCounts, type Growth } from './fabric-counts.ts'
export type { Timing } from './kept.ts'
