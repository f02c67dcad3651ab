/**
 * Servers over time: how many of them work, are idle, wait or are paused, from the observer `server-state`. One result is
 * drawn as a stack of the four, several as a line each of the servers that are available.
 */
import { areaY, type Markish } from '@observablehq/plot'
import { numbersOf, type Table, tableOfKind } from '../../../core/results/index.ts'
import { ALARM, COLOURS, IDLE } from '../drawing/colours.ts'
import { axisMarks, axisOptions } from '../drawing/axes.ts'
import { frame } from '../drawing/frame.ts'
import { axisFor, timeUnit } from '../drawing/ticks.ts'
import { humanDuration } from '../../../core/base/format.ts'
import { allServers, SERVER_STATES } from '../../pauses/server-states.ts'
import type { FigureData } from '../drawing/figure-table.ts'
import type { NamedResult } from '../measured-flows.ts'
import type { ResultFigure, Style } from '../result-figure.ts'
import { shownLines, timeFigure, type TimeSeries } from '../time.ts'

const [, , GREEN, YELLOW] = COLOURS as readonly [string, string, string, string]
const LOOK = {
  working: { label: 'working', colour: GREEN },
  idle: { label: 'idle', colour: IDLE },
  waiting: { label: 'waiting, not paused', colour: YELLOW },
  paused: { label: 'paused', colour: ALARM },
} as const
/** From bottom to top. */
const LAYERS = SERVER_STATES.map((column) => ({ column, ...LOOK[column] }))

export function serverFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  const present = results.flatMap(({ label, result }) => {
    const table = tableOfKind(result, 'server-state')
    return table === undefined ? [] : [{ label, table }]
  })
  const [first] = present
  if (first === undefined) return []
  const subtitle = 'available: payload moved in the interval, or nothing to do and free to send'
  if (results.length === 1) return [{ name: 'servers', ...stack(first.table, { ...style, subtitle }) }]
  const lines = present.map(({ label, table }) => {
    const rows = allServers(table)
    const available = numbersOf(table, 'available')
    const steps = stepsOf(table, rows, (row) => available[row]!)
    return { series: label, timePs: steps.map(({ x }) => x), values: steps.map(({ y }) => y) }
  })
  const about = { ...style, subtitle, yLabel: 'servers available', isStep: true, isCount: true }
  const { unitPs: xUnitPs } = shownLines({ lines }, 1)
  return [{ name: 'servers', svg: timeFigure({ ...about, lines }), xUnitPs, data: seriesData(lines) }]
}

/** Both ends of each interval. */
function stepsOf(table: Table, rows: readonly number[], valueOf: (row: number) => number): { x: number; y: number }[] {
  const [fromPs, toPs] = [numbersOf(table, 'fromPs'), numbersOf(table, 'toPs')]
  return rows.flatMap((row) => [
    { x: fromPs[row]!, y: valueOf(row) },
    { x: toPs[row]!, y: valueOf(row) },
  ])
}

/** Rows without a long end in which nothing changes: a run that is given up has one. */
function untilLastChange(rows: readonly number[], columns: readonly Float64Array[]): readonly number[] {
  const isAsBefore = (k: number): boolean =>
    columns.every((column) => column[rows[k]!] === column[rows[Math.max(0, k - 1)]!])
  let last = rows.length - 1
  while (last > 0 && isAsBefore(last)) last--
  return last < 0.6 * rows.length ? rows.slice(0, Math.ceil(1.25 * last) + 1) : rows
}

function stack(
  table: Table,
  { subtitle: meaning, ...style }: Style & { readonly subtitle: string },
): Omit<ResultFigure, 'name'> {
  const all = allServers(table)
  const columns = LAYERS.map(({ column }) => numbersOf(table, column))
  const rows = untilLastChange(all, columns)
  const toPs = numbersOf(table, 'toPs')
  const latestPs = toPs[rows.at(-1) ?? -1] ?? 0
  const isCut = rows.length < all.length
  const unchanged = `nothing changes from ${humanDuration(latestPs)} to ${humanDuration(toPs[all.at(-1) ?? -1] ?? 0)}`
  const about = { ...style, subtitle: isCut ? `${meaning}; ${unchanged}` : meaning }
  const [scale, unit] = timeUnit(latestPs)
  const hosts = rows.reduce(
    (most, row) =>
      Math.max(
        most,
        columns.reduce((sum, column) => sum + column[row]!, 0),
      ),
    1,
  )
  const x = axisFor([0, latestPs / scale], { to: latestPs / scale, from: 0 })
  const y = axisFor([0, hosts], { from: 0, to: hosts, tickCount: Math.min(6, hosts) })
  const upTo = (layer: number, row: number): number =>
    columns.slice(0, layer).reduce((sum, column) => sum + column[row]!, 0)
  const marks = LAYERS.map(({ colour }, layer): Markish => {
    const above = stepsOf(table, rows, (row) => upTo(layer + 1, row))
    const below = stepsOf(table, rows, (row) => upTo(layer, row))
    const points = above.map((point, k) => ({ x: point.x / scale, y1: below[k]!.y, y2: point.y }))
    return areaY(points, { x: 'x', y1: 'y1', y2: 'y2', fill: colour })
  })
  const svg = frame({
    text: { ...about, yLabel: 'servers' },
    width: about.width ?? 720,
    legend: LAYERS.map(({ label, colour }) => ({ label, colour, mark: 'bar' as const })),
    marks: [...marks, ...axisMarks({ x, y }, { x: `time (${unit})`, y: 'servers' })],
    options: axisOptions(x, y),
  })
  const fromPs = numbersOf(table, 'fromPs')
  const numbers = [fromPs, toPs, ...columns].map((column) => rows.map((row) => column[row]!))
  const heads = ['fromPs', 'toPs', ...LAYERS.map(({ label }) => label)]
  return { svg, xUnitPs: scale, data: { keys: [], numbers: heads, groups: [{ keys: [], numbers }] } }
}

/** Times and values of lines over time. */
function seriesData(lines: readonly TimeSeries[]): FigureData {
  return {
    keys: ['series'],
    numbers: ['timePs', 'servers available'],
    groups: lines.map(({ series, timePs, values }) => ({
      keys: [series],
      numbers: [Array.from(timePs), Array.from(values)],
    })),
  }
}
