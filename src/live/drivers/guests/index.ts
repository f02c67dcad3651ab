/**
 * Guests: Linux with soft RoCE under QEMU, two of them joined by a line on which faults act, for tests of programs that speak
 * RDMA on machines without a NIC for it.
 */
export { systemWith, type LoadedSystem } from './files.ts'
export { Background, type Ended, Guest, GuestError, type GuestOptions } from './guest.ts'
export { CLIENT, type GuestAddresses, GuestPair, type PairOptions, SERVER } from './pair.ts'
export { type BuildOptions, guestCache, guestObstacle, type GuestSystem, guestSystem } from './system.ts'
export { type ProgramResult, runTrial, type TrialEnd, type TrialOptions, type TrialResult } from './trial.ts'
