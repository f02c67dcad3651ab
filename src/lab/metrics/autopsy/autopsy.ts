/**
 * Autopsy: for every message, the parts that its completion time consists of, as columns of the flow table. Their sum is
 * the completion time at the receiver, to the picosecond. The definition is docs/models/autopsy.md.
 * The sender's part comes from a clock of each queue pair (pair-clock.ts), the network's from the paths of packets
 * (copies.ts, journeys.ts); the packet that completes a message joins the two.
 */
import { assert } from '../../../core/base/assert.ts'
import { INTS } from '../../../core/base/memory.ts'
import { flag } from '../../../core/base/params.ts'
import type { QueuePair } from '../../../core/fabric/pairs/queue-pair.ts'
import { KIND, ORDINAL, PFC, PSN } from '../../../core/fabric/packets.ts'
import type { Watch } from '../../../core/fabric/watch.ts'
import { DATA } from '../../../core/transport/segment.ts'
import { type Column, numbersOf, type Table } from '../../../core/results/table.ts'
import { CLASSES } from '../pauses/classes.ts'
import { rowLimit, tableName, tableParams } from '../limits.ts'
import { defineMetric, type MetricContext } from '../metric.ts'
import { watchSender } from '../joint-watch.ts'
import { PauseOrigins } from '../pauses/pause-origins.ts'
import { type Hop } from './copies.ts'
import { Frames } from './frames.ts'
import { Losses } from './losses.ts'
import { LOST_REPLY } from './held-pair.ts'
import { HopRows } from './hop-rows.ts'
import { Journeys } from './journeys.ts'
import { type PortName, PortTotals } from './port-totals.ts'
import { Roots } from './roots.ts'
import { Blame, Weights } from './blame.ts'
import { BlameRows } from './blame-rows.ts'
import { Origins } from '../pauses/origins.ts'
import type { Whole } from './held-acks.ts'
import { PairClock, type Surroundings } from './pair-clock.ts'
import { ACK_HELD, ACK_RECEIVE, ACK_WIRE, ALL_PARTS, PARTS, RECEIVE, WIRE } from '../../../core/results/flow-parts.ts'
import { partsOf } from '../../../core/results/part-columns.ts'
import { originColumns } from './origin-columns.ts'
import { partColumns } from './part-columns.ts'
import { Spans } from './spans.ts'
import { PART_COUNT, SumsPool } from './sums.ts'

const ints = INTS

/** Control frames, which are not followed, keep a NIC busy for less. */
const STILL_PS = 10e6

export const autopsy = defineMetric({
  name: 'autopsy',
  tableKind: 'autopsy/hops',
  help: 'what the completion time of each message consists of: columns of the flow table that add up to it',
  source: 'own: docs/models/autopsy.md',
  params: {
    acks: flag({
      default: false,
      help: 'parts, too, of the time from the completion at the receiver to that at the sender: the journey of the ACK; always with `measure.completion: sender`',
    }),
    ...tableParams,
  },
  create(values, context) {
    const name = tableName(values, 'autopsy')
    const hasAcks = values.acks || context.completion === 'sender'
    const taken = new Autopsy(context, rowLimit(values, context), hasAcks)
    return {
      name,
      watch: taken,
      ...(hasAcks && { onAcknowledged: (nowPs, pair, message) => taken.onAcknowledged(nowPs, pair, message) }),
      flowColumns: (flows, nowPs) => taken.columns(flows, nowPs),
      table: () => taken.hops(name),
      others: (nowPs) => [
        { ...taken.blames(`${name}-origins`, nowPs), kind: 'autopsy/origins' },
        { ...taken.totals(`${name}-ports`), kind: 'autopsy/ports' },
      ],
    }
  },
})

class Autopsy implements Watch, Surroundings {
  readonly #context: MetricContext
  readonly #frames: Frames
  readonly #losses: Losses
  /** By queue pair; undefined: it was released. */
  readonly #clocks: (PairClock | undefined)[] = []
  readonly #rows = new BlameRows()
  readonly #hasAcks: boolean
  readonly #hops: HopRows
  readonly #origins: Origins
  readonly #pauseOrigins: PauseOrigins
  readonly #roots: Roots
  readonly #blame = new Blame()
  readonly sums = new SumsPool()
  readonly #blames = new BlameRows()
  readonly #totals: PortTotals
  /** By port and class, and by port; created at the first span. */
  readonly #pauses: (Spans | undefined)[] = []
  readonly #downs: (Spans | undefined)[] = []
  readonly #journeys: Journeys
  readonly #parts = new Float64Array(PART_COUNT)
  /** Pauses that are looked at now. */
  readonly #pauseWeights = new Weights()
  readonly #ackParts = new Float64Array(ALL_PARTS.length)

  constructor(context: MetricContext, maxRows: number, hasAcks: boolean) {
    const { network, topology } = context
    this.#context = context
    this.#hasAcks = hasAcks
    this.#origins = new Origins(network, topology.names)
    this.#totals = new PortTotals(network.ports.length)
    this.#roots = new Roots(network, this.#origins, this.#pauses)
    this.#journeys = new Journeys(network, this.#roots)
    this.#hops = new HopRows(maxRows)
    this.#losses = new Losses(network, this.#origins, this.#roots, this.#totals)
    this.#frames = new Frames({
      network,
      origins: this.#origins,
      roots: this.#roots,
      totals: this.#totals,
      clocks: this.#clocks,
      hasAcks,
    })
    const owedTo = (port: number, trafficClass: number): number => {
      this.catchUp()
      return this.#roots.owedTo(port, trafficClass, network.fabric.queue.nowPs)
    }
    this.#pauseOrigins = new PauseOrigins(network, this.#origins, owedTo, (nowPs, port, trafficClass, origin) => {
      const spans = (this.#pauses[port * CLASSES + trafficClass] ??= new Spans())
      if (origin < 0) spans.close(nowPs)
      else {
        spans.open(nowPs, origin)
        this.#notePause(port, trafficClass, origin)
      }
      if (!spans.isLong) return
      this.#frames.settle()
      spans.forget(this.#horizonPs(nowPs))
    })
    const { queue } = network.fabric
    context.watchPairs((pair, { sender, receiver }) => {
      const [near, far] = [network.nics[pair.source]!, network.nics[pair.destination]!]
      const { ackClass } = far.options
      const farClass = ackClass < 0 ? pair.trafficClass : ackClass
      const ports = { near: near.port.id, far: far.port.id, farClass }
      const clock = new PairClock(pair, ports, this, () => queue.nowPs)
      this.#clocks[pair.id] = clock
      watchSender(sender, clock)
      receiver.watch = {
        onRead: () => clock.onQueued(),
        onWhole: (nowPs, messages, ordinal) => this.#finish(clock, nowPs, messages, ordinal),
      }
    })
    network.pairs.onRelease.push((pair: QueuePair) => {
      this.#frames.settle()
      this.#clocks[pair.id]?.end()
      this.#clocks[pair.id] = undefined
    })
  }

  catchUp(): void {
    this.#frames.catchUp()
  }

  get notes(): Frames {
    return this.#frames
  }

  onPfcReceived(): void {}

  onPauseChanged(nowPs: number, port: number, trafficClass: number, isPaused: boolean): void {
    this.#pauseOrigins.onPauseChanged(nowPs, port, trafficClass, isPaused)
  }

  onLink(nowPs: number, port: number, isUp: boolean): void {
    const spans = (this.#downs[port] ??= new Spans())
    if (isUp) spans.close(nowPs)
    else spans.open(nowPs)
  }

  onDrop(nowPs: number, node: number, reason: number, direction: number, _sizeBytes: number, packet: number): void {
    if (ints[packet | KIND] === PFC) return
    const clock = this.#clocks[direction >> 1]
    if (clock === undefined) return
    const origin = this.#losses.originOf(node, reason, packet)
    const isReply = (direction & 1) === 1
    this.#frames.noteLoss(direction >> 1, origin, ints[packet | KIND] === DATA ? ints[packet | PSN]! : LOST_REPLY)
    if (!isReply || clock.acks.wholes.length === 0) return
    if (this.#frames.isLeftOut(ints[packet | ORDINAL]!)) return
    this.catchUp()
    const hops = this.#frames.copies.hopsOf(ints[packet | ORDINAL]!, direction)
    clock.acks.onLoss(ints[packet | KIND]!, hops[0]?.startPs ?? nowPs, origin)
  }

  linkOrigin(port: number): number {
    return this.#losses.linkOrigin(port)
  }

  portOrigin(port: number): number {
    return this.#roots.portOrigin(port)
  }

  /** A pause begins at a port of the switch that asks for it. */
  #notePause(paused: number, trafficClass: number, origin: number): void {
    const { kind, node, port } = this.#origins.list[origin]!
    const { peer } = this.#context.network.ports[paused]!
    if (kind !== 'switch' || node !== peer.node || port < 0) return
    const at = this.#context.network.switches[node]!.ports[port]!
    this.#totals.pause(at.id, at.queue.bytesOf(trafficClass))
  }

  nicOrigin(port: number, fromPs: number, toPs: number): number {
    const isBusy = this.#frames.sentUntilPs[port]! > fromPs || toPs - fromPs < STILL_PS
    if (isBusy) return this.#roots.portOrigin(port)
    return this.#origins.numberOf('storm', this.#context.network.ports[port]!.node, -1)
  }

  hostOrigin(endpoint: number): number {
    return this.#origins.numberOf('host', this.#context.network.nics[endpoint]!.node, -1)
  }

  hopsAt(record: number): readonly Hop[] {
    this.catchUp()
    return this.#frames.copies.hopsAt(record)
  }

  downPs(port: number, fromPs: number, toPs: number): number {
    return this.#downs[port]?.within(fromPs, toPs) ?? 0
  }

  addPauses(port: number, trafficClass: number, fromPs: number, toPs: number, byOrigin: Weights): number {
    return this.#roots.addPauses(port * CLASSES + trafficClass, fromPs, toPs, byOrigin)
  }

  /** Columns for the rows of the flow table, in the order of its rows. */
  columns(flows: Table, nowPs: number): Column[] {
    this.catchUp()
    const rows = this.#rows.copy()
    const blames = this.#blames.copy()
    this.#visitOpen(nowPs, (pair, message) => {
      rows.addParts(pair, message, this.#parts, 0)
      blames.add(pair, message, this.#blame)
    })
    this.#visitHeldAcks(nowPs, (pair, { number }) => {
      rows.addParts(pair, number, this.#ackParts, ACK_HELD)
      blames.add(pair, number, this.#blame)
    })
    const pairOf = numbersOf(flows, 'pair')
    const columns = partColumns(rows, pairOf, this.#hasAcks ? ALL_PARTS : PARTS)
    const parts = partsOf(this.#context.completion)
    const waits = parts.flatMap(({ isWait }, part) => (isWait ? [columns[part]!.data] : []))
    // A READ has no parts of an ACK.
    const waitPs = pairOf.map((_, row) => waits.reduce((sum, data) => sum + (data[row]! || 0), 0))
    return [...columns, ...originColumns(pairOf, waitPs, parts, blames, this.#origins.list)]
  }

  /** The table of origins. */
  blames(name: string, nowPs: number): Table {
    this.catchUp()
    const rows = this.#blames.copy()
    this.#visitOpen(nowPs, (pair, message) => rows.add(pair, message, this.#blame))
    this.#visitHeldAcks(nowPs, (pair, { number }) => rows.add(pair, number, this.#blame))
    return rows.table(name, this.#origins.list, this.#context.topology.names)
  }

  /** Finds parts and blame, up to now, of each message that is not complete. */
  #visitOpen(nowPs: number, look: (pair: number, message: number) => void): void {
    for (const clock of this.#clocks) {
      if (clock === undefined || clock.open.length === 0) continue
      clock.at(nowPs, (sums) => {
        for (const message of clock.open) {
          const parts = this.#parts.fill(0)
          this.#blame.clear()
          if (nowPs > message.postedPs) clock.split(message, nowPs, sums, parts)
          this.#journeys.splitRequest(message, nowPs, parts, this.#blame)
          clock.held.blame(message, nowPs, parts, this.#blame)
          look(clock.pair.id, message.number)
        }
      })
    }
  }

  /** The same of the ACK of each message that is complete at its receiver only. */
  #visitHeldAcks(nowPs: number, look: (pair: number, whole: Whole) => void): void {
    for (const clock of this.#clocks) {
      for (const whole of clock?.acks.wholes ?? []) {
        this.#splitAck(clock!, whole.wholePs, [], nowPs)
        look(clock!.pair.id, whole)
      }
    }
  }

  /** The table of hops. */
  hops(name: string): Table {
    return this.#hops.table(name, { origins: this.#origins.list, portOf: (port) => this.#portOf(port) })
  }

  /** The table of ports. */
  totals(name: string): Table {
    return this.#totals.table(
      name,
      (port) => this.#roots.sentOf(port),
      (port) => this.#portOf(port),
    )
  }

  #portOf(port: number): PortName {
    const { network, topology } = this.#context
    const { node, index } = network.ports[port]!
    return { node, index, name: topology.names[node] ?? '' }
  }

  /** The packet of this record has completed the oldest messages of its queue pair. */
  #finish(clock: PairClock, nowPs: number, messages: number, ordinal: number): void {
    this.catchUp()
    const { pair } = clock
    const hops = this.#frames.copies.hopsOf(ordinal, pair.id * 2)
    const sums = this.#frames.copies.sumsOf(ordinal)
    const leftPs = hops[0]?.startPs ?? nowPs
    for (let left = messages; left > 0; left--) {
      const message = clock.take()
      const { postedPs } = message
      const parts = this.#parts.fill(0)
      const blame = this.#blame
      blame.clear()
      if (leftPs > postedPs && hops.length > 0) clock.split(message, leftPs, sums, parts)
      else if (leftPs > postedPs) clock.at(nowPs, (now) => clock.split(message, leftPs, now, parts))
      this.#journeys.splitRequest(message, leftPs, parts, blame)
      clock.held.blame(message, leftPs, parts, blame)
      clock.held.deliver(message.endPsn)
      this.#journeys.add(hops, postedPs, nowPs, { parts, from: WIRE, blame })
      blame.add(RECEIVE, this.hostOrigin(pair.destination), parts[RECEIVE]!)
      assert(
        parts.reduce((sum, part) => sum + part, 0) === nowPs - postedPs,
        'the parts of a completion time add up to it',
      )
      this.#rows.addParts(pair.id, message.number, parts, 0)
      this.#blames.add(pair.id, message.number, blame)
      if (this.#hasAcks && pair.isAcknowledged) clock.acks.add(message.number, nowPs)
      this.#addHops(pair.id, message.number, hops)
      clock.giveBack(message)
    }
  }

  /** A message is complete at its sender, too. */
  onAcknowledged(nowPs: number, pair: QueuePair, message: number): void {
    const clock = this.#clocks[pair.id]
    const whole = clock?.acks.wholes[0]
    if (clock === undefined || whole?.number !== message) return
    this.#splitAck(clock, whole.wholePs, clock.acks.reply, nowPs)
    clock.acks.take()
    this.#rows.addParts(pair.id, message, this.#ackParts, ACK_HELD)
    this.#blames.add(pair.id, message, this.#blame)
  }

  /** Finds parts and blame of the time since a message was whole. @param reply way of the packet that acknowledges it; none: up to now */
  #splitAck(clock: PairClock, wholePs: number, reply: readonly Hop[], nowPs: number): void {
    const parts = this.#ackParts.fill(0)
    const blame = this.#blame
    blame.clear()
    const leftPs = Math.max(wholePs, reply[0]?.startPs ?? nowPs)
    parts[ACK_HELD] = leftPs - wholePs
    blame.share(ACK_HELD, leftPs - wholePs, clock.acks.holders(wholePs, leftPs))
    this.#journeys.add(reply, wholePs, nowPs, { parts, from: ACK_WIRE, blame })
    blame.add(ACK_RECEIVE, this.hostOrigin(clock.pair.source), parts[ACK_RECEIVE]!)
    assert(
      parts.reduce((sum, part) => sum + part, 0) === nowPs - wholePs,
      'the parts of an ACK add up to the time between the two completions',
    )
  }

  /** Adds the path of a packet to the table of hops. */
  #addHops(pair: number, message: number, hops: readonly Hop[]): void {
    if (!this.#hops.isOpen) {
      this.#frames.forgetDepartures()
      return this.#hops.leaveOut(hops.length)
    }
    hops.forEach((hop, i) => {
      const { port, startPs, reachPs, queuedPs, trafficClass } = hop
      const pausedBy = this.#pauseWeights
      pausedBy.clear()
      const pausedPs = this.#roots.addPauses(port * CLASSES + trafficClass, queuedPs, startPs, pausedBy)
      const [origin, originPs] = [pausedBy.most, pausedBy.amountOf(pausedBy.most)]
      const before = this.#frames.before(hop)
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
    })
  }

  /** Nothing is asked of pauses before that time: of a packet in the network, or of a message that is not complete. */
  #horizonPs(nowPs: number): number {
    const pathsPs = this.#frames.pathsFromPs()
    return this.#clocks.reduce((least, clock) => Math.min(least, clock?.open[0]?.postedPs ?? nowPs), pathsPs)
  }
}
