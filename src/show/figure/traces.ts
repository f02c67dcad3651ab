/**
 * Traces: the lines in an observer's table. A line is what one port, host or queue pair was seen to do; where it has
 * no row between rows of the table, the line breaks, since nothing is known of it there.
 */
import { type Column, expectColumn, findColumn, numbersOf, type Result, type Table } from '../../core/results/index.ts'
import type { NamedResult } from './measured-flows.ts'
import type { TimeSeries } from './time.ts'

/** Figure of an observer's table: columns for time and value, and the columns that identify a line. */
export interface Shown {
  /** Kind of the observer, and default name of its table. */
  readonly kind: string
  /** Name of the figure. */
  readonly name: string
  readonly value: string
  readonly yLabel: string
  readonly scale: number
  /** Samples have a time; intervals begin and end, and their value holds between. */
  readonly rows: 'samples' | 'intervals'
  /**
   * Set where `value` counts from the beginning of a line. The figure shows the count so far, or the share that its growth
   * from one sample to the next has in the growth of another count.
   */
  readonly count?: 'so far' | { readonly shareOf: string }
  /** Columns that tell lines apart, with the word before each in a legend. */
  readonly keys: readonly (readonly [column: string, word: string])[]
}

export interface Trace extends TimeSeries {
  readonly timePs: readonly number[]
  readonly values: readonly number[]
  readonly peak: number
}

const wholeOf = ({ count = 'so far' }: Shown): string | undefined => (count === 'so far' ? undefined : count.shareOf)

/** Counts of which nothing was ever counted: they are not shown. */
export function areNothing(traces: readonly Trace[], { count }: Shown): boolean {
  return count !== undefined && traces.every(({ peak }) => peak === 0)
}

export const PORT_KEYS = [
  ['nodeName', ''],
  ['port', 'port '],
] as const

/** Tables of a result that show it; several where the scenario has several observers of the kind. */
export function tablesOf({ result }: NamedResult, shown: Shown): Table[] {
  return result.series.filter((table) => isOf(table, shown))
}

/** All lines of a table. `isLabelled` puts the result's name before theirs. */
export function tracesOf({ label, result }: NamedResult, table: Table, shown: Shown, isLabelled: boolean): Trace[] {
  const prefix = isLabelled ? `${label}: ` : ''
  const isSampled = shown.rows === 'samples' && wholeOf(shown) === undefined
  return [...rowsByLine(result, table, shown)].map(([key, rows]) => lineOf(`${prefix}${key}`, rows, isSampled))
}

/** A table of the kind, and of a version that has the columns. */
function isOf(table: Table, shown: Shown): boolean {
  const columns = [shown.value, wholeOf(shown)]
  return (
    table.kind === shown.kind && columns.every((name) => name === undefined || findColumn(table, name) !== undefined)
  )
}

interface Row {
  readonly fromPs: number
  readonly toPs: number
  readonly value: number
  /** The count that its growth is a share of; NaN: of none. */
  readonly total: number
  /** Index of its time among all times of the table; consecutive rows of a line have consecutive ones if none is missing. */
  readonly order: number
}

function rowsByLine(result: Result, table: Table, shown: Shown): Map<string, Row[]> {
  const fromPs = numbersOf(table, shown.rows === 'samples' ? 'timePs' : 'fromPs')
  const toPs = numbersOf(table, shown.rows === 'samples' ? 'timePs' : 'toPs')
  const values = numbersOf(table, shown.value)
  const whole = wholeOf(shown)
  const totals = whole === undefined ? undefined : numbersOf(table, whole)
  const isBusiest = shownPorts(result, table.name) === 'busiest'
  const columns = shown.keys
    .filter((key) => !isBusiest || !PORT_KEYS.some(([column]) => column === key[0]))
    .map(([name, word]): readonly [Column, string] => [expectColumn(table, name), word])
  const lines = new Map<string, Row[]>()
  /** Times of samples, or beginnings of intervals. */
  const times: number[] = []
  for (let row = 0; row < table.rowCount; row++) {
    if (row === 0 || fromPs[row] !== fromPs[row - 1]) times.push(fromPs[row]!)
    const value = values[row]! / shown.scale
    if (!Number.isFinite(value)) continue
    const words = columns.flatMap(([column, word]) => wordsOf(column, word, row))
    const key = [...(isBusiest ? ['busiest port'] : []), ...words].join(' ') || 'all together'
    const rows = lines.get(key) ?? []
    lines.set(key, rows)
    const order = times.length - 1
    rows.push({ fromPs: fromPs[row]!, toPs: toPs[row]!, value, total: totals?.[row] ?? NaN, order })
  }
  if (totals === undefined) return lines
  return new Map([...lines].map(([key, rows]) => [key, shareRows(rows, times)]))
}

/**
 * Shares of growth, each from the sample before to its own; the first sample of all has none before it, and a share of
 * nothing is no row.
 */
function shareRows(rows: readonly Row[], times: readonly number[]): Row[] {
  let [count, total] = [0, 0]
  return rows.flatMap((row): Row[] => {
    const fromPs = times[row.order - 1]
    const [grown, all] = [row.value - count, row.total - total]
    count = row.value
    total = row.total
    return fromPs === undefined || all === 0 ? [] : [{ ...row, fromPs, value: grown / all }]
  })
}

/** With `ports: busiest` a row is of whichever port has most at that time: rows of one port alone tell nothing. */
function shownPorts(result: Result, tableName: string): unknown {
  const { observe } = result.scenario as { readonly observe?: unknown }
  const observers = Array.isArray(observe) ? (observe as Readonly<Record<string, unknown>>[]) : []
  const nameOf = ({ kind, table }: Readonly<Record<string, unknown>>): unknown =>
    table === undefined || table === 'off' ? kind : table
  return observers.find((observer) => nameOf(observer) === tableName)?.['ports']
}

/** Label for one key of a line; -1 stands for all hosts or all classes. */
function wordsOf(column: Column, word: string, row: number): string[] {
  const value = String(column.data[row])
  return value === '-1' ? [] : [`${word}${value}`]
}

/** Steps: each value holds to the next row, or to the end of its interval where the next one begins later. */
function lineOf(series: string, rows: readonly Row[], isSampled: boolean): Trace {
  const timePs: number[] = []
  const values: number[] = []
  const add = (atPs: number, value: number): void => {
    timePs.push(atPs)
    values.push(value)
  }
  rows.forEach((row, i) => {
    const next = rows[i + 1]
    add(row.fromPs, row.value)
    if (!isSampled && (next === undefined || next.fromPs > row.toPs)) add(row.toPs, row.value)
    const isFollowed = isSampled ? next?.order === row.order + 1 : next?.fromPs === row.toPs
    if (next !== undefined && !isFollowed) add(row.toPs, NaN)
  })
  return { series, timePs, values, peak: rows.reduce((most, { value }) => Math.max(most, value), 0) }
}
