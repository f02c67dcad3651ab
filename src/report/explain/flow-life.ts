/**
 * The life of one flow: what each picosecond of it went to, as a table in the order of its path and as a strip of
 * characters. The parts at its sender alternate there; they are shown as sums.
 */
import { findColumn, numbersOf, PARTS, type Result, type Table, textsOf } from '../../results/index.ts'
import { exactCount, humanBytes, humanDuration, humanShare } from '../format.ts'
import { type TextOptions, textTable } from '../text-table.ts'
import { hopTable } from './explanation.ts'

/** Characters of the strip. */
const STRIP = 60
const SIGNS = 'abcdefghijklmnopqrstuvwxyz'

/** @param flow row of the flow table @throws RangeError: there is no such row */
export function flowLifeText(result: Result, flow: number, options: TextOptions = {}): string {
  const { flows } = result
  if (flow < 0 || flow >= flows.rowCount) throw new RangeError(`no flow ${flow}`)
  const at = (name: string): number => numbersOf(flows, name)[flow]!
  const parts = PARTS.map((part) => ({ ...part, spanPs: at(part.column) })).filter(({ spanPs }) => spanPs > 0)
  const totalPs = parts.reduce((sum, { spanPs }) => sum + spanPs, 0)
  const status = textsOf(flows, 'status')[flow]!
  const outcome = Number.isNaN(at('receivedPs'))
    ? `not complete (${status})`
    : `complete after ${humanDuration(totalPs, 4)}`
  const head =
    `flow ${exactCount(flow)}: host ${at('source')} to host ${at('destination')}, ${humanBytes(at('sizeBytes'))}, ` +
    `posted at ${humanDuration(at('startPs'), 4)}, ${outcome}\n`
  const rows = parts.map(({ label, end, help, spanPs }, i) => [
    SIGNS[i % SIGNS.length]!,
    end,
    label,
    humanDuration(spanPs, 4),
    humanShare(spanPs / totalPs),
    help,
  ])
  const right = (title: string): { head: string; align: 'right' } => ({ head: title, align: 'right' })
  const table = textTable(
    [{ head: '' }, { head: 'where' }, { head: 'part' }, right('time'), right('share'), { head: 'meaning' }],
    rows,
    options,
  )
  const pausedBy = textsOf(flows, 'pausedBy')[flow]!
  const by = pausedBy === '' ? '' : `paused longest by ${pausedBy}: ${humanDuration(at('pausedByPs'), 4)}\n`
  return [head, stripOf(parts, totalPs), table, by, hopsText(result, flow, options)]
    .filter((part) => part !== '')
    .join('\n')
}

/** One character for each sixtieth of the time, by the part that most of it belongs to; the parts one after the other. */
function stripOf(parts: readonly { readonly spanPs: number }[], totalPs: number): string {
  if (totalPs === 0) return ''
  let strip = ''
  let untilPs = 0
  parts.forEach(({ spanPs }, i) => {
    untilPs += spanPs
    strip = strip.padEnd(Math.round((STRIP * untilPs) / totalPs), SIGNS[i % SIGNS.length])
  })
  return `|${strip}|\n`
}

function hopsText(result: Result, flow: number, options: TextOptions): string {
  const table = hopTable(result)
  const rows = table === undefined ? [] : hopRows(table, result.flows, flow)
  if (table === undefined || rows.length === 0) return ''
  const at = (name: string, row: number): number => numbersOf(table, name)[row]!
  const right = (title: string): { head: string; align: 'right' } => ({ head: title, align: 'right' })
  const cells = rows.map((row) => {
    const pausedPs = at('pausedPs', row)
    const by = textsOf(table, 'pausedBy')[row]!
    return [
      `${textsOf(table, 'nodeName')[row]!} port ${at('port', row)}`,
      humanDuration(at('startPs', row), 5),
      humanDuration(at('queuePs', row)),
      pausedPs === 0 ? '-' : `${humanDuration(pausedPs)}${by === '' ? '' : ` by ${by}`}`,
      beforeText(table, result.flows, row),
    ]
  })
  const title = 'the packet that completed it\n'
  return (
    title +
    textTable(
      [{ head: 'port' }, right('left at'), right('queued'), { head: 'paused' }, { head: 'behind' }],
      cells,
      options,
    )
  )
}

/** "flow 3 12 us, flow 9 2 us, others 1 us" */
function beforeText(table: Table, flows: Table, row: number): string {
  const named = [1, 2, 3].flatMap((i) => {
    const pair = numbersOf(table, `before${i}`)[row]!
    const spanPs = numbersOf(table, `before${i}Ps`)[row]!
    return pair < 0 || spanPs === 0 ? [] : [`${pairText(flows, pair)} ${humanDuration(spanPs)}`]
  })
  const othersPs = numbersOf(table, 'beforeOthersPs')[row]!
  return [...named, ...(othersPs > 0 ? [`others ${humanDuration(othersPs)}`] : [])].join(', ')
}

/** "flow 3", or "queue pair 2" where that carries several. */
function pairText(flows: Table, pair: number): string {
  const pairs = numbersOf(flows, 'pair')
  const first = pairs.indexOf(pair)
  return first >= 0 && pairs.indexOf(pair, first + 1) < 0 ? `flow ${first}` : `queue pair ${pair}`
}

/** Rows of the table of hops that belong to a flow, in the order of its path. */
function hopRows(table: Table, flows: Table, flow: number): number[] {
  if (findColumn(table, 'pair') === undefined) return []
  const pairs = numbersOf(flows, 'pair')
  const pair = pairs[flow]!
  const message = pairs.subarray(0, flow).reduce((count, one) => count + (one === pair ? 1 : 0), 0)
  const [pairOf, messageOf] = [numbersOf(table, 'pair'), numbersOf(table, 'message')]
  return [...pairOf.keys()].filter((row) => pairOf[row] === pair && messageOf[row] === message)
}
