/**
 * Distributions: the share of values that are at most so large, or at least so large on a log axis, which shows tails.
 */
import { areaX, line, type Markish } from '@observablehq/plot'
import { cumulative } from '../../results/index.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { drawLines, markersOn, type Point } from './drawing/line-drawing.ts'
import { type Stroke, strokesOf } from './drawing/strokes.ts'
import { type Axis, axisFor, type ScaleKind, shareOf } from './drawing/ticks.ts'

export interface Curve {
  readonly series: string
  readonly values: Iterable<number>
  /**
   * Values above all others that have no number, such as times of flows that never finished; 0 unless given. They
   * count in every share, so the curve ends below 1 (a tail above 0) and goes on to the edge.
   */
  readonly endless?: number
  /** Interval around each value, from the lowest value to the highest, endless ones included; NaN: none. */
  readonly ranges?: readonly Range[]
}

interface Range {
  readonly low: number
  readonly high: number
}

export interface CdfFigure extends Omit<FigureText, 'yLabel'> {
  /** With its unit: "completion time (us)". */
  readonly xLabel: string
  /** "share of flows" unless given. */
  readonly yLabel?: string
  readonly curves: readonly Curve[]
  readonly xScale?: ScaleKind
  /** Only the tail from this share on: 0.9 shows the slowest tenth. 0 unless given. */
  readonly fromShare?: number
}

/** Cumulative distributions as steps. Values that are not finite are left out. */
export function cdfFigure(figure: CdfFigure): string {
  const fromShare = figure.fromShare ?? 0
  const curves = figure.curves.map((curve) => {
    const { finite, total } = countedOf(curve)
    // The tail is thinned on its own, so that it keeps its detail.
    const all = cumulative(finite, Math.max(2, finite.length))
    const tail = all
      .map(({ value, share }) => ({ x: value, y: (share * finite.length) / total }))
      .filter((point) => point.y >= fromShare)
    const shown = thin(tail, 600)
    const first = shown[0]
    const points = first === undefined ? [] : [{ x: first.x, y: fromShare }, ...shown]
    const band = bandOf(curve, (rank) => rank / total).filter(({ share }) => share >= fromShare)
    return { series: curve.series, points, band, edge: finite.length < total ? finite.length / total : undefined }
  })
  const y = axisFor([], { from: fromShare, to: 1, tickCount: 5 })
  return drawCurves({ ...figure, yLabel: figure.yLabel ?? 'share of flows' }, curves, y, 'step-after')
}

/** The same figure from above: the share of values that are at least so large, on a log axis. */
export function tailFigure(figure: Omit<CdfFigure, 'fromShare'>): string {
  const curves = figure.curves.map((curve) => {
    const { finite, total } = countedOf(curve)
    const points: Point[] = []
    let below = 0
    for (const { value, share } of cumulative(finite, Math.max(2, finite.length))) {
      points.push({ x: value, y: (total - below) / total })
      below = Math.round(share * finite.length)
    }
    const band = bandOf(curve, (rank) => (total - rank) / total)
    return { series: curve.series, points, band, edge: below < total ? (total - below) / total : undefined }
  })
  const lowest = curves.flatMap(({ points, edge }) => [edge ?? NaN, points.at(-1)?.y ?? NaN])
  // At least a decade, where each curve is of few values.
  const y = axisFor([...lowest, 0.1], { kind: 'log', fromZero: true, to: 1 })
  return drawCurves({ ...figure, yLabel: figure.yLabel ?? 'share of flows (1 - CDF)' }, curves, y, 'step-before')
}

interface BandPoint extends Range {
  readonly share: number
}

/** Each interval over the step of its value: the shares before and behind it. */
function bandOf({ ranges = [] }: Curve, shareOfRank: (rank: number) => number): BandPoint[] {
  return ranges.flatMap(({ low, high }, rank) =>
    Number.isFinite(low) && Number.isFinite(high)
      ? [rank, rank + 1].map((at) => ({ share: shareOfRank(at), low, high }))
      : [],
  )
}

interface Steps {
  readonly series: string
  readonly points: readonly Point[]
  /** Intervals at shares, where there are any. */
  readonly band: readonly BandPoint[]
  /** The share that the curve keeps after its last value, up to the edge of the drawing. */
  readonly edge: number | undefined
}

function drawCurves(
  figure: Omit<CdfFigure, 'yLabel'> & { readonly yLabel: string },
  curves: readonly Steps[],
  y: Axis,
  curve: 'step-after' | 'step-before',
): string {
  const isLog = figure.xScale === 'log'
  const x = axisFor(
    curves.flatMap(({ points, band }) => [
      ...points.map((point) => point.x),
      // On a log axis a band that reaches far below the curve would leave no room for it.
      ...band.flatMap(({ low, high }) => (isLog ? [high] : [low, high])),
    ]),
    { kind: figure.xScale ?? 'linear' },
  )
  const strokes = strokesOf(curves, curves.length > 1)
  const lines = curves.map(({ points, edge }) => {
    const kept = curve === 'step-before' ? thinOn({ x, y }, points) : points
    if (edge === undefined) return kept
    const begin = kept.length > 0 ? kept : [{ x: x.domain[0], y: edge }]
    return [...begin, { x: x.domain[1], y: edge }]
  })
  const marks = lines.flatMap((points, index): Markish[] => {
    const stroke = strokes[index] as Stroke
    const band = seenBand(curves[index]!.band, x, y)
    return [
      ...(band.length === 0
        ? []
        : [
            areaX(band, {
              y: 'share',
              x1: 'low',
              x2: 'high',
              fill: stroke.colour,
              fillOpacity: 0.2,
              ariaDescription: stroke.series,
            }),
          ]),
      line(points, {
        x: 'x',
        y: 'y',
        curve,
        stroke: stroke.colour,
        strokeWidth: 2,
        ariaDescription: stroke.series,
        ...stroke.dashes,
      }),
      ...markersOn(points, { x, y }, stroke, { index, count: lines.length }),
    ]
  })
  return drawLines(figure, { x, y }, strokes, marks)
}

/** The values that have a number, and how many there are with those that have none. */
function countedOf({ values, endless = 0 }: Curve): { readonly finite: number[]; readonly total: number } {
  const finite = Array.from(values).filter((value) => Number.isFinite(value))
  return { finite, total: finite.length + endless }
}

/** At most `limit` of these, equally spaced, first and last included. */
function thin<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items]
  return Array.from({ length: limit }, (_, k) => items[Math.round((k * (items.length - 1)) / (limit - 1))] as T)
}

/** Share of an axis that is below what can be seen. */
const UNSEEN = 1 / 800

/** The band on the drawing, without what is outside of it and steps that are too small to be seen. */
function seenBand(band: readonly BandPoint[], x: Axis, y: Axis): BandPoint[] {
  const kept: BandPoint[] = []
  band.forEach(({ share, low, high }, i) => {
    if (y.kind === 'log' && share < y.domain[0]) return
    const before = kept.at(-1)
    const isStep = before === undefined || Math.abs(shareOf(y, share) - shareOf(y, before.share)) >= UNSEEN
    const isOther = before !== undefined && Math.abs(shareOf(x, high) - shareOf(x, before.high)) >= UNSEEN
    if (isStep || isOther || i === band.length - 1) kept.push({ share, low: Math.max(low, x.domain[0]), high })
  })
  return kept
}

/** Without the points that lie closer to the one before than can be seen: of a tail on a log axis, few of the many. */
function thinOn(axes: { readonly x: Axis; readonly y: Axis }, points: readonly Point[]): Point[] {
  const kept: Point[] = []
  points.forEach((point, i) => {
    const before = kept.at(-1)
    const isSeen = (axis: Axis, from: number, to: number): boolean =>
      Math.abs(shareOf(axis, to) - shareOf(axis, from)) >= UNSEEN
    const isLast = i === points.length - 1
    if (before === undefined || isLast || isSeen(axes.x, before.x, point.x) || isSeen(axes.y, before.y, point.y)) {
      kept.push(point)
    }
  })
  return kept
}
