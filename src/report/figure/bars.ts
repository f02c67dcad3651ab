/**
 * Grouped bars with error bars; a value reported elsewhere (in a paper) stands on its bar as a hollow marker.
 */
import { barY, dot, type Markish, ruleX, ruleY, text, tickY } from '@observablehq/plot'
import { humanCount, humanNumber } from '../format.ts'
import { axisMarks, leftMargin } from './axes.ts'
import type { FigureText } from './figure-text.ts'
import { colourSeries, FONT_SIZE, frame, INK, type LegendEntry, textWidth, wrapText } from './frame.ts'
import { axisFor, type ScaleKind } from './ticks.ts'

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
  /** The value to compare with. */
  readonly paper?: number
}

export interface BarFigure extends FigureText {
  readonly groups: readonly Bar[]
  /** What the hollow marker is called; "paper" unless given. */
  readonly paperLabel?: string
  /** Log: bars begin at the lowest tick. */
  readonly yScale?: ScaleKind
  /** True: each value stands above its bar. */
  readonly showValues?: boolean
}

/** Grouped bars as SVG text. Groups and series stand in the order in which they first appear. */
export function barFigure(figure: BarFigure): string {
  const bars = figure.groups
  const colours = colourSeries(bars.map((bar) => bar.series))
  const series = [...colours.keys()]
  const labels = [...new Set(bars.map((bar) => bar.label))]
  const y = axisFor(
    bars.flatMap(({ value, low, high, paper }) => [value, low ?? NaN, high ?? NaN, paper ?? NaN]),
    { kind: figure.yScale ?? 'linear', fromZero: true },
  )
  const marginLeft = leftMargin(y)
  const longestWord = Math.max(0, ...labels.flatMap((label) => label.split(' ').map((word) => textWidth(word))))
  const valueWidth =
    figure.showValues === true ? Math.max(...bars.map(({ value }) => textWidth(valueText(value), 11))) : 0
  const groupWidth = Math.max(longestWord + 8, series.length * Math.max(12, valueWidth + 2) * 1.25)
  const width = Math.ceil(Math.max(figure.width ?? 720, marginLeft + 16 + labels.length * groupWidth * 1.1))
  const room = (width - marginLeft - 16) / labels.length - 8
  const wrapped = new Map(labels.map((label) => [label, wrapText(label, room)]))
  const lines = Math.max(1, ...[...wrapped.values()].map((wrap) => wrap.length))
  const base = y.domain[0]
  const floor = y.kind === 'log' ? base : 0
  const place = { fx: 'label', x: 'series' } as const
  const present = bars.filter((bar) => Number.isFinite(bar.value))
  const ranged = present.filter((bar) => Number.isFinite(bar.low) && Number.isFinite(bar.high))
  const compared = bars.filter((bar) => Number.isFinite(bar.paper))
  // Caps of the error bars: a few pixels around the middle of a bar.
  const inset = Math.max(0, (room / (series.length + 0.12)) * 0.42 - 5)
  const cap = { stroke: INK, strokeWidth: 1.4, insetLeft: inset, insetRight: inset }
  const marks: Markish[] = [
    ...axisMarks({ y }, { y: figure.yLabel }),
    barY(present, { ...place, y1: floor, y2: 'value', fill: 'series' }),
    ruleX(ranged, { ...place, y1: 'low', y2: 'high', stroke: INK, strokeWidth: 1.4 }),
    tickY(ranged, { ...place, y: 'low', ...cap }),
    tickY(ranged, { ...place, y: 'high', ...cap }),
    dot(compared, { ...place, y: 'paper', r: 4.5, fill: 'white', stroke: INK, strokeWidth: 1.8 }),
    ruleY([floor], { stroke: INK }),
  ]
  if (figure.showValues === true) {
    marks.push(
      text(present, {
        ...place,
        y: (bar: Bar) => Math.max(bar.value, bar.high ?? -Infinity, bar.paper ?? -Infinity),
        text: (bar: Bar) => valueText(bar.value),
        dy: -10,
        fontSize: 11,
      }),
    )
  }
  const legend: LegendEntry[] = series.map((label) => ({ label, mark: 'bar', colour: colours.get(label) ?? INK }))
  if (compared.length > 0) legend.push({ label: figure.paperLabel ?? 'paper', mark: 'hollow', colour: INK })
  return frame({
    text: figure,
    width,
    // A single series needs no name of its own, unless a marker needs explaining.
    legend: series.length > 1 || compared.length > 0 ? legend : [],
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
      marginTop: figure.showValues === true ? 20 : 10,
      marginBottom: 14 + lines * FONT_SIZE * 1.25,
    },
  })
}

function valueText(value: number): string {
  return Math.abs(value) < 1e4 ? humanNumber(value) : humanCount(value)
}
