/**
 * HOT (advance). Network: nodes, ports and QPs, and the loop that runs their events.
 */
import { assert, CHECKED } from '../base/assert.ts'
import { INTS } from '../base/memory.ts'
import { DOUBLE_ZERO } from '../base/double.ts'
import { LAST_PS } from '../base/params.ts'
import { CE } from '../transport/segment.ts'
import { DROP_LINK_DOWN } from './counters.ts'
import {
  EVENT_ACTOR,
  EVENT_ARRIVAL,
  EVENT_CUT_THROUGH,
  EVENT_FORWARD,
  EVENT_NIC_WAKE,
  EVENT_PFC,
  EVENT_PORT_END,
  EVENT_TIMER,
  KIND_BITS,
  KIND_MASK,
} from './event-codes.ts'
import type { Fabric } from './fabric.ts'
import { SOUND } from './link/fault.ts'
import type { Nic } from './nic/nic.ts'
import { AT, ECN, DIRECTION, expectAlive, KIND, PFC, PSN } from './packets.ts'
import { STATE } from './link/port-records.ts'
import type { Port } from './link/port.ts'
import type { PairTable } from './pairs/pair-table.ts'
import type { ReceivePipeline } from './nic/receive/pipeline.ts'
import type { PayloadReads } from './nic/send/payload-reads.ts'
import { nextHopsOf } from './switch/next-hop.ts'
import type { RouteTable } from './switch/routes.ts'
import type { Switch } from './switch/switch.ts'
import type { Actor } from './watch.ts'

const ints = INTS

const TARGET_SPECIAL = 1
const TARGET_HOST = 2
const TARGET_NODE = 2

/** The event queue is tuned after a call of `advance` that ran at least this many events. */
const RETUNE_EVENTS = 4096

/** Maximum number of events of one call of `advance`. */
const MOST_EVENTS = 2 ** 30

/** Number of ports from which the records of a fabric are seldom in the nearest caches. */
const LARGE_PORTS = 1000

export class Network {
  readonly fabric: Fabric
  readonly ports: Port[] = []
  /** By endpoint (a port of a host). */
  readonly nics: Nic[] = []
  /** By endpoint; undefined where the NIC's receive side has no limit. */
  readonly receives: (ReceivePipeline | undefined)[] = []
  /** By endpoint; undefined where reading payload takes no time. */
  readonly reads: (PayloadReads | undefined)[] = []
  /** Host of each endpoint. */
  hostOf: Int32Array = new Int32Array(0)
  hostCount = 0
  /** By node id; null at hosts. */
  readonly switches: (Switch | null)[] = []
  readonly pairs: PairTable
  /**
   * Two integers per port, so that an arrival need not read the port object: bit 0: the link may lose packets, frames are
   * cut through, or the port has an intake; bit 1: a host; from bit 2: node id of a switch, or host position. Then the port's local index.
   */
  private targetsAt = -1
  /** Events run so far; may exceed the small integers. */
  events = DOUBLE_ZERO
  private readonly actors: Actor[] = []
  private isStopped = false
  private isPaused = false
  /** 1: the fabric is large. */
  private looksAhead = 0
  /** Keeps the compiler from removing the reads of `touch`. */
  private touched = 0
  constructor(fabric: Fabric) {
    this.fabric = fabric
    this.pairs = fabric.pairs
    this.events = 0
  }

  /** Adds a port; ports come in the order of their numbers. */
  addPort(port: Port): void {
    this.ports[port.id] = port
  }

  /** To be called when all ports have been added, and again when a link gets a fault or is cut, or a port an intake. */
  recordTargets(): void {
    if (this.targetsAt < 0) this.targetsAt = this.fabric.memory.takeWhole(2 * this.ports.length)
    this.looksAhead = this.ports.length >= LARGE_PORTS ? 1 : 0
    for (const port of this.ports) {
      const isSpecial =
        port.fault !== null || port.intake !== null || port.cutPs >= 0 || this.fabric.cutThrough !== null
      const where = port.nic === null ? port.at!.node : port.nic.position
      ints[this.targetsAt | (2 * port.id)] =
        (where << TARGET_NODE) | (port.nic === null ? 0 : TARGET_HOST) | (isSpecial ? TARGET_SPECIAL : 0)
      ints[this.targetsAt | (2 * port.id) | 1] = port.index
    }
  }

  /** All switches use these routes from now on. */
  setRoutes(routes: RouteTable): void {
    const hops = nextHopsOf(routes)
    for (const at of this.switches) at?.setRoutes(routes, hops)
  }

  /** Position of the host that sends the data of a direction. */
  sourceOf(direction: number): number {
    return this.pairs.byNumber[direction >> 1]!.source
  }

  /** Number of a new actor; its events are scheduled with `actAt`. */
  addActor(actor: Actor): number {
    this.actors.push(actor)
    return this.actors.length - 1
  }

  actAt(timePs: number, actor: number): void {
    const queue = this.fabric.queue
    queue.schedule(timePs, queue.draw(), (actor << KIND_BITS) | EVENT_ACTOR)
  }

  /** Node id of a port. */
  nodeOf(port: number): number {
    return this.ports[port]!.node
  }

  /** Stops the run after the event in progress, for good. */
  halt(): void {
    this.isStopped = true
    this.fabric.queue.limitPs = -Infinity
  }
  get isHalted(): boolean {
    return this.isStopped
  }

  /** The last call of `advance` was ended by `pause`. */
  get hasPaused(): boolean {
    return this.isPaused
  }

  /** Ends the current call of `advance` after the event in progress. */
  pause(): void {
    this.isPaused = true
    this.fabric.queue.limitPs = -Infinity
  }

  /** Runs up to `events` events (2^30 at most), none later than `limitPs` or LAST_PS. @returns whether there may be more. */
  advance(events: number, limitPs: number): boolean {
    const queue = this.fabric.queue
    this.isPaused = false
    queue.limitPs = this.isStopped ? -Infinity : Math.min(limitPs, LAST_PS)
    const most = Math.min(events, MOST_EVENTS) | 0
    let left = most
    const { looksAhead } = this
    while (left > 0) {
      const code = queue.take()
      if (code < 0) break
      left--
      if (looksAhead !== 0) this.touch(queue.peek())
      const target = code >> KIND_BITS
      switch (code & KIND_MASK) {
        case EVENT_ARRIVAL:
          // EVENT_ARRIVAL is 0, so the code is the packet.
          this.arrive(code)
          break
        case EVENT_PORT_END:
          this.fabric.transmitter.onEnd(target)
          break
        case EVENT_NIC_WAKE:
          this.nics[target]!.onWake()
          break
        case EVENT_TIMER:
          this.onTimer(target)
          break
        case EVENT_FORWARD:
          this.forward(code ^ EVENT_FORWARD)
          break
        case EVENT_CUT_THROUGH:
          this.goOn(code ^ EVENT_CUT_THROUGH)
          break
        case EVENT_PFC:
          this.ports[target >> 4]!.onPfcTimer(target & 15)
          break
        case EVENT_ACTOR:
          this.actors[target]!.onEvent(queue.nowPs)
          break
      }
    }
    const done = most - left
    this.events += done
    if (done >= RETUNE_EVENTS) queue.retune(done)
    return !this.isStopped && (left === 0 || this.isPaused)
  }

  /** Prefetch: reads one field of the next event's target, so that its cache line arrives before the event is run. */
  private touch(code: number): void {
    if (code < 0) return
    const kind = code & KIND_MASK
    if (kind === EVENT_ARRIVAL) this.touched = ints[code | AT]!
    else if (kind === EVENT_PORT_END) {
      this.touched = ints[this.fabric.records.base | ((code >> KIND_BITS) << 4) | STATE]!
    }
  }

  private arrive(packet: number): void {
    const fabric = this.fabric
    const id = ints[packet | AT]!
    if (CHECKED) expectAlive(packet)
    if (CHECKED) assert(id >= 0 && id < this.ports.length, 'a packet arrives at a port that there is not')
    const where = ints[this.targetsAt | (id << 1)]!
    fabric.counters.packetHops++
    const kind = ints[packet | KIND]!
    fabric.digest.add(
      fabric.queue.nowPs,
      (id << 4) ^ kind ^ (ints[packet | ECN] === CE ? 8 : 0),
      (ints[packet | DIRECTION]! << 8) ^ ints[packet | PSN]!,
    )
    if ((where & TARGET_SPECIAL) !== 0 && this.isTaken(packet, this.ports[id]!)) return
    if (kind === PFC) this.ports[id]!.onPfc(packet)
    else if ((where & TARGET_HOST) === 0)
      this.switches[where >> TARGET_NODE]!.receive(packet, ints[this.targetsAt | (id << 1) | 1]!)
    else this.nics[where >> TARGET_NODE]!.receive(packet)
  }

  /** Whether a link fault has dropped the packet, the port's intake has taken it, or a cut-through switch has. */
  private isTaken(packet: number, port: Port): boolean {
    const { fabric } = this
    let reason = SOUND
    if (port.cutPs >= 0 && port.wasCut(packet)) reason = DROP_LINK_DOWN
    else if (port.fault !== null) reason = port.fault.verdict(packet)
    if (reason !== SOUND && fabric.watch !== null) fabric.watch.onLinkLoss?.(port.id, reason, packet)
    if (reason === SOUND && port.intake !== null && port.intake.takes(packet, port)) return true
    if (fabric.cutThrough !== null && ints[packet | KIND] !== PFC)
      return fabric.cutThrough.isTaken(packet, port, reason)
    if (reason === SOUND) return false
    fabric.drop(packet, port.node, reason)
    return true
  }

  /** A frame in a cut-through switch has waited long enough. */
  private goOn(packet: number): void {
    this.fabric.cutThrough!.onEvent(packet, this.ports[ints[packet | AT]!]!)
  }

  private forward(packet: number): void {
    if (CHECKED) expectAlive(packet)
    const port = this.ports[ints[packet | AT]!]!
    if (ints[packet | KIND] === PFC) {
      this.fabric.inPipeline--
      port.endPfcWait(packet)
    } else if (port.at !== null) port.at.leavePipeline(packet)
    else port.nic!.leaveStack(packet)
  }

  private onTimer(target: number): void {
    const pair = this.pairs.byNumber[target >> 1]!
    // The deadline was cleared before its queue pair was released.
    if (pair === null) return
    const isReceiver = (target & 1) !== 0
    this.nics[isReceiver ? pair.destination : pair.source]!.onTimer(pair, isReceiver)
  }
}
