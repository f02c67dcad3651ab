/**
 * Table of flows, the slowest first, filtered by tag and status; a flow opens with its times and charts of the queue pairs
 * between its hosts.
 */
import { hostName } from '../../../core/base/device-names.ts'
import { cellText, cutName } from '../cells.ts'
import type { PairCharts, RunData } from '../page-data.ts'
import { all, button, element } from './dom.ts'
import { lifeElement } from './flow-life.ts'
import { showHosts } from './network.ts'
import { pageTable } from './paged-table.ts'
import { chartElement } from './chart.ts'

const HEIGHT_PX = 200

/** Queue pairs between two hosts: a small chart for each measure that the run observed. */
function pairElement({ measures, pairs }: PairCharts, source: number, destination: number): HTMLElement {
  const own = pairs.filter((pair) => pair.source === source && pair.destination === destination)
  const charts = measures.flatMap(({ id, name, yLabel, timeUnit }) => {
    const lines = own.flatMap((pair) => pair.lines[id] ?? [])
    if (lines.length === 0) return []
    const data = { timeUnit, yLabel, note: '', isStep: true, lines, others: [] }
    const label = `${name}, from ${hostName(source)} to ${hostName(destination)}`
    return [element('div', {}, element('h4', {}, name), chartElement(data, label, HEIGHT_PX))]
  })
  if (charts.length > 0) return element('div', { class: 'charts' }, ...charts)
  return element(
    'p',
    { class: 'note' },
    'No queue pair of these hosts is on this page over time: the observer rates records them, and the page keeps the 60 with most samples.',
  )
}

export function enhanceFlows(runs: readonly RunData[]): void {
  for (const root of all(document, '.flows', HTMLElement)) {
    const run = runs[Number(root.dataset['run'])]
    const table = root.querySelector('table')
    if (run === undefined || table === null) continue
    const detail = element('div', { class: 'detail', 'aria-live': 'polite' })
    const scroll = table.parentElement ?? table
    scroll.after(detail)
    const note = root.querySelector('.note')
    note?.prepend(element('span', { class: 'on-screen' }, 'Press a head to sort, a flow to open it. '))
    const column = run.flows.columns.findIndex(({ name }) => name === 'slowdown')
    pageTable(run.flows, table, {
      words: ['flow', 'flows'],
      sort: { column, isDescending: true },
      filters: ['tag', 'status'],
      open: (row) => {
        detail.replaceChildren(...flowElements(run, Number(root.dataset['run']), row))
        detail.scrollIntoView({ block: 'nearest' })
      },
    })
  }
}

/** All of a flow, and charts of the queue pairs between its hosts if they were observed. */
function flowElements({ flows, label, network, lives, pairCharts }: RunData, run: number, row: number): HTMLElement[] {
  const { columns } = flows
  const numberOf = (name: string): number => Number(columns.find((each) => each.name === name)?.values[row] ?? NaN)
  const [source, destination] = [numberOf('source'), numberOf('destination')]
  const facts = columns.map(({ head, format, values }) => {
    const value = values[row] ?? null
    return element('div', {}, element('dt', {}, head), element('dd', {}, cutName(value) ?? cellText(value, format)))
  })
  const titleOf = (host: number): string => network?.hostTitles[host] ?? hostName(host)
  const name = `${label}-flow-${columns.some((each) => each.name === 'flow') ? numberOf('flow') : row}`
  const onNetwork = (): void => showHosts(run, network, [source, destination])
  return [
    element('h3', {}, `From ${titleOf(source)} to ${titleOf(destination)}`),
    element('dl', { class: 'facts' }, ...facts),
    ...(network === null ? [] : [button({ class: 'plain' }, onNetwork, 'Show its hosts in the network')]),
    ...(lives === null ? [] : [lifeElement(lives, row, { startPs: numberOf('startPs'), name })]),
    pairElement(pairCharts, source, destination),
  ]
}
