/**
 * Marked figure: points of several kinds over time, each kind with a shape and a colour of its own, some joined by steps. All
 * points of a kind are one path, so that thousands of them stay small.
 */
import { line, type Markish, type RenderFunction } from '@observablehq/plot'
import type { FigureText } from './figure-text.ts'
import type { LegendEntry } from './frame.ts'
import { drawLines } from './line-drawing.ts'
import { type Shape, SHAPES } from './shapes.ts'
import { axisFor } from './ticks.ts'

interface MarkedPoint {
  readonly x: number
  readonly y: number
}

/** How a kind of points is drawn. */
export interface PointLook {
  readonly colour: string
  /** Number of the shape in drawing/shapes.ts. */
  readonly shape: number
  /** Pixels. */
  readonly radius: number
  /** A value holds until the next one. */
  readonly isStep: boolean
}

export interface MarkedPoints {
  readonly series: string
  readonly look: PointLook
  readonly points: readonly MarkedPoint[]
}

export interface MarkedFigure extends FigureText {
  readonly xLabel: string
  /** The last ones lie on top. */
  readonly lines: readonly MarkedPoints[]
  /** Ends of the axis along the width. */
  readonly from: number
  readonly to: number
}

const SVG = 'http://www.w3.org/2000/svg'
const STEP_WIDTH = 1.2
/** Values are whole: there are no more ticks than values. */
const TICKS = 6

export function markedFigure(figure: MarkedFigure): string {
  const { lines, from, to } = figure
  const x = axisFor([], { from, to: to > from ? to : from + 1 })
  const values = lines.flatMap(({ points }) => points.map((point) => point.y))
  const most = values.reduce((highest, value) => Math.max(highest, value), 1)
  const y = axisFor(values, { tickCount: Math.min(TICKS, most) })
  const marks = lines.flatMap(({ series, look, points }): Markish[] => {
    const { colour, isStep } = look
    const stepped = {
      x: 'x',
      y: 'y',
      stroke: colour,
      strokeWidth: STEP_WIDTH,
      curve: 'step-after',
      ariaDescription: series,
    } as const
    return [...(isStep ? [line(points, stepped)] : []), pointsMark(series, look, points)]
  })
  const legend = lines.map(({ series, look }): LegendEntry => {
    const shape = SHAPES[look.shape]!
    return { label: series, colour: look.colour, mark: look.isStep ? 'line' : 'dot', shape }
  })
  return drawLines(figure, { x, y }, [], marks, { legend })
}

/** All points of a kind as one path. */
function pointsMark(
  series: string,
  { colour, shape, radius }: PointLook,
  points: readonly MarkedPoint[],
): RenderFunction {
  return (_index, { x, y }, _values, _dimensions, { document }) => {
    const path = document.createElementNS(SVG, 'path')
    const outline = SHAPES[shape]!
    const d = points.map((point) => outlineAt(outline, Number(x!(point.x)), Number(y!(point.y)), radius)).join('')
    path.setAttribute('d', d)
    path.setAttribute('aria-description', series)
    const isCircle = outline.length === 0
    const looks = isCircle
      ? { fill: 'none', stroke: colour, 'stroke-width': String(2 * radius), 'stroke-linecap': 'round' }
      : { fill: colour }
    for (const [name, value] of Object.entries(looks)) path.setAttribute(name, value)
    return path
  }
}

/** A circle is a line of no length with round ends. */
function outlineAt(outline: Shape, x: number, y: number, radius: number): string {
  const at = (value: number): number => Math.round(value * 10) / 10
  if (outline.length === 0) return `M${at(x)},${at(y)}h0`
  return `M${outline.map(([dx, dy]) => `${at(x + dx * radius)},${at(y + dy * radius)}`).join('L')}Z`
}
