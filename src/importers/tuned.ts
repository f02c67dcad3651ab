/**
 * Choices of a tuner file of NCCL for the collectives of an import: options, reading, and what was chosen for the report.
 */
import { formatQuantity } from '../core/base/units.ts'
import { foundAt, importFindings } from '../core/findings/index.ts'
import { PROTOCOLS, type ProtocolName, readTuner, Tuner, wireBytes } from '../core/workload/nccl-tuner.ts'
import type { CollectiveCall, RankGroup } from './goal-lines.ts'
import { type Branch, type ImportInput, type ImportOption, quote } from './importer.ts'
import { type ImportLog, parseWhole, readRequired } from './text-input.ts'

export const tunerOptions: readonly ImportOption[] = [
  {
    name: 'tuner',
    help: 'tuner file of NCCL (CSV): algorithm, protocol and channels of a collective by its size',
    file: true,
  },
  { name: 'nodes', help: 'nodes with equally many ranks, for the tuner file; by default every rank has its own' },
]

/** Choices of the tuner file for collectives. */
export class Tuned {
  readonly #file: string
  readonly #tuner: Tuner
  readonly #ranksPerNode: number
  /** By line: collectives. */
  readonly #used = new Map<number, number>()
  /** By protocol: bytes of buffers. */
  readonly #bytes = new Map<ProtocolName, number>()

  constructor(file: string, tuner: Tuner, ranksPerNode: number) {
    this.#file = file
    this.#tuner = tuner
    this.#ranksPerNode = ranksPerNode
  }

  /** The collective as it is done. */
  call(call: CollectiveCall, group: RankGroup): CollectiveCall {
    const nodes = new Set(group.ranks.map((rank) => Math.floor(rank / this.#ranksPerNode))).size
    const { operation, sizeBytes } = call
    const choice = this.#tuner.choose({ operation, sizeBytes, ranks: group.ranks.length, nodes })
    if (choice === null) return call
    const { algorithm, protocol, channels, slices, line } = choice
    this.#used.set(line, (this.#used.get(line) ?? 0) + 1)
    this.#bytes.set(protocol, (this.#bytes.get(protocol) ?? 0) + sizeBytes)
    return {
      operation,
      sizeBytes: wireBytes(protocol, sizeBytes),
      algorithm,
      ...(channels === null && slices === 1 ? {} : { channels: channels ?? 1 }),
      ...(slices === 1 ? {} : { slices }),
    }
  }

  /** Parameters of the workload: the step latency of the protocol with most bytes. Notes what was chosen. */
  params(log: ImportLog): Branch {
    const subject = { file: this.#file }
    const { withoutEffect } = this.#tuner
    const rows = [...this.#used].toSorted(([a], [b]) => a - b).map(([line, collectives]) => ({ line, collectives }))
    const [first, ...others] = [...this.#bytes].toSorted(([, a], [, b]) => b - a).map(([protocol]) => protocol)
    const stepLatencyPs = first === undefined ? 0 : PROTOCOLS[first].stepLatencyPs
    log.note(foundAt(importFindings.importTuned, subject, { rows, withoutEffect }))
    if (first === undefined) return {}
    log.note(importFindings.assumed('step-latency', { protocol: first, others, stepLatencyPs }, subject))
    return { stepLatency: formatQuantity('duration', stepLatencyPs) }
  }
}

/** null where no tuner file is given, or after an issue. */
export function readTuned(input: ImportInput, ranks: number, log: ImportLog): Tuned | null {
  const { tuner: file, nodes: nodesText } = input.options
  if (file === undefined) {
    if (nodesText !== undefined) log.issue(undefined, 'nodes', 'a tuner file, which it is for', 'none', 'give --tuner')
    return null
  }
  const text = readRequired(input, file, log, 'a tuner file of NCCL')
  if (text === undefined) return null
  const nodes = nodesText === undefined ? ranks : parseWhole(nodesText)
  if (nodes === undefined || nodes === 0 || ranks % nodes !== 0) {
    log.issue(undefined, 'nodes', `a number that divides ${ranks} ranks`, quote(nodesText ?? ''))
    return null
  }
  const tuner = readTuner(text.replace(/^\uFEFF/, '').split('\n'), ({ line, field, expected, received, hint }) => {
    log.issue({ file, line, column: 1 }, field, expected, quote(received), hint)
  })
  return new Tuned(file, tuner, ranks / nodes)
}
