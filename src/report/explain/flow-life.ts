/**
 * The life of one flow: what each picosecond of it went to, as a table in the order of its path and as a strip of
 * characters. The parts at its sender alternate there; they are shown as sums.
 */
import { findColumn, numbersOf, PARTS, type Result, type Table, textsOf } from '../../results/index.ts'
import { humanBytes, humanDuration, humanShare } from '../format.ts'
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
    `flow ${flow}: host ${at('source')} to host ${at('destination')}, ${humanBytes(at('sizeBytes'))}, ` +
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

/** A link that the packet crossed which completed a flow. */
export interface FlowHop {
  readonly port: string
  /** When its first bit went onto the link. */
  readonly startPs: number
  readonly queuePs: number
  readonly pausedPs: number
  /** Where the pauses began; empty: nowhere, or unknown. */
  readonly pausedBy: string
  /** Who went first, and for how long; the longest first, and `others` last. */
  readonly before: readonly { readonly name: string; readonly spanPs: number }[]
}

/** Links of a flow in the order of its path; none without a table of hops, or where it left this flow out. */
export function flowHops({ flows, series }: Pick<Result, 'flows' | 'series'>, flow: number): FlowHop[] {
  const table = hopTable({ series })
  if (table === undefined) return []
  return hopRows(table, flows, flow).map((row) => {
    const at = (name: string): number => numbersOf(table, name)[row]!
    return {
      port: `${textsOf(table, 'nodeName')[row]!} port ${at('port')}`,
      startPs: at('startPs'),
      queuePs: at('queuePs'),
      pausedPs: at('pausedPs'),
      pausedBy: textsOf(table, 'pausedBy')[row]!,
      before: beforeOf(table, flows, row),
    }
  })
}

function hopsText(result: Result, flow: number, options: TextOptions): string {
  const hops = flowHops(result, flow)
  if (hops.length === 0) return ''
  const right = (title: string): { head: string; align: 'right' } => ({ head: title, align: 'right' })
  const cells = hops.map(({ port, startPs, queuePs, pausedPs, pausedBy, before }) => [
    port,
    humanDuration(startPs, 5),
    humanDuration(queuePs),
    pausedPs === 0 ? '-' : `${humanDuration(pausedPs)}${pausedBy === '' ? '' : ` by ${pausedBy}`}`,
    before.map(({ name, spanPs }) => `${name} ${humanDuration(spanPs)}`).join(', '),
  ])
  const head = [{ head: 'port' }, right('left at'), right('queued'), { head: 'paused' }, { head: 'behind' }]
  return `the packet that completed it\n${textTable(head, cells, options)}`
}

/** "flow 3" 12 us, "flow 9" 2 us, "others" 1 us */
function beforeOf(table: Table, flows: Table, row: number): FlowHop['before'] {
  const named = [1, 2, 3].flatMap((i) => {
    const pair = numbersOf(table, `before${i}`)[row]!
    const spanPs = numbersOf(table, `before${i}Ps`)[row]!
    return pair < 0 || spanPs === 0 ? [] : [{ name: pairText(flows, pair), spanPs }]
  })
  const othersPs = numbersOf(table, 'beforeOthersPs')[row]!
  return othersPs > 0 ? [...named, { name: 'others', spanPs: othersPs }] : named
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
