/**
 * Unfinished flows: those that a run did not finish, with the reason, and those that only their sender sees unfinished.
 */
import { hostName } from '../base/device-names.ts'
import { exactCount, humanBytes, humanDuration, textTable, type TextOptions } from '../report/index.ts'
import { completionsOf, numbersOf, type Result, textsOf, unacknowledgedRows } from '../results/index.ts'

/** Rows of a table; further flows are counted. */
const NAMED_MAX = 10

/**
 * A table of each kind; empty if all flows are finished at both ends.
 * @param nameOf names a host
 */
export function unfinishedText(result: Result, options: TextOptions, nameOf = hostName): string {
  const { completionPs } = completionsOf(result)
  const unfinished = Array.from(completionPs.keys()).filter((row) => Number.isNaN(completionPs[row]))
  const tables = [
    tableText('unfinished', unfinished, result, options, nameOf),
    tableText('unacknowledged', unacknowledgedRows(result), result, options, nameOf),
  ]
  return tables.filter((table) => table !== '').join('\n')
}

function tableText(
  head: string,
  rows: readonly number[],
  result: Result,
  options: TextOptions,
  nameOf: (host: number) => string,
): string {
  if (rows.length === 0) return ''
  const { flows } = result
  const column = (name: string): ((row: number) => number) => {
    const data = numbersOf(flows, name)
    return (row) => data[row] ?? NaN
  }
  const flow = column('flow')
  const source = column('source')
  const destination = column('destination')
  const size = column('sizeBytes')
  const start = column('startPs')
  const status = textsOf(flows, 'status')
  const table = textTable(
    [
      { head, align: 'right' },
      { head: 'from', align: 'right' },
      { head: 'to', align: 'right' },
      { head: 'size', align: 'right' },
      { head: 'start', align: 'right' },
      { head: 'why' },
    ],
    rows
      .slice(0, NAMED_MAX)
      .map((row) => [
        `flow ${flow(row)}`,
        nameOf(source(row)),
        nameOf(destination(row)),
        humanBytes(size(row)),
        humanDuration(start(row)),
        status[row] === 'finished' ? `not finished at the ${result.completion}` : (status[row] ?? ''),
      ]),
    options,
  )
  const rest = rows.length - NAMED_MAX
  return rest > 0 ? `${table}and ${exactCount(rest)} more: see status in flows.csv\n` : table
}
