/**
 * Heat map of ratios: a table at a glance, blue where ours is smaller, red where it is larger, white where they agree.
 * A cell with several values (readings between which nothing chooses) is divided, from the lowest to the highest.
 */
import { type Markish, rect, text } from '@observablehq/plot'
import { ln } from '../../base/math.ts'
import type { FigureText } from './drawing/figure-text.ts'
import { INK } from './drawing/colours.ts'
import { FONT_SIZE, frame, textWidth } from './drawing/frame.ts'

export interface HeatMapRow {
  readonly label: string
  /** One for each column: a ratio, or several; none where there is nothing to show. */
  readonly cells: readonly (readonly number[])[]
}

export interface HeatMap extends Omit<FigureText, 'yLabel'> {
  /** Columns of one group stand beside each other below its name. */
  readonly columns: readonly { readonly group: string; readonly label: string }[]
  readonly rows: readonly HeatMapRow[]
}

const ROW_PX = 26
const GROUP_GAP_PX = 10
const HEAD_PX = 44
/** Ratio at which a colour is at its deepest, either way. */
const DEEPEST = 4
const SMALLER = [33, 102, 172] as const
const LARGER = [178, 24, 43] as const

/** Heat map as SVG text, rows from top to bottom and columns from left to right as given. */
export function heatMapFigure(map: HeatMap): string {
  const { columns, rows } = map
  const labelPx = Math.ceil(Math.max(0, ...rows.map(({ label }) => textWidth(label)))) + 12
  const columnPx = Math.ceil(Math.max(64, ...columns.map(({ label }) => textWidth(label, SMALL) + 10)))
  const lefts = leftsOf(columns, labelPx, columnPx)
  const width = (lefts.at(-1) ?? labelPx) + columnPx + 20
  const height = HEAD_PX + rows.length * ROW_PX + 8
  const marks: Markish[] = []
  const write = (at: {
    x: number
    y: number
    label: string
    size: number
    fill: string
    anchor: 'start' | 'middle'
  }): void => {
    marks.push(text([at], { x: 'x', y: 'y', text: 'label', fill: at.fill, fontSize: at.size, textAnchor: at.anchor }))
  }
  for (const [group, left, right] of groupsOf(columns, lefts, columnPx)) {
    write({ x: (left + right) / 2, y: 10, label: group, size: FONT_SIZE, fill: INK, anchor: 'middle' })
  }
  columns.forEach(({ label }, k) => {
    write({ x: lefts[k]! + columnPx / 2, y: 30, label, size: SMALL, fill: INK, anchor: 'middle' })
  })
  rows.forEach(({ label, cells }, i) => {
    const y = HEAD_PX + i * ROW_PX
    write({ x: 16, y: y + ROW_PX / 2, label, size: FONT_SIZE, fill: INK, anchor: 'start' })
    cells.forEach((values, k) => {
      const shown = endsOf(values)
      const part = columnPx / Math.max(1, shown.length)
      shown.forEach((value, n) => {
        const x1 = lefts[k]! + n * part
        const position = { x1, x2: x1 + part, y1: y + 1, y2: y + ROW_PX - 1 }
        marks.push(rect([position], { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: colourOf(value) }))
        const fill = isDeep(value) ? 'white' : INK
        write({ x: x1 + part / 2, y: y + ROW_PX / 2, label: shortText(value), size: SMALL, fill, anchor: 'middle' })
      })
    })
  })
  return frame({
    text: { ...map, yLabel: '', height },
    width,
    legend: [],
    marks,
    options: {
      margin: 0,
      x: { type: 'linear', domain: [0, width], range: [0, width], axis: null },
      y: { type: 'linear', domain: [0, height], range: [0, height], axis: null },
    },
  })
}

const SMALL = 11

function leftsOf(columns: HeatMap['columns'], labelPx: number, columnPx: number): number[] {
  const lefts: number[] = []
  let left = 16 + labelPx
  columns.forEach(({ group }, k) => {
    if (k > 0) left += columnPx + (group === columns[k - 1]!.group ? 2 : GROUP_GAP_PX)
    lefts.push(left)
  })
  return lefts
}

function groupsOf(columns: HeatMap['columns'], lefts: readonly number[], columnPx: number): [string, number, number][] {
  const names = [...new Set(columns.map(({ group }) => group))]
  return names.map((name) => {
    const of = lefts.filter((_, k) => columns[k]!.group === name)
    return [name, of[0]!, of.at(-1)! + columnPx]
  })
}

/** The lowest and the highest, or the one there is. */
function endsOf(values: readonly number[]): readonly number[] {
  const known = values.filter((value) => Number.isFinite(value) && value > 0)
  if (known.length < 2) return known
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return shortText(low) === shortText(high) ? [low] : [low, high]
}

/** -1 to 1: how deep, and which way. */
function depthOf(ratio: number): number {
  return Math.max(-1, Math.min(1, ln(ratio) / ln(DEEPEST)))
}

const isDeep = (ratio: number): boolean => Math.abs(depthOf(ratio)) > 0.6

function colourOf(ratio: number): string {
  const depth = depthOf(ratio)
  const parts = (depth < 0 ? SMALLER : LARGER).map((part) => Math.round(255 + (part - 255) * Math.abs(depth)))
  return `rgb(${parts.join(',')})`
}

const shortText = (ratio: number): string =>
  ratio >= 9.95 ? ratio.toFixed(0) : ratio >= 0.995 ? ratio.toFixed(1) : ratio.toFixed(2)
