/**
 * Pause intervals: when each class of each link was stopped, seen from the end that may not send.
 * A pause ends by a resume, by expiry or with its cable. Rows come by start; a pause that still holds ends "now" and
 * has isOpen 1. Link: from (node, port) to peerNode, which asked for the pause. tier is that of `node`, peerTier that of
 * `peerNode`: 0 host, 1 the switch a host hangs on, ...
 * Invariant: the intervals of one port and class do not overlap.
 */
import type { Column } from '../../../core/results/table.ts'
import { createTable } from '../../../core/results/table.ts'
import { leftOutColumn } from '../event-log.ts'
import { rowLimit, tableName, tableParams } from '../limits.ts'
import { defineMetric } from '../metric.ts'
import { CLASSES } from './classes.ts'

const NONE = -1

export const pauseIntervals = defineMetric({
  name: 'pause-intervals',
  help: 'start and end of every pause, per port that had to stop and traffic class',
  params: tableParams,
  create(values, context) {
    const name = tableName(values, 'pause-intervals')
    const maxRows = rowLimit(values, context)
    const { network, topology } = context
    const startsPs: number[] = []
    /** NaN while the pause holds. */
    const endsPs: number[] = []
    /** Port id * 8 + class. */
    const keys: number[] = []
    /** Row of the pause that holds now, by key. */
    const openRows = new Int32Array(network.ports.length * CLASSES).fill(NONE)
    let leftOut = 0

    return {
      name,
      watch: {
        onPfcReceived() {},
        onPauseChanged(nowPs, portId, trafficClass, isPaused) {
          const key = portId * CLASSES + trafficClass
          if (!isPaused) {
            const row = openRows[key]!
            if (row !== NONE) endsPs[row] = nowPs
            openRows[key] = NONE
          } else if (startsPs.length === maxRows) leftOut++
          else {
            openRows[key] = startsPs.length
            startsPs.push(nowPs)
            endsPs.push(NaN)
            keys.push(key)
          }
        },
        onDrop() {},
      },
      table(nowPs) {
        const ports = keys.map((key) => network.ports[Math.floor(key / CLASSES)]!)
        const nodes = ports.map((port) => network.nodeOf(port.id))
        const integer = (column: string, data: readonly number[]): Column => {
          return { name: column, type: 'integer', data: Float64Array.from(data) }
        }
        return createTable(name, [
          integer('startPs', startsPs),
          integer(
            'endPs',
            endsPs.map((endPs) => (Number.isNaN(endPs) ? nowPs : endPs)),
          ),
          integer(
            'isOpen',
            endsPs.map((endPs) => (Number.isNaN(endPs) ? 1 : 0)),
          ),
          integer('node', nodes),
          { name: 'nodeName', type: 'text', data: nodes.map((node) => topology.names[node] ?? '') },
          integer(
            'port',
            ports.map((port) => port.index),
          ),
          integer(
            'peerNode',
            ports.map((port) => network.nodeOf(port.peer.id)),
          ),
          integer(
            'trafficClass',
            keys.map((key) => key % CLASSES),
          ),
          integer(
            'tier',
            nodes.map((node) => topology.tiers[node] ?? NONE),
          ),
          { name: 'peerName', type: 'text', data: ports.map((port) => topology.names[port.peer.node] ?? '') },
          integer(
            'peerTier',
            ports.map((port) => topology.tiers[port.peer.node] ?? NONE),
          ),
          leftOutColumn(keys.length, leftOut),
        ])
      },
    }
  },
})
