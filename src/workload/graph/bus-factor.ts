/**
 * Bus factor: what a collective's algorithm bandwidth is multiplied with to compare it with the rate of a NIC.
 * Source: nccl-tests, doc/PERFORMANCE.md.
 */
import type { CollectiveName } from './algorithms/algorithm.ts'

/** @param ranks size of the group, n. */
export function busFactor(operation: CollectiveName, ranks: number): number {
  switch (operation) {
    case 'all-reduce':
      return (2 * (ranks - 1)) / ranks
    case 'all-gather':
    case 'reduce-scatter':
    case 'all-to-all':
    case 'gather':
    case 'scatter':
      return (ranks - 1) / ranks
    case 'broadcast':
    case 'reduce':
    case 'barrier':
      return 1
  }
}
