/**
 * Figures of observers: values over time, distribution of queue depths, pauses over time.
 */
import type { Result } from '../../core/results/index.ts'
import { type Curve, drawnCdf } from './distributions.ts'
import type { NamedResult } from './measured-flows.ts'
import { PAIR_KEYS, PAIR_MEASURES } from './pair-measures.ts'
import { jobTimeline, slowestRound } from './jobs/job-timeline.ts'
import { pauseLines, unrecordedPauses } from './pauses/pause-lines.ts'
import { pauseTimeline } from './pauses/pause-timeline.ts'
import { pauseTreeFigure } from './pauses/pause-tree.ts'
import { serverFigures } from './pauses/server-figures.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import { type TimeFigure, timeFigure, type TimeSeries } from './time.ts'
import { areNothing, PORT_KEYS, type Shown, tablesOf, type Trace, tracesOf } from './traces.ts'

const QUEUES: Shown = {
  kind: 'queue-depth',
  name: 'queue-depth',
  value: 'queueBytes',
  yLabel: 'queue (KB)',
  scale: 1e3,
  rows: 'samples',
  keys: [...PORT_KEYS, ['trafficClass', 'class ']],
}
const SHOWN: readonly Shown[] = [
  QUEUES,
  ...PAIR_MEASURES,
  {
    kind: 'goodput',
    name: 'goodput',
    value: 'goodputBps',
    yLabel: 'goodput (Gb/s)',
    scale: 1e9,
    rows: 'intervals',
    keys: [['host', 'host ']],
  },
  {
    kind: 'pair-goodput',
    name: 'pair-goodput',
    value: 'goodputBps',
    yLabel: 'goodput (Gb/s)',
    scale: 1e9,
    rows: 'intervals',
    keys: PAIR_KEYS,
  },
  {
    kind: 'link-use',
    name: 'link-use',
    value: 'useRatio',
    yLabel: 'share of the link used',
    scale: 1,
    rows: 'intervals',
    keys: PORT_KEYS,
  },
]
/** Lines of one figure. */
const LINES_MAX = 8

export function observedFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  return [
    ...figuresOverTime(results, style).flatMap(drawOverTime),
    ...serverFigures(results, style),
    ...singleFigures(results, style, 'job-timeline', jobTimeline),
    ...singleFigures(results, style, 'job-round', (result, about) => {
      const window = slowestRound(result)
      return window === undefined ? undefined : jobTimeline(result, about, window)
    }),
    ...singleFigures(results, style, 'pause-timeline', pauseTimeline),
    ...singleFigures(results, style, 'pause-tree', pauseTreeFigure),
  ]
}

/** A figure over time, before it is drawn. */
export interface FigureOverTime {
  readonly name: string
  readonly figure: TimeFigure
  /** True: drawn as a distribution too. */
  readonly isSpread: boolean
}

/** Figures of values over time: queues, rates, goodput, use of links, paused ports. */
export function figuresOverTime(results: readonly NamedResult[], style: Style): FigureOverTime[] {
  return [...SHOWN.flatMap((shown) => figuresOf(results, shown, style)), ...pauseFigures(results, style)]
}

/** The figure, and the distribution of its values where they are samples of queues. */
export function drawOverTime({ name, figure, isSpread }: FigureOverTime): ResultFigure[] {
  const drawn = { name, svg: timeFigure(figure) }
  if (!isSpread) return [drawn]
  const { lines, yLabel, others: _others, ...about } = figure
  return [
    drawn,
    {
      name: `${name}-cdf`,
      ...drawnCdf({ ...about, xLabel: yLabel, yLabel: 'share of samples', curves: curvesOf(lines) }),
    },
  ]
}

function curvesOf(lines: readonly TimeSeries[]): Curve[] {
  return lines.map(({ series, values }) => ({ series, values: Array.from(values) }))
}

/** A figure of each result that has something for it, numbered where there are several results. */
function singleFigures(
  results: readonly NamedResult[],
  style: Style,
  name: string,
  draw: (result: Result, about: Style & { readonly subtitle?: string }) => Omit<ResultFigure, 'name'> | undefined,
): ResultFigure[] {
  return results.flatMap(({ label, result }, k) => {
    const wide = style.wideWidth === undefined ? style : { ...style, width: style.wideWidth }
    const drawn = draw(result, results.length === 1 ? wide : { ...wide, subtitle: label })
    if (drawn === undefined) return []
    return [{ name: results.length === 1 ? name : `${name}-${k + 1}`, ...drawn }]
  })
}

/** One figure; where a scenario has several observers of the kind, one for each name of their tables. */
function figuresOf(results: readonly NamedResult[], shown: Shown, style: Style): FigureOverTime[] {
  const tables = results.map((named) => tablesOf(named, shown))
  const names = tables.some((some) => some.length > 1)
    ? [...new Set(tables.flatMap((some) => some.map((table) => table.name)))]
    : [undefined]
  return names.flatMap((tableName) => {
    const lines = results.map((named, i) =>
      tables[i]!.filter((table) => tableName === undefined || table.name === tableName).flatMap((table) =>
        tracesOf(named, table, shown, results.length > 1),
      ),
    )
    const worthy = lines.map((some) => (areNothing(some, shown) ? [] : some))
    const isNamed = tableName !== undefined && tableName !== shown.kind
    return traceFigures(worthy, shown, isNamed ? `${shown.name}-${tableName}` : shown.name, style)
  })
}

function traceFigures(
  lines: readonly (readonly Trace[])[],
  shown: Shown,
  name: string,
  style: Style,
): FigureOverTime[] {
  const { chosen, others, note } = chosenOf(lines)
  if (chosen.length === 0) return []
  // A figure of one line has no legend.
  const names = chosen.length === 1 ? [chosen[0]!.series] : []
  const about = { ...style, ...subtitleOf([...names, ...note]) }
  const isCount = shown.count === 'so far'
  const figure = { ...about, yLabel: shown.yLabel, lines: chosen, others, isStep: true, isCount }
  return [{ name, figure, isSpread: shown === QUEUES }]
}

/**
 * The lines with the highest peaks of each result, so that none vanishes because others reach higher: as many of each as
 * the figure has room for; among equals the longest.
 */
function chosenOf(lines: readonly (readonly Trace[])[]): {
  readonly chosen: Trace[]
  readonly others: Trace[]
  readonly note: string[]
} {
  const present = lines.filter((some) => some.length > 0).length
  const most = Math.max(1, Math.floor(LINES_MAX / Math.max(1, present)))
  const higher = (a: Trace, b: Trace): number => b.peak - a.peak || b.values.length - a.values.length
  const highest = new Set(lines.flatMap((some) => some.toSorted(higher).slice(0, most)))
  const [chosen, others]: [Trace[], Trace[]] = [[], []]
  for (const line of lines.flat()) (highest.has(line) ? chosen : others).push(line)
  others.sort(higher)
  const total = lines.reduce((sum, some) => sum + some.length, 0)
  if (chosen.length === total) return { chosen, others, note: [] }
  const peaks = most === 1 ? 'the highest peak' : `the ${most} highest peaks`
  const which = present === 1 ? 'the highest peaks' : `${peaks} of each result`
  return { chosen, others, note: [`${chosen.length} of ${total} lines: ${which}`] }
}

function pauseFigures(results: readonly NamedResult[], style: Style): FigureOverTime[] {
  const lines = results.flatMap((named) => pauseLines(named, results.length > 1))
  if (lines.length === 0) return []
  const leftOut = results.flatMap(({ label, result }) => {
    const count = unrecordedPauses(result)
    return count > 0 ? [`${label}: ${count} later pauses were not recorded`] : []
  })
  const names = lines.length === 1 ? [lines[0]!.series] : []
  const subtitle = subtitleOf([
    'ports that PFC pauses, counted once for each paused traffic class',
    ...names,
    ...leftOut,
  ])
  const yLabel = 'paused ports'
  return [
    { name: 'pauses', figure: { ...style, ...subtitle, yLabel, lines, isStep: true, isCount: true }, isSpread: false },
  ]
}

function subtitleOf(notes: readonly string[]): { subtitle?: string } {
  return notes.length === 0 ? {} : { subtitle: notes.join('; ') }
}
