/**
 * Counters text: a table of counters per device, as `show` commands of switches and hosts print them, but as rates between
 * two readings.
 */
import { exactCount, humanBytes, humanNumber, humanRate, humanShare } from '../../core/base/format.ts'
import { ALL_PRIORITIES, COUNTERS, type CounterRow, isQuiet } from '../index.ts'
import { textTable, type TextOptions } from '../../show/index.ts'

interface Shown {
  readonly head: string
  /** undefined: the device does not have it. */
  readonly cell: (row: CounterRow, ofPort: CounterRow | undefined) => string | undefined
}

const number = (name: string, format: (value: number, row: CounterRow) => string): Shown['cell'] => {
  return (row, ofPort) => {
    const value = row.values.get(name) ?? ofPort?.values.get(name)
    return value === undefined ? undefined : value === 0 ? '0' : format(value, row)
  }
}
const bitRate = (bytes: number, { spanNs }: CounterRow): string => humanRate((bytes * 8e9) / spanNs)
const perSecond = (count: number, { spanNs }: CounterRow): string => humanNumber((count * 1e9) / spanNs)
const share = (us: number, { spanNs }: CounterRow): string => humanShare(Math.min(1, (us * 1000) / spanNs))

/** Columns of a port and priority. */
const COLUMNS: readonly Shown[] = [
  { head: 'sends', cell: number('txBytes', bitRate) },
  { head: 'receives', cell: number('rxBytes', bitRate) },
  { head: 'is held', cell: number('pauseRxUs', share) },
  { head: 'holds peer', cell: number('pauseTxUs', share) },
  { head: 'PFC in/s', cell: number('pfcRxFrames', perSecond) },
  { head: 'PFC out/s', cell: number('pfcTxFrames', perSecond) },
  { head: 'drops in', cell: number('dropIn', (count) => exactCount(count)) },
  { head: 'drops out', cell: number('dropOut', (count) => exactCount(count)) },
  { head: 'bad FCS', cell: number('crcErrors', (count) => exactCount(count)) },
  { head: 'marked', cell: number('ecnMarked', (count) => exactCount(count)) },
  { head: 'most shared', cell: number('sharedMax', (bytes) => humanBytes(bytes)) },
  { head: 'headroom', cell: number('headroomMax', (bytes) => humanBytes(bytes)) },
]

/** @param all ports that did nothing, too */
export function countersText(rows: readonly CounterRow[], all: boolean, options: TextOptions): string {
  const byDevice = new Map<string, CounterRow[]>()
  for (const row of rows) byDevice.set(row.device, [...(byDevice.get(row.device) ?? []), row])
  return [...byDevice.values()].map((own) => deviceText(own, all, options)).join('\n')
}

function deviceText(rows: readonly CounterRow[], all: boolean, options: TextOptions): string {
  const { device, spanNs } = rows[0]!
  const ofPort = new Map(rows.filter(({ priority }) => priority === ALL_PRIORITIES).map((row) => [row.port, row]))
  const shown = rows
    .filter(({ port, priority }) => port !== '' && priority !== ALL_PRIORITIES)
    .filter((row) => all || !isQuiet(row))
  const cells = shown.map((row) => COLUMNS.map(({ cell }) => cell(row, ofPort.get(row.port))))
  const columns = COLUMNS.map((column, i) => ({ ...column, i })).filter(({ i }) =>
    cells.some((row) => row[i] !== undefined),
  )
  const head = `${device}, ${humanNumber(spanNs / 1e6)} ms\n`
  const whole = ofPort.get('')
  const sums = whole === undefined ? '' : sumsText(whole)
  if (shown.length === 0) return `${head}nothing counted\n${sums}`
  const table = textTable(
    [
      { head: 'port' },
      { head: 'to' },
      { head: 'class', align: 'right' },
      ...columns.map(({ head: title }) => ({ head: title, align: 'right' as const })),
    ],
    shown.map((row, r) => [row.port, row.peer, String(row.priority), ...columns.map(({ i }) => cells[r]![i] ?? '')]),
    options,
  )
  return `${head}${table}${sums}`
}

/** Counters of a whole host that are not 0. */
function sumsText({ values }: CounterRow): string {
  const parts = COUNTERS.flatMap(({ name, scope }) => {
    const value = scope === 'device' ? (values.get(name) ?? 0) : 0
    return value === 0 ? [] : [`${name} ${exactCount(value)}`]
  })
  return parts.length === 0 ? '' : `${parts.join(', ')}\n`
}
