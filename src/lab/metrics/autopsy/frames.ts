/**
 * Frames: follows the frames that start anywhere: the way of each packet (copies.ts), who left a switch when
 * (departures.ts), what happened at each port (port-totals.ts), and what the packets that arrive tell of their queue pairs.
 * A start is only noted; catchUp() does the rest, before anybody asks.
 * Units: picoseconds.
 */
import { INTS } from '../../../core/base/memory.ts'
import type { ReceivePipeline } from '../../../core/fabric/nic/receive/pipeline.ts'
import { DIRECTION, ECN, FLAGS, KIND, ORDINAL, PFC, PSN } from '../../../core/fabric/packets.ts'
import type { Network } from '../../../core/fabric/network.ts'
import type { Switch } from '../../../core/fabric/switch/switch.ts'
import type { FrameWatch } from '../../../core/fabric/watch.ts'
import { CE, DATA, LAST, NOT_ECT, READ_REQUEST, RETRANSMITTED, TRIMMED } from '../../../core/transport/segment.ts'
import { CLASSES } from '../pauses/classes.ts'
import { NO_ORIGIN, type Origins } from '../pauses/origins.ts'
import { Copies, type Hop, MARKED, WORST } from './copies.ts'
import { Departures, type Horizon } from './departures.ts'
import { NAMED } from './hop-rows.ts'
import type { PairClock } from './pair-clock.ts'
import type { PortTotals } from './port-totals.ts'
import { NOT_LOSING } from './held-pair.ts'
import type { Roots } from './roots.ts'
import {
  AT_HOST,
  BACKLOG_PS_AT,
  PSN_AT,
  BITS_AT,
  DIRECTION_AT,
  HIGHEST_AT,
  IS_AGAIN,
  IS_DATA,
  IS_MARKABLE,
  IS_MARKED,
  IS_STANDING,
  IS_STATE,
  LOSS_WIDTH,
  MAY_COMPLETE,
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

const NOBODY: readonly (readonly [pair: number, spanPs: number])[] = []

/** A packet that has waited for at least this share of its time without waits is late. */
const LATE = 0.25

/** ACKs, NAKs and other replies, of which there are as many as data. */
function isReply(kind: number): boolean {
  return kind !== DATA && kind !== TRIMMED && kind !== READ_REQUEST
}

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
  /** By record of a reply: 1 if its path is not kept. */
  private leftOut = new Uint8Array(1024)
  private readonly options: FramesOptions
  private readonly clocks: readonly (PairClock | undefined)[]
  private readonly roots: Roots
  private readonly totals: PortTotals
  private readonly starts = new Starts()
  /** By port; null: of a host. */
  private readonly switches: readonly (Switch | null)[]
  /** By port: the pipeline at its other end. */
  private readonly receives: readonly (ReceivePipeline | undefined)[]
  /** By port: a host is at its other end. */
  private readonly leadsToHost: readonly boolean[]
  /** Data frames that left switches; null: nobody asks which went before a packet. */
  private departures: Departures | null
  private readonly horizon: Horizon & { knownPs: number } = {
    knownPs: 0,
    renew: () => {
      const { fabric } = this.options.network
      // Many events pay for the search, for each packet that it has to look at.
      if (fabric.counters.packetHops < this.renewFrom) return
      this.renewFrom = fabric.counters.packetHops + 4 * fabric.packets.room
      this.horizon.knownPs = this.latestPathsFromPs()
    },
  }
  private renewFrom = 0

  constructor(options: FramesOptions) {
    const { network, clocks, roots, totals } = options
    this.options = options
    this.clocks = clocks
    this.roots = roots
    this.totals = totals
    this.sentUntilPs = new Float64Array(network.ports.length)
    this.switches = network.ports.map(({ node }) => network.switches[node] ?? null)
    this.copies = new Copies(
      Float64Array.from(network.ports, ({ delayPs }) => delayPs),
      Float64Array.from(this.switches, (device) => device?.latencyPs ?? 0),
    )
    this.departures = new Departures(network.ports.length, this.horizon)
    const pipelineAt = new Map(network.nics.map(({ port }, endpoint) => [port.id, network.receives[endpoint]]))
    this.receives = network.ports.map(({ peer }) => pipelineAt.get(peer.id))
    this.leadsToHost = network.ports.map(({ peer }) => (network.switches[peer.node] ?? null) === null)
    for (const { id } of network.ports) network.fabric.transmitter.watch(id, this)
  }

  onStart(nowPs: number, port: number, packet: number, transmitPs: number, reachPs: number): void {
    const kind = ints[packet | KIND]!
    if (!this.isFollowed(kind)) return
    if (isReply(kind) && this.isNeedless(port, packet)) return
    const isData = kind === DATA || kind === TRIMMED
    if (this.starts.isFull) this.makeRoom()
    const direction = ints[packet | DIRECTION]!
    const device = this.switches[port]!
    const { rows } = this.starts
    const at = this.starts.next()
    rows[at + ORDINAL_AT] = ints[packet | ORDINAL]!
    rows[at + DIRECTION_AT] = direction
    rows[at + START_PS_AT] = nowPs
    rows[at + TRANSMIT_PS_AT] = transmitPs
    rows[at + REACH_PS_AT] = reachPs
    const ecn = ints[packet | ECN]!
    if (device !== null) {
      rows[at + PORT_AT] = port * CLASSES + device.trafficClassOf(packet)
      const isLast = isData && this.leadsToHost[port]!
      const receive = isLast ? this.receives[port] : undefined
      const toHost = !isLast ? 0 : receive?.isStanding === true ? TO_HOST | IS_STANDING : TO_HOST
      rows[at + BITS_AT] = (isData ? IS_DATA : 0) | (ecn === CE ? IS_MARKED : 0) | toHost
      rows[at + BACKLOG_PS_AT] = receive?.backlogPs ?? 0
      return
    }
    rows[at + PORT_AT] = port * CLASSES
    const isAgain = (ints[packet | FLAGS]! & RETRANSMITTED) !== 0
    const bits = (isAgain ? IS_AGAIN : 0) | (ecn === NOT_ECT ? 0 : IS_MARKABLE)
    rows[at + BITS_AT] = AT_HOST | bits
    const pair = isData ? this.clocks[direction >> 1]?.pair : undefined
    if (pair === undefined) return
    const mayComplete = (ints[packet | FLAGS]! & LAST) !== 0 || pair.receiver.isReordering
    rows[at + BITS_AT] = AT_HOST | IS_DATA | bits | (mayComplete ? MAY_COMPLETE : 0)
    rows[at + HIGHEST_AT] = pair.sender.highest
    rows[at + PSN_AT] = ints[packet | PSN]!
  }

  /** Whether nobody will ask for the path of a reply: when it left, no message was complete that it could acknowledge. */
  private isNeedless(port: number, packet: number): boolean {
    const ordinal = ints[packet | ORDINAL]!
    if (this.switches[port] !== null) return this.isLeftOut(ordinal)
    if (ordinal >= this.leftOut.length) {
      const grown = new Uint8Array(2 * Math.max(ordinal, this.leftOut.length))
      grown.set(this.leftOut)
      this.leftOut = grown
    }
    const clock = this.clocks[ints[packet | DIRECTION]! >> 1]
    // Behind a host stack a message is complete later than its ACK leaves.
    const isNeedless = clock !== undefined && clock.acks.wholes.length === 0 && clock.pair.stacks === null
    this.leftOut[ordinal] = isNeedless ? 1 : 0
    return isNeedless
  }

  /** Whether the path of the reply with this record is not kept. */
  isLeftOut(ordinal: number): boolean {
    return this.leftOut[ordinal] === 1
  }

  /** Whether the path of a packet of this kind is kept. */
  private isFollowed(kind: number): boolean {
    return kind === DATA || kind === TRIMMED || kind === READ_REQUEST || (this.options.hasAcks && kind !== PFC)
  }

  /** A sender's state changes. @param found way in which the loss was found that makes a retransmission pending now, or -1 */
  noteState(pair: number, state: number, readyPs: number, isAgain: boolean, found: number): void {
    if (this.starts.isFull) this.makeRoom()
    const { rows } = this.starts
    const at = this.starts.next()
    rows[at + DIRECTION_AT] = pair << 1
    rows[at + BITS_AT] = isAgain ? IS_STATE | IS_AGAIN : IS_STATE
    rows[at + START_PS_AT] = this.options.network.fabric.queue.nowPs
    rows[at + PORT_AT] = state
    rows[at + TRANSMIT_PS_AT] = readyPs
    rows[at + HIGHEST_AT] = found
    this.starts.due = this.starts.end
  }

  /** A packet of a queue pair is lost, by this origin. @param psn of a data packet; else LOST_REPLY */
  noteLoss(pair: number, origin: number, psn: number): void {
    if (this.starts.end > 0 && this.starts.noteLoss(pair, origin, psn)) return
    this.catchUp()
    this.lose(pair, origin, psn)
  }

  catchUp(): void {
    if (this.starts.end > 0) this.lookAtStarts(this.starts.end)
  }

  /** Catches up with senders: with the frames that started before the last change of a state. */
  settle(): void {
    if (this.starts.due > 0) this.lookAtStarts(this.starts.due)
  }

  private makeRoom(): void {
    this.lookAtStarts(this.starts.due > 0 ? this.starts.due : this.starts.end)
  }

  private lookAtStarts(end: number): void {
    const { rows, losses, lossEnd } = this.starts
    let loss = 0
    for (let at = 0; at < end; at += WIDTH) {
      for (; loss < lossEnd && losses[loss] === at; loss += LOSS_WIDTH) this.loseAt(loss)
      const bits = rows[at + BITS_AT]!
      if ((bits & IS_STATE) !== 0) this.change(at, (bits & IS_AGAIN) !== 0)
      else if ((bits & AT_HOST) !== 0) this.leaveHost(at)
      else this.leaveSwitch(at)
    }
    for (; loss < lossEnd && losses[loss]! <= end; loss += LOSS_WIDTH) this.loseAt(loss)
    this.starts.drop(end, loss)
  }

  private loseAt(loss: number): void {
    const { losses } = this.starts
    this.lose(losses[loss + 1]!, losses[loss + 2]!, losses[loss + 3]!)
  }

  private lose(pair: number, origin: number, psn: number): void {
    const held = this.clocks[pair]?.held
    if (held === undefined) return
    held.lostBy = origin
    held.lostPsn = psn
    // Its record may be another packet's by now.
    held.againOrdinal = -1
  }

  private change(at: number, isAgain: boolean): void {
    const { rows } = this.starts
    const clock = this.clocks[rows[at + DIRECTION_AT]! >> 1]
    clock?.change(
      rows[at + START_PS_AT]!,
      rows[at + PORT_AT]!,
      rows[at + TRANSMIT_PS_AT]!,
      isAgain,
      rows[at + HIGHEST_AT]!,
    )
  }

  private leaveHost(at: number): void {
    const { rows } = this.starts
    const bits = rows[at + BITS_AT]!
    const ordinal = rows[at + ORDINAL_AT]!
    const direction = rows[at + DIRECTION_AT]!
    const portAndClass = rows[at + PORT_AT]!
    const port = portAndClass >> 3
    const startPs = rows[at + START_PS_AT]!
    const transmitPs = rows[at + TRANSMIT_PS_AT]!
    const clock = (bits & IS_DATA) === 0 ? undefined : this.clocks[direction >> 1]
    if (clock === undefined) this.copies.begin(ordinal, direction, bits, null, false)
    else {
      if (rows[at + PSN_AT] === clock.held.lostPsn) clock.held.againOrdinal = ordinal
      clock.onStart(startPs, port, (bits & IS_AGAIN) !== 0, transmitPs, rows[at + HIGHEST_AT]!)
      this.copies.begin(ordinal, direction, bits, (bits & MAY_COMPLETE) === 0 ? null : clock.sums, clock.hasAgain)
    }
    this.sentUntilPs[port] = startPs + transmitPs
    this.copies.hop(ordinal, portAndClass, false, startPs, rows[at + REACH_PS_AT]!, startPs, startPs)
  }

  private leaveSwitch(at: number): void {
    const { rows } = this.starts
    const bits = rows[at + BITS_AT]!
    const startPs = rows[at + START_PS_AT]!
    const portAndClass = rows[at + PORT_AT]!
    const port = portAndClass >> 3
    const ordinal = rows[at + ORDINAL_AT]!
    const direction = rows[at + DIRECTION_AT]!
    const queuedPs = this.copies.queuedPs(ordinal, direction, port, startPs)
    const isKnown = !Number.isNaN(queuedPs)
    const isData = (bits & IS_DATA) !== 0
    const endPs = startPs + rows[at + TRANSMIT_PS_AT]!
    if (isData) this.departures?.add(port, startPs, endPs, direction >> 1)
    const busyFromPs = this.roots.leave(portAndClass, isKnown ? queuedPs : startPs, startPs, endPs, isData)
    if (!isKnown) return
    const hasWaited = queuedPs < startPs
    const reachPs = rows[at + REACH_PS_AT]!
    this.copies.hop(
      ordinal,
      portAndClass,
      (bits & IS_MARKED) !== 0,
      startPs,
      reachPs,
      queuedPs,
      hasWaited ? busyFromPs : queuedPs,
    )
    if ((bits & TO_HOST) !== 0)
      this.arrive(ordinal, direction, (bits & IS_STANDING) !== 0, startPs + reachPs, rows[at + BACKLOG_PS_AT]!)
  }

  /** A data packet goes onto the link to its host: what delayed it tells who holds its queue pair. */
  private arrive(ordinal: number, direction: number, isStanding: boolean, outPs: number, backlogPs: number): void {
    const clock = this.clocks[direction >> 1]
    const { copies } = this
    const bits = copies.bitsOf(ordinal, direction)
    if (clock === undefined || bits < 0) return
    const { held } = clock
    if ((bits & IS_AGAIN) !== 0 && held.isRepairedBy(ordinal)) held.lostPsn = NOT_LOSING
    const waitPs = copies.waitPs(ordinal)
    const worstPs = copies.worstPs(ordinal)
    const idlePs = outPs - copies.startPs(ordinal) - waitPs
    const isLate = waitPs + backlogPs >= LATE * idlePs
    if (!isLate) held.delayedBy = NO_ORIGIN
    else if (backlogPs > worstPs) held.delayedBy = this.hostOrigin(isStanding, clock.pair.destination)
    else held.delayedBy = this.rootOf(ordinal, WORST)
    if (copies.isMarked(ordinal)) {
      this.totals.mark(copies.portAndClassOf(ordinal, MARKED) >> 3, copies.markedWaitPs(ordinal))
      held.addMark(this.rootOf(ordinal, MARKED))
    } else if (isLate && (bits & IS_MARKABLE) === 0) held.loweredBy = held.delayedBy
  }

  /** Where most of a wait began. */
  private rootOf(ordinal: number, which: number): number {
    const portAndClass = this.copies.portAndClassOf(ordinal, which)
    return this.roots.isPausable(portAndClass)
      ? this.roots.rootOf(this.copies.waitOf(ordinal, which))
      : this.roots.portOrigin(portAndClass >> 3)
  }

  /** Queue pairs whose frames left the port while a packet waited there and the port was not paused; most time first. */
  before({ port, startPs, queuedPs, trafficClass }: Hop): readonly (readonly [pair: number, spanPs: number])[] {
    if (queuedPs === startPs) return NOBODY
    const portAndClass = port * CLASSES + trafficClass
    const isPaused = this.roots.pausedPs(portAndClass, queuedPs, startPs) > 0
    const byPair = new Map<number, number>()
    this.departures?.visit(port, queuedPs, startPs, (pair, fromPs, toPs) => {
      const spanPs = toPs - fromPs - (isPaused ? this.roots.pausedPs(portAndClass, fromPs, toPs) : 0)
      if (spanPs > 0) byPair.set(pair, (byPair.get(pair) ?? 0) + spanPs)
    })
    return [...byPair].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, NAMED)
  }

  /** Nobody asks any more who went before a packet. */
  forgetDepartures(): void {
    this.departures = null
  }

  /** Since when the paths of packets that are in the network are known: nothing earlier is asked of a switch's ports. */
  pathsFromPs(): number {
    return this.pathsFrom(new Set())
  }

  /** The same, of packets without these records. */
  private pathsFrom(leftOut: ReadonlySet<number>): number {
    const { fabric } = this.options.network
    let leastPs = fabric.queue.nowPs
    for (const packet of fabric.packets.living()) {
      const [kind, ordinal] = [ints[packet | KIND]!, ints[packet | ORDINAL]!]
      if (!this.isFollowed(kind) || (isReply(kind) && this.isLeftOut(ordinal)) || leftOut.has(ordinal)) continue
      leastPs = Math.min(leastPs, this.copies.startPs(ordinal))
    }
    return leastPs
  }

  /** The same, up to date: of a packet that has left its host and is not looked at yet, `copies` has the last user of its record. */
  private latestPathsFromPs(): number {
    const begun = new Set<number>()
    let leastPs = Infinity
    const { rows, end } = this.starts
    for (let at = 0; at < end; at += WIDTH) {
      if ((rows[at + BITS_AT]! & (AT_HOST | IS_STATE)) !== AT_HOST) continue
      begun.add(rows[at + ORDINAL_AT]!)
      leastPs = Math.min(leastPs, rows[at + START_PS_AT]!)
    }
    return Math.min(leastPs, this.pathsFrom(begun))
  }

  private hostOrigin(isStanding: boolean, endpoint: number): number {
    const { network, origins } = this.options
    return origins.numberOf(isStanding ? 'storm' : 'host', network.nics[endpoint]!.node, -1)
  }
}
