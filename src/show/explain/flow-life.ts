/**
 * The life of one flow: what each picosecond of it went to, as a table in the order of its life and as a strip of
 * characters. The parts at its sender alternate there; they are shown as sums.
 */
import { hostName } from '../../core/base/device-names.ts'
import {
  completionsOf,
  findColumn,
  lifeOf,
  numbersOf,
  type Result,
  spansOf,
  textsOf,
} from '../../core/results/index.ts'
import { humanBytes, humanDuration, humanShare } from '../../core/base/format.ts'
import { right, type TextOptions, textTable } from '../text-table.ts'
import { chainText } from './job-chain.ts'
import { type FlowHop, FlowHops } from './flow-hops.ts'

/** Characters of the strip. */
const STRIP = 60
const SIGNS = 'abcdefghijklmnopqrstuvwxyz'

/**
 * @param flow row of the flow table
 * @param nameOf names a host in the heading
 * @throws RangeError: there is no such row
 */
export function flowLifeText(result: Result, flow: number, options: TextOptions = {}, nameOf = hostName): string {
  const { flows } = result
  if (flow < 0 || flow >= flows.rowCount) throw new RangeError(`no flow ${flow}`)
  const at = (name: string): number => numbersOf(flows, name)[flow]!
  const parts = lifeOf(result.completion)
    .map((part) => ({ ...part, spanPs: spansOf(result, part)[flow]! }))
    .filter(({ spanPs }) => spanPs > 0)
  const totalPs = parts.reduce((sum, { spanPs }) => sum + spanPs, 0)
  const status = textsOf(flows, 'status')[flow]!
  const outcome = Number.isNaN(completionsOf(result).completionPs[flow])
    ? `not complete (${status})`
    : `complete after ${humanDuration(totalPs, 4)}`
  const head =
    `flow ${flow}: ${nameOf(at('source'))} to ${nameOf(at('destination'))}, ${humanBytes(at('sizeBytes'))}, ` +
    `posted at ${humanDuration(at('startPs'), 4)}, ${outcome}\n`
  const rows = parts.map(({ label, end, help, spanPs }, i) => [
    SIGNS[i % SIGNS.length]!,
    end,
    label,
    humanDuration(spanPs, 4),
    humanShare(spanPs / totalPs),
    help,
  ])
  const heads = ['', 'where', 'part', right('time'), right('share'), 'meaning']
  return [
    head,
    stripOf(parts, totalPs),
    textTable(heads, rows, options),
    holderText(result, flow),
    hopsText(result, flow, options),
    chainText(result, flow, options),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** Who held it longest; in results of versions that knew no other, who paused it longest. */
function holderText({ flows }: Result, flow: number): string {
  const at = (name: string): number => numbersOf(flows, name)[flow]!
  const isOld = findColumn(flows, 'heldBy') === undefined
  const name = textsOf(flows, isOld ? 'pausedBy' : 'heldBy')[flow]!
  if (name === '') return ''
  return isOld
    ? `paused longest by ${name}: ${humanDuration(at('pausedByPs'), 4)}\n`
    : `held longest by ${name}: ${humanDuration(at('heldByPs'), 4)}, ${humanShare(at('heldByShare'))} of its waiting\n`
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
  const hops = new FlowHops(result).of(flow)
  if (hops.length === 0) return ''
  const cells = hops.map((hop) => [
    hop.port,
    humanDuration(hop.startPs, 5),
    humanDuration(hop.queuePs),
    pauseText(hop),
    beforeText(hop),
  ])
  const heads = ['port', right('left at'), right('queued'), 'paused', 'behind']
  return `the packet that completed it\n${textTable(heads, cells, options)}`
}

/** "1.2 us by host 3", or "-". */
export function pauseText({ pausedPs, pausedBy }: FlowHop): string {
  return pausedPs === 0 ? '-' : `${humanDuration(pausedPs)}${pausedBy === '' ? '' : ` by ${pausedBy}`}`
}

/** "flow 3 12 us, flow 9 2 us, others 1 us" */
export function beforeText({ before, othersPs }: FlowHop): string {
  const named = before.map(({ name, spanPs }) => `${name} ${humanDuration(spanPs)}`)
  return [...named, ...(othersPs > 0 ? [`others ${humanDuration(othersPs)}`] : [])].join(', ')
}
