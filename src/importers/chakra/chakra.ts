/**
 * Chakra execution traces, a file for each rank: NAME.RANK.et (Protocol Buffers), or NAME.RANK.json; with ".gz" packed.
 * They become a program of GOAL on a star of as many hosts.
 * Source: mlcommons/chakra (et_def.proto), astra-sim (workloads, files of groups).
 */
import { importFindings, foundAt } from '../../core/findings/index.ts'
import type { RankGroup } from '../goal-lines.ts'
import { labelPart } from '../goal-lines.ts'
import { defineImporter, type Imported, type ImportInput, quote } from '../importer.ts'
import { congestionOption, roceTransport, starOf } from '../roce-defaults.ts'
import { baseNameOf, ImportLog, nameOf, parseReal, readRequired, readRequiredBytes } from '../text-input.ts'
import { readTuned, tunerOptions } from '../tuned.ts'
import { isMembers, isPyTorch, readJson, readJsonTrace } from './json-trace.ts'
import type { Trace } from './node.ts'
import { ChakraProgram, type Tallies } from './program.ts'
import { readRecords } from './records.ts'

/** Numbers after a missing file that are tried, to tell a gap from the end. */
const TRIED_AFTER_GAP = 64
const RANKS_MAX = 65536
const ENDINGS = ['.et', '.json', '.et.gz', '.json.gz']
const NUMBERED = /^(.*)\.(\d{1,7})(\.(?:et|json)(?:\.gz)?)$/s

export const chakra = defineImporter({
  name: 'chakra',
  help: 'execution traces of Chakra, NAME.0.et or NAME for the files of all ranks, as a program on a star of hosts',
  source: 'mlcommons/chakra et_def.proto 0.0.4, 1.0.0 and its draft of October 2023, and the JSON form',
  options: [
    { name: 'groups', help: 'JSON file of the groups that pg_name names: {"7": [0, 1], ...}', file: true },
    {
      name: 'control-deps',
      help: 'ignore control dependencies (default), or bind them as data',
      choices: ['ignore', 'bind'],
    },
    { name: 'ops-per-second', help: 'rate of computes that have num_ops and no duration, for example 312e12' },
    ...tunerOptions,
    congestionOption,
  ],
  import: importChakra,
})

function importChakra(input: ImportInput): Imported {
  const log = new ImportLog()
  const files = filesOf(input, log)
  log.stopIfAny()
  const ranks = files.length
  const groups = readGroups(input, ranks, log)
  const operationsPerSecond = rateOption(input, log)
  const tuned = readTuned(input, ranks, log)
  const areControlsBound = input.options['control-deps'] === 'bind'
  const program = new ChakraProgram({ ranks, groups, areControlsBound, operationsPerSecond, tuned }, log)
  const dialects = new Set<string>()
  for (const file of files) {
    const trace = readTrace(input, file, log)
    if (trace === null) continue
    dialects.add(trace.dialect)
    program.add(trace)
  }
  program.finish()
  log.stopIfAny()
  const hosts = Math.max(2, ranks)
  const { tallies } = program
  const counts = { rank: ranks, node: tallies.nodes }
  log.note(foundAt(importFindings.importRead, {}, { dialect: [...dialects].join(', '), counts, hostIds: null }))
  program.goal.report(log, tallies.absent + tallies.unused)
  noteTallies(tallies, log)
  const scenario = {
    name: nameOf(input.path),
    description: `execution traces of ${baseNameOf(input.path)}`,
    topology: starOf(hosts, log),
    ...roceTransport(input, log),
    workload: [{ kind: 'graph', goal: program.goal.lines(), ...tuned?.params(log) }],
  }
  return { scenario, findings: log.findings }
}

/** The files of all ranks, in order. */
function filesOf(input: ImportInput, log: ImportLog): string[] {
  const { path } = input
  const parts = NUMBERED.exec(path)
  const exists = (file: string): boolean => (input.readBytes ?? input.readFile)(file) !== undefined
  const ending = parts?.[3] ?? ENDINGS.find((each) => exists(`${path}.0${each}`))
  if (ending === undefined) {
    if (exists(path)) return [path]
    log.issue(undefined, path, 'traces NAME.RANK.et or NAME.RANK.json', 'no such file', 'name one of them, or NAME')
    return []
  }
  // A number in a name may be that of a version.
  if (parts !== null && isOfPyTorch(input, path)) return [path]
  const stem = parts?.[1] ?? path
  const fileOf = (rank: number): string => `${stem}.${rank}${ending}`
  const files: string[] = []
  while (files.length < RANKS_MAX && exists(fileOf(files.length))) files.push(fileOf(files.length))
  const named = parts === null ? 0 : Number(parts[2])
  const beyond = Array.from({ length: TRIED_AFTER_GAP }, (_, index) => files.length + 1 + index)
  const other = named >= files.length && exists(path) ? named : beyond.find((rank) => exists(fileOf(rank)))
  if (other !== undefined)
    log.issue(
      undefined,
      fileOf(files.length),
      `the trace of every rank, as there is ${baseNameOf(fileOf(other))}`,
      'no such file',
    )
  else if (files.length === 0) log.issue(undefined, path, 'a trace', 'no such file')
  return files
}

function isOfPyTorch({ readFile }: ImportInput, path: string): boolean {
  const text = path.endsWith('.json') ? readFile(path) : undefined
  if (text === undefined) return false
  try {
    return isPyTorch(JSON.parse(text))
  } catch {
    return false
  }
}

/** null after an issue. */
function readTrace(input: ImportInput, file: string, log: ImportLog): Trace | null {
  const bytes = readRequiredBytes(input, file, log, 'a trace')
  if (bytes === undefined) return null
  if (!/\.json(?:\.gz)?$/.test(file)) return readRecords(file, bytes, log)
  try {
    return readJsonTrace(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes), log)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    log.issue(undefined, file, 'JSON', 'text that is not UTF-8')
    return null
  }
}

/** Groups by the names that nodes have. */
function readGroups(input: ImportInput, ranks: number, log: ImportLog): Map<string, RankGroup> {
  const groups = new Map<string, RankGroup>()
  const file = input.options['groups']
  const text = file === undefined ? undefined : readRequired(input, file, log, 'a file of groups')
  if (file === undefined || text === undefined) return groups
  const content = readJson(file, text, log)
  if (content === undefined) return groups
  if (!isMembers(content)) {
    log.issue(undefined, file, 'groups {"NAME": [RANK, ...], ...}', 'another value')
    return groups
  }
  const labels = new Set(['all'])
  for (const [name, list] of Object.entries(content)) {
    const isSound =
      Array.isArray(list) &&
      list.length > 0 &&
      new Set(list).size === list.length &&
      list.every((rank) => Number.isInteger(rank) && rank >= 0 && rank < ranks)
    if (!isSound) {
      log.issue(undefined, `${file}, ${name}`, `different ranks, 0 to ${ranks - 1}`, quote(JSON.stringify(list)))
      continue
    }
    const plain = `pg_${labelPart(name)}`
    const label = labels.has(plain) ? `${plain}_${groups.size}` : plain
    labels.add(label)
    groups.set(name, { name: label, ranks: list })
  }
  return groups
}

/** null: none is given. */
function rateOption(input: ImportInput, log: ImportLog): number | null {
  const text = input.options['ops-per-second']
  if (text === undefined) return null
  const value = parseReal(text)
  if (value !== undefined && value > 0) return value
  log.issue(undefined, 'ops-per-second', 'a number above 0', quote(text))
  return null
}

function noteTallies({ absent, unused, wrappers, unsized, alone, rooted }: Tallies, log: ImportLog): void {
  if (absent + unused > 0) log.note(foundAt(importFindings.importDependencies, {}, { absent, unused }))
  if (unsized > 0) log.note(foundAt(importFindings.importUnsized, {}, { collectives: unsized }))
  if (wrappers > 0) log.note(importFindings.adapted('chakra-wrappers', { nodes: wrappers }))
  if (alone > 0) log.note(importFindings.adapted('groups-of-one', { collectives: alone }))
  if (rooted > 0) log.note(importFindings.assumed('first-is-root', { collectives: rooted }))
}
