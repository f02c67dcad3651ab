/**
 * The port that the slow messages waited for most, and how much of its rate is used.
 */
import { isExplained, numbersOf, type Result, tableOfKind, type WhyJson } from '../../../core/results/index.ts'
import { Waits } from '../../../show/index.ts'
import { portsByNode } from '../../index.ts'
import type { Topology } from '../../../core/topology/index.ts'
import { slowestOf } from './suspects/index.ts'

/** Null: the run has no autopsy, or its messages waited for no port. */
export function busyPortOf(result: Result, topology: Topology): WhyJson['busyPort'] {
  const table = tableOfKind(result, 'autopsy/ports')
  if (!isExplained(result) || table === undefined) return null
  const origin = new Waits(result).origins(slowestOf(result)).find(({ kind, port }) => kind === 'switch' && port >= 0)
  if (origin === undefined) return null
  const at = portsByNode(topology)[origin.node]?.find(({ index }) => index === origin.port)
  const ports = numbersOf(table, 'port')
  const row = numbersOf(table, 'node').findIndex((node, i) => node === origin.node && ports[i] === origin.port)
  if (at === undefined || row < 0) return null
  const of = (column: string): number => numbersOf(table, column)[row]!
  return {
    device: topology.names[origin.node]!,
    port: topology.names[at.peer]!,
    useShare: of('sentPs') / Math.max(1, of('lastPs') - of('firstPs')),
    rateBps: at.rateBps,
  }
}
