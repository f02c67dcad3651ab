/**
 * Instruments: devices as an operator sees them, and what can be said of a fabric from what they tell. Nothing here knows
 * scenarios or the simulator.
 */
export * from './devices/joins/index.ts'
export * from './diagnosis/doctor.ts'
export * from './devices/drift/index.ts'
export * from './diagnosis/locate/index.ts'
export * from './diagnosis/make/index.ts'
export * from '../core/device-model/index.ts'
export * from './diagnosis/pingmesh/index.ts'
export * from './devices/prometheus/index.ts'
export * from './devices/rates.ts'
export * from './devices/redact/index.ts'
export * from './diagnosis/remedies/index.ts'
export type { HeadroomNeed, HeadroomPort, RuleContext } from './diagnosis/rules/index.ts'
export { causesOf } from './diagnosis/rules/nesting.ts'
export * from './devices/series/index.ts'
export * from './devices/tables/index.ts'
export * from './diagnosis/watch/index.ts'
export * from './devices/writers/index.ts'
