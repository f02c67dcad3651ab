/**
 * Table of flows: sorted by any column, filtered by tag and status, a part at a time; a flow opens with its times and
 * charts of the queue pairs between its hosts.
 */
import { shownName } from '../../../base/control-characters.ts'
import { hostName } from '../../../base/device-names.ts'
import { cellText, cutName } from '../cells.ts'
import type { PairCharts, RunData, TableData } from '../page-data.ts'
import { all, button, element } from './dom.ts'
import { csvOf, download } from './download.ts'
import { lifeElement } from './flow-life.ts'
import { showHosts } from './network.ts'
import { addSortHeads, markSorted, orderOf, type Sort } from './sorting.ts'
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

/** Rows that are added at a time. */
const PART = 50

export function enhanceFlows(runs: readonly RunData[]): void {
  for (const root of all(document, '.flows', HTMLElement)) {
    const run = runs[Number(root.dataset['run'])]
    const table = root.querySelector('table')
    if (run !== undefined && table !== null) new FlowTable(run, Number(root.dataset['run']), root, table).show()
  }
}

class FlowTable {
  readonly #run: RunData
  readonly #runIndex: number
  readonly #root: HTMLElement
  readonly #table: HTMLTableElement
  readonly #body: HTMLTableSectionElement
  readonly #status: HTMLElement
  readonly #more: HTMLButtonElement
  readonly #csv: HTMLButtonElement
  readonly #detail: HTMLElement
  #sort: Sort
  readonly #wanted = new Map<string, string>()
  #rows: readonly number[] = []
  #shown = PART

  constructor(run: RunData, runIndex: number, root: HTMLElement, table: HTMLTableElement) {
    this.#run = run
    this.#runIndex = runIndex
    this.#root = root
    this.#table = table
    this.#body = table.tBodies[0] ?? table.createTBody()
    this.#status = element('p', { class: 'count', role: 'status' })
    this.#more = button({ class: 'plain' }, () => this.#grow(), `Show ${PART} more flows`)
    const save = (): void => download(run.flows.name, csvOf(run.flows, this.#rows))
    this.#csv = button(
      { class: 'plain csv', 'aria-label': `Download as CSV: ${run.flows.name}` },
      save,
      'Download as CSV',
    )
    this.#detail = element('div', { class: 'detail', 'aria-live': 'polite' })
    this.#sort = { column: this.#indexOf('slowdown'), isDescending: true }
  }

  /** Puts heads, filters and rows into the page. */
  show(): void {
    this.#addControls()
    this.#addHeads()
    this.#update()
  }

  get #data(): TableData {
    return this.#run.flows
  }

  #indexOf(name: string): number {
    return this.#data.columns.findIndex((column) => column.name === name)
  }

  #addControls(): void {
    const filters = ['tag', 'status'].flatMap((name) => {
      const column = this.#data.columns[this.#indexOf(name)]
      const values = [...new Set(column?.values.map(String) ?? [])].toSorted()
      if (values.length < 2) return []
      const select = element(
        'select',
        {},
        element('option', { value: '*' }, 'all'),
        ...values.map((value) => element('option', { value }, value === '' ? 'none' : shownName(value))),
      )
      select.addEventListener('change', () => {
        if (select.value === '*') this.#wanted.delete(name)
        else this.#wanted.set(name, select.value)
        this.#shown = PART
        this.#update()
      })
      return [element('label', {}, `${name} `, select)]
    })
    const scroll = this.#table.parentElement ?? this.#table
    scroll.before(element('div', { class: 'controls' }, ...filters, this.#status, this.#csv))
    scroll.after(this.#more, this.#detail)
    const note = this.#root.querySelector('.note')
    note?.prepend(element('span', { class: 'on-screen' }, 'Press a head to sort, a flow to open it. '))
  }

  #addHeads(): void {
    const isText = (column: number): boolean => this.#data.columns[column]?.format === 'text'
    const sortNow = (): Sort => this.#sort
    addSortHeads(this.#table, isText, sortNow, (sort) => {
      this.#sort = sort
      this.#update()
    })
  }

  /** Chooses and orders the rows, and shows the first. */
  #update(): void {
    const { columns } = this.#data
    const filters = [...this.#wanted].map(([name, value]) => [columns[this.#indexOf(name)], value] as const)
    const count = columns[0]?.values.length ?? 0
    const rows = Array.from({ length: count }, (_, row) => row).filter((row) =>
      filters.every(([column, value]) => String(column?.values[row] ?? '') === value),
    )
    const sorted = columns[this.#sort.column]
    const compare = orderOf(sorted)
    const sign = this.#sort.isDescending ? -1 : 1
    this.#rows = rows.toSorted((a, b) => sign * compare(a, b) || a - b)
    markSorted(this.#table, this.#sort)
    this.#status.textContent = `${cellText(this.#rows.length, 'count')} flows`
    this.#draw()
  }

  #grow(): void {
    this.#shown += PART
    this.#draw()
  }

  #draw(): void {
    this.#body.replaceChildren(...this.#rows.slice(0, this.#shown).map((row) => this.#rowElement(row)))
    this.#more.hidden = this.#shown >= this.#rows.length
  }

  #rowElement(row: number): HTMLTableRowElement {
    const cells = this.#data.columns.map(({ values, format }, column) => {
      const value = values[row] ?? null
      const text = cellText(value, format)
      const cell = element('td', { class: format, title: cutName(value) })
      cell.append(
        column === 0 ? button({ class: 'open', 'aria-label': `open flow ${text}` }, () => this.#open(row), text) : text,
      )
      return cell
    })
    const made = element('tr', {}, ...cells)
    made.addEventListener('click', (event) => {
      if (!(event.target instanceof HTMLButtonElement)) this.#open(row)
    })
    return made
  }

  /** All of a flow, and charts of the queue pairs between its hosts if they were observed. */
  #open(row: number): void {
    const { columns } = this.#data
    const numberOf = (name: string): number => Number(columns[this.#indexOf(name)]?.values[row] ?? NaN)
    const [source, destination] = [numberOf('source'), numberOf('destination')]
    const facts = columns.map(({ head, format, values }) => {
      const value = values[row] ?? null
      return element('div', {}, element('dt', {}, head), element('dd', {}, cutName(value) ?? cellText(value, format)))
    })
    const titleOf = (host: number): string => this.#run.network?.hostTitles[host] ?? hostName(host)
    const name = `${this.#run.label}-flow-${this.#indexOf('flow') < 0 ? row : numberOf('flow')}`
    const heading = `From ${titleOf(source)} to ${titleOf(destination)}`
    const onNetwork = (): void => showHosts(this.#runIndex, this.#run.network, [source, destination])
    const actions =
      this.#run.network === null ? [] : [button({ class: 'plain' }, onNetwork, 'Show its hosts in the network')]
    this.#detail.replaceChildren(
      element('h3', {}, heading),
      element('dl', { class: 'facts' }, ...facts),
      ...actions,
      ...(this.#run.lives === null ? [] : [lifeElement(this.#run.lives, row, { startPs: numberOf('startPs'), name })]),
      pairElement(this.#run.pairCharts, source, destination),
    )
    this.#detail.scrollIntoView({ block: 'nearest' })
  }
}
