/** Hardware as it is known: data alone, each value with its status and source. */
export * from './known.ts'
export type { NicProfile } from './nic-profile.ts'
export { nics } from './nics.ts'
export * from './paths.ts'
export { type SwitchProfile, switches } from './switches.ts'
export * from './retry.ts'
