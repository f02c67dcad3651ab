/**
 * Life of a flow: what its time went to as a strip and a table, and the ports that its last packet left by.
 */
import { humanDuration, humanShare } from '../../../base/format.ts'
import type { LifeHop, LivesData } from '../page-data.ts'
import { element } from './dom.ts'

const SVG = 'http://www.w3.org/2000/svg'
/** Units of the strip. */
const WIDTH = 1000
const HEIGHT = 24

/** @param row of the table of flows on the page */
export function lifeElement({ parts, pausedBy, pausedByPs, hops }: LivesData, row: number): HTMLElement {
  const own = parts.map((part) => ({ ...part, spanPs: part.spansPs[row] ?? 0 })).filter(({ spanPs }) => spanPs > 0)
  const totalPs = own.reduce((sum, { spanPs }) => sum + spanPs, 0)
  const rows = own.map(({ colour, end, label, spanPs, help }) =>
    element(
      'tr',
      {},
      element('td', {}, swatch(colour)),
      element('td', { class: 'text' }, end),
      element('th', { scope: 'row' }, label),
      element('td', { class: 'duration' }, humanDuration(spanPs, 4)),
      element('td', { class: 'share' }, humanShare(spanPs / totalPs)),
      element('td', { class: 'text' }, help),
    ),
  )
  const by = pausedBy[row] ?? ''
  const held =
    by === '' ? [] : [element('p', {}, `Paused longest by ${by}: ${humanDuration(pausedByPs[row] ?? 0, 4)}.`)]
  return element(
    'div',
    { class: 'life' },
    element('h4', {}, `Where its ${humanDuration(totalPs, 4)} went`),
    stripOf(own, totalPs),
    tableOf(['', 'where', 'part', 'time', 'share', 'meaning'], rows, 'Parts of the time'),
    ...held,
    ...hopsOf(hops[String(row)] ?? []),
  )
}

interface Span {
  readonly colour: string
  readonly label: string
  readonly spanPs: number
}

function stripOf(spans: readonly Span[], totalPs: number): SVGSVGElement {
  const strip = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'strip',
    preserveAspectRatio: 'none',
    role: 'img',
  })
  const words = spans.map(({ label, spanPs }) => `${label} ${humanShare(spanPs / totalPs)}`).join(', ')
  strip.setAttribute('aria-label', words)
  let x = 0
  for (const { colour, label, spanPs } of spans) {
    const width = (spanPs / totalPs) * WIDTH
    const bar = svg('rect', { x: String(x), y: '0', width: String(width), height: String(HEIGHT), fill: colour })
    const title = svg('title', {})
    title.textContent = `${label}: ${humanDuration(spanPs, 4)}`
    bar.append(title)
    strip.append(bar)
    x += width
  }
  return strip
}

function swatch(colour: string): SVGSVGElement {
  const made = svg('svg', { viewBox: '0 0 12 12', class: 'swatch-square', 'aria-hidden': 'true' })
  made.append(svg('rect', { width: '12', height: '12', fill: colour }))
  return made
}

function hopsOf(hops: readonly LifeHop[]): HTMLElement[] {
  if (hops.length === 0) return []
  const rows = hops.map(({ port, leftAt, queued, paused, behind }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, port),
      element('td', { class: 'duration' }, leftAt),
      element('td', { class: 'duration' }, queued),
      element('td', { class: 'text' }, paused),
      element('td', { class: 'text' }, behind),
    ),
  )
  return [
    element('h4', {}, 'The packet that completed it'),
    tableOf(['port', 'left at', 'queued', 'paused', 'behind'], rows, 'Ports of the completing packet'),
  ]
}

function tableOf(heads: readonly string[], rows: readonly HTMLTableRowElement[], name: string): HTMLElement {
  const cells = heads.map((head) => (head === '' ? element('td') : element('th', { scope: 'col' }, head)))
  return element(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': name, tabindex: '0' },
    element('table', {}, element('thead', {}, element('tr', {}, ...cells)), element('tbody', {}, ...rows)),
  )
}

function svg<K extends 'svg' | 'rect' | 'title'>(
  name: K,
  attributes: Readonly<Record<string, string>>,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return made
}
