/**
 * Instruments: devices as an operator sees them, and what can be said of a fabric from what they tell. Nothing here knows
 * scenarios or the simulator.
 */
export * from './model/index.ts'
export * from './pingmesh/index.ts'
