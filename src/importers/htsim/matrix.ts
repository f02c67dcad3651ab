/**
 * htsim's .cm files: a header (Nodes, Connections, Triggers, Failures), then connections, triggers and failures.
 * A line is split at spaces; keys are in any order. The counts of the header must be exact.
 * `start` has no unit: some of its binaries read picoseconds, others microseconds, some ignore it.
 * Source: datacenter/connection_matrix of csg-htsim and uet-htsim.
 */
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { quote } from '../importer.ts'
import { hasForm, parseReal, parseWhole, rowsOf, type ImportLog, type Row, type Token } from '../text-input.ts'
import { type HtsimTrigger, htsimWaits, type HtsimWait, type Triggered } from './triggers.ts'

export interface HtsimConnection extends Triggered {
  readonly source: number
  readonly destination: number
  readonly sizeBytes: number
  /** As written; undefined if a trigger starts it. */
  readonly start: number | undefined
  /** 0: none. */
  readonly id: number
  /** It is a message of the connection with this id, not a connection of its own. */
  readonly isMessage: boolean
}

export interface HtsimFailure {
  readonly token: Token
  readonly switchType: string
  readonly switchId: number
  readonly linkId: number
}

export interface HtsimMatrix {
  readonly nodes: number
  readonly connections: readonly HtsimConnection[]
  /** Conditions of each of them; null: its start. */
  readonly waits: readonly (HtsimWait | null)[]
  readonly failures: readonly HtsimFailure[]
}

const LARGEST_INT32 = 2 ** 31 - 1
const HEADER = ['Nodes', 'Connections', 'Triggers', 'Failures']

/** Reads a connection matrix, or adds issues and returns undefined. */
export function readHtsimMatrix(file: string, text: string, log: ImportLog): HtsimMatrix | undefined {
  const header: Header = new Map()
  const connections: HtsimConnection[] = []
  const failures: HtsimFailure[] = []
  const triggers = new Map<number, HtsimTrigger>()
  let triggerCount = 0
  for (const row of rowsOf(file, text)) {
    const [first] = row.tokens
    if (first === undefined || first.text.startsWith('#')) continue
    if (HEADER.includes(first.text)) readHeader(row, header, log)
    else if (first.text.includes('->')) {
      const connection = readConnection(row, log)
      if (connection !== undefined) connections.push(connection)
    } else if (first.text === 'trigger') {
      triggerCount++
      readTrigger(row, triggers, log)
    } else if (first.text === 'failure') {
      const failure = readFailure(row, log)
      if (failure !== undefined) failures.push(failure)
    } else log.issue(first, '', 'a connection "src->dst", "trigger", "failure" or a header key', quote(first.text))
  }
  const nodes = header.get('Nodes')?.count
  if (nodes === undefined) log.issue(undefined, 'Nodes', `"Nodes N" in ${file}`, 'none')
  // With malformed rows the counts cannot match.
  if (log.any || nodes === undefined) return undefined
  checkCount(file, header, 'Connections', connections.length, log)
  checkCount(file, header, 'Triggers', triggerCount, log)
  checkCount(file, header, 'Failures', failures.length, log)
  for (const { token, source, destination } of connections) {
    if (source >= nodes || destination >= nodes)
      log.issue(token, 'connection', `hosts 0 to ${nodes - 1}`, quote(token.text))
    else if (source === destination) log.issue(token, 'connection', 'two different hosts', quote(token.text))
  }
  return { nodes, connections, waits: htsimWaits(connections, triggers, log), failures }
}

/** Declared counts, and where. */
type Header = Map<string, { readonly count: number; readonly token: Token }>

function readHeader(row: Row, header: Header, log: ImportLog): void {
  const [name, value] = row.tokens
  if (name === undefined || !hasForm(row, [name.text, 'number'], log)) return
  const number = parseWhole(value?.text ?? '')
  if (number === undefined || number > 1e7)
    log.issue(value ?? name, name.text, 'a whole number', quote(value?.text ?? ''))
  else header.set(name.text, { count: number, token: name })
}

function checkCount(file: string, header: Header, name: string, actual: number, log: ImportLog): void {
  const { count = 0, token } = header.get(name) ?? {}
  if (count !== actual)
    log.issue(token, name, `${count} as the header of ${file} declares`, `${actual}`, 'htsim refuses this too')
}

/** Reads `key value` pairs, starting at the second word. Keys in `alone` take no value. */
function readPairs(
  row: Row,
  keys: readonly string[],
  alone: readonly string[],
  log: ImportLog,
): Map<string, Token> | undefined {
  const pairs = new Map<string, Token>()
  const { tokens } = row
  for (let i = 1; i < tokens.length; i++) {
    const key = tokens[i]
    if (key === undefined) break
    const next = tokens[i + 1]
    if (alone.includes(key.text)) {
      // `msg` of uet-htsim may carry a number.
      if (key.text === 'msg' && next !== undefined && parseWhole(next.text) !== undefined) i++
      pairs.set(key.text, key)
    } else if (!keys.includes(key.text)) {
      log.issue(key, '', `one of ${[...keys, ...alone].join(', ')}`, quote(key.text), 'htsim refuses this too')
      return undefined
    } else if (next === undefined) {
      log.issue(key, key.text, 'a value', 'the end of the line')
      return undefined
    } else {
      pairs.set(key.text, next)
      i++
    }
  }
  return pairs
}

function whole(pairs: ReadonlyMap<string, Token>, key: string, log: ImportLog, min: number, standard: number): number {
  const token = pairs.get(key)
  if (token === undefined) return standard
  const value = parseWhole(token.text)
  if (value !== undefined && value >= min && value <= LARGEST_INT32) return value
  log.issue(token, key, `a whole number ${min} to ${LARGEST_INT32}`, quote(token.text))
  return standard
}

const ENDLESS = 'without one, and with 0, the connection never ends in htsim; give the bytes that it is to send'
const CONNECTION_KEYS = ['start', 'trigger', 'size', 'id', 'send_done_trigger', 'recv_done_trigger', 'prio']

function readConnection(row: Row, log: ImportLog): HtsimConnection | undefined {
  const [token] = row.tokens
  if (token === undefined) return undefined
  const ends = /^(\d{1,9})->(\d{1,9})$/.exec(token.text)
  if (ends === null) {
    log.issue(token, 'connection', '"src->dst" with host numbers', quote(token.text))
    return undefined
  }
  const pairs = readPairs(row, CONNECTION_KEYS, ['addon', 'msg'], log)
  if (pairs === undefined) return undefined
  const trigger = whole(pairs, 'trigger', log, 1, 0)
  const id = whole(pairs, 'id', log, 1, 0)
  const startToken = pairs.get('start')
  const start = startToken === undefined ? undefined : parseReal(startToken.text)
  if (startToken !== undefined && (start === undefined || start < 0))
    log.issue(startToken, 'start', 'a number of at least 0', quote(startToken.text))
  else if (start === undefined && trigger === 0) log.issue(token, 'start', 'a start or a trigger', 'neither')
  else if (start !== undefined && trigger !== 0) log.issue(token, 'start', 'a start or a trigger', 'both')
  if (trigger !== 0 && id === 0) log.issue(token, 'id', 'an id, as every triggered connection needs', 'none')
  const sizeToken = pairs.get('size')
  if (sizeToken === undefined || parseWhole(sizeToken.text) === 0)
    log.issue(sizeToken ?? token, 'size', 'a size in bytes, 1 or more', sizeToken === undefined ? 'none' : '0', ENDLESS)
  const sizeBytes = parseWhole(sizeToken?.text ?? '') === 0 ? 1 : whole(pairs, 'size', log, 1, 1)
  const sendDone = whole(pairs, 'send_done_trigger', log, 1, 0)
  const receiveDone = whole(pairs, 'recv_done_trigger', log, 1, 0)
  const prio = pairs.get('prio')
  if (prio !== undefined)
    log.note(
      foundAt(
        importFindings.importNotCarriedOver,
        { file: prio.file, line: prio.line },
        { names: ['prio'], instead: 'all flows use one class' },
      ),
    )
  return {
    token,
    source: Number(ends[1]),
    destination: Number(ends[2]),
    sizeBytes,
    start,
    id,
    trigger,
    sendDone,
    receiveDone,
    isMessage: pairs.has('msg'),
  }
}

const TRIGGER_KINDS = ['oneshot', 'multishot', 'barrier'] as const

function readTrigger(row: Row, triggers: Map<number, HtsimTrigger>, log: ImportLog): void {
  const [token] = row.tokens
  const pairs = readPairs(row, ['id', 'count'], TRIGGER_KINDS, log)
  if (pairs === undefined || token === undefined) return
  const id = whole(pairs, 'id', log, 1, 0)
  const chosen = TRIGGER_KINDS.filter((kind) => pairs.has(kind))
  const [kind] = chosen
  const count = whole(pairs, 'count', log, 1, 0)
  if (!pairs.has('id')) log.issue(token, 'trigger', 'an id', 'none')
  if (kind === undefined || chosen.length > 1)
    log.issue(
      token,
      'trigger',
      `one of ${TRIGGER_KINDS.join(', ')}`,
      chosen.length === 0 ? 'none' : chosen.join(' and '),
    )
  else if (triggers.has(id)) log.issue(token, 'trigger', 'each trigger once', `${id} again`)
  else triggers.set(id, { token, kind, count })
  if (kind === 'barrier' && !pairs.has('count')) log.issue(token, 'trigger', 'a count with barrier', 'none')
}

function readFailure(row: Row, log: ImportLog): HtsimFailure | undefined {
  const [token] = row.tokens
  const pairs = readPairs(row, ['switch_type', 'switch_id', 'link_id'], [], log)
  if (pairs === undefined || token === undefined) return undefined
  const type = pairs.get('switch_type')
  if (type === undefined || !['TOR', 'AGG', 'CORE'].includes(type.text)) {
    log.issue(type ?? token, 'switch_type', 'TOR, AGG or CORE', type === undefined ? 'none' : quote(type.text))
    return undefined
  }
  for (const key of ['switch_id', 'link_id']) if (!pairs.has(key)) log.issue(token, key, 'a number', 'none')
  return {
    token,
    switchType: type.text,
    switchId: whole(pairs, 'switch_id', log, 0, 0),
    linkId: whole(pairs, 'link_id', log, 0, 0),
  }
}
