/**
 * Lines over a measured direction, with a marker at each point and confidence bands.
 */
import { areaY, dot, line, type Markish } from '@observablehq/plot'
import type { FigureText } from './drawing/figure-text.ts'
import { drawLines } from './drawing/line-drawing.ts'
import { symbolOf } from './drawing/shapes.ts'
import { type Stroke, strokesOf } from './drawing/strokes.ts'
import { axisFor, type ScaleKind } from './drawing/ticks.ts'

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
  /** True: values reported elsewhere: hollow markers without a line, in the colour of the series that `of` names. */
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
  /** A value that the y axis reaches to. */
  readonly yReach?: number
}

/** Lines from left to right with a marker at each point and, where points have ends, a confidence band. */
export function lineFigure(figure: LineFigure): string {
  const all = figure.lines.flatMap((each) => each.points)
  const x = axisFor(
    all.map((point) => point.x),
    { kind: figure.xScale ?? 'linear' },
  )
  const y = axisFor([...all.flatMap((point) => [point.y, point.low ?? NaN, point.high ?? NaN]), figure.yReach ?? NaN], {
    kind: figure.yScale ?? 'linear',
    fromZero: figure.fromZero ?? false,
  })
  const strokes = strokesOf(figure.lines, false)
  const bands: Markish[] = []
  const marks: Markish[] = []
  figure.lines.forEach((each, i) => {
    const { colour, shape, isPaper, dashes } = strokes[i] as Stroke
    const points = each.points.toSorted((a, b) => a.x - b.x)
    const isBanded = (point: LinePoint): boolean => Number.isFinite(point.low) && Number.isFinite(point.high)
    const banded = points.filter(isBanded)
    if (banded.length > 0) {
      bands.push(areaY(banded, { x: 'x', y1: 'low', y2: 'high', fill: colour, fillOpacity: 0.18 }))
    }
    const fill = isPaper ? 'white' : colour
    // Two values from a paper's text are no curve of that paper.
    if (!isPaper) marks.push(line(points, { x: 'x', y: 'y', stroke: colour, strokeWidth: 2, ...dashes }))
    marks.push(
      dot(points, {
        x: 'x',
        y: 'y',
        r: isPaper ? 4 : 3,
        fill,
        stroke: colour,
        strokeWidth: 1.6,
        symbol: symbolOf(shape),
      }),
    )
  })
  return drawLines(figure, { x, y }, strokes, [...bands, ...marks])
}
