/**
 * Pause log: one row per PFC frame that takes effect, at the device that pauses or resumes.
 * A reaction time delays the row after the frame's arrival. A refreshed pause has another row; one that
 * expires has none (see pause-intervals).
 * Source: columns after pfc.txt of the HPCC fork (time, node, node type, port, 1 pause or 0 resume).
 */
import type { ColumnSpec } from '../../../core/results/table.ts'
import { EventLog } from '../event-log.ts'
import { rowLimit, tableName, tableParams } from '../limits.ts'
import { defineMetric } from '../metric.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeType', type: 'integer' },
  { name: 'port', type: 'integer' },
  { name: 'type', type: 'integer' },
]

export const pauseLog = defineMetric({
  name: 'pause-log',
  help: 'one row per PFC frame received: time, node, nodeType (0 host, 1 switch), port, type (1 pause, 0 resume)',
  source: 'HPCC fork, pfc.txt',
  params: tableParams,
  create(values, context) {
    const name = tableName(values, 'pause-log')
    const log = new EventLog(name, COLUMNS, rowLimit(values, context))
    const { network } = context
    return {
      name,
      watch: {
        onPfcReceived(nowPs, portId, _classVector, pause) {
          const node = network.nodeOf(portId)
          const nodeType = (network.switches[node] ?? null) === null ? 0 : 1
          log.add(nowPs, node, nodeType, network.ports[portId]!.index, pause ? 1 : 0)
        },
        onPauseChanged() {},
        onDrop() {},
      },
      table: () => log.table(),
    }
  },
})
