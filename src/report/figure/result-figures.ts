/**
 * Figures of results: how completion times spread, and what observers saw over time; several results side by side.
 */
import { type Column, completionsOf, numbersOf, type Result, type Table, textsOf } from '../../results/index.ts'
import { cdfFigure, timeFigure, type TimeSeries } from './lines.ts'

/** A result and what to call it in a legend, where there are several. */
export interface NamedResult {
  readonly label: string
  readonly result: Result
}

export interface ResultFigure {
  /** "completion", "queue-depth"; with more words where one series has several values: "rates-window". */
  readonly name: string
  readonly svg: string
}

/** What an observer's table has to show: its time, its value, and what tells its lines apart. */
interface Shown {
  readonly series: string
  readonly name: string
  readonly time: string
  readonly value: string
  readonly yLabel: string
  readonly scale: number
  /** Columns that tell lines apart, with the word before each in a legend. */
  readonly keys: readonly (readonly [column: string, word: string])[]
  readonly isStep: boolean
}

const PORT = [
  ['nodeName', ''],
  ['port', 'port '],
] as const
const PAIR = [
  ['source', ''],
  ['destination', '> '],
  ['pair', 'QP '],
] as const
const SHOWN: readonly Shown[] = [
  {
    series: 'queue-depth',
    name: 'queue-depth',
    time: 'timePs',
    value: 'queueBytes',
    yLabel: 'queue (KB)',
    scale: 1e3,
    keys: [...PORT, ['trafficClass', 'class ']],
    isStep: true,
  },
  {
    series: 'rates',
    name: 'rates',
    time: 'timePs',
    value: 'rateBps',
    yLabel: 'rate (Gb/s)',
    scale: 1e9,
    keys: PAIR,
    isStep: true,
  },
  {
    series: 'rates',
    name: 'rates-window',
    time: 'timePs',
    value: 'windowPackets',
    yLabel: 'window (packets)',
    scale: 1,
    keys: PAIR,
    isStep: true,
  },
  {
    series: 'goodput',
    name: 'goodput',
    time: 'toPs',
    value: 'goodputBps',
    yLabel: 'goodput (Gb/s)',
    scale: 1e9,
    keys: [['host', 'host ']],
    isStep: false,
  },
  {
    series: 'pair-goodput',
    name: 'pair-goodput',
    time: 'toPs',
    value: 'goodputBps',
    yLabel: 'goodput (Gb/s)',
    scale: 1e9,
    keys: PAIR,
    isStep: false,
  },
  {
    series: 'link-use',
    name: 'link-use',
    time: 'toPs',
    value: 'useRatio',
    yLabel: 'share of the link used',
    scale: 1,
    keys: PORT,
    isStep: false,
  },
]
/** Lines of one figure: those that reach highest. */
const LINES_MAX = 8

/** All figures that the results have something for. Flows that did not finish, and those not measured, are in none. */
export function resultFigures(results: readonly NamedResult[]): ResultFigure[] {
  const names = results.map(({ result }) => result.name)
  const title = [...new Set(names)].join(' and ')
  return [...spreads(results, title), ...SHOWN.flatMap((shown) => overTime(results, shown, title))]
}

function spreads(results: readonly NamedResult[], title: string): ResultFigure[] {
  const curvesOf = (valuesOf: (result: Result) => ArrayLike<number>, scale: number) =>
    results.flatMap(({ label, result }) => {
      const values = valuesOf(result)
      const tags = textsOf(result.flows, 'tag')
      const measured = numbersOf(result.flows, 'measured')
      const all = [...new Set(tags)]
      return all.flatMap((tag) => {
        const some = Array.from(values).flatMap((value, row) =>
          tags[row] === tag && measured[row] === 1 && Number.isFinite(value) ? [value / scale] : [],
        )
        const series = [results.length > 1 ? label : '', all.length > 1 || results.length === 1 ? tag : '']
        return some.length === 0 ? [] : [{ series: series.filter((word) => word !== '').join(', '), values: some }]
      })
    })
  const figures = [
    { name: 'completion', xLabel: 'completion time (us)', of: completionTimes, scale: 1e6 },
    { name: 'slowdown', xLabel: 'slowdown (completion over ideal)', of: slowdowns, scale: 1 },
  ]
  return figures.flatMap(({ name, xLabel, of, scale }) => {
    const curves = curvesOf(of, scale)
    if (curves.length === 0) return []
    return [
      { name, svg: cdfFigure({ title, subtitle: 'measured flows that finished', xLabel, curves, xScale: 'log' }) },
    ]
  })
}

const completionTimes = (result: Result): ArrayLike<number> => completionsOf(result).completionPs
const slowdowns = (result: Result): ArrayLike<number> => completionsOf(result).slowdown

function overTime(results: readonly NamedResult[], shown: Shown, title: string): ResultFigure[] {
  const lines = results.flatMap(({ label, result }) =>
    result.series.flatMap((table) =>
      isOf(table, shown) ? linesOf(table, shown, results.length > 1 ? label : '') : [],
    ),
  )
  if (lines.length === 0) return []
  const peakOf = ({ values }: TimeSeries): number =>
    Array.from(values).reduce((most, value) => Math.max(most, value), 0)
  const chosen = new Set(lines.toSorted((a, b) => peakOf(b) - peakOf(a)).slice(0, LINES_MAX))
  const highest = lines.filter((line) => chosen.has(line))
  const subtitle = lines.length > LINES_MAX ? `the ${LINES_MAX} of ${lines.length} that reach highest` : ''
  const svg = timeFigure({ title, subtitle, yLabel: shown.yLabel, lines: highest, isStep: shown.isStep })
  return [{ name: shown.name, svg }]
}

/** Of a key of one line; -1 stands for all hosts, or all classes. */
function wordsOf(column: Column, word: string, row: number): string[] {
  const value = String(column.data[row])
  return value === '-1' ? [] : [`${word}${value}`]
}

/** Observers of one kind may have names of their own: what a table is, its columns say. */
function isOf(table: Table, { time, value, keys }: Shown): boolean {
  return [time, value, ...keys.map(([column]) => column)].every((name) =>
    table.columns.some((column) => column.name === name),
  )
}

function linesOf(table: Table, { time, value, scale, keys }: Shown, label: string): TimeSeries[] {
  const times = numbersOf(table, time)
  const values = numbersOf(table, value)
  const columns = keys.map(([name, word]): readonly [Column, string] => [
    table.columns.find((column) => column.name === name)!,
    word,
  ])
  const byLine = new Map<string, { timePs: number[]; values: number[] }>()
  for (let row = 0; row < table.rowCount; row++) {
    const scaled = values[row]! / scale
    if (!Number.isFinite(scaled)) continue
    const key = columns.flatMap(([column, word]) => wordsOf(column, word, row)).join(' ') || 'all together'
    const line = byLine.get(key) ?? { timePs: [], values: [] }
    byLine.set(key, line)
    line.timePs.push(times[row]!)
    line.values.push(scaled)
  }
  return [...byLine].map(([key, line]) => ({ series: label === '' ? key : `${label}: ${key}`, ...line }))
}
