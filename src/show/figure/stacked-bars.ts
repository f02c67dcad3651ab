/**
 * Stacked bars: parts of a whole, a bar a row, rows in groups from top to bottom. All begin at 0.
 */
import { axisX, gridX, type Markish, rect, text } from '@observablehq/plot'
import type { FigureText } from './drawing/figure-text.ts'
import { INK } from './drawing/colours.ts'
import { frame, textWidth } from './drawing/frame.ts'
import { type Axis, shareOf } from './drawing/ticks.ts'

const BAR_PX = 20
const GROUP_GAP_PX = 12
/** Room below the bars for ticks and the label of the axis. */
const AXIS_PX = 48
/** Room on the right, at least: half a tick label. */
const RIGHT_PX = 24
/** Ground between two pieces that are wide enough to leave it. */
const GAP_PX = 1
const WIDE_PX = 4

export interface StackedBar {
  /** Heading of the bars that have the same one; where each bar has its own, its label. */
  readonly group: string
  readonly label: string
  /** By series. */
  readonly pieces: ReadonlyMap<string, StackedPiece>
  /** Behind its end, or "". */
  readonly total: string
}

export interface StackedPiece {
  readonly value: number
  /** Shown where the pointer is: "queues: 12.3 %, 41.0 us a flow". */
  readonly title: string
}

export interface StackedBars extends Omit<FigureText, 'yLabel' | 'height'> {
  readonly xLabel: string
  /** Linear, from 0. */
  readonly axis: Axis
  readonly bars: readonly StackedBar[]
  readonly colourOf: (series: string) => string
}

interface Piece {
  readonly series: string
  readonly title: string
  readonly x1: number
  readonly x2: number
  readonly y1: number
  readonly y2: number
}

/** Stacked bars as SVG text. Groups, bars and series stand in the order in which they first appear. */
export function stackedBarsFigure(figure: StackedBars): string {
  const { bars, axis } = figure
  const isGrouped = new Set(bars.map(({ group }) => group)).size < bars.length
  const series = [...new Set(bars.flatMap(({ pieces: own }) => [...own.keys()]))]
  const labelPx = Math.ceil(Math.max(...bars.map((bar) => textWidth(wordsOf(bar, isGrouped))))) + 12
  const totalPx = Math.ceil(Math.max(...bars.map(({ total }) => textWidth(total)))) + 8
  const width = figure.width ?? 720
  const [marginLeft, marginRight] = [labelPx + 16, Math.max(RIGHT_PX, totalPx)]
  const pxOf = (value: number): number => shareOf(axis, value) * (width - marginLeft - marginRight)
  const pieces: Piece[] = []
  const words: { readonly y: number; readonly label: string; readonly isHead: boolean }[] = []
  const totals: { readonly x: number; readonly y: number; readonly label: string }[] = []
  let y = 0
  bars.forEach((bar, i) => {
    if (i === 0 || bars[i - 1]!.group !== bar.group) {
      if (i > 0) y += GROUP_GAP_PX
      if (isGrouped) {
        words.push({ y: y + BAR_PX / 2, label: bar.group, isHead: true })
        y += BAR_PX
      }
    }
    words.push({ y: y + BAR_PX / 2, label: wordsOf(bar, isGrouped), isHead: false })
    let from = 0
    for (const name of series) {
      const { value = 0, title = '' } = bar.pieces.get(name) ?? {}
      const [x1, x2] = [pxOf(from), pxOf(from + value)]
      const gap = x2 - x1 < WIDE_PX ? 0 : GAP_PX
      if (value > 0) pieces.push({ series: name, title, x1, x2: x2 - gap, y1: y + 1, y2: y + BAR_PX - 1 })
      from += value
    }
    if (bar.total !== '') totals.push({ x: pxOf(from), y: y + BAR_PX / 2, label: bar.total })
    y += BAR_PX + 2
  })
  const height = y + AXIS_PX
  const label = (isHead: boolean): Markish =>
    text(
      words.filter((one) => one.isHead === isHead),
      {
        x: 0,
        y: 'y',
        text: 'label',
        dx: -labelPx + 4,
        textAnchor: 'start',
        fontWeight: isHead ? 'bold' : 'normal',
        fill: INK,
      },
    )
  const marks: Markish[] = [
    ...axisOf(figure, pxOf),
    ...series.map((name) =>
      rect(
        pieces.filter((piece) => piece.series === name),
        { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: figure.colourOf(name), title: 'title', ariaDescription: name },
      ),
    ),
    text(totals, { x: 'x', y: 'y', text: 'label', dx: 6, textAnchor: 'start', fill: INK }),
    label(true),
    label(false),
  ]
  return frame({
    text: { ...figure, yLabel: '', height },
    width,
    legend: series.map((name) => ({ label: name, mark: 'bar', colour: figure.colourOf(name) })),
    marks,
    options: {
      x: { type: 'linear', domain: [0, width - marginLeft - marginRight] },
      y: { type: 'linear', domain: [0, height - AXIS_PX], range: [0, height - AXIS_PX], axis: null },
      marginLeft,
      marginRight,
      marginTop: 0,
      marginBottom: AXIS_PX,
    },
  })
}

function axisOf({ axis: { ticks, labelOf }, xLabel }: StackedBars, pxOf: (value: number) => number): Markish[] {
  return [
    gridX(ticks.slice(1).map(pxOf), { strokeOpacity: 0.14 }),
    axisX(ticks.map(pxOf), {
      text: (_: unknown, i: number) => labelOf(ticks[i]!),
      label: xLabel,
      labelAnchor: 'center',
      labelArrow: 'none',
      labelOffset: 40,
      tickSize: 4,
    }),
  ]
}

const wordsOf = ({ group, label }: StackedBar, isGrouped: boolean): string => (isGrouped ? label : group)
