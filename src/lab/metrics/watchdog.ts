/**
 * Watchdog: one row per class that a switch's PFC watchdog takes out of service or into service again.
 * The packet columns count from the storm's detection to the row: at a `storm` they are 0.
 */
import type { ColumnSpec } from '../../core/results/table.ts'
import { EventLog } from './event-log.ts'
import { rowLimit, tableName, tableParams } from './limits.ts'
import { defineMetric } from './metric.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'trafficClass', type: 'integer' },
  { name: 'event', type: 'text' },
  { name: 'rule', type: 'text' },
  { name: 'txOk', type: 'integer' },
  { name: 'txDropped', type: 'integer' },
  { name: 'rxOk', type: 'integer' },
  { name: 'rxDropped', type: 'integer' },
]

export const watchdog = defineMetric({
  name: 'watchdog',
  help: 'one row per class that a PFC watchdog takes out of service (storm) or into service again (restore; stop: the watchdog was changed), with the packets to the port (tx) and from it (rx) that passed or were discarded since the storm',
  source: 'SONiC, pfcwd show stats',
  params: tableParams,
  create(values, context) {
    const name = tableName(values, 'watchdog')
    const log = new EventLog(name, COLUMNS, rowLimit(values, context))
    const { network, topology } = context
    return {
      name,
      watch: {
        onPfcReceived() {},
        onPauseChanged() {},
        onDrop() {},
        onWatchdog(nowPs, event, rule, { port, trafficClass, txOk, txDropped, rxOk, rxDropped }) {
          const { node, index } = network.ports[port]!
          const where = topology.names[node] ?? ''
          log.add(nowPs, node, where, index, trafficClass, event, rule, txOk, txDropped, rxOk, rxDropped)
        },
      },
      table: () => log.table(),
    }
  },
})
