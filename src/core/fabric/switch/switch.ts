/**
 * HOT. Switch: the steps of a packet through a switch, in order; the rule of each step has a file of its own.
 * On arrival: fault verdict, classify, look up, balance, admit or trim, PFC after the charge, drop or trim early (WRED),
 * sample (QCN) or ECN, enqueue.
 * On departure: ECN where marking is at dequeue, telemetry, release, PFC after the release, on to the link.
 * Store and forward; a cut-through switch decides in cut-through.ts when a frame takes these steps.
 * Units: bytes of frames, picoseconds.
 */
import { INTS } from '../../base/memory.ts'
import { assert, CHECKED } from '../../base/assert.ts'
import { CE, DATA, NOT_ECT } from '../../transport/segment.ts'
import type { Balance } from '../balance/balance.ts'
import { ADMITTED_OVER_XOFF, REFUSED, type Buffer } from '../buffer/buffer.ts'
import { DROP_BUFFER, DROP_LINK_DOWN, DROP_NO_ROUTE, DROP_WATCHDOG, DROP_WRED } from '../counters.ts'
import type { Marker } from '../link/ecn.ts'
import { EVENT_FORWARD } from '../event-codes.ts'
import type { Fabric } from '../fabric.ts'
import type { EgressQueues } from '../link/egress-queue.ts'
import { CLASS, CODEPOINT, DESTINATION, ECN, expectAlive, INPUT, KIND, OUT, SIZE } from '../packets.ts'
import { ALL_CLASSES, BLOCKED, DOWN, FULL_SHIFT, MARK_FROM, PASSES, PAUSED_SHIFT, STATE } from '../link/port-records.ts'
import type { Port } from '../link/port.ts'
import { COMMON_LIST, type NextHops, OWN_PORT } from './next-hop.ts'
import type { RouteTable } from './routes.ts'
import type { Scheduler } from '../link/scheduler.ts'
import type { SwitchOptions } from './switch-options.ts'
import type { Transmitter } from '../link/transmitter.ts'
import { Trimmer } from './trimmer.ts'
import { Unmarkable } from './unmarkable.ts'
import { PLAIN } from '../../transport/plain.ts'

const ints = INTS

/** More ports than any switch has. */
const PORTS_MAX = 2 ** 17
/** Steps for a packet that leaves, besides releasing its buffer at once. */
const MARK = 1
const HOLD = 2
const REPORT = 4
const COUNT = 8

export class Switch {
  // Fields that are used per packet come first, so that they share cache lines.
  /** Class by codepoint; another table may come into force. */
  classOf: Uint8Array
  /** By group of hosts: the one port there, or OWN_PORT, COMMON_LIST, LOOK_UP; rows of all switches. */
  private nextHop: Uint8Array = new Uint8Array(0)
  /** Where its row of that table begins. */
  private nextHopRow = 0
  /** By host position, the same at all switches: its group, and its port at the switch that it hangs on. */
  private groupOf: Int32Array = new Int32Array(0)
  private lastPort: Int32Array = new Int32Array(0)
  readonly buffer: Buffer
  /** Port number minus local index, of all its ports. */
  protected portBase = -1
  /** Base offset of the port records. */
  protected readonly records: number
  /** MARK, HOLD, REPORT, COUNT; mostly none. */
  protected departure: number
  /** From the last bit in, or at a cut-through switch the header, to the egress queue. */
  readonly latencyPs: number
  /** Early drop and sampling of packets that cannot be marked, or null. */
  private readonly unmarkable: Unmarkable | null
  protected readonly queues: EgressQueues
  /** null: nothing is trimmed. */
  private readonly trimmer: Trimmer | null
  protected readonly transmitter: Transmitter
  /** Scheduler of all ports; null: each has its own. */
  protected scheduler: Scheduler | null = null
  /** Number of (port, class) pairs that it has paused at its peers. */
  xoffCount = 0
  /** The list of several ports by which most hosts are reached (uplinks); -1: none. */
  private commonList = -1
  private readonly balance: Balance
  readonly node: number
  /** By local index; 0 unused. */
  readonly ports: Port[] = []
  /** ECN markers by local index; null: no marking. */
  private readonly markers: (Marker | null)[] = []
  /** Bytes charged and not yet queued (latency), and sent but not yet released (release at the end). */
  pipelineBytes = 0
  heldBytes = 0
  /** Bytes of copies of flooded packets beyond one each, which are stored once. */
  duplicateBytes = 0
  protected readonly fabric: Fabric
  private routes!: RouteTable
  /** Where its entries begin in the routes. */
  private row = 0
  /** Packet whose bytes are freed at the end of its transmission, by port index; -1 none. */
  private readonly sending: number[] = []

  constructor(fabric: Fabric, options: SwitchOptions) {
    this.fabric = fabric
    this.records = fabric.records.base
    this.queues = fabric.queues
    this.transmitter = fabric.transmitter
    this.node = options.node
    this.buffer = options.buffer
    this.balance = options.balance
    this.classOf = options.classOf
    this.departure =
      (options.markAtDequeue ? MARK : 0) | (options.releaseAtEnd ? HOLD : 0) | (fabric.telemetry === null ? 0 : REPORT)
    this.latencyPs = options.latencyPs
    this.trimmer = options.trimming === null ? null : new Trimmer(options.trimming, fabric, options.buffer)
    const looks = options.wredClasses !== 0 || options.congestionPoint !== null
    const isPlain = fabric.telemetry === null && this.latencyPs === 0 && this.trimmer === null && !looks
    assert(!PLAIN || isPlain, 'the plain program has no telemetry, latency of switches, trimming, early drops or QCN')
    this.unmarkable = looks ? new Unmarkable(this, fabric, options) : null
  }

  /** Adds the next port; indexes count from 1, and port numbers are consecutive. */
  addPort(port: Port): void {
    if (port.index === 1) {
      this.portBase = port.id - 1
      this.scheduler = port.scheduler
    }
    assert(port.id === this.portBase + port.index, 'ports of a switch do not follow each other')
    if (port.scheduler !== this.scheduler) this.scheduler = null
    this.ports[port.index] = port
    this.usePasses(port)
    this.markers[port.index] = port.marker
    this.sending[port.index] = -1
  }

  /** A port has another scheduler or marking rule now. */
  onPortChange(port: Port): void {
    this.scheduler = this.ports.every((other) => other.scheduler === port.scheduler) ? port.scheduler : null
    this.usePasses(port)
  }

  /** Packets may bypass a port's queue if its scheduler counts no bytes, and none is dropped early, sampled or marked in an empty queue. */
  private usePasses(port: Port): void {
    const record = this.records | (port.id << 4)
    const isPassable = port.scheduler.isPlain && this.unmarkable === null && ints[record | MARK_FROM]! > 0
    if (isPassable) ints[record | STATE]! |= PASSES
    else ints[record | STATE]! &= ~PASSES
  }

  /** Packets that leave are counted from now on (link/departures.ts). */
  countDepartures(): void {
    this.fabric.openDepartures()
    this.departure |= COUNT
  }

  /** Uses these routes from now on. */
  setRoutes(routes: RouteTable, hops: NextHops): void {
    this.routes = routes
    this.groupOf = routes.groupOf
    this.lastPort = routes.lastPort
    this.row = routes.rowOf[this.node]!
    this.commonList = hops.commonOf[this.node]!
    this.nextHop = hops.table
    this.nextHopRow = hops.rowOf[this.node]!
    this.balance.useRoutes?.(this.node, routes.ports, this.portBase)
  }

  /** A packet has arrived by the port of this local index, after the link's faults. */
  receive(packet: number, input: number): void {
    const trafficClass = this.classOf[ints[packet | CODEPOINT]!]!
    const out = this.pathOf(packet)
    if (out < 0) this.fabric.drop(packet, this.node, DROP_NO_ROUTE)
    else this.take(packet, input, trafficClass, out)
  }

  /** Admits a packet whose class and next hop are known and sends it on. */
  take(packet: number, input: number, arrivalClass: number, out: number): void {
    const trafficClass = this.admit(packet, input, arrivalClass, out)
    if (trafficClass < 0) return
    if (PLAIN || this.latencyPs === 0) this.forward(packet, trafficClass, out)
    else this.send(packet, trafficClass, out)
  }

  /** A charged packet goes to its egress queue, after the switch's latency. */
  protected send(packet: number, trafficClass: number, out: number): void {
    if (this.latencyPs === 0) this.forward(packet, trafficClass, out)
    else {
      const { fabric } = this
      ints[packet | CLASS] = trafficClass
      ints[packet | OUT] = out
      this.pipelineBytes += ints[packet | SIZE]!
      fabric.inPipeline++
      fabric.queue.enterAfter(packet, this.latencyPs, packet | EVENT_FORWARD)
    }
  }

  /** Traffic class of a packet here. */
  trafficClassOf(packet: number): number {
    return this.classOf[ints[packet | CODEPOINT]!]!
  }

  /** Local index of the port that a packet leaves by, or -1 without a route. */
  pathOf(packet: number): number {
    const destination = ints[packet | DESTINATION]!
    const out = this.nextHop[this.nextHopRow + this.groupOf[destination]!]!
    if (out === OWN_PORT) return this.lastPort[destination]!
    return out > OWN_PORT ? this.choose(packet, out === COMMON_LIST ? this.commonList : -1) : out
  }

  /**
   * Charges a packet, or the header that trimming leaves of it, and pauses the peer that it came from where necessary.
   * @returns the packet's traffic class from then on; -1: it was dropped.
   */
  admit(packet: number, input: number, trafficClass: number, out: number): number {
    let admitted = trafficClass
    let admission = this.buffer.admit(input, trafficClass, out, ints[packet | SIZE]!)
    if (admission === REFUSED) {
      admission = this.trim(packet, input, trafficClass, out)
      if (admission === REFUSED) {
        this.fabric.drop(packet, this.node, DROP_BUFFER)
        return -1
      }
      admitted = this.trimmer!.trafficClass
    }
    ints[packet | INPUT] = input
    if (admission === ADMITTED_OVER_XOFF) this.pause(input, admitted)
    return admitted
  }

  /** A packet has passed the switch's pipeline. */
  leavePipeline(packet: number): void {
    this.pipelineBytes -= ints[packet | SIZE]!
    this.fabric.inPipeline--
    this.forward(packet, ints[packet | CLASS]!, ints[packet | OUT]!)
  }

  /** Queues a packet at its egress port. */
  forward(packet: number, trafficClass: number, out: number): void {
    const port = this.portBase + out
    if (CHECKED) expectAlive(packet)
    if (CHECKED) assert(out > 0 && out < this.ports.length, 'a packet goes to a port that its switch does not have')
    if (this.transmitter.isFree(port, trafficClass)) {
      const scheduler = this.scheduler ?? this.portOf(port).scheduler
      scheduler.pick(1 << trafficClass, port)
      this.transmitter.pass(this, port, packet, trafficClass)
      return
    }
    const state = ints[this.records | (port << 4) | STATE]!
    if ((state & (DOWN | BLOCKED)) !== 0 && this.isDiscarded(packet, port, trafficClass, state)) return
    if (ints[packet | ECN] === NOT_ECT) {
      const { unmarkable } = this
      if (
        !PLAIN &&
        unmarkable !== null &&
        unmarkable.look(packet, out, trafficClass, this.queues.bytesOf(port, trafficClass))
      ) {
        this.loseEarly(packet, port, trafficClass)
        return
      }
    } else if ((this.departure & MARK) === 0 && this.isLong(port, trafficClass)) this.mark(packet, port, trafficClass)
    this.queues.push(port, packet, trafficClass, ints[packet | INPUT]! - 1)
    this.transmitter.kick(port)
  }

  /** Takes the next packet to send through `port`, which is free, or -1. */
  nextPacket(port: number): number {
    const state = ints[this.records | (port << 4) | STATE]!
    const ready = (state >> FULL_SHIFT) & ~(state >> PAUSED_SHIFT) & ALL_CLASSES
    if (ready === 0) return -1
    const scheduler = this.scheduler ?? this.portOf(port).scheduler
    const trafficClass = scheduler.pick(ready, port)
    const packet = this.queues.pop(port, trafficClass)
    this.depart(port, packet, trafficClass)
    return packet
  }

  /** A packet is about to leave: its bytes are freed now or at the end of its transmission. */
  depart(port: number, packet: number, trafficClass: number): void {
    const departure = this.departure
    if (departure !== 0) {
      this.stamp(port, packet, trafficClass, departure)
      if ((departure & HOLD) !== 0) {
        this.releaseLater(packet, trafficClass, port - this.portBase)
        return
      }
    }
    this.release(ints[packet | INPUT]!, trafficClass, port - this.portBase, ints[packet | SIZE]!)
  }

  /** Counts a packet that leaves, marks it where marking is at dequeue, and writes its telemetry. */
  protected stamp(port: number, packet: number, trafficClass: number, departure: number): void {
    if ((departure & COUNT) !== 0) this.fabric.departures!.count(port, trafficClass, packet)
    const mayMark = (departure & MARK) !== 0 && ints[packet | ECN] !== NOT_ECT
    if (mayMark && this.isLong(port, trafficClass)) this.mark(packet, port, trafficClass)
    if ((departure & REPORT) !== 0 && ints[packet | KIND] === DATA) {
      this.fabric.telemetry!.append(packet, this.portOf(port), this.fabric.queue.nowPs)
    }
  }

  /** Whether bytes are to be freed at the end of the transmission in progress. */
  isHolding(port: number): boolean {
    return (this.departure & HOLD) !== 0 && this.sending[port - this.portBase]! >= 0
  }

  /** End of a transmission: frees the bytes held until then. */
  onSent(port: number): void {
    const index = port - this.portBase
    const held = this.sending[index]!
    if (held < 0) return
    this.sending[index] = -1
    // Packed by releaseLater, because the packet may have been freed already.
    const trafficClass = held % 8
    const input = Math.floor(held / 8) % PORTS_MAX
    const sizeBytes = Math.floor(held / 8 / PORTS_MAX)
    this.heldBytes -= sizeBytes
    this.release(input, trafficClass, index, sizeBytes)
  }

  /** Drops all packets of these classes that are queued at a port, highest class first. */
  flush(port: Port, classes: number = ALL_CLASSES, reason: number = DROP_LINK_DOWN): void {
    const { queues } = this
    for (let full = queues.full(port.id) & classes; full !== 0; full = queues.full(port.id) & classes) {
      const trafficClass = 31 - Math.clz32(full)
      this.discard(queues.pop(port.id, trafficClass), port.id, trafficClass, reason)
    }
  }

  /** The port with this number. */
  protected portOf(port: number): Port {
    return this.ports[port - this.portBase]!
  }

  /** One of the ports of a list (-1: the list of the packet's destination), or -1 without a route. */
  private choose(packet: number, known: number): number {
    const routes = this.routes
    const list = known >= 0 ? known : routes.listOf[this.row + routes.groupOf[ints[packet | DESTINATION]!]!]!
    if (list < 0) return -1
    const candidates = routes.listLength[list]!
    const first = routes.listStart[list]!
    const index = candidates === 1 ? 0 : this.balance.choose(this.node, packet, candidates, first)
    return routes.ports[first + index]!
  }

  /** Trims or drops a packet that is charged. */
  protected loseEarly(packet: number, port: number, trafficClass: number): void {
    const { trimmer } = this
    if (trimmer === null || !trimmer.early || !trimmer.mayTrim(packet, trafficClass))
      return this.discard(packet, port, trafficClass, DROP_WRED)
    const input = ints[packet | INPUT]!
    const out = port - this.portBase
    this.release(input, trafficClass, out, ints[packet | SIZE]!)
    const admission = trimmer.admit(packet, input, out)
    if (admission === REFUSED) return this.fabric.drop(packet, this.node, DROP_WRED)
    if (admission === ADMITTED_OVER_XOFF) this.pause(input, trimmer.trafficClass)
    this.forward(packet, trimmer.trafficClass, out)
  }

  /** The buffer has refused a packet: trims it if possible. @returns the buffer's verdict on its header; REFUSED: drop it. */
  private trim(packet: number, input: number, trafficClass: number, out: number): number {
    const { trimmer } = this
    if ((this.ports[input]!.lossless & (1 << trafficClass)) !== 0) this.fabric.counters.losslessDrops++
    return trimmer === null || !trimmer.mayTrim(packet, trafficClass) ? REFUSED : trimmer.admit(packet, input, out)
  }

  /** Whether a queue may be long enough for marking. */
  private isLong(port: number, trafficClass: number): boolean {
    return this.queues.bytesOf(port, trafficClass) >= ints[this.records | (port << 4) | MARK_FROM]!
  }

  /** Marks a packet of an ECN-capable kind if the port's marker decides so. */
  private mark(packet: number, port: number, trafficClass: number): void {
    if (!this.markers[port - this.portBase]!.isMarked(trafficClass, this.queues.bytesOf(port, trafficClass))) return
    ints[packet | ECN] = CE
    this.portOf(port).stats?.onMarked(trafficClass)
    this.fabric.counters.ecnMarks++
  }

  /** The port is down, or drops some classes: drops a packet that is charged, if it is one of these. */
  protected isDiscarded(packet: number, port: number, trafficClass: number, state: number): boolean {
    const isDown = (state & DOWN) !== 0
    if (!isDown && (this.portOf(port).blockedMask & (1 << trafficClass)) === 0) return false
    this.discard(packet, port, trafficClass, isDown ? DROP_LINK_DOWN : DROP_WATCHDOG)
    return true
  }

  /** Drops a packet that is charged. */
  discard(packet: number, port: number, trafficClass: number, reason: number): void {
    if (reason === DROP_WATCHDOG) this.portOf(port).stats?.onDiscarded(trafficClass)
    this.release(ints[packet | INPUT]!, trafficClass, port - this.portBase, ints[packet | SIZE]!)
    this.fabric.drop(packet, this.node, reason)
  }

  protected pause(input: number, trafficClass: number): void {
    const port = this.ports[input]!
    if ((port.lossless & (1 << trafficClass)) !== 0) port.pausePeer(trafficClass)
  }

  private releaseLater(packet: number, trafficClass: number, index: number): void {
    const sizeBytes = ints[packet | SIZE]!
    this.heldBytes += sizeBytes
    this.sending[index] = (sizeBytes * PORTS_MAX + ints[packet | INPUT]!) * 8 + trafficClass
  }

  protected release(input: number, trafficClass: number, out: number, sizeBytes: number): void {
    this.buffer.release(input, trafficClass, out, sizeBytes)
    if (this.xoffCount === 0) return
    const port = this.ports[input]!
    if ((port.xoffSent & (1 << trafficClass)) !== 0 && this.buffer.isUnderXon(input, trafficClass)) {
      port.resumePeer(trafficClass)
    }
  }
}
