/**
 * The frame of every figure: white ground, title, subtitle, legend, and below them what Observable Plot draws.
 * A figure is a self-contained SVG text: no scripts, no outside fonts, no random names; the same input gives the same
 * text. Lengths are CSS pixels. Text widths are estimated from the letters, since there is no browser to ask; the
 * estimate is that of a wide font (DejaVu Sans), so that nothing is clipped where a narrower one is used.
 */
import domino, { type DominoNode } from '@mixmark-io/domino'
import { type Markish, plot, type PlotOptions } from '@observablehq/plot'
import type { FigureText } from './figure-text.ts'

export const FONT = 'Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif'
/** Letters inside the drawing: ticks, axis labels, legend. */
export const FONT_SIZE = 13
const TITLE_SIZE = 17
const SUBTITLE_SIZE = 13
const SIDE = 16
/** Of the drawing below the legend, unless the figure says otherwise. */
export const HEIGHT = 360
export const INK = '#1f2328'
const FAINT_INK = '#57606a'

/** Colours that stay apart for colour-blind readers and in print (Paul Tol's "bright", then darker and deeper ones). */
export const COLOURS: readonly string[] = [
  '#4477AA',
  '#EE6677',
  '#228833',
  '#CCBB44',
  '#66CCEE',
  '#AA3377',
  '#555555',
  '#994F00',
  '#332288',
  '#F4A582',
  '#44AA99',
  '#B0B0B0',
]

export interface LegendEntry {
  readonly label: string
  readonly mark: 'bar' | 'line' | 'dashed' | 'dot' | 'hollow'
  readonly colour: string
}

/** Series names in order of appearance, each with its colour. */
export function colourSeries(names: Iterable<string>): Map<string, string> {
  const colours = new Map<string, string>()
  for (const name of names) {
    if (!colours.has(name)) colours.set(name, COLOURS[colours.size % COLOURS.length] as string)
  }
  return colours
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

export interface Drawing {
  readonly text: FigureText
  readonly width: number
  readonly legend: readonly LegendEntry[]
  readonly marks: readonly Markish[]
  /** Scales and margins; size, fonts and document are the frame's. */
  readonly options: PlotOptions
}

/** The whole figure as SVG text. */
export function frame(drawing: Drawing): string {
  const { text, width, legend } = drawing
  const height = text.height ?? HEIGHT
  const room = width - 2 * SIDE
  const parts: string[] = []
  let top = SIDE
  const block = (lines: readonly string[], size: number, style: string): void => {
    for (const line of lines) {
      parts.push(`<text x="${SIDE}" y="${round(top + size)}" font-size="${size}" ${style}>${escapeXml(line)}</text>`)
      top += size * 1.35
    }
  }
  block(wrapText(text.title, room / 1.08, TITLE_SIZE), TITLE_SIZE, `font-weight="bold" fill="${INK}"`)
  if (text.subtitle !== undefined) {
    block(wrapText(text.subtitle, room, SUBTITLE_SIZE), SUBTITLE_SIZE, `fill="${FAINT_INK}"`)
  }
  top += 6
  top = drawLegend(legend, room, top, parts)
  const options: PlotOptions = {
    ...drawing.options,
    width,
    height,
    document: createDocument() as unknown as NonNullable<PlotOptions['document']>,
    marks: [...drawing.marks],
  }
  const inner = innerSvg(plot(options) as unknown as DominoNode)
  const total = round(top + height + SIDE / 2)
  const group =
    `<g transform="translate(0,${round(top)})" fill="currentColor" color="${INK}" font-size="${FONT_SIZE}" ` +
    `text-anchor="middle">${inner}</g>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" ` +
    `font-family='${FONT}' role="img" aria-label="${escapeXml(text.title)}">` +
    `<rect width="${width}" height="${total}" fill="white"/>${parts.join('')}${group}</svg>\n`
  )
}

/** Entries from left to right, wrapped; gives the height at which the next thing begins. */
function drawLegend(legend: readonly LegendEntry[], room: number, top: number, parts: string[]): number {
  const swatch = 22
  const line = FONT_SIZE * 1.6
  let x = SIDE
  let y = top
  for (const entry of legend) {
    const wide = swatch + 6 + textWidth(entry.label) + 18
    if (x > SIDE && x + wide - 18 > SIDE + room) {
      x = SIDE
      y += line
    }
    const label = `<text x="${round(x + swatch + 6)}" y="${round(y + 12)}" font-size="${FONT_SIZE}" fill="${INK}">`
    parts.push(swatchOf(entry, x, y + 7.5, swatch), `${label}${escapeXml(entry.label)}</text>`)
    x += wide
  }
  return legend.length === 0 ? top : y + line + 4
}

function swatchOf({ mark, colour }: LegendEntry, x: number, middle: number, width: number): string {
  const centre = `cx="${round(x + width / 2)}" cy="${round(middle)}"`
  if (mark === 'bar') {
    return `<rect x="${round(x + 5)}" y="${round(middle - 6)}" width="12" height="12" fill="${colour}"/>`
  }
  if (mark === 'dot') return `<circle ${centre} r="4" fill="${colour}"/>`
  const stroke = `stroke="${colour}" stroke-width="2"`
  if (mark === 'hollow') return `<circle ${centre} r="4.5" fill="white" ${stroke}/>`
  const dashes = mark === 'dashed' ? ' stroke-dasharray="5 3"' : ''
  const ends = `x1="${round(x)}" x2="${round(x + width)}" y1="${round(middle)}" y2="${round(middle)}"`
  return `<line ${ends} ${stroke}${dashes}/>`
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

/** What stands inside Plot's <svg>, as XML, without its style sheet and with coordinates of sane length. */
function innerSvg(svg: DominoNode): string {
  return svg.outerHTML
    .replace(/^<svg[^>]*>/, '')
    .replace(/<\/svg>$/, '')
    .replace(/<style>[^<]*<\/style>/g, '')
    .replaceAll('&nbsp;', '&#160;')
    .replace(
      / (d|x|y|x1|x2|y1|y2|cx|cy|width|height|points|transform)="([^"]*)"/g,
      (_, name: string, value: string) => {
        const rounded = value.replace(/-?\d+\.\d+(e-?\d+)?/g, (digits) => String(round(Number(digits))))
        return ` ${name}="${rounded}"`
      },
    )
}

/** Hundredths of a pixel. */
function round(value: number): number {
  return Math.round(value * 100) / 100
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
