/**
 * The files of a run of the HPCC family: paths named in a configuration, companion files beside it, and settings made
 * outside it.
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { shortened, type ImportInput } from '../importer.ts'
import type { Ns3Config } from './config.ts'
import type { Ns3Dialect } from './topology.ts'
import { secondsToNs } from './values.ts'
import {
  baseNameOf,
  folderOf,
  parseReal,
  parseWhole,
  readRequired,
  relativeTo,
  rowsOf,
  type ImportLog,
} from '../text-input.ts'

/** Settings made outside the configuration (env.txt): conweave's window, buffer and stop time. */
export interface Environment {
  readonly windowBytes?: number
  readonly bufferBytes?: number
  readonly stopNs?: number
}

interface NamedText {
  readonly path: string
  readonly text: string
}

/** Refuses SimAI's workload file given in place of a configuration. */
export function refuseCollective(path: string, text: string, log: ImportLog): void {
  if (!/^\S+[^\n]*\bmodel_parallel_NPU_group:/.test(text)) return
  log.issue(
    { file: path, line: 1, column: 1 },
    'workload',
    'a configuration of rows "KEY value"',
    'a collective workload of SimAI',
    'rocelab has no collective communication: import SimAI.conf with --dialect simai, --topology FILE and --flows FILE',
  )
  log.stopIfAny()
}

/** Reads the file that an option or a key names. A key's path is tried relative to the configuration, then its file name beside it. */
export function readNamed(
  input: ImportInput,
  config: Ns3Config,
  option: string,
  key: string,
  dialect: Ns3Dialect,
  log: ImportLog,
): NamedText | undefined {
  const chosen = input.options[option]
  if (chosen !== undefined) {
    const text = readRequired(input, chosen, log, `the file of --${option}`)
    return text === undefined ? undefined : { path: chosen, text }
  }
  const hint = dialect === 'simai' ? simaiHint(option) : `name it with --${option} FILE`
  const written = config.text(key)
  if (written === undefined) {
    log.issue(undefined, key, `the path of the ${option} file in ${config.file}`, 'no such key', hint)
    return undefined
  }
  const path = relativeTo(config.file, written)
  const text = input.readFile(path)
  if (text !== undefined) return { path, text: refuseEmptyCollective(text, path, option, dialect, log) }
  const beside = folderOf(config.file) + baseNameOf(written)
  const besideText = beside === path ? undefined : input.readFile(beside)
  if (besideText === undefined) {
    const tried = beside === path ? path : `${path} and ${beside}`
    log.issue(config.location(key), key, `a readable ${option} file`, `${written} (tried ${tried})`, hint)
    return undefined
  }
  log.note(foundAt(importFindings.importFileChosen, {}, { used: beside, key, named: written }))
  return { path: beside, text: refuseEmptyCollective(besideText, beside, option, dialect, log) }
}

function simaiHint(option: string): string {
  return option === 'flows'
    ? 'SimAI derives its flows from a collective workload, which rocelab does not have; give the flows it would send with --flows FILE (rows "src dst pg dport size start")'
    : 'SimAI takes its topology from the command line; name it with --topology FILE'
}

/** Refuses SimAI's flow file, which holds only a count: its flows come from the collective workload. */
function refuseEmptyCollective(
  text: string,
  path: string,
  option: string,
  dialect: Ns3Dialect,
  log: ImportLog,
): string {
  if (dialect === 'simai' && option === 'flows' && /^\s*\d+\s*$/.test(text)) {
    log.issue(
      { file: path, line: 1, column: 1 },
      'flows',
      'at least one flow',
      'a count and no flows',
      simaiHint('flows'),
    )
  }
  return text
}

/** Reads a companion file, named by an option or found beside the configuration. */
export function readCompanion(
  input: ImportInput,
  option: string,
  fileName: string,
  log: ImportLog,
): NamedText | undefined {
  const chosen = input.options[option]
  if (chosen === 'none') return undefined
  const path = chosen ?? folderOf(input.path) + fileName
  const text = chosen === undefined ? input.readFile(path) : readRequired(input, path, log, `the file of --${option}`)
  if (text === undefined || text.trim() === '') return undefined
  if (chosen === undefined)
    log.note(foundAt(importFindings.importFileChosen, {}, { used: path, key: null, named: null }))
  return { path, text }
}

/** env.txt of conweave runs: `KEY=value` words. */
export function readEnvironment(input: ImportInput, dialect: Ns3Dialect, log: ImportLog): Environment {
  if (dialect !== 'conweave' && input.options['env'] === undefined) return {}
  const file = readCompanion(input, 'env', 'env.txt', log)
  const env: { windowBytes?: number; bufferBytes?: number; stopNs?: number } = {}
  if (file === undefined) return env
  for (const token of [...rowsOf(file.path, file.text)].flatMap((row) => row.tokens)) {
    const [name = '', value = ''] = token.text.split('=')
    const number = name === 'SIM_STOP' ? secondsToNs(parseReal(value) ?? -1) : parseWhole(value)
    if (!['IRN_BDP', 'SIM_STOP', 'BUF_BYTES'].includes(name))
      log.note(
        foundAt(
          importFindings.importKeyUnknown,
          { file: file.path, line: token.line },
          { words: shortened(token.text), keysOf: 'the environment', ignoredThere: false, forkSets: null },
        ),
      )
    else if (number === undefined || number === 0)
      log.issue(token, name, name === 'SIM_STOP' ? 'seconds above 0' : 'bytes, at least 1', `"${value}"`)
    else if (name === 'IRN_BDP') env.windowBytes = number
    else if (name === 'BUF_BYTES') env.bufferBytes = number
    else env.stopNs = number
  }
  return env
}
