/**
 * Life of a flow: what its time went to as a timeline and a table, and the ports that its last packet left by.
 */
import { humanDuration, humanShare } from '../../../core/base/format.ts'
import type { LifeHop, LivesData } from '../page-data.ts'
import { type LifeLane, lifeLanes } from '../parts/life-lanes.ts'
import { element } from './dom.ts'
import { saveButtons } from './figure-files.ts'
import { lifeTimeline, MOVING, svg } from './life-timeline.ts'

/** Parts of the sender alternate; more than one of them stand one behind the other. */
const SUMS = 'The parts at the sender alternate. Each stands there once, as long as all of it.'

/** @param row of the table of flows on the page @param flow when it was posted, and the name of its files */
export function lifeElement(
  { parts, pausedBy, pausedByPs, hops }: LivesData,
  row: number,
  { startPs, name }: { readonly startPs: number; readonly name: string },
): HTMLElement {
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
  const words = own.map(({ label, spanPs }) => `${label} ${humanShare(spanPs / totalPs)}`).join(', ')
  const ownHops = hops[String(row)] ?? []
  const lanes = lifeLanes(own, ownHops, startPs)
  const isSummed = lanes.some(({ where, spans }) => where === 'sender' && spans.length > 1)
  const by = pausedBy[row] ?? ''
  const held =
    by === '' ? [] : [element('p', {}, `Paused longest by ${by}: ${humanDuration(pausedByPs[row] ?? 0, 4)}.`)]
  return element(
    'div',
    { class: 'life' },
    element('h4', {}, `Where its ${humanDuration(totalPs, 4)} went`),
    ...timelineParts(lanes, words, name),
    ...(isSummed ? [element('p', { class: 'note' }, SUMS)] : []),
    tableOf(['', 'where', 'part', 'time', 'share', 'meaning'], rows, 'Parts of the time'),
    ...held,
    ...hopsOf(ownHops),
  )
}

/** The drawing, and below it the buttons that save it and the times of its pieces. */
function timelineParts(lanes: readonly LifeLane[], words: string, name: string): Element[] {
  const drawing = lifeTimeline(lanes, words)
  const data = {
    keys: ['where', 'part'],
    numbers: ['fromPs', 'toPs'],
    groups: lanes.flatMap(({ where, spans }) =>
      spans.map(({ part, fromPs, toPs }) => ({
        keys: [where, part?.label ?? MOVING],
        numbers: [[fromPs], [toPs]],
      })),
    ),
  }
  return [drawing, saveButtons({ name, caption: 'the timeline', svg: drawing, data }, true)]
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
