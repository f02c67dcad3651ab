/**
 * Grouped bars from 0 with error bars; a value reported elsewhere (in a paper) stands on its bar as a hollow marker.
 * A log axis has no 0 to begin at: there each value is a dot in place of its bar.
 */
import { barY, dot, type Markish, ruleX, ruleY, text, tickY } from '@observablehq/plot'
import { humanCount, humanNumber } from '../../core/base/format.ts'
import { axisMarks, leftMargin } from './drawing/axes.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { colourSeries, INK } from './drawing/colours.ts'
import { FONT_SIZE, frame, HEIGHT, type LegendEntry, textWidth, wrapText } from './drawing/frame.ts'
import { type Shape, SHAPES, symbolOf } from './drawing/shapes.ts'
import { type Axis, axisFor, type ScaleKind, shareOf } from './drawing/ticks.ts'

/** Room above the tallest bar for its value. */
const MARGIN_TOP = 20
/** Half a hollow marker with its stroke, and a value with the gap below it. */
const LIMIT_DASHES = '6 3'
const MARKER_PX = 6
const LABEL_PX = 17

const HOLLOW = { r: 4.5, fill: 'white' } as const
const RING = { r: 6, fill: 'none' } as const

/** Where a bar and all that belongs to it stand. */
const position = { fx: 'label', x: 'series' } as const

/** One bar. NaN in any value: not drawn. */
export interface Bar {
  /** The group that it stands in, named below the axis. */
  readonly label: string
  /** Which bar of the group; named in the legend. */
  readonly series: string
  readonly value: number
  /** Ends of the error bar. */
  readonly low?: number
  readonly high?: number
  /** Stands in the bar's place, upright, where it has no value. */
  readonly instead?: string
  /** The value to compare with. */
  readonly paper?: number
}

export interface BarFigure extends FigureText {
  readonly groups: readonly Bar[]
  /** Label of the hollow marker, "paper" by default. */
  readonly paperLabel?: string
  /** A value that bars are held against: a dashed line across the figure. */
  readonly limit?: { readonly value: number; readonly label: string }
  /** Log: dots in place of bars. */
  readonly yScale?: ScaleKind
  /** A value that the axis reaches to. */
  readonly yReach?: number
  /** True: each value stands at the end of its bar, clear of its error bar and of the hollow marker. */
  readonly showValues?: boolean
}

/** Grouped bars as SVG text. Groups and series stand in the order in which they first appear. */
export function barFigure(figure: BarFigure): string {
  const bars = figure.groups
  const colours = colourSeries(bars.map((bar) => bar.series))
  const series = [...colours.keys()]
  const labels = [...new Set(bars.map((bar) => bar.label))]
  const kind = figure.yScale ?? 'linear'
  const limits = figure.limit === undefined ? [] : [figure.limit.value]
  const ends = bars.flatMap(({ value, low, high, paper }) => [value, low ?? NaN, high ?? NaN, paper ?? NaN])
  const y = axisFor([...ends, ...limits, figure.yReach ?? NaN], { kind, fromZero: kind === 'linear' })
  const marginLeft = leftMargin(y)
  const longestWord = Math.max(0, ...labels.flatMap((label) => label.split(' ').map((word) => textWidth(word))))
  const valueWidth =
    figure.showValues === true ? Math.max(...bars.map(({ value }) => textWidth(valueText(value), 11))) : 0
  const groupWidth = Math.max(longestWord + 8, series.length * Math.max(12, valueWidth + 2) * 1.25)
  const width = Math.ceil(Math.max(figure.width ?? 720, marginLeft + 16 + labels.length * groupWidth * 1.1))
  const room = (width - marginLeft - 16) / labels.length - 8
  const wrapped = new Map(labels.map((label) => [label, wrapText(label, room)]))
  const lines = Math.max(1, ...[...wrapped.values()].map((wrap) => wrap.length))
  const marginBottom = 14 + lines * FONT_SIZE * 1.25
  const base = y.domain[0]
  const floor = y.kind === 'log' ? base : 0
  const present = bars.filter((bar) => Number.isFinite(bar.value))
  const ranged = present.filter((bar) => Number.isFinite(bar.low) && Number.isFinite(bar.high))
  const compared = bars.filter((bar) => Number.isFinite(bar.paper))
  // Caps of the error bars: a few pixels around the middle of a bar.
  const inset = Math.max(0, (room / (series.length + 0.12)) * 0.42 - 5)
  const cap = { stroke: INK, strokeWidth: 1.4, insetLeft: inset, insetRight: inset }
  const marks: Markish[] = [
    ...axisMarks({ y }, { y: figure.yLabel }),
    ...(kind === 'log' ? [] : series.map((name) => barsOf(name, present))),
    ruleX(ranged, { ...position, y1: 'low', y2: 'high', stroke: INK, strokeWidth: 1.4 }),
    tickY(ranged, { ...position, y: 'low', ...cap }),
    tickY(ranged, { ...position, y: 'high', ...cap }),
    // In front of their error bars.
    ...(kind === 'log' ? series.map((name, i) => dotsOf(name, shapeOf(i), present)) : []),
    // A ring around a dot that it would hide.
    dot(compared, { ...position, y: 'paper', ...(kind === 'log' ? RING : HOLLOW), stroke: INK, strokeWidth: 1.8 }),
    ruleY([floor], { stroke: INK }),
    ruleY(limits, { stroke: INK, strokeWidth: 1.4, strokeDasharray: LIMIT_DASHES }),
  ]
  const heightPx = (figure.height ?? HEIGHT) - MARGIN_TOP - marginBottom
  marks.push(...wordMarks(bars, floor))
  if (figure.showValues === true) marks.push(...valueMarks(bars, y, heightPx))
  const legend: LegendEntry[] = series.map((label, i) => {
    const colour = colours.get(label) ?? INK
    return kind === 'log' ? { label, mark: 'dot', colour, shape: shapeOf(i) } : { label, mark: 'bar', colour }
  })
  if (compared.length > 0) legend.push({ label: figure.paperLabel ?? 'paper', mark: 'hollow', colour: INK })
  if (figure.limit !== undefined) {
    legend.push({ label: figure.limit.label, mark: 'line', colour: INK, dashes: LIMIT_DASHES })
  }
  return frame({
    text: figure,
    width,
    // A single series needs no name of its own, unless a marker needs explaining.
    legend: series.length > 1 || compared.length > 0 || limits.length > 0 ? legend : [],
    marks,
    options: {
      x: { axis: null, domain: series, padding: 0.12 },
      fx: {
        domain: labels,
        label: null,
        padding: 0.16,
        tickFormat: (label: string) => (wrapped.get(label) ?? [label]).join('\n'),
      },
      y: { type: y.kind, domain: [...y.domain] },
      color: { domain: series, range: series.map((name) => colours.get(name) ?? INK) },
      marginLeft,
      marginRight: 16,
      marginTop: figure.showValues === true ? MARGIN_TOP : 10,
      marginBottom,
    },
  })
}

const shapeOf = (index: number): Shape => SHAPES[index % SHAPES.length]!

function barsOf(name: string, bars: readonly Bar[]): Markish {
  const own = bars.filter(({ series }) => series === name)
  return barY(own, { ...position, y1: 0, y2: 'value', fill: 'series', ariaDescription: name })
}

function dotsOf(name: string, shape: Shape, bars: readonly Bar[]): Markish {
  const own = bars.filter(({ series }) => series === name)
  return dot(own, { ...position, y: 'value', r: 5, fill: 'series', symbol: symbolOf(shape), ariaDescription: name })
}

/** Words in the places of bars without a value. */
function wordMarks(bars: readonly Bar[], floor: number): Markish[] {
  const replaced = bars.filter((bar) => bar.instead !== undefined && !Number.isFinite(bar.value))
  if (replaced.length === 0) return []
  const upright = { rotate: -90, textAnchor: 'start', dx: 1, dy: -6, fontSize: 11 } as const
  return [text(replaced, { ...position, y: () => floor, text: 'instead', ...upright })]
}

/** The values of bars at their ends. */
function valueMarks(bars: readonly Bar[], y: Axis, heightPx: number): Markish[] {
  const markersOn = ({ label, series }: Bar): number[] =>
    bars.flatMap(({ paper = NaN, ...one }) =>
      one.label === label && one.series === series && Number.isFinite(paper) ? [paper] : [],
    )
  return [1, -1].flatMap((side) => {
    const some = bars.filter(({ value }) => Number.isFinite(value) && (value < 0 ? -1 : 1) === side)
    const at = (bar: Bar): number => labelEnd(bar, markersOn(bar), side, y, heightPx)
    const label = {
      ...position,
      y: at,
      text: (bar: Bar) => valueText(bar.value),
      dy: (y.kind === 'log' ? -13 : -11) * side,
      fontSize: 11,
    }
    return some.length > 0 ? [text(some, label)] : []
  })
}

/** Where the label of a bar begins: at the end of its error bar, or past the markers that it would run into there. */
function labelEnd(bar: Bar, markers: readonly number[], side: number, y: Axis, heightPx: number): number {
  const ends = [bar.value, bar.low ?? NaN, bar.high ?? NaN].filter((end) => Number.isFinite(end))
  let end = side > 0 ? Math.max(...ends) : Math.min(...ends)
  for (const marker of markers.toSorted((a, b) => (a - b) * side)) {
    const pastPx = (shareOf(y, marker) - shareOf(y, end)) * heightPx * side
    if (pastPx > -MARKER_PX && pastPx < LABEL_PX + MARKER_PX) end = marker
  }
  return end
}

function valueText(value: number): string {
  return Math.abs(value) < 1e4 ? humanNumber(value) : humanCount(value)
}
