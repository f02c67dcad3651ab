/**
 * Queue depth: frame bytes waiting in the egress queues of switch ports, sampled. A frame on the wire waits no more.
 * Rows per sample: each chosen port and class; with `busiest` one row per class, of equal ports the first.
 */
import type { EgressQueue } from '../../core/fabric/link/egress-queue.ts'
import { count, list, text } from '../../core/base/params.ts'
import { type ColumnSpec, TableBuilder } from '../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from './limits.ts'
import { defineMetric } from './metric.ts'
import { PORTS_HELP, selectPorts, type LocatedPort } from './port-selector.ts'
import { CLASSES } from './pauses/classes.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'timePs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'trafficClass', type: 'integer' },
  { name: 'queueBytes', type: 'integer' },
]
/** In place of a class: all of them together. */
const ALL_CLASSES = -1

export const queueDepth = defineMetric({
  name: 'queue-depth',
  help: 'bytes in the egress queues of switch ports, per sample',
  params: {
    ports: text({ default: 'busiest', help: `switch ports: ${PORTS_HELP}` }),
    classes: list(count({ max: 7, help: 'a traffic class' }), {
      default: [],
      help: 'classes, each with rows of its own; none: all together (trafficClass is -1)',
    }),
    ...sampleParams,
  },
  create(values, context) {
    const name = tableName(values, 'queue-depth')
    const { switches } = context.network
    const isAtSwitch = (located: LocatedPort): boolean => (switches[located.node] ?? null) !== null
    const selection = selectPorts(values.ports, context, 'queue-depth.ports', isAtSwitch, 'switch port')
    const locations = selection.ports.map((located) => ({
      ...located,
      queue: switches[located.node]!.ports[located.port.index]!.queue,
    }))
    type Location = (typeof locations)[number]
    const classes = values.classes.length === 0 ? [ALL_CLASSES] : values.classes
    const builder = new TableBuilder(name, COLUMNS, { maxRows: rowLimit(values, context) })
    const add = (nowPs: number, location: Location, trafficClass: number): void => {
      builder.add(
        nowPs,
        location.node,
        location.nodeName,
        location.port.index,
        trafficClass,
        depthOf(location.queue, trafficClass),
      )
    }
    return {
      name,
      intervalPs: values.interval,
      sample(nowPs) {
        if (!builder.beginSample()) return
        for (const trafficClass of classes) {
          if (selection.isBusiest) add(nowPs, deepest(locations, trafficClass), trafficClass)
          else for (const location of locations) add(nowPs, location, trafficClass)
        }
      },
      table: () => builder.build(),
    }
  },
})

function depthOf(queue: EgressQueue, trafficClass: number): number {
  if (trafficClass !== ALL_CLASSES) return queue.bytesOf(trafficClass)
  let sum = 0
  for (let c = 0; c < CLASSES; c++) sum += queue.bytesOf(c)
  return sum
}

/** The first of the deepest; there is at least one place. */
function deepest<P extends { readonly queue: EgressQueue }>(locations: readonly P[], trafficClass: number): P {
  let best = locations[0]!
  let bestBytes = -1
  for (const location of locations) {
    const bytes = depthOf(location.queue, trafficClass)
    if (bytes > bestBytes) {
      best = location
      bestBytes = bytes
    }
  }
  return best
}
