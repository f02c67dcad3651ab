/**
 * Autopsy: for every message, the parts that its completion time consists of, as columns of the flow table. Their sum is
 * the completion time at the receiver, to the picosecond. The definition is docs/models/autopsy.md.
 * The sender's part comes from a clock of each queue pair (pair-clock.ts), the network's from the ways of packets
 * (copies.ts); the packet that completes a message joins the two.
 */
import { assert } from '../../base/assert.ts'
import { INTS } from '../../base/memory.ts'
import type { QueuePair } from '../../fabric/nic/queue-pair.ts'
import { DIRECTION, KIND, ORDINAL, SIZE, FLAGS } from '../../fabric/packets.ts'
import type { FrameWatch, Watch } from '../../fabric/watch.ts'
import { type Column, numbersOf, type Table } from '../../results/table.ts'
import { DATA, RETRANSMITTED, TRIMMED } from '../../transport/segment.ts'
import { defineMetric, type MetricContext } from '../metric.ts'
import { Copies, type Hop } from './copies.ts'
import { PairClock, PART_COUNT, type OpenMessage, type PortTimes } from './pair-clock.ts'
import { PARTS, PAUSED, PROPAGATION, QUEUE, RECEIVE, SWITCH, WIRE } from './parts.ts'
import { PartRows } from './part-rows.ts'
import { Spans } from './spans.ts'

const ints = INTS
const CLASSES = 8

export const autopsy = defineMetric({
  name: 'autopsy',
  help: 'what the completion time of each message consists of: columns of the flow table that add up to it',
  source: 'own: docs/models/autopsy.md',
  params: {},
  create(_values, context) {
    const taken = new Autopsy(context)
    return {
      name: 'autopsy',
      watch: taken,
      flowColumns: (flows, nowPs) => taken.columns(flows, nowPs),
    }
  },
})

class Autopsy implements Watch, FrameWatch, PortTimes {
  readonly #context: MetricContext
  readonly #copies = new Copies()
  /** By queue pair; undefined: it was released. */
  readonly #clocks: (PairClock | undefined)[] = []
  readonly #rows = new PartRows()
  /** By port and class, and by port; created at the first span. */
  readonly #pauses: (Spans | undefined)[] = []
  readonly #downs: (Spans | undefined)[] = []
  readonly #parts = new Float64Array(PART_COUNT)

  constructor(context: MetricContext) {
    const { network } = context
    this.#context = context
    for (const { id } of network.ports) network.fabric.transmitter.watch(id, this)
    const { queue } = network.fabric
    context.watchPairs((pair, { sender, receiver }) => {
      const clock = new PairClock(pair, network.nics[pair.source]!.port.id, this, () => queue.nowPs)
      this.#clocks[pair.id] = clock
      sender.watch = clock
      receiver.watch = {
        onRead: () => clock.onRead(),
        onWhole: (nowPs, messages, ordinal) => this.#finish(clock, nowPs, messages, ordinal),
      }
    })
    network.pairs.onRelease.push((pair: QueuePair) => {
      this.#clocks[pair.id] = undefined
    })
  }

  onStart(nowPs: number, port: number, packet: number, reachPs: number): void {
    const kind = ints[packet | KIND]!
    if (kind !== DATA && kind !== TRIMMED) return
    const direction = ints[packet | DIRECTION]!
    if ((direction & 1) !== 0) return
    const clock = this.#clocks[direction >> 1]
    if (clock === undefined) return
    const { at, transmitPs } = this.#context.network.ports[port]!
    const ordinal = ints[packet | ORDINAL]!
    if (at === null) {
      clock.onStart(nowPs, port, (ints[packet | FLAGS]! & RETRANSMITTED) !== 0, transmitPs[ints[packet | SIZE]!]!)
      this.#copies.begin(ordinal, direction, clock.sums)
    }
    const trafficClass = at === null ? clock.pair.trafficClass : at.trafficClassOf(packet)
    this.#copies.hop(ordinal, direction, port, nowPs, reachPs, trafficClass)
  }

  onPfcReceived(): void {}

  onPauseChanged(nowPs: number, port: number, trafficClass: number, isPaused: boolean): void {
    const spans = (this.#pauses[port * CLASSES + trafficClass] ??= new Spans())
    if (isPaused) spans.open(nowPs)
    else spans.close(nowPs)
  }

  onLink(nowPs: number, port: number, isUp: boolean): void {
    const spans = (this.#downs[port] ??= new Spans())
    if (isUp) spans.close(nowPs)
    else spans.open(nowPs)
  }

  onDrop(): void {}

  downPs(port: number, fromPs: number, toPs: number): number {
    return this.#downs[port]?.within(fromPs, toPs) ?? 0
  }

  pausedPs(port: number, trafficClass: number, fromPs: number, toPs: number): number {
    return this.#pauses[port * CLASSES + trafficClass]?.within(fromPs, toPs) ?? 0
  }

  /** Columns for the rows of the flow table, in the order of its rows. */
  columns(flows: Table, nowPs: number): Column[] {
    const open: { readonly clock: PairClock; readonly message: OpenMessage }[] = []
    for (const clock of this.#clocks) for (const message of clock?.open ?? []) open.push({ clock: clock!, message })
    const rows = this.#rows.copy()
    for (const { clock, message } of open) {
      const parts = this.#parts.fill(0)
      if (nowPs > message.postedPs) clock.split(message, nowPs, clock.sumsAt(nowPs), parts)
      rows.add(clock.pair.id, message.number, parts)
    }
    return rows.columns(
      numbersOf(flows, 'pair'),
      PARTS.map(({ column }) => column),
    )
  }

  /** The packet of this record has completed the oldest messages of its queue pair. */
  #finish(clock: PairClock, nowPs: number, messages: number, ordinal: number): void {
    const { pair } = clock
    const hops = this.#copies.hopsOf(ordinal, pair.id * 2)
    const sums = this.#copies.sumsOf(ordinal)
    const leftPs = hops[0]?.startPs ?? nowPs
    for (let left = messages; left > 0; left--) {
      const message = clock.take()
      const { postedPs } = message
      const parts = this.#parts.fill(0)
      if (leftPs > postedPs) clock.split(message, leftPs, hops.length === 0 ? clock.sumsAt(nowPs) : sums, parts)
      this.#addPath(hops, postedPs, nowPs, parts)
      assert(
        parts.reduce((sum, part) => sum + part, 0) === nowPs - postedPs,
        'the parts of a completion time add up to it',
      )
      this.#rows.add(pair.id, message.number, parts)
    }
  }

  /** Adds the way of a packet to the parts of a message that was posted at `postedPs` and is complete at `wholePs`. */
  #addPath(hops: readonly Hop[], postedPs: number, wholePs: number, parts: Float64Array): void {
    const { ports, switches } = this.#context.network
    const add = (part: number, fromPs: number, toPs: number): void => {
      parts[part]! += Math.max(0, toPs - Math.max(fromPs, postedPs))
    }
    hops.forEach(({ port, startPs, reachPs }, i) => {
      const outPs = startPs + reachPs
      const arrivalPs = outPs + ports[port]!.delayPs
      add(WIRE, startPs, outPs)
      add(PROPAGATION, outPs, arrivalPs)
      const next = hops[i + 1]
      if (next === undefined) {
        add(RECEIVE, arrivalPs, wholePs)
        return
      }
      const queuedPs = Math.min(next.startPs, arrivalPs + switches[ports[next.port]!.node]!.latencyPs)
      add(SWITCH, arrivalPs, queuedPs)
      const fromPs = Math.max(queuedPs, Math.min(postedPs, next.startPs))
      const pausedPs = this.pausedPs(next.port, next.trafficClass, fromPs, next.startPs)
      parts[PAUSED]! += pausedPs
      parts[QUEUE]! += next.startPs - fromPs - pausedPs
    })
  }
}
