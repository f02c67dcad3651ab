/**
 * Canvas: figures that are laid out in pixels, without axes of their own: bars, lines and words at places.
 */
import { type Markish, rect, ruleX, ruleY, text } from '@observablehq/plot'
import { GRID, INK } from '../drawing/colours.ts'
import type { FigureText } from '../drawing/figure-text.ts'
import { FONT_SIZE, frame, type LegendEntry, type TimeSpan } from '../drawing/frame.ts'

export interface Box {
  readonly x1: number
  readonly x2: number
  readonly y1: number
  readonly y2: number
  readonly fill: string
  /** Opacity of the fill, 0 to 1; 1 unless given. */
  readonly opacity?: number
}

export interface Word {
  readonly x: number
  readonly y: number
  readonly label: string
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly size?: number
  readonly fill?: string
  readonly isBold?: boolean
}

/** A straight line along one of the axes. */
export interface Rule {
  readonly x1: number
  readonly x2: number
  readonly y1: number
  readonly y2: number
  readonly stroke?: string
  readonly dashes?: string
}

export interface Canvas {
  readonly width: number
  readonly height: number
  readonly boxes: readonly Box[]
  readonly rules: readonly Rule[]
  readonly words: readonly Word[]
  readonly legend?: readonly LegendEntry[]
  readonly time?: TimeSpan
}

export const SMALL = 11

/** Boxes below, then rules, then words. */
export function drawCanvas(about: Omit<FigureText, 'yLabel'>, canvas: Canvas): string {
  const { width, height, boxes, rules, words } = canvas
  const marks: Markish[] = [
    rect(boxes, { x1: 'x1', x2: 'x2', y1: 'y1', y2: 'y2', fill: 'fill', fillOpacity: ({ opacity = 1 }) => opacity }),
    ...rules.map(({ x1, x2, y1, y2, stroke = GRID, dashes }): Markish => {
      const look = { stroke, ...(dashes === undefined ? {} : { strokeDasharray: dashes }) }
      return x1 === x2 ? ruleX([x1], { y1, y2, ...look }) : ruleY([y1], { x1, x2, ...look })
    }),
    ...words.map(({ x, y, label, anchor = 'start', size = FONT_SIZE, fill = INK, isBold = false }) =>
      text([{ x, y, label }], {
        x: 'x',
        y: 'y',
        text: 'label',
        textAnchor: anchor,
        fontSize: size,
        fill,
        ...(isBold ? { fontWeight: 'bold' } : {}),
      }),
    ),
  ]
  // The layout decides the height: a fixed one would leave rows out or stretch them.
  const { outerHeight: _outerHeight, ...rest } = about
  return frame({
    text: { ...rest, yLabel: '', height },
    width,
    legend: canvas.legend ?? [],
    marks,
    ...(canvas.time === undefined ? {} : { time: canvas.time }),
    options: {
      margin: 0,
      x: { type: 'linear', domain: [0, width], range: [0, width], axis: null },
      y: { type: 'linear', domain: [0, height], range: [0, height], axis: null },
    },
  })
}

/** The text, cut off where it is wider; widths as the frame estimates them. */
export function fitText(label: string, width: number, widthOf: (text: string) => number): string {
  if (widthOf(label) <= width) return label
  let length = label.length
  while (length > 1 && widthOf(`${label.slice(0, length)}…`) > width) length--
  return `${label.slice(0, length)}…`
}
