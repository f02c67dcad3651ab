/** Live endpoints: queue pairs on frames, and the programs that they stand in for. */
export { type Application, type DropReason, type EndpointOptions, LiveEndpoint } from './endpoint.ts'
export { LivePair, type PairCounts, type Partner, portOfPairs } from './live-pair.ts'
export { PINGPONG_PORT } from './pingpong.ts'
export { PROGRAM_NAMES, type ProgramName, PROGRAMS } from './programs.ts'
export { Session, type SessionFailure, type SessionPlan } from './session.ts'
