/**
 * Chain of a message: the operations that it waited for, one after the other up to the begin of its job, each the one that
 * was met last. Units: picoseconds.
 */
import { humanDuration, exactCount } from '../../core/base/format.ts'
import { numberColumns, type Result, tableOfKind, textColumns } from '../../core/results/index.ts'
import { right, type TextOptions, textTable } from '../text-table.ts'

/** An operation of the chain. */
export interface ChainLink {
  readonly id: number
  readonly rank: number
  readonly rankName: string
  readonly operation: string
  readonly kind: string
  /** Row of a send of the flow table; NaN: it has none. */
  readonly flow: number
  readonly readyPs: number
  /** NaN: it is not done. */
  readonly donePs: number
}

/** Operations that text lists; the others are counted. */
const LISTED_MAX = 20

/**
 * From the message's send back to the begin; empty where the flow is of no job, or operations were not logged.
 * A receive that waited for its message goes on with the send of that, others with what made them ready.
 */
export function chainOf(result: Result, flow: number): ChainLink[] {
  const table = tableOfKind(result, 'operations')
  if (table === undefined) return []
  const [tags, kinds, names, hosts] = textColumns(table, ['tag', 'kind', 'operation', 'rankName'])
  const [ids, ranks, flows, after, sends] = numberColumns(table, ['id', 'rank', 'flow', 'after', 'sendId'])
  const [readyPs, beginPs, arrivedPs, donePs] = numberColumns(table, ['readyPs', 'beginPs', 'arrivedPs', 'donePs'])
  let row = flows.indexOf(flow)
  if (row < 0) return []
  const rowOf = new Map<number, number>()
  tags.forEach((tag, at) => {
    if (tag === tags[row]) rowOf.set(ids[at]!, at)
  })
  const chain: ChainLink[] = []
  while (chain.length < ids.length) {
    chain.push({
      id: ids[row]!,
      rank: ranks[row]!,
      rankName: hosts[row]!,
      operation: names[row]!,
      kind: kinds[row]!,
      flow: flows[row]!,
      readyPs: readyPs[row]!,
      donePs: donePs[row]!,
    })
    const isMet = kinds[row] === 'receive' && arrivedPs[row]! >= beginPs[row]!
    const next = rowOf.get(isMet ? sends[row]! : after[row]!)
    if (next === undefined) break
    row = next
  }
  return chain
}

/** Empty without a chain. */
export function chainText(result: Result, flow: number, options: TextOptions): string {
  const [own, ...chain] = chainOf(result, flow)
  if (own === undefined) return ''
  const head = `${own.operation} of rank ${own.rank} (${own.rankName})`
  if (chain.length === 0) return `${head} waited for no other operation\n`
  const rows = chain
    .slice(0, LISTED_MAX)
    .map(({ rank, rankName, operation, kind, flow: its, readyPs, donePs }) => [
      `${rank} (${rankName})`,
      kind,
      operation,
      Number.isNaN(its) ? '-' : exactCount(its),
      humanDuration(readyPs, 5),
      Number.isNaN(donePs) ? '-' : humanDuration(donePs, 5),
    ])
  const heads = ['rank', 'kind', 'operation', right('flow'), right('ready at'), right('done at')]
  const more = chain.length > LISTED_MAX ? `and ${exactCount(chain.length - LISTED_MAX)} more up to the begin\n` : ''
  return `${head} waited for, the last first\n${textTable(heads, rows, options)}${more}`
}
