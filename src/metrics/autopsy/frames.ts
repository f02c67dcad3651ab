/**
 * Frames: follows the frames that start anywhere: the way of each packet (copies.ts), who left a switch when
 * (departures.ts), what happened at each port (port-totals.ts), and what the packets that arrive tell of their queue pairs.
 * A start is only noted; catchUp() does the rest, before anybody asks.
 * Units: picoseconds.
 */
import { INTS } from '../../base/memory.ts'
import type { ReceivePipeline } from '../../fabric/nic/receive/pipeline.ts'
import { DIRECTION, ECN, FLAGS, KIND, ORDINAL, PFC } from '../../fabric/packets.ts'
import type { Network } from '../../fabric/network.ts'
import type { Switch } from '../../fabric/switch/switch.ts'
import type { FrameWatch } from '../../fabric/watch.ts'
import { CE, DATA, NOT_ECT, READ_REQUEST, RETRANSMITTED, TRIMMED } from '../../transport/segment.ts'
import { CLASSES } from '../pauses/classes.ts'
import { NO_ORIGIN, type Origins } from '../pauses/origins.ts'
import { Copies, type Hop } from './copies.ts'
import { Departures, type Horizon } from './departures.ts'
import { NAMED } from './hop-rows.ts'
import type { PairClock } from './pair-clock.ts'
import type { PortTotals } from './port-totals.ts'
import type { Roots } from './roots.ts'
import {
  AT_HOST,
  BACKLOG_PS_AT,
  BITS_AT,
  DIRECTION_AT,
  HIGHEST_AT,
  IS_AGAIN,
  IS_DATA,
  IS_MARKABLE,
  IS_MARKED,
  ORDINAL_AT,
  PORT_AT,
  REACH_PS_AT,
  START_PS_AT,
  Starts,
  TO_HOST,
  TRANSMIT_PS_AT,
  WIDTH,
} from './starts.ts'

const ints = INTS

/** A packet that has waited for at least this share of its time without waits is late. */
const LATE = 0.25

export interface FramesOptions {
  readonly network: Network
  readonly origins: Origins
  readonly roots: Roots
  readonly totals: PortTotals
  /** By queue pair; undefined: it was released. */
  readonly clocks: readonly (PairClock | undefined)[]
  /** Replies are followed too. */
  readonly hasAcks: boolean
}

export class Frames implements FrameWatch {
  readonly copies: Copies
  /** By port of a host: when its last frame was out. */
  readonly sentUntilPs: Float64Array
  readonly #options: FramesOptions
  readonly #clocks: readonly (PairClock | undefined)[]
  readonly #roots: Roots
  readonly #totals: PortTotals
  readonly #starts = new Starts()
  /** By port; null: of a host. */
  readonly #switches: readonly (Switch | null)[]
  /** By port: the pipeline at its other end. */
  readonly #receives: readonly (ReceivePipeline | undefined)[]
  /** By port: a host is at its other end. */
  readonly #leadsToHost: readonly boolean[]
  /** By port of a switch: frames that left it. */
  readonly #departures: (Departures | undefined)[] = []
  readonly #horizon: Horizon & { knownPs: number } = {
    knownPs: 0,
    renew: () => {
      const { fabric } = this.#options.network
      // Many events pay for the search, for each packet that it has to look at.
      if (fabric.counters.packetHops < this.#renewFrom) return
      this.#renewFrom = fabric.counters.packetHops + 32 * fabric.packets.room
      this.#horizon.knownPs = this.pathsFromPs()
    },
  }
  #renewFrom = 0

  constructor(options: FramesOptions) {
    const { network, clocks, roots, totals } = options
    this.#options = options
    this.#clocks = clocks
    this.#roots = roots
    this.#totals = totals
    this.sentUntilPs = new Float64Array(network.ports.length)
    this.#switches = network.ports.map(({ node }) => network.switches[node] ?? null)
    this.copies = new Copies(
      Float64Array.from(network.ports, ({ delayPs }) => delayPs),
      Float64Array.from(this.#switches, (device) => device?.latencyPs ?? 0),
    )
    const pipelineAt = new Map(network.nics.map(({ port }, endpoint) => [port.id, network.receives[endpoint]]))
    this.#receives = network.ports.map(({ peer }) => pipelineAt.get(peer.id))
    this.#leadsToHost = network.ports.map(({ peer }) => (network.switches[peer.node] ?? null) === null)
    for (const { id } of network.ports) network.fabric.transmitter.watch(id, this)
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
    const ecn = ints[packet | ECN]!
    if (device !== null) {
      rows[at + PORT_AT] = port * CLASSES + device.trafficClassOf(packet)
      const isLast = isData && this.#leadsToHost[port]!
      rows[at + BITS_AT] = (isData ? IS_DATA : 0) | (ecn === CE ? IS_MARKED : 0) | (isLast ? TO_HOST : 0)
      rows[at + BACKLOG_PS_AT] = isLast ? (this.#receives[port]?.backlogPs ?? 0) : 0
      return
    }
    rows[at + PORT_AT] = port * CLASSES
    const isAgain = (ints[packet | FLAGS]! & RETRANSMITTED) !== 0
    const bits = (isData ? IS_DATA : 0) | (isAgain ? IS_AGAIN : 0) | (ecn === NOT_ECT ? 0 : IS_MARKABLE)
    rows[at + BITS_AT] = AT_HOST | bits
    if (isData) rows[at + HIGHEST_AT] = this.#clocks[direction >> 1]?.pair.sender.highest ?? 0
  }

  /** Whether the path of a packet of this kind is kept. */
  #isFollowed(kind: number): boolean {
    return kind === DATA || kind === TRIMMED || kind === READ_REQUEST || (this.#options.hasAcks && kind !== PFC)
  }

  catchUp(): void {
    if (this.#starts.end > 0) this.#lookAtStarts()
  }

  #lookAtStarts(): void {
    const { rows, end } = this.#starts
    for (let at = 0; at < end; at += WIDTH) {
      const bits = rows[at + BITS_AT]!
      if ((bits & AT_HOST) !== 0) this.#leaveHost(at)
      const queuedPs = this.copies.hop(
        rows[at + ORDINAL_AT]!,
        rows[at + DIRECTION_AT]!,
        rows[at + PORT_AT]!,
        rows[at + START_PS_AT]!,
        rows[at + REACH_PS_AT]!,
      )
      if ((bits & AT_HOST) === 0) this.#leaveSwitch(at, queuedPs)
    }
    this.#starts.end = 0
  }

  #leaveHost(at: number): void {
    const { rows } = this.#starts
    const bits = rows[at + BITS_AT]!
    const direction = rows[at + DIRECTION_AT]!
    const clock = (bits & IS_DATA) === 0 ? undefined : this.#clocks[direction >> 1]
    const port = rows[at + PORT_AT]! >> 3
    if (clock !== undefined)
      clock.onStart(
        rows[at + START_PS_AT]!,
        port,
        (bits & IS_AGAIN) !== 0,
        rows[at + TRANSMIT_PS_AT]!,
        rows[at + HIGHEST_AT]!,
      )
    this.sentUntilPs[port] = rows[at + START_PS_AT]! + rows[at + TRANSMIT_PS_AT]!
    this.copies.begin(rows[at + ORDINAL_AT]!, direction, bits, clock === undefined ? null : clock.sums)
  }

  #leaveSwitch(at: number, queuedPs: number): void {
    const { rows } = this.#starts
    const bits = rows[at + BITS_AT]!
    const startPs = rows[at + START_PS_AT]!
    const endPs = startPs + rows[at + TRANSMIT_PS_AT]!
    const portAndClass = rows[at + PORT_AT]!
    const port = portAndClass >> 3
    const ordinal = rows[at + ORDINAL_AT]!
    const direction = rows[at + DIRECTION_AT]!
    if ((bits & IS_DATA) !== 0) {
      const departures = (this.#departures[port] ??= new Departures())
      departures.add(startPs, endPs, direction >> 1, this.#horizon)
      this.#totals.send(port, startPs, endPs)
    }
    const busyFromPs = this.#roots.leave(portAndClass, Number.isNaN(queuedPs) ? startPs : queuedPs, endPs)
    if (queuedPs < startPs) this.copies.wait(ordinal, startPs - queuedPs, busyFromPs)
    if ((bits & IS_MARKED) !== 0) this.copies.mark(ordinal, direction)
    if ((bits & TO_HOST) !== 0)
      this.#arrive(ordinal, direction, startPs + rows[at + REACH_PS_AT]!, rows[at + BACKLOG_PS_AT]!)
  }

  /** A data packet goes onto the link to its host: what delayed it tells who holds its queue pair. */
  #arrive(ordinal: number, direction: number, outPs: number, backlogPs: number): void {
    const clock = this.#clocks[direction >> 1]
    const bits = this.copies.bitsOf(ordinal, direction)
    if (clock === undefined || bits < 0) return
    if ((bits & IS_AGAIN) !== 0) clock.held.isLosing = false
    const waitPs = this.copies.waitPs(ordinal)
    const idlePs = outPs - this.copies.startPs(ordinal) - waitPs
    const isLate = waitPs + backlogPs >= LATE * idlePs
    const worst = isLate ? this.copies.hopAt(ordinal, this.copies.worstAt(ordinal)) : null
    if (worst === null) clock.held.delayedBy = NO_ORIGIN
    else if (backlogPs > worst.startPs - worst.queuedPs) clock.held.delayedBy = this.#hostOrigin(clock.pair.destination)
    else clock.held.delayedBy = this.#roots.rootOf(worst)
    const markedAt = this.copies.markedAt(ordinal)
    if (markedAt > 0) {
      const marking = this.copies.hopAt(ordinal, markedAt)
      this.#totals.mark(marking.port, marking.startPs - marking.queuedPs)
      clock.held.addMark(this.#roots.rootOf(marking))
    } else if (isLate && (bits & IS_MARKABLE) === 0) clock.held.loweredBy = clock.held.delayedBy
  }

  /** Queue pairs whose frames left the port while a packet waited there and the port was not paused; most time first. */
  before({ port, startPs, queuedPs, trafficClass }: Hop): [pair: number, spanPs: number][] {
    const byPair = new Map<number, number>()
    this.#departures[port]?.visit(queuedPs, startPs, (pair, fromPs, toPs) => {
      const spanPs = toPs - fromPs - this.#roots.pausedPs(port * CLASSES + trafficClass, fromPs, toPs)
      if (spanPs > 0) byPair.set(pair, (byPair.get(pair) ?? 0) + spanPs)
    })
    return [...byPair].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, NAMED)
  }

  /** Since when the paths of packets that are in the network are known: nothing earlier is asked of a switch's ports. */
  pathsFromPs(): number {
    const { fabric } = this.#options.network
    let leastPs = fabric.queue.nowPs
    for (const packet of fabric.packets.living()) {
      if (this.#isFollowed(ints[packet | KIND]!))
        leastPs = Math.min(leastPs, this.copies.startPs(ints[packet | ORDINAL]!))
    }
    return leastPs
  }

  #hostOrigin(endpoint: number): number {
    const { network, origins } = this.#options
    return origins.numberOf('host', network.nics[endpoint]!.node, -1)
  }
}
