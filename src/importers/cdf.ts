/**
 * A flow-size distribution alone: rows `bytes cumulative`, linear between the points, as traffic generators of the HPCC
 * family read it. The second column ends at 100 (percent) or at 1 (fractions).
 * The rest of the scenario is chosen here: hosts on one switch, Poisson arrivals.
 * Source: traffic_gen of the HPCC fork and its copies in conweave and ns3-datacenter.
 */
import { type Finding, foundAt, importFindings } from '../core/findings/index.ts'
import { defineImporter, quote, type ImportInput, type Imported } from './importer.ts'
import { congestionOption, roceTransport, starOf } from './roce-defaults.ts'
import { baseNameOf, ImportLog, nameOf, parseReal, plural, readRequired, rowsOf, type Token } from './text-input.ts'
import { GENERATE_PS, poisson, type SizePoint } from './workload-defaults.ts'

const DEFAULT_HOSTS = 16
const DEFAULT_LOAD = 0.5

export const cdf = defineImporter({
  name: 'cdf',
  help: 'a flow-size distribution, as Poisson arrivals on a star of hosts',
  source: 'alibaba-edu/High-Precision-Congestion-Control traffic_gen',
  options: [
    { name: 'hosts', help: `number of hosts, ${DEFAULT_HOSTS} by default` },
    { name: 'load', help: `offered load of each host's link, 0 to 1, ${DEFAULT_LOAD} by default` },
    congestionOption,
  ],
  import: importCdf,
})

function importCdf(input: ImportInput): Imported {
  const log = new ImportLog()
  const text = readRequired(input, input.path, log, 'a flow-size distribution') ?? log.stop()
  const points = readCdf(input.path, text, log)
  const hosts = numberOption(input, 'hosts', DEFAULT_HOSTS, 2, 8192, log)
  const load = numberOption(input, 'load', DEFAULT_LOAD, 0.001, 1, log)
  if (!Number.isInteger(hosts)) log.issue(undefined, 'hosts', 'a whole number', `${hosts}`)
  log.stopIfAny()
  log.note(foundAt(importFindings.importMeanFlowSize, {}, { meanBytes: Math.round(meanBytes(points)) }))
  log.note(importFindings.assumed('arrivals', { load, generatePs: GENERATE_PS }))
  const scenario = {
    name: nameOf(input.path),
    description: `flow sizes of ${baseNameOf(input.path)}`,
    topology: starOf(hosts, log),
    ...roceTransport(input, log),
    ...poisson(points, load),
  }
  return { scenario, findings: log.findings }
}

function numberOption(
  input: ImportInput,
  name: string,
  standard: number,
  min: number,
  max: number,
  log: ImportLog,
): number {
  const text = input.options[name]
  if (text === undefined) return standard
  const value = parseReal(text)
  if (value !== undefined && value >= min && value <= max) return value
  log.issue(undefined, name, `${min} to ${max}`, quote(text))
  return standard
}

/** Mean size by the trapezoid rule. */
export function meanBytes(points: readonly SizePoint[]): number {
  let sum = 0
  for (const [i, point] of points.entries()) {
    const before = points[i - 1]
    if (before !== undefined) sum += ((point.percent - before.percent) * (point.sizeBytes + before.sizeBytes)) / 200
  }
  return sum
}

interface RawPoint {
  readonly token: Token
  /** Token of the second column. */
  readonly valueToken: Token
  readonly size: number
  readonly value: number
}

/** Reads a distribution. No column of the result falls, and the second goes from 0 to 100 percent. */
export function readCdf(file: string, text: string, log: ImportLog): SizePoint[] {
  const rows = readRows(file, text, log)
  const last = rows.at(-1)
  if (log.any) return []
  if (rows.length < 2 || last === undefined) {
    log.issue(undefined, file, 'at least two rows "bytes cumulative"', plural(rows.length, 'row'))
    return []
  }
  if (last.value !== 100 && last.value !== 1) {
    log.issue(last.valueToken, 'cumulative', '100 (percent) or 1 (fractions) in the last row', `${last.value}`)
    return []
  }
  const full = last.value
  log.note(importFindings.assumed('share-column', { last: full }, { file }))
  const [first] = rows
  if (first !== undefined && first.value !== 0) {
    log.issue(first.token, 'cumulative', '0 in the first row', `${first.value}`, 'begin with the smallest size and 0')
  }
  return riseOnly(rows, log).map((row) => ({
    sizeBytes: row.size,
    percent: full === 100 ? row.value : toPercent(row),
  }))
}

/** Multiplies by 100 in the text: 0.07 becomes 7, where floating point gives 7.000000000000001. */
function toPercent({ valueToken: { text }, value }: RawPoint): number {
  return /[eE]/.test(text) ? value * 100 : Number(`${text}e2`)
}

function readRows(file: string, text: string, log: ImportLog): RawPoint[] {
  const points: RawPoint[] = []
  for (const { tokens } of rowsOf(file, text)) {
    const [token, valueToken] = tokens
    if (token === undefined || token.text.startsWith('#')) continue
    const size = parseReal(token.text)
    const value = parseReal(valueToken?.text ?? '')
    if (valueToken === undefined || tokens.length !== 2 || size === undefined || value === undefined) {
      log.issue(token, '', 'a row "bytes cumulative", two numbers', quote(tokens.map((word) => word.text).join(' ')))
    } else if (size < 0 || size > Number.MAX_SAFE_INTEGER) log.issue(token, 'bytes', '0 to 2^53', `${size}`)
    else if (value < 0 || value > 100) log.issue(valueToken, 'cumulative', '0 to 100', `${value}`)
    else points.push({ token, valueToken, size: Math.round(size), value })
  }
  return points
}

/** Drops redundant rows; a row that falls is an issue. Two rows of one size are a step, two of one share a gap. */
function riseOnly(rows: readonly RawPoint[], log: ImportLog): RawPoint[] {
  const kept: RawPoint[] = []
  for (const row of rows) {
    const before = kept.at(-1)
    if (before === undefined) {
      kept.push(row)
      continue
    }
    const leftOut = (leastBytes: number | null): Finding => {
      const { file, line } = row.token
      return foundAt(importFindings.importRowLeftOut, { file, line }, { otherLine: before.token.line, leastBytes })
    }
    const least = (value: number): string => `at least the ${value} of line ${before.token.line}`
    if (row.size === before.size && row.value === before.value) log.note(leftOut(null))
    else if (row.size < before.size) log.issue(row.token, 'bytes', least(before.size), `${row.size}`)
    else if (row.value < before.value) log.issue(row.valueToken, 'cumulative', least(before.value), `${row.value}`)
    else if (kept.length === 1 && row.value === 0) {
      log.note(leftOut(row.size))
      kept[0] = row
    } else kept.push(row)
  }
  return kept
}
