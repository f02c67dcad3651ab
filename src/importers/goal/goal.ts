/**
 * Programs of LogGOPSim and ATLAHS: GOAL as text or in binary. The network is a star of the hosts that the program needs.
 * A rank is a node with several NICs, each of which is a host, in files of the first generator of ATLAHS (both ends of a
 * message have the sender's NIC there), and a GPU, which is one host, in later ones. No file says which.
 * Source: LogGOPSim txt2bin; ATLAHS.
 */
import type { Issue } from '../../core/base/issue.ts'
import { importFindings } from '../../core/findings/index.ts'
import { blankOperation, cpuOf, goalText, type OperationTable, readGoal } from '../../core/workload/graph/index.ts'
import { graphReport } from '../graph-report.ts'
import { defineImporter, type ImportInput, type Imported } from '../importer.ts'
import { congestionOption, roceTransport, starOf } from '../roce-defaults.ts'
import { baseNameOf, ImportLog, nameOf, readRequiredBytes } from '../text-input.ts'
import { isGoalBinary, readGoalBinary } from './binary.ts'

/** A star has no more. */
const HOSTS_MAX = 8192

export const goal = defineImporter({
  name: 'goal',
  help: 'a program of LogGOPSim or ATLAHS in GOAL, text or binary, on a star of hosts',
  source: 'spcl/LogGOPSim, spcl/HTSIM (ATLAHS)',
  options: [
    {
      name: 'ranks',
      help: 'a rank is a node, whose NICs are hosts each, or a GPU, which is a host; guessed from its NICs and CPUs otherwise',
      choices: ['node', 'gpu'],
    },
    congestionOption,
  ],
  import: importGoal,
})

function importGoal(input: ImportInput): Imported {
  const log = new ImportLog()
  const bytes = readRequiredBytes(input, input.path, log, 'a program in GOAL') ?? log.stop()
  const { table, lines } = isGoalBinary(bytes) ? fromBinary(input.path, bytes, log) : fromText(input.path, bytes, log)
  const facts = factsOf(table)
  const { layout, nics } = layoutOf(input, table, facts.cpus, log)
  const hosts = table.ranks * nics
  if (hosts > HOSTS_MAX)
    log.issue(undefined, 'num_ranks', `at most ${HOSTS_MAX} hosts`, `${hosts} (${table.ranks} ranks)`)
  log.stopIfAny()
  log.note(graphReport(table, 0))
  log.note(importFindings.differs('goal-times', {}))
  if (facts.empty > 0) log.note(importFindings.differs('goal-empty-messages', { messages: facts.empty }))
  const scenario = {
    name: nameOf(input.path),
    description: `program of ${baseNameOf(input.path)} (GOAL), ranks are ${layout === 'gpu' ? 'GPUs' : 'nodes'}`,
    topology: starOf(Math.max(2, hosts), log),
    ...roceTransport(input, log),
    workload: [{ kind: 'graph', goal: lines, ...(nics > 1 ? { nics } : {}) }],
    measure: { end: 'drain' },
  }
  return { scenario, findings: log.findings }
}

interface Program {
  readonly table: OperationTable
  readonly lines: string[]
}

function fromText(file: string, bytes: Uint8Array, log: ImportLog): Program {
  let text = ''
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    log.issue(undefined, file, 'text in UTF-8, or GOAL in binary', 'neither')
    log.stop()
  }
  const issues: Issue[] = []
  const lines: string[] = []
  const table = readGoal(linesOf(text), (line) => ({ path: '', file, line: line + 1, column: 1 }), issues, lines)
  for (const { line, expected, received, hint } of issues)
    log.issue({ file, line: line ?? 1, column: 1 }, '', expected, received, hint)
  log.stopIfAny()
  return { table, lines }
}

function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from)
    yield text.slice(from, end < 0 ? text.length : end)
    if (end < 0) return
    from = end + 1
  }
}

function fromBinary(file: string, bytes: Uint8Array, log: ImportLog): Program {
  const table = readGoalBinary(file, bytes, log) ?? log.stop()
  const { lines } = goalText(table)
  // A mistake that only the whole program shows has no byte of its own.
  const issues: Issue[] = []
  readGoal(lines, () => ({ path: '' }), issues)
  for (const { expected, received } of issues) log.issue(undefined, file, expected, received)
  log.stopIfAny()
  return { table, lines }
}

/** CPUs, which count from 0, and messages without bytes. */
function factsOf(table: OperationTable): { cpus: number; empty: number } {
  const operation = blankOperation()
  let [cpus, empty] = [1, 0]
  for (let id = 0; id < table.size; id++) {
    table.read(id, operation)
    const { kind, channel, lane, sizeBytes } = operation
    cpus = Math.max(cpus, 1 + (kind === 'compute' ? lane : cpuOf(channel)))
    if (kind === 'send' && sizeBytes === 0) empty++
  }
  return { cpus, empty }
}

/** By the rule of ATLAHS, unless it is given: one NIC, or two with more than two ranks and at most eight CPUs, are a GPU's. */
function layoutOf(
  input: ImportInput,
  { ranks, nics }: OperationTable,
  cpus: number,
  log: ImportLog,
): { layout: string; nics: number } {
  const guess = nics === 1 || (nics === 2 && ranks > 2 && cpus <= 8) ? 'gpu' : 'node'
  const given = input.options['ranks']
  const layout = given ?? guess
  log.note(importFindings.assumed('goal-ranks', { layout, isGiven: given !== undefined, ranks, nics, cpus }))
  return { layout, nics: layout === 'gpu' ? 1 : nics }
}
