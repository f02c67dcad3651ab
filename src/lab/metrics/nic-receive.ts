/**
 * Receive sides of NICs: what each receive pipeline has done over the whole run. NICs whose receive side has no limit
 * have no row.
 */
import { type ColumnSpec, TableBuilder } from '../../core/results/table.ts'
import { rowLimit, tableName, tableParams } from './limits.ts'
import { defineMetric } from './metric.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'host', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'packets', type: 'integer' },
  { name: 'drops', type: 'integer' },
  { name: 'translations', type: 'integer' },
  { name: 'translationMisses', type: 'integer' },
  { name: 'contextMisses', type: 'integer' },
  { name: 'pauses', type: 'integer' },
  { name: 'mostBytes', type: 'integer' },
  { name: 'heldBytes', type: 'integer' },
  { name: 'watchdogPs', type: 'integer' },
]

export const nicReceive = defineMetric({
  name: 'nic-receive',
  help: 'per NIC with a receive pipeline: packets, drops, pages looked up and missed, contexts missed, pauses begun, most bytes held, bytes held at the end, and when its watchdog gave it up (-1: never)',
  params: tableParams,
  create(values, context) {
    const name = tableName(values, 'nic-receive')
    const maxRows = rowLimit(values, context)
    const { network, topology } = context
    return {
      name,
      table() {
        const builder = new TableBuilder(name, COLUMNS)
        let rows = 0
        network.receives.forEach((receive, endpoint) => {
          if (receive === undefined || rows++ >= maxRows) return
          const { node } = network.nics[endpoint]!
          const c = receive.counts
          const where = [network.hostOf[endpoint]!, node, topology.names[node] ?? ''] as const
          const pages = [c.translations, c.translationMisses, c.contextMisses] as const
          builder.add(...where, c.packets, c.drops, ...pages, c.pauses, c.mostBytes, receive.heldBytes, c.gaveUpPs)
        })
        return builder.build()
      },
    }
  },
})
