/**
 * Stacked bars: shares that add up to a whole, a bar a row, rows in groups from top to bottom.
 */
import { axisX, gridX, type Markish, rect, text } from '@observablehq/plot'
import type { FigureText } from './drawing/figure-text.ts'
import { INK } from './drawing/colours.ts'
import { frame, textWidth } from './drawing/frame.ts'

const BAR_PX = 20
const GROUP_GAP_PX = 12
/** Room below the bars for ticks and the label of the axis. */
const AXIS_PX = 48
const TICKS = [0, 0.25, 0.5, 0.75, 1]

export interface StackedBar {
  /** Heading of the bars that have the same one; where each bar has its own, its label. */
  readonly group: string
  readonly label: string
  /** By series; the rest up to the largest sum of all bars stays empty. */
  readonly shares: ReadonlyMap<string, number>
}

export interface StackedBars extends Omit<FigureText, 'yLabel' | 'height'> {
  readonly xLabel: string
  readonly bars: readonly StackedBar[]
  readonly colourOf: (series: string) => string
}

interface Piece {
  readonly series: string
  readonly x1: number
  readonly x2: number
  readonly y1: number
  readonly y2: number
}

/** Stacked bars as SVG text. Groups, bars and series stand in the order in which they first appear. */
export function stackedBarsFigure(figure: StackedBars): string {
  const { bars } = figure
  const isGrouped = new Set(bars.map(({ group }) => group)).size < bars.length
  const series = [...new Set(bars.flatMap(({ shares }) => [...shares.keys()]))]
  const labelPx = Math.ceil(Math.max(...bars.map((bar) => textWidth(wordsOf(bar, isGrouped))))) + 12
  const pieces: Piece[] = []
  const words: { readonly y: number; readonly label: string; readonly isHead: boolean }[] = []
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
      const share = bar.shares.get(name) ?? 0
      if (share > 0) pieces.push({ series: name, x1: from, x2: from + share, y1: y + 1, y2: y + BAR_PX - 1 })
      from += share
    }
    y += BAR_PX + 2
  })
  const width = figure.width ?? 720
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
    gridX(TICKS.slice(1), { strokeOpacity: 0.14 }),
    axisX(TICKS, {
      text: (share: unknown) => `${Number(share) * 100} %`,
      label: figure.xLabel,
      labelAnchor: 'center',
      labelArrow: 'none',
      labelOffset: 40,
      tickSize: 4,
    }),
    ...series.map((name) =>
      rect(
        pieces.filter((piece) => piece.series === name),
        { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: figure.colourOf(name), ariaDescription: name },
      ),
    ),
    label(true),
    label(false),
  ]
  return frame({
    text: { ...figure, yLabel: '', height },
    width,
    legend: series.map((name) => ({ label: name, mark: 'bar', colour: figure.colourOf(name) })),
    marks,
    options: {
      x: { type: 'linear', domain: [0, 1] },
      y: { type: 'linear', domain: [0, height - AXIS_PX], range: [0, height - AXIS_PX], axis: null },
      marginLeft: labelPx + 16,
      marginRight: 24,
      marginTop: 0,
      marginBottom: AXIS_PX,
    },
  })
}

const wordsOf = ({ group, label }: StackedBar, isGrouped: boolean): string => (isGrouped ? label : group)
