/** Decode: captures of real packets as connections, facts and findings. */
export { type DecoderOptions, Decoder } from './decoder.ts'
export type { ConnectionFacts, Counts, Decoded, DirectionFacts, JoinedBy } from './decoded.ts'
export type { Packet } from './packet.ts'
export { connectionsTable, findingsTable } from './tables.ts'
export { psnText } from './psn.ts'
