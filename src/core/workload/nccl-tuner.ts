/**
 * NCCL's tuner file: rows that choose algorithm, protocol and channels of a collective by its size.
 *   collective,min,max,algorithm,protocol,channels,nodes,ranks[,pipeOps[,regBuff]]
 * -1 is any, or the default; # begins a comment. The first row that fits counts. A row whose algorithm NCCL does not have for
 * its collective (a tree of anything but an all-reduce) is passed over, as NCCL does.
 * Source: NCCL, plugins/tuner/example (plugin.c, nccl_tuner.conf); which algorithm has which collective: src/tuning.cc.
 */
import { US } from '../base/params.ts'
import type { CollectiveName } from './collective-names.ts'

/** A protocol: bytes on the wire for 15 of the buffer, and the latency of a step beside the wire (docs/models/collectives.md). */
interface Protocol {
  readonly wireFor15: number
  readonly stepLatencyPs: number
}

export const PROTOCOLS = {
  /** Half of every 8 bytes are a flag. */
  ll: { wireFor15: 30, stepLatencyPs: 1 * US },
  /** 8 of 128 bytes are a flag. */
  ll128: { wireFor15: 16, stepLatencyPs: 2 * US },
  simple: { wireFor15: 15, stepLatencyPs: 11 * US },
} as const satisfies Readonly<Record<string, Protocol>>
export type ProtocolName = keyof typeof PROTOCOLS

/** A choice for one collective, in the words of kind collective. */
export interface TunerChoice {
  readonly algorithm: string
  readonly protocol: ProtocolName
  /** null: the default. */
  readonly channels: number | null
  /** Pieces of a part; more than 1 where an algorithm goes on with every piece. */
  readonly slices: number
  /** Line of the row, from 1. */
  readonly line: number
}

/** A mistake in a row. */
export interface TunerProblem {
  readonly line: number
  readonly field: string
  readonly expected: string
  readonly received: string
  readonly hint: string
}

/** A collective that asks for a choice. */
export interface TunerQuestion {
  readonly operation: CollectiveName
  /** The whole buffer. */
  readonly sizeBytes: number
  readonly ranks: number
  readonly nodes: number
}

const OPERATIONS: Readonly<Record<string, CollectiveName>> = {
  broadcast: 'broadcast',
  reduce: 'reduce',
  allgather: 'all-gather',
  reducescatter: 'reduce-scatter',
  allreduce: 'all-reduce',
}
const ALGORITHMS: readonly string[] = ['tree', 'ring']
const FOREIGN: readonly string[] = ['collnet_direct', 'collnet_chain', 'nvls', 'nvls_tree', 'pat']
const FIELDS = ['collective', 'min', 'max', 'algorithm', 'protocol', 'channels', 'nodes', 'ranks', 'pipeOps', 'regBuff']
const FIELDS_LEAST = 8
const CHANNELS_MAX = 4096
const PROBLEMS_MAX = 20
/** Two of the eight slots of a channel's 4 MiB: trees and chains send pieces of this size. */
const PIECE_BYTES = 2 ** 20
/** A collective alone is one operation, on a buffer that is not registered with the NIC. */
const [PIPE_OPERATIONS, REGISTERED] = [1, 0]

interface Row {
  readonly line: number
  readonly operation: CollectiveName
  readonly isTree: boolean
  readonly protocol: ProtocolName
  /** null: any, or the default. */
  readonly leastBytes: number | null
  readonly mostBytes: number | null
  readonly channels: number | null
  readonly nodes: number | null
  readonly ranks: number | null
  readonly pipeOperations: number | null
  readonly registered: number | null
}

export class Tuner {
  readonly #rows: readonly Row[]
  /** Rows whose collective has no tree in NCCL, by line. */
  readonly withoutEffect: readonly number[]

  constructor(rows: readonly Row[]) {
    const hasEffect = ({ isTree, operation }: Row): boolean => !isTree || operation === 'all-reduce'
    this.#rows = rows.filter(hasEffect)
    this.withoutEffect = rows.filter((row) => !hasEffect(row)).map(({ line }) => line)
  }

  /** null: no row fits. */
  choose({ operation, sizeBytes, ranks, nodes }: TunerQuestion): TunerChoice | null {
    const row = this.#rows.find(
      (each) =>
        each.operation === operation &&
        (each.leastBytes ?? 0) <= sizeBytes &&
        (each.mostBytes ?? Infinity) >= sizeBytes &&
        (each.nodes ?? nodes) === nodes &&
        (each.ranks ?? ranks) === ranks &&
        (each.pipeOperations ?? PIPE_OPERATIONS) === PIPE_OPERATIONS &&
        (each.registered ?? REGISTERED) === REGISTERED,
    )
    if (row === undefined) return null
    const { protocol, channels, line, isTree } = row
    const isChain = operation === 'broadcast' || operation === 'reduce'
    const algorithm = isTree ? 'double-binary-tree' : isChain ? 'chain' : 'ring'
    const partBytes = wireBytes(protocol, sizeBytes) / (channels ?? 1) / (isTree ? 2 : 1)
    const slices = isTree || isChain ? Math.max(1, Math.ceil(partBytes / PIECE_BYTES)) : 1
    return { algorithm, protocol, channels, slices, line }
  }
}

/** Bytes that a protocol sends for bytes of the buffer. */
export function wireBytes(protocol: ProtocolName, bytes: number): number {
  const { wireFor15 } = PROTOCOLS[protocol]
  return Math.floor(bytes / 15) * wireFor15 + Math.ceil(((bytes % 15) * wireFor15) / 15)
}

/** Reads the lines of a file. @param report takes the mistakes, one for each */
export function readTuner(lines: readonly string[], report: (problem: TunerProblem) => void): Tuner {
  const rows: Row[] = []
  let problems = 0
  for (const [index, text] of lines.entries()) {
    if (problems >= PROBLEMS_MAX) break
    const content = text.replace(/#.*/s, '').trim()
    if (content === '') continue
    const row = readRow(content, index + 1, (field, expected, received, hint = '') => {
      problems++
      report({ line: index + 1, field, expected, received: shown(received), hint })
    })
    if (row !== null) rows.push(row)
  }
  return new Tuner(rows)
}

type Report = (field: string, expected: string, received: string, hint?: string) => void

/** null after a mistake. */
function readRow(content: string, line: number, report: Report): Row | null {
  const words = content.split(',').map((word) => word.trim())
  if (words.length < FIELDS_LEAST || words.length > FIELDS.length) {
    report('', `${FIELDS_LEAST} to ${FIELDS.length} fields, ${FIELDS.join(',')}`, `${words.length}`)
    return null
  }
  const word = (name: string): string => words[FIELDS.indexOf(name)] ?? '-1'
  let isSound = true
  const wrong: Report = (...mistake) => {
    isSound = false
    report(...mistake)
  }
  const oneOf = (name: string, known: readonly string[]): string => {
    const value = word(name).toLowerCase()
    const hint = FOREIGN.includes(value)
      ? 'needs switches or NVLink that compute, or trees that rocelab does not have'
      : ''
    if (!known.includes(value)) wrong(name, known.join(', '), word(name), hint)
    return value
  }
  const number = (name: string, least: number, most: number): number | null => {
    const text = word(name)
    if (text === '-1') return null
    const value = /^\d{1,20}$/.test(text) ? Number(text) : NaN
    // Sizes beyond 2^53 stand for no limit.
    if (!(value >= least && value <= most)) wrong(name, `-1, or ${least} to ${most}`, text)
    return value
  }
  const operation = oneOf('collective', Object.keys(OPERATIONS))
  const algorithm = oneOf('algorithm', ALGORITHMS)
  const protocol = oneOf('protocol', Object.keys(PROTOCOLS))
  const row = {
    line,
    isTree: algorithm === 'tree',
    leastBytes: number('min', 0, 2 ** 64),
    mostBytes: number('max', 0, 2 ** 64),
    channels: number('channels', 1, CHANNELS_MAX),
    nodes: number('nodes', 1, 2 ** 31),
    ranks: number('ranks', 1, 2 ** 31),
    pipeOperations: number('pipeOps', 0, 2 ** 31),
    registered: number('regBuff', 0, 1),
  }
  const { leastBytes, mostBytes } = row
  if (isSound && leastBytes !== null && mostBytes !== null && leastBytes > mostBytes)
    wrong('max', `at least min, ${leastBytes}`, `${mostBytes}`)
  // Casts: both are among the keys, or the row is not used.
  return isSound ? { ...row, operation: OPERATIONS[operation]!, protocol: protocol as ProtocolName } : null
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
