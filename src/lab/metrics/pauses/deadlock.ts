/**
 * Deadlock: one row per circle of pauses that was seen at a sample (pause-circles.ts): when it closed, who is in it, who
 * waits for it, and when it was gone.
 * onsetPs is the start of the last pause of the circle. endPs is the first time at which a pause of it ended, unless at
 * the next sample its ports are in another circle that had closed by then: the row goes on with that one. A circle that
 * holds at the end ends "now" and has isOpen 1; one that comes and goes between two samples is not seen.
 * Members and victims are the most at any sample; the text is the circle as it was first seen, from
 * `node` and `port` on.
 */
import { duration, MS } from '../../../core/base/params.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { type ColumnSpec, createTable, TableBuilder } from '../../../core/results/table.ts'
import { leftOutColumn } from '../event-log.ts'
import { rowLimit, sampleParams, tableName } from '../limits.ts'
import { defineMetric } from '../metric.ts'
import { pairsHeldBy, pauseCirclesOf, type PauseCircleFound } from './pause-circles.ts'
import { type Pause, type PauseGraph, pauseGraphOf } from './pause-graph.ts'
import { CLASSES } from './classes.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'onsetPs', type: 'integer' },
  { name: 'seenPs', type: 'integer' },
  { name: 'endPs', type: 'integer' },
  { name: 'isOpen', type: 'integer' },
  { name: 'trafficClass', type: 'integer' },
  { name: 'circlePorts', type: 'integer' },
  { name: 'members', type: 'integer' },
  { name: 'victims', type: 'integer' },
  { name: 'hosts', type: 'integer' },
  { name: 'pairs', type: 'integer' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'circle', type: 'text' },
]

interface Deadlock {
  readonly onsetPs: number
  readonly seenPs: number
  readonly trafficClass: number
  readonly circlePorts: number
  /** The port from which the text goes round. */
  readonly first: Port
  readonly text: string
  members: number
  victims: number
  hosts: number
  pairs: number
  /** Ports and classes of the circle that holds, as keys. */
  keys: readonly number[]
  /** First time since the last sample at which one of them was not paused; NaN: none was. */
  brokenPs: number
  /** NaN while it holds. */
  endPs: number
}

const keyOf = ({ port, trafficClass }: Pause): number => port.id * CLASSES + trafficClass

export const deadlock = defineMetric({
  name: 'deadlock',
  help: 'circles of ports that pause each other: onset, end, members, victims, hosts and queue pairs that are held up',
  params: {
    ...sampleParams,
    interval: duration({ default: 1 * MS, min: 1, help: 'time between two samples' }),
  },
  create(values, context) {
    const name = tableName(values, 'deadlock')
    const { network, topology } = context
    const book = new DeadlockBook(network, topology.names, rowLimit(values, context))
    return {
      name,
      intervalPs: values.interval,
      watch: {
        onPfcReceived() {},
        onPauseChanged: (nowPs, portId, trafficClass, isPaused) => {
          if (!isPaused) book.onResume(nowPs, portId * CLASSES + trafficClass)
        },
        onDrop() {},
      },
      sample: (nowPs) => book.sample(nowPs),
      table(nowPs) {
        const builder = new TableBuilder(name, COLUMNS)
        for (const row of book.rows) {
          const { onsetPs, seenPs, endPs, brokenPs, trafficClass, circlePorts, members, victims, hosts, pairs } = row
          const isOpen = Number.isNaN(endPs) && Number.isNaN(brokenPs)
          const until = isOpen ? nowPs : Number.isNaN(endPs) ? brokenPs : endPs
          const times = [onsetPs, seenPs, until, isOpen ? 1 : 0]
          const { node, index } = row.first
          const where = [node, topology.names[node] ?? '', index]
          builder.add(...times, trafficClass, circlePorts, members, victims, hosts, pairs, ...where, row.text)
        }
        const table = builder.build()
        return createTable(name, [...table.columns, leftOutColumn(table.rowCount, book.leftOut)])
      },
    }
  },
})

/** The deadlocks of a run. */
class DeadlockBook {
  readonly rows: Deadlock[] = []
  leftOut = 0
  readonly #network: Network
  readonly #names: readonly string[]
  readonly #maxRows: number
  #open: Deadlock[] = []

  constructor(network: Network, names: readonly string[], maxRows: number) {
    this.#network = network
    this.#names = names
    this.#maxRows = maxRows
  }

  onResume(nowPs: number, key: number): void {
    for (const row of this.#open) {
      if (Number.isNaN(row.brokenPs) && row.keys.includes(key)) row.brokenPs = nowPs
    }
  }

  sample(nowPs: number): void {
    const graph = pauseGraphOf(this.#network)
    const circles = pauseCirclesOf(this.#network, graph)
    const taken = new Set<PauseCircleFound>()
    const open: Deadlock[] = []
    for (const row of this.#open) {
      const next = this.#continued(
        row,
        graph,
        circles.filter((circle) => !taken.has(circle)),
      )
      if (next === undefined) row.endPs = Number.isNaN(row.brokenPs) ? nowPs : row.brokenPs
      else {
        taken.add(next)
        this.#update(row, graph, next)
        open.push(row)
      }
    }
    for (const circle of circles) {
      if (taken.has(circle)) continue
      const row = this.#opened(nowPs, graph, circle)
      if (this.rows.length === this.#maxRows) this.leftOut++
      else this.rows.push(row)
      open.push(row)
    }
    this.#open = open
  }

  /** The circle that shares a port with the row's and closed before that one was broken. */
  #continued(row: Deadlock, graph: PauseGraph, circles: readonly PauseCircleFound[]): PauseCircleFound | undefined {
    return circles.find(
      ({ members, sincePs }) =>
        (Number.isNaN(row.brokenPs) || sincePs <= row.brokenPs) &&
        members.some((index) => row.keys.includes(keyOf(graph.pauses[index]!))),
    )
  }

  #opened(nowPs: number, graph: PauseGraph, found: PauseCircleFound): Deadlock {
    const pauses = found.circle.map((index) => graph.pauses[index]!)
    const row: Deadlock = {
      onsetPs: found.sincePs,
      seenPs: nowPs,
      trafficClass: found.trafficClass,
      circlePorts: found.circle.length,
      first: pauses[0]!.port,
      text: circleText(pauses, this.#names),
      members: 0,
      victims: 0,
      hosts: 0,
      pairs: 0,
      keys: [],
      brokenPs: NaN,
      endPs: NaN,
    }
    this.#update(row, graph, found)
    return row
  }

  #update(row: Deadlock, graph: PauseGraph, found: PauseCircleFound): void {
    row.keys = found.circle.map((index) => keyOf(graph.pauses[index]!))
    row.brokenPs = NaN
    row.members = Math.max(row.members, found.members.length)
    row.victims = Math.max(row.victims, found.victims.length)
    row.hosts = Math.max(row.hosts, found.hosts.length)
    row.pairs = Math.max(row.pairs, pairsHeldBy(this.#network, graph, found).length)
  }
}

/** Ports of a circle that are written out. */
const PORTS_MAX = 12

/** "tor 0 port 3 > leaf 0 port 2 > tor 0 port 3": each waits for the next. */
function circleText(pauses: readonly Pause[], names: readonly string[]): string {
  const words = pauses.map(({ port }) => `${names[port.node] ?? port.node} port ${port.index}`)
  const shown = words.length > PORTS_MAX ? words.slice(0, PORTS_MAX - 1) : words
  const left = words.length - shown.length
  return [...shown, ...(left > 0 ? [`${left} more`] : []), words[0]!].join(' > ')
}
