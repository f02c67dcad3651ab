/**
 * The frame of every figure: white ground, title, subtitle, legend, and below them what Observable Plot draws.
 * A figure is a self-contained SVG text: no scripts, no outside fonts, no random names; the same input gives the same
 * text. Lengths are CSS pixels. Text widths are estimated from the letters, since there is no browser to ask; the
 * estimate is that of a wide font (DejaVu Sans), so that nothing is clipped where a narrower one is used.
 */
import domino, { type DominoNode } from '@mixmark-io/domino'
import { type Markish, plot, type PlotOptions } from '@observablehq/plot'
import { escapeControls } from '../../../core/base/control-characters.ts'
import { INK, SOFT_INK } from './colours.ts'
import type { FigureText } from './figure-text.ts'
import { cornersOf, type Shape } from './shapes.ts'
import type { Axis } from './ticks.ts'

export const FONT = 'Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif'
/** Letters inside the drawing: ticks, axis labels, legend. */
export const FONT_SIZE = 13
const TITLE_SIZE = 17
const SUBTITLE_SIZE = 13
const SIDE = 16
/** Default height of the drawing below the legend. */
export const HEIGHT = 360
/** Axis labels and two ticks fit in. */
const HEIGHT_MIN = 120
/** Above and below the axis on the left, at least. */
const MARGINS = 24

export interface LegendEntry {
  readonly label: string
  readonly mark: 'bar' | 'line' | 'dot' | 'hollow'
  readonly colour: string
  /** Dash pattern of a line, solid by default, and the shape of its markers, of a dot or of a hollow one. */
  readonly dashes?: string
  readonly shape?: Shape
}

/** How wide a text will be at most. */
export function textWidth(text: string, fontSize: number = FONT_SIZE): number {
  let ems = 0
  for (const letter of text) {
    if ("ijl.,:;|!'()[] ".includes(letter)) ems += 0.36
    else if ('mwMW@%'.includes(letter)) ems += 0.98
    else if (letter >= 'A' && letter <= 'Z') ems += 0.72
    else if (letter >= '0' && letter <= '9') ems += 0.64
    else ems += letter > '\u2e80' ? 1 : 0.6
  }
  return ems * fontSize
}

/** The text in lines of at most `width`, broken between words. */
export function wrapText(text: string, width: number, fontSize: number = FONT_SIZE): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/[ \n]+/)) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || textWidth(longer, fontSize) <= width) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

/** Picoseconds at both ends, and where these are. */
export interface TimeSpan {
  readonly fromPs: number
  readonly toPs: number
  readonly fromPx: number
  readonly toPx: number
}

export interface Drawing {
  readonly text: FigureText
  readonly width: number
  readonly legend: readonly LegendEntry[]
  readonly marks: readonly Markish[]
  /** Measured directions, written into the figure so that a page can show values under the pointer. */
  readonly axes?: { readonly x: Axis; readonly y: Axis }
  /** Simulated time along the width, for the same purpose. */
  readonly time?: TimeSpan
  /** Scales and margins; size, fonts and document are the frame's. */
  readonly options: PlotOptions
}

/** The whole figure as SVG text. */
export function frame(drawing: Drawing): string {
  const { text, width, legend } = drawing
  const room = width - 2 * SIDE
  const parts: string[] = []
  let top = SIDE
  const block = (lines: readonly string[], size: number, style: string): void => {
    for (const line of lines) {
      parts.push(`<text x="${SIDE}" y="${round(top + size)}" font-size="${size}" ${style}>${escapeXml(line)}</text>`)
      top += size * 1.35
    }
  }
  if (text.isUntitled !== true) {
    block(wrapText(text.title, room / 1.08, TITLE_SIZE), TITLE_SIZE, `font-weight="bold" fill="${INK}"`)
  }
  if (text.subtitle !== undefined) {
    block(wrapText(text.subtitle, room, SUBTITLE_SIZE), SUBTITLE_SIZE, `fill="${SOFT_INK}"`)
  }
  top += 6
  top = drawLegend(legend, room, top, parts)
  const height = heightOf(text, top)
  const options: PlotOptions = {
    ...drawing.options,
    width,
    height,
    // Domino's own types know a part of the DOM only.
    document: createDocument() as unknown as NonNullable<PlotOptions['document']>,
    marks: [...drawing.marks],
  }
  // Plot made it with Domino's document.
  const inner = innerSvg(plot(options) as unknown as DominoNode)
  const total = round(top + height + SIDE / 2)
  const group =
    `<g transform="translate(0,${round(top)})"${axesText(drawing, height)} fill="currentColor" color="${INK}" font-size="${FONT_SIZE}" ` +
    `text-anchor="middle">${inner}</g>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" ` +
    `font-family='${FONT}' role="img" aria-label="${escapeXml(text.title)}">` +
    `<rect width="${width}" height="${total}" fill="white"/>${parts.join('')}${group}</svg>\n`
  )
}

/**
 * Each measured direction as "kind, from, to, and the pixels of both ends": "log 1 100 60 704"; the kind "order" has no
 * values. A figure of a span of time has its two ends, in picoseconds, and their pixels instead.
 */
function axesText({ axes, time, options, width }: Drawing, height: number): string {
  if (time !== undefined)
    return ` data-time="${[time.fromPs, time.toPs, round(time.fromPx), round(time.toPx)].join(' ')}"`
  if (axes === undefined) return ''
  const { marginLeft = 0, marginRight = 0, marginTop = 0, marginBottom = 0 } = options
  const textOf = ({ kind, isOrder, domain }: Axis, from: number, to: number): string =>
    [isOrder === true ? 'order' : kind, ...domain, round(from), round(to)].join(' ')
  const x = textOf(axes.x, marginLeft, width - marginRight)
  const y = textOf(axes.y, height - marginBottom, marginTop)
  return ` data-x="${x}" data-y="${y}"`
}

/** Height of the drawing below title and legend; the figure grows where they leave too little of it. */
function heightOf({ height, outerHeight, yLabel }: FigureText, top: number): number {
  if (outerHeight === undefined) return height ?? HEIGHT
  return Math.max(HEIGHT_MIN, Math.ceil(textWidth(yLabel)) + MARGINS, outerHeight - round(top) - SIDE / 2)
}

/** Width of the marks in a legend: enough of a line to show its dash pattern. */
const LINE_SWATCH = 34
const SWATCH = 22

const LEGEND_GAP = 18

/** Entries from left to right; gives the height at which the next thing begins. */
function drawLegend(legend: readonly LegendEntry[], room: number, top: number, parts: string[]): number {
  const swatch = legend.some((entry) => entry.mark === 'line') ? LINE_SWATCH : SWATCH
  const widths = legend.map((entry) => swatch + 6 + textWidth(entry.label))
  const rowHeight = FONT_SIZE * 1.6
  const positions = legendPositions(widths, room)
  legend.forEach((entry, i) => {
    const { x: across, row } = positions[i] as Location
    const [x, y] = [SIDE + across, top + row * rowHeight]
    const label = `<text x="${round(x + swatch + 6)}" y="${round(y + 12)}" font-size="${FONT_SIZE}" fill="${INK}">`
    const name = escapeXml(entry.label)
    parts.push(`<g data-legend="${name}">${swatchOf(entry, x, y + 7.5, swatch)}${label}${name}</text></g>`)
  })
  const last = positions.at(-1)
  return last === undefined ? top : top + (last.row + 1) * rowHeight + 4
}

interface Location {
  readonly x: number
  readonly row: number
}

/** In columns, where that takes no more rows than one behind the other does. */
function legendPositions(widths: readonly number[], room: number): Location[] {
  const wrapped: Location[] = []
  let x = 0
  let row = 0
  for (const width of widths) {
    if (x > 0 && x + width > room) {
      x = 0
      row++
    }
    wrapped.push({ x, row })
    x += width + LEGEND_GAP
  }
  const column = Math.max(0, ...widths) + LEGEND_GAP
  const columns = Math.max(1, Math.floor((room + LEGEND_GAP) / column))
  if (row === 0 || Math.ceil(widths.length / columns) > row + 1) return wrapped
  return widths.map((_, i) => ({ x: (i % columns) * column, row: Math.floor(i / columns) }))
}

function swatchOf({ mark, colour, dashes, shape }: LegendEntry, x: number, middle: number, width: number): string {
  const centre = { x: x + width / 2, y: middle }
  const stroke = `stroke="${colour}" stroke-width="2"`
  if (mark === 'bar') {
    return `<rect x="${round(centre.x - 6)}" y="${round(middle - 6)}" width="12" height="12" fill="${colour}"/>`
  }
  if (mark === 'dot') return markerOf(shape ?? [], centre, 4.5, `fill="${colour}"`)
  if (mark === 'hollow') return markerOf(shape ?? [], centre, 4.5, `fill="white" ${stroke}`)
  const pattern = dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`
  const ends = `x1="${round(x)}" x2="${round(x + width)}" y1="${round(middle)}" y2="${round(middle)}"`
  const line = `<line ${ends} ${stroke}${pattern}/>`
  return shape === undefined ? line : `${line}${markerOf(shape, centre, 4, `fill="${colour}"`)}`
}

function markerOf(shape: Shape, centre: { readonly x: number; readonly y: number }, r: number, look: string): string {
  if (shape.length > 0) return `<polygon points="${cornersOf(shape, centre, r)}" ${look}/>`
  return `<circle cx="${round(centre.x)}" cy="${round(centre.y)}" r="${r}" ${look}/>`
}

/** An empty document with what Plot calls and domino lacks. */
function createDocument(): DominoNode {
  const { prototype } = domino.impl.Element
  prototype.append ??= function append(...children) {
    for (const child of children) {
      this.appendChild(typeof child === 'string' ? this.ownerDocument.createTextNode(child) : child)
    }
  }
  return domino.createDocument()
}

/** Content of Plot's <svg> as XML, without its style sheet and with coordinates of sane length. */
function innerSvg(svg: DominoNode): string {
  return (
    svg.outerHTML
      .replace(/^<svg[^>]*>/, '')
      .replace(/<\/svg>$/, '')
      .replace(/<style>[^<]*<\/style>/g, '')
      .replaceAll('&nbsp;', '&#160;')
      // Marks name their series in this attribute, which would be read out for each.
      .replaceAll(' aria-description="', ' data-series="')
      .replace(
        / (d|x|y|x1|x2|y1|y2|cx|cy|width|height|points|transform)="([^"]*)"/g,
        (_, name: string, value: string) => {
          const rounded = value.replace(/-?\d+\.\d+(e-?\d+)?/g, (digits) => String(round(Number(digits))))
          return ` ${name}="${rounded}"`
        },
      )
  )
}

/** Hundredths of a pixel. */
function round(value: number): number {
  return Math.round(value * 100) / 100
}

function escapeXml(text: string): string {
  return escapeControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
