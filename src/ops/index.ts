/**
 * Instruments: devices as an operator sees them, and what can be said of a fabric from what they tell. Nothing here knows
 * scenarios or the simulator.
 */
export * from './devices/index.ts'
export * from './doctor.ts'
export * from './drift/index.ts'
export * from './locate/index.ts'
export * from './model/index.ts'
export * from './pingmesh/index.ts'
export * from './prometheus/index.ts'
export * from './rates.ts'
export { type Change, changed, remedyFor } from './remedies/index.ts'
export type { HeadroomNeed, HeadroomPort, RuleContext } from './rules/index.ts'
export { causesOf } from './rules/nesting.ts'
export * from './series/index.ts'
export * from './tables/index.ts'
export * from './watch/index.ts'
