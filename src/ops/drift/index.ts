export type { Difference } from './compare.ts'
export { plainOf } from './compare.ts'
export { driftOf, roleDriftOf } from './drift.ts'
export { roleDifferences } from './roles.ts'
