/**
 * Network: colours the picture by a chosen measure, and opens the port that is pressed, in the picture or in the table.
 */
import { humanRate } from '../../../core/base/format.ts'
import { cellText, stepOf, stepTexts } from '../cells.ts'
import {
  type ChartData,
  type MeasureData,
  type NetworkData,
  PAUSED,
  type PortData,
  type RunData,
} from '../page-data.ts'
import { chartElement } from './chart.ts'
import { all, element, openButton, showInBox } from './dom.ts'
import { timeControls } from './network-time.ts'

/** A press further from a link than this number of pixels of the picture is none of it. */
const REACH_PX = 12

/** Opens a port by its key. */
export type OpenPort = (key: string) => void

/** @returns by run: what opens a port of its picture; absent where the picture has no ports to open */
export function enhanceNetworks(runs: readonly RunData[]): ReadonlyMap<number, OpenPort> {
  const openers = new Map<number, OpenPort>()
  for (const root of all(document, '.network', HTMLElement)) {
    const run = Number(root.dataset['run'])
    const network = runs[run]?.network
    const open = network === undefined || network === null ? undefined : enhance(root, network)
    if (open !== undefined) openers.set(run, open)
  }
  return openers
}

function enhance(root: HTMLElement, network: NetworkData): OpenPort | undefined {
  const [picture] = all(root, 'svg.picture', SVGSVGElement)
  if (picture === undefined || network.measures.length === 0) return undefined
  chooseMeasure(root, picture, network)
  const detail = element('div', { class: 'detail', 'aria-live': 'polite' })
  const table = root.querySelector('table')?.parentElement
  if (table === null || table === undefined) root.append(detail)
  else table.before(detail)
  const open: OpenPort = (key) => {
    const port = network.ports[key]
    if (port === undefined) return
    for (const link of all(picture, '[data-port]', SVGPathElement)) {
      link.classList.toggle('chosen', link.dataset['port'] === key)
    }
    showPort(detail, port, network)
  }
  const links = all(picture, '[data-port]', SVGPathElement)
  picture.addEventListener('click', (event) => {
    const key = nearest(picture, links, event)
    if (key !== undefined) open(key)
  })
  const rows = all(root, 'tr[data-port]', HTMLTableRowElement)
  // The port with most is the first of the table.
  showInBox(links.find((link) => link.dataset['port'] === rows[0]?.dataset['port']))
  for (const row of rows) {
    const [head] = row.cells
    const key = row.dataset['port'] ?? ''
    if (head === undefined || network.ports[key] === undefined) continue
    head.replaceChildren(openButton(head.textContent ?? '', () => open(key)))
  }
  return open
}

/** Puts the choice of a measure and of a time into the page. */
function chooseMeasure(root: HTMLElement, picture: SVGSVGElement, network: NetworkData): void {
  const legend = root.querySelector('.legend')
  let [measure] = network.measures
  if (measure === undefined || legend === null) return
  let bin: number | undefined
  const show = (): void => {
    if (measure !== undefined) recolour(picture, legend, measure, network, bin)
  }
  const time = timeControls(network, (at) => {
    bin = at
    show()
  })
  if (time !== undefined) legend.after(time)
  if (network.measures.length < 2) return
  const options = network.measures.map(({ id, name }) => element('option', { value: id }, name))
  const select = element('select', {}, ...options)
  legend.querySelector('.measure')?.replaceWith(element('label', {}, 'Colour by ', select))
  select.addEventListener('change', () => {
    measure = network.measures.find(({ id }) => id === select.value)
    show()
  })
}

/** @param bin of time; undefined: the whole run. Ports without values over time have no colour then. */
function recolour(
  picture: SVGSVGElement,
  legend: Element,
  measure: MeasureData,
  network: NetworkData,
  bin: number | undefined,
): void {
  for (const link of all(picture, '[data-port]', SVGPathElement)) {
    const port = network.ports[link.dataset['port'] ?? '']
    const value = bin === undefined ? port?.values[measure.id] : port?.series?.[measure.id]?.[bin]
    const step = stepOf(value, measure.steps)
    const isChosen = link.classList.contains('chosen')
    link.setAttribute(
      'class',
      ['link', ...(step === undefined ? [] : [`s${step}`]), ...(isChosen ? ['chosen'] : [])].join(' '),
    )
  }
  const bounds = stepTexts(measure.steps, measure.format)
  all(legend, 'li', HTMLLIElement).forEach((item, i) => {
    item.replaceChildren(element('span', { class: `swatch s${i}` }), bounds[i] ?? '')
  })
}

/** The port whose half of a link is nearest to the pointer. */
function nearest(picture: SVGSVGElement, links: readonly SVGPathElement[], event: MouseEvent): string | undefined {
  const inverse = picture.getScreenCTM()?.inverse()
  if (inverse === undefined) return undefined
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse)
  let [best, bestPx] = [undefined as string | undefined, REACH_PX]
  for (const link of links) {
    const numbers = (link.getAttribute('d') ?? '').match(/-?[\d.]+/g)?.map(Number) ?? []
    const [fromX = 0, fromY = 0] = numbers
    const [toX = 0, toY = 0] = numbers.slice(-2)
    const [acrossX, acrossY] = [toX - fromX, toY - fromY]
    const along = ((x - fromX) * acrossX + (y - fromY) * acrossY) / (acrossX ** 2 + acrossY ** 2 || 1)
    const at = Math.min(1, Math.max(0, along))
    const px = Math.hypot(x - fromX - at * acrossX, y - fromY - at * acrossY)
    if (px < bestPx) [best, bestPx] = [link.dataset['port'], px]
  }
  return best
}

function showPort(detail: HTMLElement, port: PortData, network: NetworkData): void {
  const facts = [
    ['to', port.peerName],
    ['rate', humanRate(port.rateBps)],
    ...network.measures.flatMap(({ id, name, format }) => {
      const value = port.values[id]
      return value === undefined ? [] : [[name, cellText(value, format)]]
    }),
    ...pausedByIt(network.ports[port.peerKey]),
    ...(network.drops[port.node] === undefined
      ? []
      : [['dropped at this device', cellText(network.drops[port.node] ?? 0, 'count')]]),
  ].map(([head = '', text = '']) => element('div', {}, element('dt', {}, head), element('dd', {}, text)))
  const charts = network.measures.flatMap((measure) => {
    const values = port.series?.[measure.id]
    return values === undefined || values.every((value) => value === 0)
      ? []
      : [
          element(
            'div',
            {},
            element('h4', {}, measure.name),
            chartElement(seriesChart(measure, values, network.endPs), `${measure.name}, ${port.name}`),
          ),
        ]
  })
  const none = element(
    'p',
    { class: 'note' },
    'The page has no values over time of this port: it keeps those of the ports with the highest values.',
  )
  detail.replaceChildren(
    element('h3', {}, port.name),
    element('dl', { class: 'facts' }, ...facts),
    element('div', { class: 'charts' }, ...(charts.length === 0 ? [none] : charts)),
  )
  detail.scrollIntoView({ block: 'nearest' })
}

/** PFC goes over one link: who pauses a port is the other end of it. */
function pausedByIt(peer: PortData | undefined): string[][] {
  const value = peer?.values[PAUSED]
  return value === undefined ? [] : [[`time it pauses ${peer!.name}`, cellText(value, 'share')]]
}

function seriesChart({ format }: MeasureData, values: readonly number[], endPs: number): ChartData {
  const unit = endPs >= 2e9 ? { name: 'ms', ps: 1e9 } : { name: 'us', ps: 1e6 }
  const isBytes = format === 'size'
  const x = [...values.keys(), values.length].map((bin) => (bin * endPs) / values.length / unit.ps)
  const scaled = values.map((value) => (isBytes ? value / 1e3 : value * 100))
  return {
    timeUnit: unit.name,
    note: '',
    yLabel: isBytes ? 'KB' : 'share (%)',
    isStep: true,
    others: [],
    lines: [{ series: '', x, y: [...scaled, scaled.at(-1) ?? null] }],
  }
}

/** Marks hosts in the picture of a run, and brings it into view. */
export function showHosts(run: number, network: NetworkData | null, hosts: readonly number[]): void {
  const root = all(document, '.network', HTMLElement).find((each) => each.dataset['run'] === String(run))
  if (root === undefined || network === null) return
  const nodes = new Set(hosts.flatMap((host) => network.hostNodes[host] ?? []).map(String))
  for (const node of all(root, '[data-nodes]', SVGGElement)) {
    const own = (node.dataset['nodes'] ?? '').split(' ')
    node.classList.toggle(
      'chosen',
      own.some((each) => nodes.has(each)),
    )
  }
  root.scrollIntoView({ block: 'start' })
}
