/**
 * Drops: one row per lost packet: when, at which node, why, whose.
 * `pair` and `direction` read the flow number of a packet: QP times two, plus one for what goes back to its source (ACK,
 * NAK, CNP, READ request, message of a switch). A PFC frame that is lost when its link goes down has no QP, and its
 * columns hold other numbers. `fromNode`, `fromName` and `fromPort` are the device at the other end of the link that it came by, and
 * its port; -1 and empty: it had not left the device.
 */
import { INTS } from '../../core/base/memory.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import { AT } from '../../core/fabric/packets.ts'
import type { ColumnSpec } from '../../core/results/table.ts'
import { EventLog } from './event-log.ts'
import { rowLimit, tableName, tableParams } from './limits.ts'
import { defineMetric } from './metric.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'reason', type: 'text' },
  { name: 'pair', type: 'integer' },
  { name: 'direction', type: 'integer' },
  { name: 'sizeBytes', type: 'integer' },
  { name: 'fromNode', type: 'integer' },
  { name: 'fromName', type: 'text' },
  { name: 'fromPort', type: 'integer' },
]

export const drops = defineMetric({
  name: 'drops',
  help: 'one row per lost packet: time, node, reason, QP, direction (0 data, 1 answers), frame bytes, device it came from',
  params: tableParams,
  create(values, context) {
    const name = tableName(values, 'drops')
    const log = new EventLog(name, COLUMNS, rowLimit(values, context))
    const { topology, dropReasons, network } = context
    const fromOf = (node: number, packet: number): Port | undefined => {
      const port = network.ports[INTS[packet | AT]!]
      return port?.node === node ? port.peer : undefined
    }
    return {
      name,
      watch: {
        onPfcReceived() {},
        onPauseChanged() {},
        onDrop(nowPs, node, reason, direction, sizeBytes, packet) {
          const why = dropReasons?.[reason] ?? String(reason)
          const from = fromOf(node, packet)
          log.add(
            nowPs,
            node,
            topology.names[node] ?? '',
            why,
            direction >> 1,
            direction & 1,
            sizeBytes,
            from?.node ?? -1,
            from === undefined ? '' : (topology.names[from.node] ?? ''),
            from?.index ?? -1,
          )
        },
      },
      table: () => log.table(),
    }
  },
})
