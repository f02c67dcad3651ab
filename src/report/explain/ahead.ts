/**
 * Ahead: whose packets others waited for at a port, by sending host, from the hops of the autopsy.
 */
import { numbersOf, type Result, tableOfKind } from '../../results/index.ts'

/** Columns of the queue pairs that are named at a hop. */
const NAMED = [1, 2, 3]

/**
 * Hosts whose packets were ahead of those of other hosts, by their share of that time, the largest first. Of each packet
 * that waited the three queue pairs that took most of the time count.
 */
export function aheadAt(
  result: Result,
  { node, port }: { readonly node: number; readonly port: number },
): { readonly host: number; readonly share: number }[] {
  const table = tableOfKind(result, 'autopsy/hops')
  if (table === undefined) return []
  const source = numbersOf(result.flows, 'source')
  const sourceOf = new Map<number, number>()
  const pairs = numbersOf(result.flows, 'pair')
  pairs.forEach((pair, row) => sourceOf.set(pair, source[row]!))
  const [nodes, ports, pair] = [numbersOf(table, 'node'), numbersOf(table, 'port'), numbersOf(table, 'pair')]
  const byHost = new Map<number, number>()
  let allPs = 0
  for (let row = 0; row < table.rowCount; row++) {
    if (nodes[row] !== node || ports[row] !== port) continue
    for (const i of NAMED) {
      const host = sourceOf.get(numbersOf(table, `before${i}`)[row]!)
      if (host === undefined || host === sourceOf.get(pair[row]!)) continue
      const spanPs = numbersOf(table, `before${i}Ps`)[row]!
      allPs += spanPs
      byHost.set(host, (byHost.get(host) ?? 0) + spanPs)
    }
  }
  if (allPs === 0) return []
  return [...byHost]
    .map(([host, spanPs]) => ({ host, share: spanPs / allPs }))
    .toSorted((a, b) => b.share - a.share || a.host - b.host)
}
