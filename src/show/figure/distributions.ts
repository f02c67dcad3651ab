/**
 * Distributions: the share of values that are at most so large, or at least so large on a log axis, which shows tails.
 */
import { areaX, line, type Markish } from '@observablehq/plot'
import { sortedValues } from '../../core/results/index.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { drawLines, markersOn, type Point } from './drawing/line-drawing.ts'
import { type Stroke, strokesOf } from './drawing/strokes.ts'
import type { FigureData } from './drawing/figure-table.ts'
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
  readonly ranges?: Ranges
}

export interface Ranges {
  readonly low: Float64Array
  readonly high: Float64Array
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

/** A figure with the points of its curves. */
export interface DrawnCurves {
  readonly svg: string
  readonly data: FigureData
}

/** Cumulative distributions as steps. Values that are not finite are left out. */
export function cdfFigure(figure: CdfFigure): string {
  return drawnCdf(figure).svg
}

export function drawnCdf(figure: CdfFigure): DrawnCurves {
  const fromShare = figure.fromShare ?? 0
  const curves = figure.curves.map((curve): Steps => {
    const { finite, ends, total } = countedOf(curve)
    const shareAt = (k: number): number => ((ends[k]! / finite.length) * finite.length) / total
    // The tail is thinned on its own, so that it keeps its detail.
    const first = ends.findIndex((_, k) => shareAt(k) >= fromShare)
    const shown = first < 0 ? [] : spacedOut(ends.length - first, 600).map((k) => first + k)
    const steps = shown.map((k) => ({ x: finite[ends[k]! - 1]!, y: shareAt(k) }))
    const points = steps.length === 0 ? [] : [{ x: steps[0]!.x, y: fromShare }, ...steps]
    return {
      series: curve.series,
      count: points.length,
      x: (k) => points[k]!.x,
      y: (k) => points[k]!.y,
      band: bandOf(curve, (rank) => rank / total, fromShare),
      edge: finite.length < total ? finite.length / total : undefined,
    }
  })
  const y = axisFor([], { from: fromShare, to: 1, tickCount: 5 })
  return drawCurves({ ...figure, yLabel: figure.yLabel ?? 'share of flows' }, curves, y, 'step-after')
}

/** The same figure from above: the share of values that are at least so large, on a log axis. */
export function drawnTail(figure: Omit<CdfFigure, 'fromShare'>): DrawnCurves {
  const curves = figure.curves.map((curve): Steps => {
    const { finite, ends, total } = countedOf(curve)
    return {
      series: curve.series,
      count: ends.length,
      x: (k) => finite[ends[k]! - 1]!,
      y: (k) => (total - (ends[k - 1] ?? 0)) / total,
      band: bandOf(curve, (rank) => (total - rank) / total),
      edge: finite.length < total ? (total - finite.length) / total : undefined,
    }
  })
  const lowest = curves.flatMap(({ count, y, edge }) => [edge ?? NaN, count === 0 ? NaN : y(count - 1)])
  // At least a decade, where each curve is of few values.
  const y = axisFor([...lowest, 0.1], { kind: 'log', fromZero: true, to: 1 })
  return drawCurves({ ...figure, yLabel: figure.yLabel ?? 'share of flows (1 - CDF)' }, curves, y, 'step-before')
}

interface BandPoint {
  readonly share: number
  readonly low: number
  readonly high: number
}

/** Made anew for each look at it: of a million flows there are two million points. */
type Band = () => Iterable<BandPoint>

/** Each interval over the step of its value: the shares before and behind it, from `fromShare` on. */
function bandOf({ ranges }: Curve, shareOfRank: (rank: number) => number, fromShare = 0): Band {
  return function* () {
    if (ranges === undefined) return
    for (let rank = 0; rank < ranges.low.length; rank++) {
      const [low, high] = [ranges.low[rank]!, ranges.high[rank]!]
      if (!Number.isFinite(low) || !Number.isFinite(high)) continue
      for (const at of [rank, rank + 1]) {
        const share = shareOfRank(at)
        if (share >= fromShare) yield { share, low, high }
      }
    }
  }
}

/** A curve by its steps, of which there may be a million: `count` of them, each at x and y. */
interface Steps {
  readonly series: string
  readonly count: number
  readonly x: (k: number) => number
  readonly y: (k: number) => number
  /** Intervals at shares, where there are any. */
  readonly band: Band
  /** The share that the curve keeps after its last value, up to the edge of the drawing. */
  readonly edge: number | undefined
}

function drawCurves(
  figure: Omit<CdfFigure, 'yLabel'> & { readonly yLabel: string },
  curves: readonly Steps[],
  y: Axis,
  curve: 'step-after' | 'step-before',
): DrawnCurves {
  const isLog = figure.xScale === 'log'
  const x = axisFor(valuesOnX(curves, isLog), { kind: figure.xScale ?? 'linear' })
  const strokes = strokesOf(curves, curves.length > 1)
  const lines = curves.map((steps) => {
    const { edge } = steps
    const kept = curve === 'step-before' ? thinOn({ x, y }, steps) : pointsOf(steps)
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
  const data: FigureData = {
    keys: ['series'],
    numbers: [figure.xLabel, figure.yLabel],
    groups: lines.map((points, i) => ({
      keys: [curves[i]!.series],
      numbers: [points.map((point) => shortened(point.x)), points.map((point) => shortened(point.y))],
    })),
  }
  return { svg: drawLines(figure, { x, y }, strokes, marks), data }
}

/** More digits than can be seen. */
const shortened = (value: number): number => Number(value.toPrecision(7))

function* valuesOnX(curves: readonly Steps[], isLog: boolean): Iterable<number> {
  for (const { count, x, band } of curves) {
    for (let k = 0; k < count; k++) yield x(k)
    for (const { low, high } of band()) {
      // On a log axis a band that reaches far below the curve would leave no room for it.
      if (!isLog) yield low
      yield high
    }
  }
}

interface Counted {
  /** The values that have a number, sorted. */
  readonly finite: Float64Array
  /** How many values are at most so large: one entry for each value that is another than the one before. */
  readonly ends: Uint32Array
  /** With the values that have no number. */
  readonly total: number
}

function countedOf({ values, endless = 0 }: Curve): Counted {
  const sorted = sortedValues(values)
  const from = sorted.findIndex((value) => value > -Infinity)
  const to = sorted.findLastIndex((value) => value < Infinity) + 1
  const finite = sorted.subarray(Math.max(0, from), Math.max(0, to))
  const ends = new Uint32Array(finite.length)
  let count = 0
  finite.forEach((value, i) => {
    if (value !== finite[i + 1]) ends[count++] = i + 1
  })
  return { finite, ends: ends.subarray(0, count), total: finite.length + endless }
}

/** At most `limit` of `count` positions, equally spaced, first and last included. */
function spacedOut(count: number, limit: number): number[] {
  if (count <= limit) return Array.from({ length: count }, (_, k) => k)
  return Array.from({ length: limit }, (_, k) => Math.round((k * (count - 1)) / (limit - 1)))
}

/** Share of an axis that is below what can be seen. */
const UNSEEN = 1 / 800

/** The band on the drawing, without what is outside of it and steps that are too small to be seen; its end is always there. */
function seenBand(band: Band, x: Axis, y: Axis): BandPoint[] {
  const kept: BandPoint[] = []
  const inside = (point: BandPoint): BandPoint => ({ ...point, low: Math.max(point.low, x.domain[0]) })
  let [beforeX, beforeY] = [NaN, NaN]
  let last: BandPoint | undefined
  for (const point of band()) {
    last = undefined
    if (y.kind === 'log' && point.share < y.domain[0]) continue
    const [atX, atY] = [shareOf(x, point.high), shareOf(y, point.share)]
    if (kept.length > 0 && !(Math.abs(atX - beforeX) >= UNSEEN) && !(Math.abs(atY - beforeY) >= UNSEEN)) {
      last = point
      continue
    }
    kept.push(inside(point))
    beforeX = atX
    beforeY = atY
  }
  return last === undefined ? kept : [...kept, inside(last)]
}

function pointsOf({ count, x, y }: Steps): Point[] {
  return Array.from({ length: count }, (_, k) => ({ x: x(k), y: y(k) }))
}

/** Without the points that lie closer to the one before than can be seen: of a tail on a log axis, few of the many. */
function thinOn(axes: { readonly x: Axis; readonly y: Axis }, { count, x, y }: Steps): Point[] {
  const kept: Point[] = []
  let [beforeX, beforeY] = [NaN, NaN]
  for (let k = 0; k < count; k++) {
    const [atX, atY] = [shareOf(axes.x, x(k)), shareOf(axes.y, y(k))]
    const isSeen = Math.abs(atX - beforeX) >= UNSEEN || Math.abs(atY - beforeY) >= UNSEEN
    if (k > 0 && k < count - 1 && !isSeen) continue
    kept.push({ x: x(k), y: y(k) })
    beforeX = atX
    beforeY = atY
  }
  return kept
}
