/**
 * The files of a run of the HPCC family: paths named in a configuration, companion files beside it, and settings made
 * outside it.
 */
import type { ImportInput } from '../importer.ts'
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
  type Findings,
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
export function refuseCollective(path: string, text: string, findings: Findings): void {
  if (!/^\S+[^\n]*\bmodel_parallel_NPU_group:/.test(text)) return
  findings.issue(
    { file: path, line: 1, column: 1 },
    'workload',
    'a configuration of rows "KEY value"',
    'a collective workload of SimAI',
    'rocelab has no collective communication: import SimAI.conf with --dialect simai, --topology FILE and --flows FILE',
  )
  findings.stopIfAny()
}

/** Reads the file that an option or a key names. A key's path is tried relative to the configuration, then its file name beside it. */
export function readNamed(
  input: ImportInput,
  config: Ns3Config,
  option: string,
  key: string,
  dialect: Ns3Dialect,
  findings: Findings,
): NamedText | undefined {
  const chosen = input.options[option]
  if (chosen !== undefined) {
    const text = readRequired(input, chosen, findings, `the file of --${option}`)
    return text === undefined ? undefined : { path: chosen, text }
  }
  const hint = dialect === 'simai' ? simaiHint(option) : `name it with --${option} FILE`
  const written = config.text(key)
  if (written === undefined) {
    findings.issue(undefined, key, `the path of the ${option} file in ${config.file}`, 'no such key', hint)
    return undefined
  }
  const path = relativeTo(config.file, written)
  const text = input.readFile(path)
  if (text !== undefined) return { path, text: refuseEmptyCollective(text, path, option, dialect, findings) }
  const beside = folderOf(config.file) + baseNameOf(written)
  const besideText = beside === path ? undefined : input.readFile(beside)
  if (besideText === undefined) {
    const tried = beside === path ? path : `${path} and ${beside}`
    findings.issue(config.location(key), key, `a readable ${option} file`, `${written} (tried ${tried})`, hint)
    return undefined
  }
  findings.note(`${key} ${written} does not exist; ${beside} is used`)
  return { path: beside, text: refuseEmptyCollective(besideText, beside, option, dialect, findings) }
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
  findings: Findings,
): string {
  if (dialect === 'simai' && option === 'flows' && /^\s*\d+\s*$/.test(text)) {
    findings.issue(
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
  findings: Findings,
): NamedText | undefined {
  const chosen = input.options[option]
  if (chosen === 'none') return undefined
  const path = chosen ?? folderOf(input.path) + fileName
  const text =
    chosen === undefined ? input.readFile(path) : readRequired(input, path, findings, `the file of --${option}`)
  if (text === undefined || text.trim() === '') return undefined
  if (chosen === undefined) findings.note(`${path} beside the configuration is used`)
  return { path, text }
}

/** env.txt of conweave runs: `KEY=value` words. */
export function readEnvironment(input: ImportInput, dialect: Ns3Dialect, findings: Findings): Environment {
  if (dialect !== 'conweave' && input.options['env'] === undefined) return {}
  const file = readCompanion(input, 'env', 'env.txt', findings)
  const env: { windowBytes?: number; bufferBytes?: number; stopNs?: number } = {}
  if (file === undefined) return env
  for (const token of [...rowsOf(file.path, file.text)].flatMap((row) => row.tokens)) {
    const [name = '', value = ''] = token.text.split('=')
    const number = name === 'SIM_STOP' ? secondsToNs(parseReal(value) ?? -1) : parseWhole(value)
    if (!['IRN_BDP', 'SIM_STOP', 'BUF_BYTES'].includes(name))
      findings.note(`${file.path}: ${token.text} is not a known setting; ignored`)
    else if (number === undefined || number === 0)
      findings.issue(token, name, name === 'SIM_STOP' ? 'seconds above 0' : 'bytes, at least 1', `"${value}"`)
    else if (name === 'IRN_BDP') env.windowBytes = number
    else if (name === 'BUF_BYTES') env.bufferBytes = number
    else env.stopNs = number
  }
  return env
}
