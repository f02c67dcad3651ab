export type { Difference, DifferingAt } from './compare.ts'
export { driftOf, roleDriftOf } from './drift.ts'
export { roleDifferences } from './roles.ts'
export { fabricSnapshot } from './fabric-snapshot.ts'
