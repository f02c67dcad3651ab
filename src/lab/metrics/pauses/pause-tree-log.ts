/**
 * Observer of the pause tree (pause-tree.ts): at each sample one row per port and class that is paused, with the row of
 * the pause above it, the root where it begins, and how far away that is. A sample without pauses has no row.
 * `pause` numbers the pauses of a sample from 0, and `parent` is the number of the one above, -1 below a root.
 */
import { duration, MS } from '../../../core/base/params.ts'
import { type ColumnSpec, TableBuilder } from '../../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from '../limits.ts'
import { defineMetric } from '../metric.ts'
import { pauseGraphOf } from './pause-graph.ts'
import { pauseTreeOf } from './pause-tree.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'pause', type: 'integer' },
  { name: 'parent', type: 'integer' },
  { name: 'depth', type: 'integer' },
  { name: 'rootKind', type: 'text' },
  { name: 'rootNode', type: 'integer' },
  { name: 'rootName', type: 'text' },
  { name: 'peerNode', type: 'integer' },
  { name: 'peerName', type: 'text' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'tier', type: 'integer' },
  { name: 'trafficClass', type: 'integer' },
  { name: 'sincePs', type: 'integer' },
  { name: 'waitingBytes', type: 'integer' },
  { name: 'drainingBytes', type: 'integer' },
]

export const pauseTree = defineMetric({
  name: 'pause-tree',
  help: 'per sample, each paused port with the pause that it waits for, the root where pausing begins, and the distance',
  params: {
    ...sampleParams,
    interval: duration({ default: 1 * MS, min: 1, help: 'time between two samples' }),
  },
  create(values, context) {
    const name = tableName(values, 'pause-tree')
    const { network, topology } = context
    const builder = new TableBuilder(name, COLUMNS, { maxRows: rowLimit(values, context) })
    const nameOf = (node: number): string => topology.names[node] ?? ''
    return {
      name,
      intervalPs: values.interval,
      sample(nowPs) {
        if (!builder.beginSample()) return
        const { graph, pauses, roots } = pauseTreeOf(network, pauseGraphOf(network))
        graph.pauses.forEach(({ port, trafficClass, sincePs, waitsFor, drainingBytes }, index) => {
          const { parent, depth, root } = pauses[index]!
          const { kind, node: rootNode } = roots[root]!
          const { node } = port
          const peerNode = port.peer.node
          const cause = [nowPs, index, parent, depth, kind, rootNode, nameOf(rootNode), peerNode, nameOf(peerNode)]
          const paused = [node, nameOf(node), port.index, topology.tiers[node] ?? -1, trafficClass, sincePs]
          const waitingBytes = waitsFor.reduce((sum, { bytes }) => sum + bytes, 0)
          builder.add(...cause, ...paused, waitingBytes, drainingBytes)
        })
      },
      table: () => builder.build(),
    }
  },
})
