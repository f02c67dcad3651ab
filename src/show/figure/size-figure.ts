/**
 * A value by flow size. The axis counts flows: bins of equally many are equally wide, and ticks name the sizes between
 * them, as figures of slowdown by size usually have it.
 */
import { dot, line, type Markish, ruleX, text } from '@observablehq/plot'
import { humanBytes } from '../../core/base/format.ts'
import { leftMargin } from './drawing/axes.ts'
import { INK } from './drawing/colours.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { FONT_SIZE, HEIGHT, textWidth } from './drawing/frame.ts'
import { drawLines } from './drawing/line-drawing.ts'
import { symbolOf } from './drawing/shapes.ts'
import { type Stroke, strokesOf } from './drawing/strokes.ts'
import { type Axis, axisFor, shareOf } from './drawing/ticks.ts'

/** Flows of these sizes, both ends included. */
export interface SizeBin {
  readonly fromBytes: number
  readonly toBytes: number
  /** Share of all flows. */
  readonly share: number
}

export interface SizeLine {
  readonly series: string
  /** One a bin. NaN: none; Infinity: beyond all numbers, marked at the upper edge. */
  readonly values: readonly number[]
  /** Intervals around the values, one a bin; NaN: none. */
  readonly ranges?: readonly { readonly low: number; readonly high: number }[]
}

export interface SizeFigure extends FigureText {
  readonly xLabel: string
  readonly bins: readonly SizeBin[]
  readonly lines: readonly SizeLine[]
}

/** Widest label that may stand at the end of a line. */
const LABEL_MAX = 160

export function sizeFigure(figure: SizeFigure): string {
  const { bins, lines } = figure
  const y = axisFor(
    lines.flatMap(({ values, ranges = [] }) => [...values, ...ranges.flatMap(({ low, high }) => [low, high])]),
    { kind: 'log' },
  )
  const widest = Math.max(...lines.map(({ series }) => textWidth(series)))
  const isLabelled = lines.length > 1 && widest <= LABEL_MAX
  const marginRight = isLabelled ? widest + 20 : 0
  const x = sizeAxis(bins, (figure.width ?? 720) - leftMargin(y) - Math.max(marginRight, 40))
  const middles = bins.map(({ share }, k) => bins.slice(0, k).reduce((sum, bin) => sum + bin.share, share / 2))
  const strokes = strokesOf(lines, lines.length > 1)
  const isRanged = lines.some(({ ranges }) => ranges !== undefined)
  const marks = lines.flatMap(({ values, ranges = [] }, index): Markish[] => {
    const { series, colour, shape, dashes } = strokes[index] as Stroke
    // Beside each other, where several lines have no value, or intervals that would hide each other.
    const aside = ((index + 0.5) / lines.length - 0.5) * 0.5
    const points = middles.map((middle, k) => ({
      x: isRanged ? middle + (aside / 2) * bins[k]!.share : middle,
      y: Number.isFinite(values[k]) ? values[k]! : NaN,
    }))
    const beyond = bins.flatMap(({ share }, k) =>
      values[k] === Infinity ? [{ x: middles[k]! + aside * share, y: y.domain[1] }] : [],
    )
    const ranged = ranges.flatMap(({ low, high }, k) =>
      Number.isFinite(low) && Number.isFinite(high) ? [{ x: points[k]!.x, low, high }] : [],
    )
    const look = { x: 'x', y: 'y', r: 4, stroke: colour, symbol: symbolOf(shape), ariaDescription: series }
    return [
      line(points, { x: 'x', y: 'y', stroke: colour, strokeWidth: 2, ariaDescription: series, ...dashes }),
      ruleX(ranged, { x: 'x', y1: 'low', y2: 'high', stroke: colour, strokeWidth: 1.4, ariaDescription: series }),
      dot(points, { ...look, fill: colour }),
      dot(beyond, { ...look, fill: 'white', strokeWidth: 1.8 }),
    ]
  })
  const isBeyond = lines.some(({ values }) => values.includes(Infinity))
  return drawLines(figure, { x, y }, strokes, [...marks, ...(isLabelled ? endLabels(figure, y) : [])], {
    legend: isBeyond
      ? [{ label: 'hollow, at the top: the quantile is an unfinished flow', mark: 'hollow', colour: INK }]
      : [],
    marginRight,
  })
}

/** Ticks at the edges of bins; where there is no room for all labels, at some of them, the first and last always. */
function sizeAxis(bins: readonly SizeBin[], widthPx: number): Axis {
  let share = 0
  const edges = [
    { at: 0, label: humanBytes(bins[0]!.fromBytes) },
    ...bins.map((bin) => ({ at: (share += bin.share), label: humanBytes(bin.toBytes) })),
  ]
  const last = edges.at(-1)!
  const isClear = (a: (typeof edges)[number], b: (typeof edges)[number]): boolean =>
    (b.at - a.at) * widthPx >= (textWidth(a.label) + textWidth(b.label)) / 2 + 6
  const kept = [edges[0]!]
  for (const edge of edges.slice(1, -1)) {
    if (isClear(kept.at(-1)!, edge) && isClear(edge, last)) kept.push(edge)
  }
  if (last !== edges[0]) kept.push(last)
  const labels = new Map(kept.map(({ at, label }) => [at, label]))
  return {
    kind: 'linear',
    isOrder: true,
    domain: [0, last.at],
    ticks: kept.map(({ at }) => at),
    labelOf: (value) => labels.get(value) ?? '',
  }
}

/** The name of each line behind its last value, moved apart where they would stand on each other. */
function endLabels({ lines, height, outerHeight }: SizeFigure, y: Axis): Markish[] {
  // The title and legend of a figure of a given height take about so much of it.
  const heightPx = (outerHeight === undefined ? (height ?? HEIGHT) : outerHeight - 110) - 56
  const ends = lines.flatMap(({ series, values }) => {
    const end = values.findLast((value) => !Number.isNaN(value))
    if (end === undefined) return []
    const value = end === Infinity ? y.domain[1] : end
    return [{ series, value, px: (1 - shareOf(y, value)) * heightPx }]
  })
  let above = -Infinity
  const lineHeight = FONT_SIZE * 1.15
  return ends
    .toSorted((a, b) => a.px - b.px)
    .map(({ series, value, px }) => {
      above = Math.max(px, above + lineHeight)
      const position = { x: 'x', y: 'y', dx: 8, dy: above - px, textAnchor: 'start' } as const
      return text([{ x: 1, y: value }], { ...position, text: () => series, fill: INK })
    })
}
