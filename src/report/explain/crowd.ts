/**
 * Crowds: many hosts that send to one host at a time. It is one only where the flows of other
 * receivers have far fewer senders at a time.
 */
import { completionsOf, numbersOnce, type Result, numbersOf } from '../../results/index.ts'
import type { NetworkGraph } from '../reported-run.ts'

/** Fewer senders are no crowd. */
const CROWD = 4
/** Times the senders of other receivers. */
const UNUSUAL = 2.5

/** The crowd at a host; undefined: there is none. @param node of the host */
export function crowdAt(
  result: Result,
  { hostNodes }: NetworkGraph,
  node: number,
): { readonly senders: number; readonly usualSenders: number; readonly fromPs: number } | undefined {
  const host = hostNodes.findIndex((nodes) => nodes.includes(node))
  const destination = numbersOnce(result.flows, 'destination')
  const byHost = new Map<number, number[]>()
  destination.forEach((to, row) => {
    const rows = byHost.get(to)
    if (rows === undefined) byHost.set(to, [row])
    else rows.push(row)
  })
  const most = [...byHost].map(([to, rows]) => ({ to, ...mostStarts(result, rows) }))
  const own = most.find(({ to }) => to === host)
  if (own === undefined || own.senders < CROWD) return undefined
  const others = most.filter(({ to }) => to !== host).map(({ senders }) => senders)
  const usualSenders = others.toSorted((a, b) => a - b)[Math.floor(others.length / 2)] ?? 0
  if (own.senders < UNUSUAL * usualSenders) return undefined
  return { senders: own.senders, usualSenders, fromPs: own.fromPs }
}

/** Most hosts whose flows begin within the time that one such flow takes alone, and when the first of these began. */
function mostStarts(result: Result, rows: readonly number[]): { readonly senders: number; readonly fromPs: number } {
  const source = numbersOnce(result.flows, 'source')
  const startPs = numbersOf(result.flows, 'startPs')
  const { completionPs, slowdown } = completionsOf(result, 'receiver')
  const sorted = rows.toSorted((a, b) => startPs[a]! - startPs[b]!)
  const ideals = rows.map((row) => completionPs[row]! / slowdown[row]!).filter((ps) => ps > 0)
  const windowPs = ideals.toSorted((a, b) => a - b)[Math.floor(ideals.length / 2)] ?? 0
  const open = new Map<number, number>()
  let from = 0
  let best = { senders: 0, fromPs: 0 }
  for (const row of sorted) {
    open.set(source[row]!, (open.get(source[row]!) ?? 0) + 1)
    while (startPs[sorted[from]!]! < startPs[row]! - windowPs) {
      const first = source[sorted[from++]!]!
      const left = open.get(first)! - 1
      if (left === 0) open.delete(first)
      else open.set(first, left)
    }
    if (open.size > best.senders) best = { senders: open.size, fromPs: startPs[sorted[from]!]! }
  }
  return best
}
