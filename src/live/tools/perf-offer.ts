/**
 * Offer of a test: what the client of `rocelab perf` asks for in its first line, with a record of each queue pair, and how the
 * server reads it. Nothing is believed: memory and numbers of a stranger have bounds.
 */
import { liveConnection, type LiveOptions, OP_SEND } from '../../core/verbs/index.ts'
import { PROGRAM_NAMES, type ProgramName, PROGRAMS } from '../peer/programs.ts'
import type { PairRecord } from '../peer/exchange.ts'
import type { SessionPlan } from '../peer/session.ts'
import { FORMAT_IRN, FORMAT_ROCE } from '../../core/wire/index.ts'
import { type Fields, readFields, wholeField } from './lines.ts'

export const PERF_VERSION = 1
export const MTUS: readonly number[] = [256, 512, 1024, 2048, 4096]
/** All queue pairs of a test together. */
export const MEMORY_BYTES_MAX = 2 ** 30
export const PAIRS_MAX = 256
export const DEPTH_MAX = 4096
export const ITERATIONS_MAX = 1e8
const RATE_BPS_MAX = 1e13
const NAME = /^[a-z0-9-]{1,32}$/

export interface PerfOffer {
  readonly program: ProgramName
  readonly pairs: number
  /** Requests of each queue pair. */
  readonly iterations: number
  readonly sizeBytes: number
  readonly depth: number
  readonly mtuBytes: number
  readonly recovery: string
  readonly congestion: string
  readonly rateBps: number
}

/** A queue pair in a line; its address of UDP is that of the line. */
export type PerfRecord = Omit<PairRecord, 'ip'>

/** Short requests go round in a page. */
export const memoryOf = ({ sizeBytes }: Pick<PerfOffer, 'sizeBytes'>): number => Math.max(sizeBytes, 4096)

/** How data are sent, by the names of schemes. */
export type SchemeNames = Pick<PerfOffer, 'recovery' | 'congestion' | 'rateBps'>

export function schemesOf({ recovery, congestion, rateBps }: SchemeNames): Partial<LiveOptions> {
  return { recovery: { kind: recovery }, congestion: { kind: congestion }, lineRateBps: rateBps }
}

/** The share of a plan that both ends have in common. */
export function commonPlan(offer: PerfOffer): Omit<SessionPlan, 'role' | 'ip'> {
  const { program, pairs, iterations, sizeBytes, depth, mtuBytes } = offer
  return {
    program,
    pairs,
    iterations,
    sizeBytes,
    depth,
    mtuBytes,
    memoryBytes: memoryOf(offer),
    receives: PROGRAMS[program].operation === OP_SEND ? 2 * depth : 0,
    schemes: schemesOf(offer),
  }
}

/** null: it is not an offer of this version, or asks for too much. */
export function readOffer(fields: Fields): PerfOffer | null {
  const program = PROGRAM_NAMES.find((name) => name === fields['program'])
  const { recovery, congestion, rateBps } = fields
  const pairs = wholeField(fields, 'pairs', 1, PAIRS_MAX)
  const iterations = wholeField(fields, 'iterations', 1, ITERATIONS_MAX)
  const sizeBytes = wholeField(fields, 'sizeBytes', 1, MEMORY_BYTES_MAX)
  const depth = wholeField(fields, 'depth', 1, DEPTH_MAX)
  const mtuBytes = MTUS.find((mtu) => mtu === fields['mtuBytes'])
  if (program === undefined || program === 'ibv_rc_pingpong' || mtuBytes === undefined) return null
  if (pairs === null || iterations === null || sizeBytes === null || depth === null) return null
  if (typeof recovery !== 'string' || typeof congestion !== 'string' || !NAME.test(recovery + congestion)) return null
  if (typeof rateBps !== 'number' || !(rateBps > 0 && rateBps <= RATE_BPS_MAX)) return null
  const offer = { program, pairs, iterations, sizeBytes, depth, mtuBytes, recovery, congestion, rateBps }
  return 2 * pairs * memoryOf(offer) <= MEMORY_BYTES_MAX ? offer : null
}

/** null: not one for each queue pair, or values out of range. */
export function readRecords(fields: Fields, pairs: number): readonly PerfRecord[] | null {
  const { records } = fields
  if (!Array.isArray(records) || records.length !== pairs) return null
  const read = records.map((each: unknown): PerfRecord | null => {
    const record = readFields(each)
    if (record === null) return null
    const [qp, psn] = [wholeField(record, 'qp', 2, 2 ** 24 - 2), wholeField(record, 'psn', 0, 2 ** 24 - 1)]
    const [key, address] = [wholeField(record, 'key', 0, 2 ** 32 - 1), wholeField(record, 'address', 0, 2 ** 53 - 1)]
    const reads = wholeField(record, 'reads', 0, 255)
    if (qp === null || psn === null || key === null || address === null || reads === null) return null
    return { qp, psn, key, address, reads }
  })
  return read.some((each) => each === null) ? null : read.filter((each) => each !== null)
}

/** FORMAT_ bits of packets under these schemes. @throws InputError for schemes that two ends alone cannot run */
export function formatUnder(names: SchemeNames & Pick<PerfOffer, 'mtuBytes'>): number {
  const { mode } = liveConnection({ remoteQp: 0, mtuBytes: names.mtuBytes }, schemesOf(names), { draw: () => 0 })
  return mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE
}
