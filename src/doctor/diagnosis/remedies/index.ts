/** Remedies: changes of settings that take findings away, and what to type for them. */
export { type Change, changed, changedConfig, edgeListOf, REFERENCE } from './change.ts'
export { cureOf, withCures } from './cure.ts'
export { REMEDIES, remediesOf, remedyFor } from './remedies.ts'
