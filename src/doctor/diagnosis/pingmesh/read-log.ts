/**
 * Reading logs: a table of probes, of a result or of a file, as a log. Columns have the names of the simulator's table in
 * camelCase or snake_case, or the short forms src, dst and sport; times and round trips have their unit last: ps, ns, us or
 * ms. A time may also be an instant as ISO 8601 writes it. Statuses are the simulator's or those of verbs (ibv_wc_status).
 */
import { inputError, InputError, type Issue } from '../../../core/base/issue.ts'
import type { Column, Table } from '../../../core/results/table.ts'
import { logOf, type Outcome, type Probe, type ProbeLog } from './log.ts'

/** More are not held in memory. */
const ROWS_MAX = 1_000_000
/** Mistakes that are listed; the others are counted. */
const ISSUES_MAX = 50
/** Line of the first row of a file, below the names of the columns. */
const FIRST_LINE = 2

const UNITS: Readonly<Record<string, number>> = { ps: 1e-3, ns: 1, us: 1e3, ms: 1e6 }

/** By name without dashes, underscores and "ibv_wc_". Numbers are those of ibv_wc_status. */
const OUTCOME_OF: Readonly<Record<string, Outcome>> = {
  ok: 'ok',
  success: 'ok',
  0: 'ok',
  retryexceeded: 'retry-exceeded',
  retryexcerr: 'retry-exceeded',
  12: 'retry-exceeded',
  rnrexceeded: 'rnr-exceeded',
  rnrretryexcerr: 'rnr-exceeded',
  13: 'rnr-exceeded',
  unreachable: 'unreachable',
  connectfailed: 'unreachable',
  addressfailed: 'unreachable',
  unfinished: 'unfinished',
  flushed: 'flushed',
  wrflusherr: 'flushed',
  5: 'flushed',
  error: 'error',
}
/** Errors of the prober itself: LOC_LEN_ERR, REM_ACCESS_ERR and others. */
const OWN_ERROR = /^(loc|rem)[a-z]*err$/

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** @throws InputError with the line of each mistake */
export function readProbeLog(table: Table): ProbeLog {
  if (table.rowCount > ROWS_MAX)
    throw inputError('', `at most ${ROWS_MAX} probes`, `${table.rowCount}`, 'give a part of the log')
  const columns = columnsOf(table)
  const issues: Issue[] = []
  let issueCount = 0
  const probes: Probe[] = []
  for (let row = 0; row < table.rowCount; row++) {
    const mistakes: Issue[] = []
    const probe = probeAt(columns, row, (path, expected, received) =>
      mistakes.push({ path, line: row + FIRST_LINE, column: 1, expected, received, hint: '' }),
    )
    issueCount += mistakes.length
    if (issues.length < ISSUES_MAX) issues.push(...mistakes)
    if (mistakes.length === 0) probes.push(probe)
  }
  if (issueCount > issues.length)
    issues.push({ path: '', expected: 'no further mistake', received: `${issueCount - issues.length} more`, hint: '' })
  if (issues.length > 0) throw new InputError(issues)
  if (probes.length === 0) throw inputError('', 'a log with probes', 'none')
  return logOf(probes)
}

interface Columns {
  readonly time: Column
  /** Nanoseconds that its numbers count; null: instants as texts. */
  readonly timeUnitNs: number | null
  readonly source: Column
  readonly destination: Column
  readonly scope: Column
  readonly status: Column
  readonly rtt: Column
  readonly rttUnitNs: number
  readonly sourcePort: Column | undefined
  readonly age: Column | undefined
  readonly ageUnitNs: number
}

function columnsOf(table: Table): Columns {
  const named = new Map(table.columns.map((column) => [plain(column.name), column]))
  const issues: Issue[] = []
  const known = (...names: readonly string[]): Column | undefined =>
    names.map((name) => named.get(name)).find((column) => column !== undefined)
  const need = (what: string, column: Column | undefined): Column => {
    if (column === undefined) {
      const received = table.columns.map(({ name }) => name).join(', ')
      issues.push({ path: '', line: 1, column: 1, expected: `a column ${what}`, received, hint: '' })
    }
    return column ?? { name: what, type: 'text', data: [] }
  }
  const quantity = (name: string): [Column | undefined, number] => {
    const unit = Object.keys(UNITS).find((each) => named.has(name + each))
    return unit === undefined ? [undefined, NaN] : [named.get(name + unit), UNITS[unit]!]
  }
  const [time, timeUnitNs] = quantity('time')
  const [rtt, rttUnitNs] = quantity('rtt')
  const [age, ageUnitNs] = quantity('age')
  const columns: Columns = {
    time: need('timeNs', time ?? known('time')),
    timeUnitNs: time === undefined ? null : timeUnitNs,
    source: need('source', known('source', 'sourcename', 'src')),
    destination: need('destination', known('destination', 'destinationname', 'dst')),
    scope: need('scope', known('scope')),
    status: need('status', known('status')),
    rtt: need('rttNs', rtt),
    rttUnitNs,
    sourcePort: known('sourceport', 'srcport', 'sport'),
    age,
    ageUnitNs,
  }
  const traffic = known('trafficclass', 'dscp', 'priority')
  const classes = traffic === undefined ? [] : [...new Set(Array.from<number | string>(traffic.data))]
  if (classes.length > 1) {
    const expected = `probes of one class in column ${traffic!.name}`
    issues.push({
      path: '',
      expected,
      received: classes.slice(0, 4).join(', '),
      hint: 'give each class as a log of its own',
    })
  }
  if (issues.length > 0) throw new InputError(issues)
  return columns
}

type Complain = (path: string, expected: string, received: string) => void

function probeAt(columns: Columns, row: number, complain: Complain): Probe {
  const textAt = (column: Column): string => {
    const text = String(column.data[row]!)
    if (text.trim() === '' || /[\r\n]/.test(text)) complain(column.name, 'a name', JSON.stringify(text))
    return text
  }
  const timeNs =
    columns.timeUnitNs === null
      ? instantAt(columns.time, row, complain)
      : numberAt(columns.time, row, complain) * columns.timeUnitNs
  const status = String(columns.status.data[row]!)
  const outcome = outcomeOf(status)
  if (outcome === undefined)
    complain(columns.status.name, 'ok, retry-exceeded or another status', JSON.stringify(status))
  const rttNs = outcome === 'ok' ? numberAt(columns.rtt, row, complain) * columns.rttUnitNs : NaN
  const { age, sourcePort } = columns
  const hasAge = age !== undefined && !isEmpty(age, row)
  const hasPort = sourcePort !== undefined && !isEmpty(sourcePort, row)
  const port = hasPort ? numberAt(sourcePort, row, complain) : -1
  if (hasPort && !(Number.isInteger(port) && port <= 65_535)) complain(sourcePort.name, 'a port 0 to 65535', `${port}`)
  return {
    timeNs,
    source: textAt(columns.source),
    destination: textAt(columns.destination),
    scope: textAt(columns.scope),
    sourcePort: port,
    rttNs,
    outcome: outcome ?? 'error',
    ageNs: hasAge ? numberAt(age, row, complain) * columns.ageUnitNs : NaN,
  }
}

function outcomeOf(status: string): Outcome | undefined {
  const name = plain(status).replace(/^ibvwc/, '')
  return Object.hasOwn(OUTCOME_OF, name) ? OUTCOME_OF[name] : OWN_ERROR.test(name) ? 'error' : undefined
}

function isEmpty({ data }: Column, row: number): boolean {
  const value = data[row]!
  return typeof value === 'number' ? Number.isNaN(value) : value === ''
}

const NUMBER = /^\d{1,16}(\.\d{1,9})?$/

/** A number of 0 or more. */
function numberAt({ name, data }: Column, row: number, complain: Complain): number {
  const value = data[row]!
  const number = typeof value === 'number' ? value : NUMBER.test(value) ? Number(value) : NaN
  if (!(number >= 0 && number < Infinity))
    complain(name, 'a number', typeof value === 'number' ? `${value}` : JSON.stringify(value))
  return number
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|\+00:00)$/

/** Nanoseconds since the beginning of 1970, rounded to what a double holds, some 200 ns. */
function instantAt({ name, data }: Column, row: number, complain: Complain): number {
  const text = String(data[row]!)
  const parts = INSTANT.exec(text)
  if (parts === null) {
    complain(name, 'an instant such as 2026-11-20T10:00:00Z', JSON.stringify(text))
    return NaN
  }
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    complain(name, 'an instant that there is', JSON.stringify(text))
  return Date.UTC(year, month - 1, day, hour, minute, second) * 1e6 + Number(parts[7] ?? 0) * 1e9
}
