/**
 * Values over simulated time.
 */
import { line, type Markish } from '@observablehq/plot'
import type { FigureText } from './drawing/figure-text.ts'
import { drawLines, markersOn, type Point } from './drawing/line-drawing.ts'
import { type Stroke, strokesOf } from './drawing/strokes.ts'
import { axisFor, type ScaleKind, timeUnit } from './drawing/ticks.ts'

export interface TimeSeries {
  readonly series: string
  readonly timePs: ArrayLike<number>
  /** NaN breaks the line: nothing is known from there to the next value. */
  readonly values: ArrayLike<number>
}

export interface TimeFigure extends FigureText {
  readonly lines: readonly TimeSeries[]
  /** True: a value holds until the next one, as queue depths and states do. */
  readonly isStep?: boolean
  readonly yScale?: ScaleKind
  /** True: values are counts, with ticks at whole numbers alone. */
  readonly isCount?: boolean
  /** Lines for which the figure has no room, the highest peaks first. */
  readonly others?: readonly TimeSeries[]
}

/** Default number of ticks. */
const TICKS = 6

/**
 * Values over simulated time, in the unit of time that fits. A line of more points than can be seen is drawn by
 * first, lowest, highest and last value of each of 500 spans of time, so that no peak is lost.
 */
export function timeFigure(figure: TimeFigure): string {
  const { unit, lines } = shownLines(figure, 500)
  const points = lines.flatMap((each) => each.points)
  const x = axisFor(
    points.map((point) => point.x),
    {},
  )
  const highest = points.reduce((most, { y }) => (y > most ? y : most), 1)
  const tickCount = figure.isCount === true ? { tickCount: Math.min(TICKS, highest) } : {}
  const y = axisFor(
    points.map((point) => point.y),
    { kind: figure.yScale ?? 'linear', fromZero: true, ...tickCount },
  )
  const strokes = strokesOf(lines, lines.length > 1)
  const curve = figure.isStep === true ? 'step-after' : 'linear'
  // Round ends show a value that has neither neighbour as a dot.
  const look = { curve, strokeWidth: 1.5, strokeLinecap: 'round' } as const
  const marks = lines.map(({ points: drawn }, index): Markish => {
    const { series, colour, dashes } = strokes[index] as Stroke
    return line(drawn, { x: 'x', y: 'y', stroke: colour, ariaDescription: series, ...look, ...dashes })
  })
  const markers = lines.flatMap(({ points: drawn }, index): Markish[] =>
    markersOn(drawn, { x, y }, strokes[index] as Stroke, { index, count: lines.length }),
  )
  return drawLines({ ...figure, xLabel: `time (${unit})` }, { x, y }, strokes, [...marks, ...markers])
}

/** The points of each line that can be seen, with time in the unit that fits. */
export interface ShownLines {
  /** "us". */
  readonly unit: string
  readonly unitPs: number
  readonly lines: readonly { readonly series: string; readonly points: readonly PointShown[] }[]
}

interface PointShown {
  readonly x: number
  readonly y: number
}

/** Lines by first, lowest, highest and last value of each of `spans` spans of time; in the unit of others, where there are. */
export function shownLines(
  figure: Pick<TimeFigure, 'lines'>,
  spans: number,
  like?: Pick<ShownLines, 'unit' | 'unitPs'>,
): ShownLines {
  const shown = figure.lines.map((each) => ({ series: each.series, points: envelope(each, spans) }))
  const latestPs = shown.reduce((latest, { points }) => Math.max(latest, points.at(-1)?.x ?? 0), 0)
  const [unitPs, unit] = like === undefined ? timeUnit(latestPs) : [like.unitPs, like.unit]
  return {
    unit,
    unitPs,
    lines: shown.map(({ series, points }) => ({ series, points: points.map(({ x, y }) => ({ x: x / unitPs, y })) })),
  }
}

/**
 * The line itself, or first, lowest, highest and last point of each of `spans` equal spans of time. A break stays where
 * it lies between two spans; one inside a span is too short to be seen.
 */
function envelope(series: TimeSeries, spans: number): Point[] {
  const count = Math.min(series.timePs.length, series.values.length)
  const pointAt = (i: number): Point => ({ x: series.timePs[i] ?? NaN, y: series.values[i] ?? NaN })
  if (count <= 4 * spans) return Array.from({ length: count }, (_, i) => pointAt(i))
  const from = pointAt(0).x
  const spanPs = (pointAt(count - 1).x - from) / spans || 1
  const spanOf = (i: number): number => Math.floor((pointAt(i).x - from) / spanPs)
  const kept: Point[] = []
  let start = 0
  while (start < count) {
    const span = spanOf(start)
    const known: number[] = []
    let lowest = start
    let highest = start
    let end = start
    for (; end < count && spanOf(end) === span; end++) {
      const { y } = pointAt(end)
      if (Number.isNaN(y)) continue
      if (known.length === 0) lowest = highest = end
      if (y < pointAt(lowest).y) lowest = end
      if (y > pointAt(highest).y) highest = end
      known.push(end)
    }
    const first = known[0]
    const last = known.at(-1)
    if (first !== undefined && last !== undefined) {
      if (first > start) kept.push(pointAt(start))
      kept.push(...[...new Set([first, lowest, highest, last])].sort((a, b) => a - b).map(pointAt))
    }
    if (last !== end - 1) kept.push(pointAt(end - 1))
    start = Math.max(end, start + 1)
  }
  return kept
}
