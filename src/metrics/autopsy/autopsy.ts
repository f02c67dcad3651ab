/**
 * Autopsy: for every message, the parts that its completion time consists of, as columns of the flow table. Their sum is
 * the completion time at the receiver, to the picosecond. The definition is docs/models/autopsy.md.
 * The sender's part comes from a clock of each queue pair (pair-clock.ts), the network's from the paths of packets
 * (copies.ts, journeys.ts); the packet that completes a message joins the two.
 */
import { assert } from '../../base/assert.ts'
import { INTS } from '../../base/memory.ts'
import { flag } from '../../base/params.ts'
import type { QueuePair } from '../../fabric/pairs/queue-pair.ts'
import type { Switch } from '../../fabric/switch/switch.ts'
import { DIRECTION, FLAGS, KIND, ORDINAL, PFC } from '../../fabric/packets.ts'
import type { FrameWatch, Watch } from '../../fabric/watch.ts'
import { type Column, numbersOf, type Table } from '../../results/table.ts'
import { DATA, READ_REQUEST, RETRANSMITTED, TRIMMED } from '../../transport/segment.ts'
import { CLASSES } from '../pauses/classes.ts'
import { rowLimit, tableName, tableParams } from '../limits.ts'
import { defineMetric, type MetricContext } from '../metric.ts'
import { watchSender } from '../joint-watch.ts'
import { PauseOrigins } from '../pauses/pause-origins.ts'
import { Copies, type Hop } from './copies.ts'
import { Departures, type Horizon } from './departures.ts'
import { HopRows, NAMED } from './hop-rows.ts'
import { Journeys } from './journeys.ts'
import { PairClock, type OpenMessage, type Surroundings } from './pair-clock.ts'
import { ACK_PARTS, PARTS, WIRE } from '../../results/flow-parts.ts'
import { PartRows } from './part-rows.ts'
import { Spans } from './spans.ts'
import {
  AT_HOST,
  BITS_AT,
  DIRECTION_AT,
  HIGHEST_AT,
  IS_AGAIN,
  IS_DATA,
  ORDINAL_AT,
  PORT_AT,
  REACH_PS_AT,
  START_PS_AT,
  Starts,
  TRANSMIT_PS_AT,
  WIDTH,
} from './starts.ts'
import { PART_COUNT } from './sums.ts'

const ints = INTS

export const autopsy = defineMetric({
  name: 'autopsy',
  tableKind: 'autopsy/hops',
  help: 'what the completion time of each message consists of: columns of the flow table that add up to it',
  source: 'own: docs/models/autopsy.md',
  params: {
    acks: flag({
      default: false,
      help: 'parts, too, of the time from the completion at the receiver to that at the sender: the journey of the ACK',
    }),
    ...tableParams,
  },
  create(values, context) {
    const name = tableName(values, 'autopsy')
    const taken = new Autopsy(context, rowLimit(values, context), values.acks)
    return {
      name,
      watch: taken,
      ...(values.acks && { onAcknowledged: (nowPs, pair, message) => taken.onAcknowledged(nowPs, pair, message) }),
      flowColumns: (flows, nowPs) => taken.columns(flows, nowPs),
      table: () => taken.hops(name),
    }
  },
})

class Autopsy implements Watch, FrameWatch, Surroundings {
  readonly #context: MetricContext
  readonly #copies = new Copies()
  readonly #starts = new Starts()
  /** By queue pair; undefined: it was released. */
  readonly #clocks: (PairClock | undefined)[] = []
  readonly #rows: PartRows
  readonly #hasAcks: boolean
  readonly #hops: HopRows
  /** By port; null: of a host. */
  readonly #switches: readonly (Switch | null)[]
  readonly #horizon: Horizon & { knownPs: number } = {
    knownPs: 0,
    renew: () => {
      const { fabric } = this.#context.network
      // Many events pay for the search, for each packet that it has to look at.
      if (fabric.counters.packetHops < this.#renewFrom) return
      this.#renewFrom = fabric.counters.packetHops + 32 * fabric.packets.room
      this.#horizon.knownPs = this.#pathsFromPs()
    },
  }
  #renewFrom = 0
  readonly #origins: PauseOrigins
  /** By port of a switch: frames that left it. */
  readonly #departures: (Departures | undefined)[] = []
  /** By port and class, and by port; created at the first span. */
  readonly #pauses: (Spans | undefined)[] = []
  readonly #downs: (Spans | undefined)[] = []
  readonly #journeys: Journeys
  readonly #parts = new Float64Array(PART_COUNT)
  readonly #ackParts = new Float64Array(ACK_PARTS.length)

  constructor(context: MetricContext, maxRows: number, hasAcks: boolean) {
    const { network, topology } = context
    this.#context = context
    this.#hasAcks = hasAcks
    this.#journeys = new Journeys(network, this.#pauses)
    this.#rows = new PartRows([...PARTS, ...(hasAcks ? ACK_PARTS : [])].map(({ column }) => column))
    this.#hops = new HopRows(maxRows)
    this.#switches = network.ports.map(({ node }) => network.switches[node] ?? null)
    this.#origins = new PauseOrigins(network, topology.names, (nowPs, port, trafficClass, origin) => {
      const spans = (this.#pauses[port * CLASSES + trafficClass] ??= new Spans())
      if (origin < 0) spans.close(nowPs)
      else spans.open(nowPs, origin)
      if (spans.isLong) spans.forget(this.#horizonPs(nowPs))
    })
    for (const { id } of network.ports) network.fabric.transmitter.watch(id, this)
    const { queue } = network.fabric
    context.watchPairs((pair, { sender, receiver }) => {
      const clock = new PairClock(pair, network.nics[pair.source]!.port.id, this, () => queue.nowPs)
      this.#clocks[pair.id] = clock
      watchSender(sender, clock)
      receiver.watch = {
        onRead: () => clock.onQueued(),
        onWhole: (nowPs, messages, ordinal) => this.#finish(clock, nowPs, messages, ordinal),
      }
    })
    network.pairs.onRelease.push((pair: QueuePair) => {
      this.#clocks[pair.id] = undefined
    })
  }

  onStart(nowPs: number, port: number, packet: number, transmitPs: number, reachPs: number): void {
    const kind = ints[packet | KIND]!
    if (!this.#isFollowed(kind)) return
    const isData = kind === DATA || kind === TRIMMED
    if (this.#starts.isFull) this.#lookAtStarts()
    const direction = ints[packet | DIRECTION]!
    const device = this.#switches[port]!
    const { rows } = this.#starts
    const at = this.#starts.next()
    rows[at + ORDINAL_AT] = ints[packet | ORDINAL]!
    rows[at + DIRECTION_AT] = direction
    rows[at + START_PS_AT] = nowPs
    rows[at + TRANSMIT_PS_AT] = transmitPs
    rows[at + REACH_PS_AT] = reachPs
    if (device !== null) {
      rows[at + PORT_AT] = port * CLASSES + device.trafficClassOf(packet)
      rows[at + BITS_AT] = isData ? IS_DATA : 0
      return
    }
    rows[at + PORT_AT] = port * CLASSES
    const isAgain = (ints[packet | FLAGS]! & RETRANSMITTED) !== 0
    rows[at + BITS_AT] = AT_HOST | (isData ? IS_DATA : 0) | (isAgain ? IS_AGAIN : 0)
    if (isData) rows[at + HIGHEST_AT] = this.#clocks[direction >> 1]?.pair.sender.highest ?? 0
  }

  /** Whether the path of a packet of this kind is kept. */
  #isFollowed(kind: number): boolean {
    return kind === DATA || kind === TRIMMED || kind === READ_REQUEST || (this.#hasAcks && kind !== PFC)
  }

  catchUp(): void {
    if (this.#starts.end > 0) this.#lookAtStarts()
  }

  #lookAtStarts(): void {
    const { rows, end } = this.#starts
    for (let at = 0; at < end; at += WIDTH) {
      const bits = rows[at + BITS_AT]!
      if ((bits & AT_HOST) !== 0) this.#leaveHost(at)
      else if ((bits & IS_DATA) !== 0) this.#leaveSwitch(at)
      this.#copies.hop(
        rows[at + ORDINAL_AT]!,
        rows[at + DIRECTION_AT]!,
        rows[at + PORT_AT]!,
        rows[at + START_PS_AT]!,
        rows[at + REACH_PS_AT]!,
      )
    }
    this.#starts.end = 0
  }

  #leaveHost(at: number): void {
    const { rows } = this.#starts
    const bits = rows[at + BITS_AT]!
    const direction = rows[at + DIRECTION_AT]!
    const clock = (bits & IS_DATA) === 0 ? undefined : this.#clocks[direction >> 1]
    if (clock !== undefined)
      clock.onStart(
        rows[at + START_PS_AT]!,
        rows[at + PORT_AT]! >> 3,
        (bits & IS_AGAIN) !== 0,
        rows[at + TRANSMIT_PS_AT]!,
        rows[at + HIGHEST_AT]!,
      )
    this.#copies.begin(rows[at + ORDINAL_AT]!, direction, clock === undefined ? null : clock.sums)
  }

  #leaveSwitch(at: number): void {
    const { rows } = this.#starts
    const startPs = rows[at + START_PS_AT]!
    const departures = (this.#departures[rows[at + PORT_AT]! >> 3] ??= new Departures())
    departures.add(startPs, startPs + rows[at + TRANSMIT_PS_AT]!, rows[at + DIRECTION_AT]! >> 1, this.#horizon)
  }

  onPfcReceived(): void {}

  onPauseChanged(nowPs: number, port: number, trafficClass: number, isPaused: boolean): void {
    this.#origins.onPauseChanged(nowPs, port, trafficClass, isPaused)
  }

  onLink(nowPs: number, port: number, isUp: boolean): void {
    const spans = (this.#downs[port] ??= new Spans())
    if (isUp) spans.close(nowPs)
    else spans.open(nowPs)
  }

  onDrop(): void {}

  hopsAt(record: number): readonly Hop[] {
    this.catchUp()
    return this.#copies.hopsAt(record)
  }

  downPs(port: number, fromPs: number, toPs: number): number {
    return this.#downs[port]?.within(fromPs, toPs) ?? 0
  }

  pausedPs(port: number, trafficClass: number, fromPs: number, toPs: number): number {
    return this.#pauses[port * CLASSES + trafficClass]?.within(fromPs, toPs) ?? 0
  }

  /** Columns for the rows of the flow table, in the order of its rows. */
  columns(flows: Table, nowPs: number): Column[] {
    this.catchUp()
    const open: { readonly clock: PairClock; readonly message: OpenMessage }[] = []
    for (const clock of this.#clocks) for (const message of clock?.open ?? []) open.push({ clock: clock!, message })
    const rows = this.#rows.copy()
    for (const { clock, message } of open) {
      const parts = this.#parts.fill(0)
      if (nowPs > message.postedPs) clock.split(message, nowPs, clock.sumsAt(nowPs), parts)
      const byOrigin = new Map<number, number>()
      this.#journeys.splitRequest(message, nowPs, parts, byOrigin)
      this.#addSenderOrigins(clock, message, nowPs, byOrigin)
      rows.add(clock.pair.id, message.number, parts, ...mostOf(byOrigin))
    }
    return rows.columns(numbersOf(flows, 'pair'), this.#origins.list)
  }

  /** The table of hops. */
  hops(name: string): Table {
    const { network, topology } = this.#context
    return this.#hops.table(name, {
      origins: this.#origins.list,
      portOf: (port) => {
        const { node, index } = network.ports[port]!
        return { node, index, name: topology.names[node] ?? '' }
      },
    })
  }

  /** The packet of this record has completed the oldest messages of its queue pair. */
  #finish(clock: PairClock, nowPs: number, messages: number, ordinal: number): void {
    this.catchUp()
    const { pair } = clock
    const hops = this.#copies.hopsOf(ordinal, pair.id * 2)
    const sums = this.#copies.sumsOf(ordinal)
    const leftPs = hops[0]?.startPs ?? nowPs
    for (let left = messages; left > 0; left--) {
      const message = clock.take()
      const { postedPs } = message
      const parts = this.#parts.fill(0)
      if (leftPs > postedPs) clock.split(message, leftPs, hops.length === 0 ? clock.sumsAt(nowPs) : sums, parts)
      const byOrigin = new Map<number, number>()
      this.#addSenderOrigins(clock, message, leftPs, byOrigin)
      this.#journeys.splitRequest(message, leftPs, parts, byOrigin)
      this.#journeys.add(hops, postedPs, nowPs, { parts, from: WIRE, byOrigin })
      assert(
        parts.reduce((sum, part) => sum + part, 0) === nowPs - postedPs,
        'the parts of a completion time add up to it',
      )
      const row = this.#rows.add(pair.id, message.number, parts, ...mostOf(byOrigin))
      if (this.#hasAcks && pair.isAcknowledged)
        clock.unacknowledged.push({ number: message.number, row, wholePs: nowPs })
      this.#addHops(pair.id, message.number, hops)
    }
  }

  /** A message is complete at its sender, too. */
  onAcknowledged(nowPs: number, pair: QueuePair, message: number): void {
    const clock = this.#clocks[pair.id]
    if (clock?.unacknowledged[0]?.number !== message) return
    const { row, wholePs } = clock.unacknowledged.shift()!
    const parts = this.#ackParts.fill(0)
    const { reply } = clock
    const leftPs = Math.max(wholePs, reply[0]?.startPs ?? nowPs)
    parts[0] = leftPs - wholePs
    this.#journeys.add(reply, wholePs, nowPs, { parts, from: 1, byOrigin: new Map() })
    assert(
      parts.reduce((sum, part) => sum + part, 0) === nowPs - wholePs,
      'the parts of an ACK add up to the time between the two completions',
    )
    this.#rows.addAck(row, parts)
  }

  /** Adds the pauses of a message's sender by their origin. */
  #addSenderOrigins(clock: PairClock, message: OpenMessage, toPs: number, byOrigin: Map<number, number>): void {
    const { trafficClass } = clock.pair
    clock.visitPauses(message, toPs, (from, to, port) => {
      this.#pauses[port * CLASSES + trafficClass]?.addWithin(from, to, byOrigin)
    })
  }

  /** Adds the path of a packet to the table of hops. */
  #addHops(pair: number, message: number, hops: readonly Hop[]): void {
    if (!this.#hops.isOpen) return this.#hops.leaveOut(hops.length)
    const { ports } = this.#context.network
    let queuedPs = hops[0]?.startPs ?? 0
    hops.forEach((hop, i) => {
      const { port, startPs, reachPs, trafficClass } = hop
      const spans = this.#pauses[port * CLASSES + trafficClass]
      const byOrigin = new Map<number, number>()
      spans?.addWithin(queuedPs, startPs, byOrigin)
      const [origin, originPs] = mostOf(byOrigin)
      const pausedPs = spans?.within(queuedPs, startPs) ?? 0
      const before = this.#before(hop, queuedPs)
      this.#hops.add({
        pair,
        message,
        hop: i,
        port,
        queuedPs,
        startPs,
        wirePs: reachPs,
        pausedPs,
        origin,
        originPs,
        before,
      })
      const next = hops[i + 1]
      if (next !== undefined) queuedPs = this.#journeys.queuedPs(next, startPs + reachPs + ports[port]!.delayPs)
    })
  }

  /** Queue pairs whose frames left the port while a packet waited there and the port was not paused; most time first. */
  #before({ port, startPs, trafficClass }: Hop, queuedPs: number): [pair: number, spanPs: number][] {
    const spans = this.#pauses[port * CLASSES + trafficClass]
    const byPair = new Map<number, number>()
    this.#departures[port]?.visit(queuedPs, startPs, (pair, fromPs, toPs) => {
      const spanPs = toPs - fromPs - (spans?.within(fromPs, toPs) ?? 0)
      if (spanPs > 0) byPair.set(pair, (byPair.get(pair) ?? 0) + spanPs)
    })
    return [...byPair].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, NAMED)
  }

  /** Since when the paths of packets that are in the network are known: nothing earlier is asked of a switch's ports. */
  #pathsFromPs(): number {
    const { fabric } = this.#context.network
    let leastPs = fabric.queue.nowPs
    for (const packet of fabric.packets.living()) {
      if (this.#isFollowed(ints[packet | KIND]!))
        leastPs = Math.min(leastPs, this.#copies.startPs(ints[packet | ORDINAL]!))
    }
    return leastPs
  }

  /** Nothing is asked of pauses before that time: of a packet in the network, or of a message that is not complete. */
  #horizonPs(nowPs: number): number {
    const pathsPs = this.#pathsFromPs()
    return this.#clocks.reduce((least, clock) => Math.min(least, clock?.open[0]?.postedPs ?? nowPs), pathsPs)
  }
}

/** The cause with the most time, and that time; -1 and 0: there is none. */
function mostOf(byCause: ReadonlyMap<number, number>): [cause: number, spanPs: number] {
  let most: [number, number] = [-1, 0]
  for (const [cause, spanPs] of byCause) if (spanPs > most[1]) most = [cause, spanPs]
  return most
}
