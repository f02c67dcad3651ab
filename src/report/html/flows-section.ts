/**
 * Flows: a table of them with the first rows on the page, all that a page holds as data, and how many it leaves out.
 */
import { completionsOf, findColumn, numbersOf, type Result, textsOf } from '../../results/index.ts'
import { exactCount } from '../format.ts'
import type { ReportedRun } from '../reported-run.ts'
import { cellText } from './cells.ts'
import { markup, type Markup } from './markup.ts'
import { scrollTable } from './parts/scroll-table.ts'
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
  const all = [...slowdown.keys()]
  if (all.length <= most) return all
  const valueOf = (row: number): number => (Number.isNaN(slowdown[row]) ? Infinity : slowdown[row]!)
  const ranked = all.toSorted((a, b) => (valueOf(a) === valueOf(b) ? a - b : valueOf(b) - valueOf(a)))
  const chosen = new Set(ranked.slice(0, Math.floor(most / 2)))
  const others = all.filter((row) => !chosen.has(row))
  const room = most - chosen.size
  for (let k = 0; k < room; k++) chosen.add(others[Math.floor((k * others.length) / room)]!)
  return [...chosen].toSorted((a, b) => a - b)
}

/** Rows of the flow table that a page holds; `runs` is how many runs share the page. */
export function flowRows(result: Result, runs: number): number[] {
  return chosenRows(completionsOf(result).slowdown, Math.floor(FLOWS_MAX / runs))
}

/** The table of a run's flows; `runs` is how many runs share the page. */
export function flowTable({ result, label }: ReportedRun, runs: number): TableData {
  const { completionPs, slowdown, idealPs } = completionsOf(result)
  const rows = flowRows(result, runs)
  const column = (name: string, head: string, format: ColumnFormat, data: ArrayLike<number | string>): ColumnData => ({
    name,
    head,
    format,
    values: rows.map((row) => {
      const value = data[row]!
      return typeof value === 'string' ? value : Number.isFinite(value) ? shortened(value) : null
    }),
  })
  const { flows } = result
  const optional = (name: string, head: string): ColumnData[] =>
    findColumn(flows, name) === undefined ? [] : [column(name, head, 'count', numbersOf(flows, name))]
  const tags = findColumn(flows, 'tag') === undefined ? [] : [column('tag', 'tag', 'text', textsOf(flows, 'tag'))]
  return {
    name: `flows of ${label}`,
    columns: [
      ...optional('flow', 'flow'),
      ...tags,
      column('source', 'from host', 'count', numbersOf(flows, 'source')),
      column('destination', 'to host', 'count', numbersOf(flows, 'destination')),
      column('sizeBytes', 'size', 'size', numbersOf(flows, 'sizeBytes')),
      column('startPs', 'start', 'duration', numbersOf(flows, 'startPs')),
      column('completionPs', 'completion', 'duration', completionPs),
      column('idealPs', 'ideal', 'duration', idealPs),
      column('slowdown', 'slowdown', 'ratio', slowdown),
      ...optional('retransmissions', 'resent'),
      ...optional('timeouts', 'timeouts'),
      column('status', 'status', 'text', statusOf(result, completionPs)),
    ],
  }
}

/** Ratios with the digits that are shown; times and sizes are whole. */
function shortened(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(6))
}

function statusOf(result: Result, completionPs: Float64Array): string[] {
  return textsOf(result.flows, 'status').map((status, row) =>
    status === 'finished' && Number.isNaN(completionPs[row]) ? `not finished at the ${result.completion}` : status,
  )
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
      ${scrollTable({ caption: `Flows of ${run.label}`, heads, rows: order.map((row) => rowMarkup(table, row)) })}
    </div> `
  })
  return markup`${parts}`
}

function rowMarkup({ columns }: TableData, row: number): Markup {
  const cells = columns.map(
    ({ values, format }) => markup`<td class="${format}">${cellText(values[row] ?? null, format)}</td>`,
  )
  return markup`<tr>
    ${cells}
  </tr> `
}
