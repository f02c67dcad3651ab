/**
 * Line drawing: axes, legend and markers, shared by all figures of lines.
 */
import { dot, type Markish, ruleY } from '@observablehq/plot'
import { axisMarks, axisOptions } from './axes.ts'
import { INK } from './colours.ts'
import type { FigureText } from './figure-text.ts'
import { frame, type LegendEntry } from './frame.ts'
import { symbolOf } from './shapes.ts'
import type { Stroke } from './strokes.ts'
import { type Axis, shareOf } from './ticks.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

export interface LineExtras {
  /** Entries behind those of the lines. */
  readonly legend?: readonly LegendEntry[]
  /** Room on the right, where labels stand there. */
  readonly marginRight?: number
}

/** The figure with these marks on its axes; a legend where there are several lines, or values of a paper. */
export function drawLines(
  text: FigureText & { readonly xLabel: string },
  axes: { readonly x: Axis; readonly y: Axis },
  strokes: readonly Stroke[],
  marks: readonly Markish[],
  { legend: more = [], marginRight = 0 }: LineExtras = {},
): string {
  const { x, y } = axes
  const legend = strokes.map(({ series, colour, isPaper, shape, dashes }): LegendEntry => {
    if (isPaper) return { label: series, colour, mark: 'hollow', shape }
    const pattern = dashes.strokeDasharray
    return { label: series, colour, mark: 'line', shape, ...(pattern === undefined ? {} : { dashes: pattern }) }
  })
  const isNeeded = legend.length > 1 || strokes.some((stroke) => stroke.isPaper)
  const options = axisOptions(x, y)
  return frame({
    text,
    width: text.width ?? 720,
    legend: [...(isNeeded ? legend : []), ...more],
    marks: [
      ...axisMarks({ x, y }, { x: text.xLabel, y: text.yLabel }),
      ruleY([y.domain[0]], { stroke: INK }),
      ...marks,
    ],
    axes: { x, y },
    options: { ...options, marginRight: Math.max(options.marginRight ?? 0, marginRight) },
  })
}

/** Markers of one line; more would hide what it does. */
const MARKERS = 5

/**
 * A few markers on a line of many points, at points of its own, evenly along it; those of other lines stand between
 * them, so that lines that lie on each other show the markers of both. None where the line is alone.
 */
export function markersOn(
  points: readonly Point[],
  axes: { readonly x: Axis; readonly y: Axis },
  { series, colour, shape }: Stroke,
  { index, count }: { readonly index: number; readonly count: number },
): Markish[] {
  const drawn = points.filter((point) => Number.isFinite(point.y))
  if (count < 2 || drawn.length === 0) return []
  const distances = [0]
  for (let i = 1; i < drawn.length; i++) {
    const [from, to] = [drawn[i - 1] as Point, drawn[i] as Point]
    const across = shareOf(axes.x, to.x) - shareOf(axes.x, from.x)
    const up = shareOf(axes.y, to.y) - shareOf(axes.y, from.y)
    distances.push((distances[i - 1] as number) + Math.abs(across) + Math.abs(up))
  }
  const length = distances.at(-1) as number
  const chosen = new Set(
    Array.from({ length: MARKERS }, (_, k) => {
      const target = (length * (k + (index + 0.5) / count)) / MARKERS
      return drawn[distances.findIndex((distance) => distance >= target)] as Point
    }),
  )
  return [
    dot([...chosen], {
      x: 'x',
      y: 'y',
      r: 4,
      fill: colour,
      stroke: 'white',
      strokeWidth: 0.8,
      symbol: symbolOf(shape),
      ariaDescription: series,
    }),
  ]
}
