/**
 * Flows: a table of them with the first rows on the page, all that a page holds as data, and how many it leaves out.
 */
import { completionsOf, findColumn, numbersOf, pickRows, type Result, textsOf } from '../../core/results/index.ts'
import { exactCount } from '../../core/base/format.ts'
import type { ReportedRun } from '../reported-run.ts'
import { cellText } from './cells.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { scrollTable, titleMarkup } from './parts/scroll-table.ts'
import type { ColumnData, ColumnFormat, TableData } from './page-data.ts'

/** Flows of all runs of a page together. */
const FLOWS_MAX = 6000
/** Rows that are there before a script runs. */
export const FIRST_ROWS = 25

/**
 * The rows to show: all where there is room; else unfinished flows and the slowest first, up to half of the room, and of
 * the others every nth in order of start.
 */
export function chosenRows(slowdown: Float64Array, most: number): number[] {
  const count = slowdown.length
  if (count <= most) return Array.from({ length: count }, (_, row) => row)
  const values = slowdown.map((value) => (Number.isNaN(value) ? Infinity : value))
  const slowest = Math.floor(most / 2)
  // Among flows with the slowdown of the last row that fits, those that come first in the table are shown.
  const least = values.toSorted()[count - slowest] ?? Infinity
  let ties = slowest - values.reduce((sum, value) => sum + (value > least ? 1 : 0), 0)
  const room = most - slowest
  const rows: number[] = []
  let [other, taken] = [0, 0]
  for (let row = 0; row < count; row++) {
    if (values[row]! > least || (values[row] === least && ties-- > 0)) rows.push(row)
    else if (other++ === Math.floor((taken * (count - slowest)) / room)) {
      rows.push(row)
      taken++
    }
  }
  return rows
}

/** Rows of the flow table that a page holds; `runs` is how many runs share the page. */
export function flowRows(result: Result, runs: number): number[] {
  return chosenRows(completionsOf(result).slowdown, Math.floor(FLOWS_MAX / runs))
}

/** The table of a run's flows; `runs` is how many runs share the page. */
export function flowTable({ result, label }: ReportedRun, runs: number): TableData {
  const { completionPs, slowdown, idealPs } = completionsOf(result)
  const rows = flowRows(result, runs)
  const names = [
    'flow',
    'tag',
    'source',
    'destination',
    'sizeBytes',
    'startPs',
    'retransmissions',
    'timeouts',
    'status',
  ]
  const flows = pickRows(result.flows, rows, names)
  const pick = (data: Float64Array): Float64Array => Float64Array.from(rows, (row) => data[row]!)
  const column = (
    name: string,
    head: string,
    format: ColumnFormat,
    data: Float64Array | readonly string[],
  ): ColumnData => ({
    name,
    head,
    format,
    values: Array.from<string | number, string | number | null>(data, (value) =>
      typeof value === 'string' ? value : Number.isFinite(value) ? shortened(value) : null,
    ),
  })
  const optional = (name: string, head: string): ColumnData[] =>
    findColumn(flows, name) === undefined ? [] : [column(name, head, 'count', numbersOf(flows, name))]
  const tags = findColumn(flows, 'tag') === undefined ? [] : [column('tag', 'tag', 'text', textsOf(flows, 'tag'))]
  const ends = pick(completionPs)
  return {
    name: `flows of ${label}`,
    columns: [
      ...optional('flow', 'flow'),
      ...tags,
      column('source', 'from host', 'count', numbersOf(flows, 'source')),
      column('destination', 'to host', 'count', numbersOf(flows, 'destination')),
      column('sizeBytes', 'size', 'size', numbersOf(flows, 'sizeBytes')),
      column('startPs', 'start', 'duration', numbersOf(flows, 'startPs')),
      column('completionPs', 'completion', 'duration', ends),
      column('idealPs', 'ideal', 'duration', pick(idealPs)),
      column('slowdown', 'slowdown', 'ratio', pick(slowdown)),
      ...optional('retransmissions', 'resent'),
      ...optional('timeouts', 'timeouts'),
      column(
        'status',
        'status',
        'text',
        textsOf(flows, 'status').map((status, i) =>
          status === 'finished' && Number.isNaN(ends[i]) ? `not finished at the ${result.completion}` : status,
        ),
      ),
    ],
  }
}

/** Ratios with the digits that are shown; times and sizes are whole. */
function shortened(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(6))
}

/** Rows by slowdown, unfinished ones first. */
export function slowestFirst({ columns }: TableData): number[] {
  const values = columns.find(({ name }) => name === 'slowdown')?.values ?? []
  const valueOf = (row: number): number => {
    const value = values[row]
    return typeof value === 'number' ? value : Infinity
  }
  return [...values.keys()].toSorted((a, b) => (valueOf(a) === valueOf(b) ? a - b : valueOf(b) - valueOf(a)))
}

/** The id of a run's table. */
export const flowsId = (run: number): string => `flows-${run + 1}`

export function flowsSection(runs: readonly ReportedRun[], tables: readonly TableData[]): Markup {
  const parts = runs.map((run, i) => {
    const table = tables[i]!
    const { rowCount } = run.result.flows
    const kept = table.columns[0]?.values.length ?? 0
    const order = slowestFirst(table).slice(0, FIRST_ROWS)
    const left =
      kept < rowCount
        ? ` This page holds ${exactCount(kept)} of ${exactCount(rowCount)} flows: those that did not finish and the slowest, and every nth of the others. All are in flows.csv of ${run.folder}.`
        : ''
    const heads = table.columns.map(({ head, format }) => markup`<th scope="col" class="${format}">${head}</th>`)
    return markup`<div class="flows" id="${flowsId(i)}" data-run="${i}">
      ${runs.length > 1 ? markup`<h3>${run.label}</h3>` : markup``}
      <p class="note">The slowest first.${left}</p>
      ${onPaper(kept - order.length)}
      ${scrollTable({ caption: `Flows of ${run.label}`, heads, rows: order.map((row) => rowMarkup(table, row)) })}
    </div> `
  })
  return markup`${parts}`
}

/** @param count rows that the page holds besides */
function onPaper(count: number): Markup {
  if (count <= 0) return NOTHING
  return markup`<p class="note on-paper">On paper the table ends after ${FIRST_ROWS} rows; the page has ${exactCount(count)} more.</p>`
}

function rowMarkup({ columns }: TableData, row: number): Markup {
  const cells = columns.map(({ values, format }) => {
    const value = values[row] ?? null
    return markup`<td class="${format}"${titleMarkup(value)}>${cellText(value, format)}</td>`
  })
  return markup`<tr>
    ${cells}
  </tr> `
}
