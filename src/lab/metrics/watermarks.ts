/**
 * Watermarks: highest uses of switch buffers since the start, and packets that each part had no room for.
 * Rows: each (port, class) that was ever used, as priority group ("group": port in) and as queue ("queue": port out), and
 * each pool. Bytes as the buffer charges them: whole cells where it has cells.
 */
import type { Buffer } from '../../core/fabric/buffer/buffer.ts'
import type { WatchedBuffer } from '../../core/fabric/buffer/watched.ts'
import { type ColumnSpec, TableBuilder } from '../../core/results/table.ts'
import { inputError } from '../../core/base/issue.ts'
import { rowLimit, tableName, tableParams } from './limits.ts'
import { defineMetric } from './metric.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'part', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'trafficClass', type: 'integer' },
  { name: 'peakBytes', type: 'integer' },
  { name: 'headroomPeakBytes', type: 'integer' },
  { name: 'drops', type: 'integer' },
]
/** In place of the port and class of a pool. */
const NONE = -1

export const watermarks = defineMetric({
  name: 'watermarks',
  help: 'highest bytes of priority groups, headroom, queues and pools of switches, and packets that they had no room for',
  source: 'SONiC watermark and drop counters',
  params: tableParams,
  create(values, context) {
    const name = tableName(values, 'watermarks')
    const watched = context.network.switches.flatMap((at, node) =>
      at !== null && isWatched(at.buffer) ? [{ node, buffer: at.buffer }] : [],
    )
    if (watched.length === 0) throw inputError('watermarks', 'a network with switches', 'none')
    return {
      name,
      table() {
        const builder = new TableBuilder(name, COLUMNS, { maxRows: rowLimit(values, context) })
        for (const { node, buffer } of watched) {
          const location = [node, context.topology.names[node] ?? ''] as const
          for (let at = 8; at < (buffer.ports + 1) * 8; at++) {
            const [port, trafficClass] = [at >> 3, at & 7]
            const group = [buffer.most('shared', at), buffer.most('headroom', at), buffer.ingressDrops[at]!] as const
            const queue = [buffer.most('queue', at), 0, buffer.egressDrops[at]!] as const
            if (group.some((value) => value > 0)) builder.add(...location, 'group', port, trafficClass, ...group)
            if (queue.some((value) => value > 0)) builder.add(...location, 'queue', port, trafficClass, ...queue)
          }
          buffer.pools.forEach((pool, i) =>
            builder.add(...location, `pool ${pool}`, NONE, NONE, buffer.poolPeak[i]!, 0, 0),
          )
        }
        return builder.build()
      },
    }
  },
})

function isWatched(buffer: Buffer): buffer is WatchedBuffer {
  return 'queuePeak' in buffer
}
