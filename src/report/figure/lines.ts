/**
 * Lines over a measured direction: with confidence bands, as cumulative distributions, over time.
 */
import { areaY, dot, line, type Markish, ruleY } from '@observablehq/plot'
import { cumulative } from '../../results/index.ts'
import { axisMarks, axisOptions } from './axes.ts'
import type { FigureText } from './figure-text.ts'
import { COLOURS, colourSeries, frame, INK, type LegendEntry } from './frame.ts'
import { type Axis, axisFor, type ScaleKind } from './ticks.ts'

export interface LinePoint {
  readonly x: number
  /** NaN breaks the line. */
  readonly y: number
  /** Ends of the confidence band. */
  readonly low?: number
  readonly high?: number
}

export interface Line {
  readonly series: string
  readonly points: readonly LinePoint[]
  /** True: values reported elsewhere; dashed, with hollow markers, in the colour of the series that `of` names. */
  readonly isPaper?: boolean
  readonly of?: string
}

export interface LineFigure extends FigureText {
  readonly xLabel: string
  readonly lines: readonly Line[]
  readonly xScale?: ScaleKind
  readonly yScale?: ScaleKind
  /** True: the y axis begins at 0 (linear only). */
  readonly fromZero?: boolean
}

/** Lines from left to right with a marker at each point and, where points have ends, a confidence band. */
export function lineFigure(figure: LineFigure): string {
  const all = figure.lines.flatMap((each) => each.points)
  const x = axisFor(
    all.map((point) => point.x),
    { kind: figure.xScale ?? 'linear' },
  )
  const y = axisFor(
    all.flatMap((point) => [point.y, point.low ?? NaN, point.high ?? NaN]),
    { kind: figure.yScale ?? 'linear', fromZero: figure.fromZero ?? false },
  )
  const strokes = strokesOf(figure.lines)
  const bands: Markish[] = []
  const marks: Markish[] = []
  figure.lines.forEach((each, i) => {
    const { colour, isPaper, dashes } = strokes[i] as Stroke
    const points = each.points.toSorted((a, b) => a.x - b.x)
    const isBanded = (point: LinePoint): boolean => Number.isFinite(point.low) && Number.isFinite(point.high)
    const banded = points.filter(isBanded)
    if (banded.length > 0) {
      bands.push(areaY(banded, { x: 'x', y1: 'low', y2: 'high', fill: colour, fillOpacity: 0.18 }))
    }
    const fill = isPaper ? 'white' : colour
    marks.push(
      line(points, { x: 'x', y: 'y', stroke: colour, strokeWidth: 2, ...dashes }),
      dot(points, { x: 'x', y: 'y', r: isPaper ? 4 : 3, fill, stroke: colour, strokeWidth: 1.6 }),
    )
  })
  return drawLines(figure, x, y, strokes, [...bands, ...marks])
}

export interface CdfFigure extends Omit<FigureText, 'yLabel'> {
  /** With its unit: "completion time (us)". */
  readonly xLabel: string
  /** "share of flows" unless given. */
  readonly yLabel?: string
  readonly curves: readonly { readonly series: string; readonly values: Iterable<number> }[]
  readonly xScale?: ScaleKind
  /** Only the tail from this share on: 0.9 shows the slowest tenth. 0 unless given. */
  readonly fromShare?: number
}

/** Cumulative distributions as steps. Values that are not finite are left out. */
export function cdfFigure(figure: CdfFigure): string {
  const fromShare = figure.fromShare ?? 0
  const curves = figure.curves.map(({ series, values }) => {
    const finite = Array.from(values).filter((value) => Number.isFinite(value))
    // The tail is thinned on its own, so that it keeps its detail.
    const all = cumulative(finite, Math.max(2, finite.length))
    const tail = all.filter((point) => point.share >= fromShare)
    const shown = thin(tail, 600)
    const first = shown[0]
    const points = shown.map((point) => ({ x: point.value, y: point.share }))
    return { series, points: first === undefined ? [] : [{ x: first.value, y: fromShare }, ...points] }
  })
  const x = axisFor(
    curves.flatMap((curve) => curve.points.map((point) => point.x)),
    { kind: figure.xScale ?? 'linear' },
  )
  const y = axisFor([], { from: fromShare, to: 1, tickCount: 5 })
  const strokes = strokesOf(curves)
  const marks = curves.map((curve, i): Markish => {
    const { colour, dashes } = strokes[i] as Stroke
    return line(curve.points, { x: 'x', y: 'y', curve: 'step-after', stroke: colour, strokeWidth: 2, ...dashes })
  })
  return drawLines({ ...figure, yLabel: figure.yLabel ?? 'share of flows' }, x, y, strokes, marks)
}

export interface TimeSeries {
  readonly series: string
  readonly timePs: ArrayLike<number>
  readonly values: ArrayLike<number>
}

export interface TimeFigure extends FigureText {
  readonly lines: readonly TimeSeries[]
  /** True: a value holds until the next one, as queue depths and states do. */
  readonly isStep?: boolean
  readonly yScale?: ScaleKind
}

/**
 * Values over simulated time, in the unit of time that fits. A line of more points than can be seen is drawn by
 * first, lowest, highest and last value of each of 500 spans of time, so that no peak is lost.
 */
export function timeFigure(figure: TimeFigure): string {
  const shown = figure.lines.map((each) => ({ series: each.series, points: envelope(each, 500) }))
  const latestPs = shown.reduce((latest, { points }) => Math.max(latest, points.at(-1)?.x ?? 0), 0)
  const [scale, unit] = timeUnit(latestPs)
  const lines = shown.map(({ series, points }) => ({ series, points: points.map(({ x, y }) => ({ x: x / scale, y })) }))
  const points = lines.flatMap((each) => each.points)
  const x = axisFor(
    points.map((point) => point.x),
    {},
  )
  const y = axisFor(
    points.map((point) => point.y),
    { kind: figure.yScale ?? 'linear', fromZero: true },
  )
  const strokes = strokesOf(lines)
  const curve = figure.isStep === true ? 'step-after' : 'linear'
  const marks = lines.map((each, i): Markish => {
    const { colour, dashes } = strokes[i] as Stroke
    return line(each.points, { x: 'x', y: 'y', curve, stroke: colour, strokeWidth: 1.5, ...dashes })
  })
  return drawLines({ ...figure, xLabel: `time (${unit})` }, x, y, strokes, marks)
}

interface Stroke {
  readonly series: string
  readonly colour: string
  readonly isPaper: boolean
  /** Set for values of a paper, and where colours come again, when there are more series than colours. */
  readonly dashes: { readonly strokeDasharray?: string }
}

function strokesOf(lines: readonly { series: string; isPaper?: boolean; of?: string }[]): Stroke[] {
  const colours = colourSeries(lines.map((each) => each.of ?? each.series))
  const names = [...colours.keys()]
  return lines.map((each) => {
    const name = each.of ?? each.series
    const isPaper = each.isPaper === true
    const pattern = isPaper ? '5 3' : names.indexOf(name) >= COLOURS.length ? '6 2 2 2' : undefined
    const dashes = pattern === undefined ? {} : { strokeDasharray: pattern }
    return { series: each.series, colour: colours.get(name) ?? INK, isPaper, dashes }
  })
}

function drawLines(
  text: FigureText & { readonly xLabel: string },
  x: Axis,
  y: Axis,
  strokes: readonly Stroke[],
  marks: readonly Markish[],
): string {
  const legend = strokes.map(({ series, colour, isPaper, dashes }): LegendEntry => {
    const mark = isPaper ? 'hollow' : dashes.strokeDasharray === undefined ? 'line' : 'dashed'
    return { label: series, colour, mark }
  })
  return frame({
    text,
    width: text.width ?? 720,
    legend: legend.length > 1 || strokes.some((stroke) => stroke.isPaper) ? legend : [],
    marks: [
      ...axisMarks({ x, y }, { x: text.xLabel, y: text.yLabel }),
      ruleY([y.domain[0]], { stroke: INK }),
      ...marks,
    ],
    options: axisOptions(x, y),
  })
}

/** At most `limit` of these, equally spaced, first and last included. */
function thin<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items]
  return Array.from({ length: limit }, (_, k) => items[Math.round((k * (items.length - 1)) / (limit - 1))] as T)
}

/** The line itself, or first, lowest, highest and last point of each of `spans` equal spans of time. */
function envelope(series: TimeSeries, spans: number): LinePoint[] {
  const count = Math.min(series.timePs.length, series.values.length)
  const pointAt = (i: number): LinePoint => ({ x: series.timePs[i] ?? NaN, y: series.values[i] ?? NaN })
  if (count <= 4 * spans) return Array.from({ length: count }, (_, i) => pointAt(i))
  const from = pointAt(0).x
  const spanPs = (pointAt(count - 1).x - from) / spans || 1
  const kept: LinePoint[] = []
  let start = 0
  while (start < count) {
    const span = Math.floor((pointAt(start).x - from) / spanPs)
    let lowest = start
    let highest = start
    let end = start
    for (; end < count && Math.floor((pointAt(end).x - from) / spanPs) === span; end++) {
      if (pointAt(end).y < pointAt(lowest).y) lowest = end
      if (pointAt(end).y > pointAt(highest).y) highest = end
    }
    const indexes = [...new Set([start, lowest, highest, end - 1])].sort((a, b) => a - b)
    kept.push(...indexes.map(pointAt))
    start = Math.max(end, start + 1)
  }
  return kept
}

function timeUnit(latestPs: number): readonly [number, string] {
  if (latestPs >= 2e12) return [1e12, 's']
  if (latestPs >= 2e9) return [1e9, 'ms']
  if (latestPs >= 2e6) return [1e6, 'us']
  return latestPs >= 2e3 ? [1e3, 'ns'] : [1, 'ps']
}
