/**
 * Unfinished flows: those that a run did not finish, with the reason, and those that only their sender sees unfinished.
 */
import { hostName } from '../../core/base/device-names.ts'
import { exactCount, humanBytes, humanDuration, textTable, type TextOptions } from '../../show/index.ts'
import { eachFlow, numberColumns, pickRows, type Result, textsOf } from '../../core/results/index.ts'

/** Rows of a table; further flows are counted. */
const NAMED_MAX = 10

/**
 * A table of each kind; empty if all flows are finished at both ends.
 * @param nameOf names a host
 */
export function unfinishedText(result: Result, options: TextOptions, nameOf = hostName): string {
  const [unfinished, unacknowledged] = [new Some(), new Some()]
  eachFlow(result, ({ row, completionPs, status }) => {
    if (Number.isNaN(completionPs)) unfinished.add(row)
    else if (status !== 'finished') unacknowledged.add(row)
  })
  const tables = [
    tableText('unfinished', unfinished, result, options, nameOf),
    tableText('unacknowledged', unacknowledged, result, options, nameOf),
  ]
  return tables.filter((table) => table !== '').join('\n')
}

/** The first rows that come, and how many came. */
class Some {
  readonly rows: number[] = []
  count = 0

  add(row: number): void {
    if (this.count++ < NAMED_MAX) this.rows.push(row)
  }
}

const COLUMNS = ['flow', 'source', 'destination', 'sizeBytes', 'startPs', 'status']

function tableText(
  head: string,
  { rows, count }: Some,
  result: Result,
  options: TextOptions,
  nameOf: (host: number) => string,
): string {
  if (count === 0) return ''
  const flows = pickRows(result.flows, rows, COLUMNS)
  const [flow, source, destination, size, start] = numberColumns(flows, [
    'flow',
    'source',
    'destination',
    'sizeBytes',
    'startPs',
  ])
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
    status.map((why, i) => [
      `flow ${flow[i]}`,
      nameOf(source[i]!),
      nameOf(destination[i]!),
      humanBytes(size[i]!),
      humanDuration(start[i]!),
      why === 'finished' ? `not finished at the ${result.completion}` : why,
    ]),
    options,
  )
  const rest = count - NAMED_MAX
  return rest > 0 ? `${table}and ${exactCount(rest)} more: see status in flows.csv\n` : table
}
