/**
 * Points in two measured directions, with the line of equality where both mean the same.
 */
import { dot, line, type Markish, ruleY } from '@observablehq/plot'
import { axisMarks, axisOptions } from './drawing/axes.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { colourSeries, INK } from './drawing/colours.ts'
import { frame, type LegendEntry } from './drawing/frame.ts'
import { axisFor, type ScaleKind } from './drawing/ticks.ts'

export interface ScatterPoint {
  readonly series: string
  readonly x: number
  readonly y: number
}

export interface ScatterFigure extends FigureText {
  readonly xLabel: string
  readonly points: readonly ScatterPoint[]
  readonly xScale?: ScaleKind
  readonly yScale?: ScaleKind
  /** True: both axes have one range, and a dashed line shows where y = x. */
  readonly showEquality?: boolean
}

/** Above this, some points are left out: every n-th is drawn, and the subtitle says so. */
const MOST_POINTS = 4000

/** Points as SVG text; those not finite are left out. */
export function scatterFigure(figure: ScatterFigure): string {
  const finite = figure.points.filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
  const every = Math.max(1, Math.ceil(finite.length / MOST_POINTS))
  const points = finite.filter((_, i) => i % every === 0)
  const xs = finite.map((point) => point.x)
  const ys = finite.map((point) => point.y)
  const isEqual = figure.showEquality === true
  const x = axisFor(isEqual ? [...xs, ...ys] : xs, { kind: figure.xScale ?? 'linear' })
  const y = axisFor(isEqual ? [...xs, ...ys] : ys, { kind: figure.yScale ?? 'linear' })
  const colours = colourSeries(finite.map((point) => point.series))
  const marks: Markish[] = [
    ...axisMarks({ x, y }, { x: figure.xLabel, y: figure.yLabel }),
    ruleY([y.domain[0]], { stroke: INK }),
    dot(points, {
      x: 'x',
      y: 'y',
      r: points.length > 500 ? 2 : 3.2,
      fill: (point: ScatterPoint) => colours.get(point.series) ?? INK,
      fillOpacity: points.length > 500 ? 0.5 : 0.8,
    }),
  ]
  const legend = [...colours].map(([label, colour]): LegendEntry => ({ label, colour, mark: 'dot' }))
  if (isEqual) {
    const ends = x.domain.map((value) => ({ x: value, y: value }))
    marks.push(line(ends, { x: 'x', y: 'y', stroke: INK, strokeDasharray: '5 3', strokeWidth: 1.2 }))
    legend.push({ label: 'equal', colour: INK, mark: 'line', dashes: '5 3' })
  }
  const note = every === 1 ? [] : [`one point in ${every} is drawn`]
  const subtitle = [...(figure.subtitle === undefined ? [] : [figure.subtitle]), ...note].join('; ')
  return frame({
    text: subtitle === '' ? figure : { ...figure, subtitle },
    width: figure.width ?? 720,
    legend: legend.length > 1 ? legend : [],
    marks,
    options: { ...axisOptions(x, y), color: { type: 'identity' } },
  })
}
