/**
 * HOT where it is used. Switch with hosts and tables of layer 2: looks up every packet for its own hosts, floods what it
 * has no port for, and learns from every packet of a host. Switches without tables are plain `Switch`es and pay nothing.
 * A flooded packet has a copy in the egress queue of every other port. The packet itself goes to the port of its
 * destination, which the switch does not know; copies are dropped by the hosts that get them. A port to another switch
 * sends no copy: it is dropped when it is at the head of its queue and the port may send ([MS-Scale] 4.2, Figure 4).
 * Invariant: buffer charges + duplicateBytes = bytes in the egress queues, the pipeline and held until sent.
 * Units: picoseconds, bytes of frames.
 */
import { INTS } from '../../base/memory.ts'
import { REFUSED } from '../buffer/buffer.ts'
import { DROP_BUFFER, DROP_NO_MAC, DROP_NOT_MINE, DROP_WRED } from '../counters.ts'
import { EVENT_FORWARD } from '../event-codes.ts'
import type { Fabric } from '../fabric.ts'
import { ALL_CLASSES, BLOCKED, DOWN, FULL_SHIFT, PAUSED_SHIFT, STATE } from '../link/port-records.ts'
import { BROADCAST, COPY, DESTINATION, DIRECTION, INPUT, KIND, NEXT, OUT, SIZE } from '../packets.ts'
import { type Copies, isSpare } from './layer2-copies.ts'
import { COMPLETE, INCOMPLETE, Layer2Tables, type TableTimes } from './layer2-tables.ts'
import { Switch } from './switch.ts'
import type { SwitchOptions } from './switch-options.ts'

const ints = INTS

/** OUT of a packet that is with the CPU. */
const CPU = 0

export interface Layer2Options extends TableTimes {
  readonly onIncomplete: 'flood' | 'drop-lossless' | 'cpu' | 'drop'
  /** Ports to other switches get copies too. */
  readonly floodsUplinks: boolean
  /** A copy dropped at the head of a queue keeps the port busy as if it were sent. */
  readonly headDropTakesTime: boolean
  /** Class of flooded packets here; -1: the class they have. */
  readonly floodClass: number
  /** Time that the CPU spends on a packet. */
  readonly cpuPs: number
  /** Packets that wait for the CPU, at most. */
  readonly cpuQueue: number
  readonly resolvePs: number
}

/** The hosts of the switch, as the lab knows them. */
export interface Layer2Hosts {
  /** By endpoint: local port of this switch that it is attached to, or 0. */
  readonly portOf: Int32Array
  /** Whether the host at a port of this switch sends and receives now, so that it answers ARP requests. */
  answers(port: number): boolean
  /** Calls `look` at this time, if the run lasts that long. */
  callAt(timePs: number): void
}

export class Layer2Switch extends Switch {
  private layer2: Layer2Options
  private readonly copies: Copies
  private hosts!: Layer2Hosts
  private tables!: Layer2Tables
  /** By local port: 1 where a host is attached. */
  private hasHost = new Uint8Array(0)
  /** Ports in the order in which copies are made. */
  private floodPorts: number[] = []
  /** When the CPU has worked off its queue. */
  private cpuFreePs = 0
  /** By local port: when the ARP request that is under way was sent; -1: none is. */
  private askedPs = new Float64Array(0)
  /** The next look at all entries; Infinity: none is due. */
  private lookPs = Infinity

  constructor(fabric: Fabric, options: SwitchOptions, layer2: Layer2Options, copies: Copies) {
    super(fabric, options)
    this.layer2 = layer2
    this.copies = copies
  }

  /** Fills the tables with its hosts; to be called when all ports have been added. */
  attach(hosts: Layer2Hosts): void {
    this.hosts = hosts
    this.hasHost = new Uint8Array(this.ports.length)
    for (const port of hosts.portOf) this.hasHost[port] = 1
    this.hasHost[0] = 0
    this.askedPs = new Float64Array(this.ports.length).fill(-1)
    this.tables = new Layer2Tables(this.ports, this.layer2)
    this.configure(this.layer2)
  }

  /** Other options, from now on. */
  configure(layer2: Layer2Options): void {
    this.layer2 = layer2
    this.tables.configure(layer2)
    this.floodPorts = this.portsOfFlood()
    this.awaitAgeing()
  }

  /** The MAC entry of the host at a port has aged out. */
  forgetMac(port: number): void {
    this.tables.forgetMac(port)
  }

  /** The switch starts anew: its tables are empty, and no ARP request is under way. */
  forgetAll(): void {
    this.askedPs.fill(-1)
    for (let port = 1; port < this.hasHost.length; port++) {
      this.tables.forgetMac(port)
      this.tables.forgetArp(port)
    }
  }

  /** The server at a port has started, and asks for its addresses: both tables have its entries anew, if it sends and receives. */
  announce(port: number): void {
    if (!this.hosts.answers(port)) return
    this.tables.answer(port, this.fabric.queue.nowPs)
    this.awaitAgeing()
  }

  /** COMPLETE, INCOMPLETE or UNKNOWN (layer2-tables.ts). */
  stateOf(port: number): number {
    return this.tables.stateOf(port, this.fabric.queue.nowPs)
  }

  /** Local ports that a flooded packet is copied to, but for the one where it came in. */
  portsOfFlood(): number[] {
    const all = [...this.ports.keys()].slice(1)
    return this.layer2.floodsUplinks ? all : all.filter((port) => this.hasHost[port] === 1)
  }

  override receive(packet: number, input: number): void {
    const { nowPs } = this.fabric.queue
    if (this.hasHost[input] === 1) this.tables.learn(input, nowPs)
    if (ints[packet | KIND] === BROADCAST) return this.flood(packet, input, 0)
    const port = this.hosts.portOf[ints[packet | DESTINATION]!]!
    if (port === 0) return super.receive(packet, input)
    const state = this.tables.stateOf(port, nowPs)
    if (state === COMPLETE) super.receive(packet, input)
    else this.receiveUnknown(packet, input, port, state)
  }

  /** A packet for a host whose port is not known. */
  private receiveUnknown(packet: number, input: number, port: number, state: number): void {
    const { onIncomplete } = this.layer2
    if (state === INCOMPLETE) this.fabric.counters.incomplete++
    if (state !== INCOMPLETE || onIncomplete === 'cpu') return this.punt(packet, input)
    const isLossless = (this.ports[input]!.lossless & (1 << this.trafficClassOf(packet))) !== 0
    const isDropped = onIncomplete === 'drop' || (onIncomplete === 'drop-lossless' && isLossless)
    if (isDropped) this.fabric.drop(packet, this.node, DROP_NO_MAC)
    else this.flood(packet, input, port)
  }

  // Flooding.

  /** Charges a packet once and sends a copy to every port but its own. @param home port of its destination; 0: all hosts */
  private flood(packet: number, input: number, home: number): void {
    const { fabric, layer2, floodPorts } = this
    const trafficClass = layer2.floodClass < 0 ? this.trafficClassOf(packet) : layer2.floodClass
    fabric.counters.floods++
    ints[packet | INPUT] = input
    const group = this.copies.open()
    // Charged copies, linked through NEXT: a copy that is sampled (QCN) makes a message, which may be flooded in between.
    let first = -1
    let last = -1
    let isPlaced = false
    let isRefused = false
    for (const out of floodPorts) {
      if (out === input || !this.ports[out]!.isUp) continue
      // The packet itself goes to its destination, or, if it is for all, to the first port.
      const isItself = !isPlaced && (home === 0 || out === home)
      const copy = isItself ? packet : this.copyOf(packet)
      if (isItself) isPlaced = true
      if (!this.charge(copy, group, trafficClass, out, first >= 0)) {
        // The packet itself is dropped last: further copies are made of it.
        if (isItself) isRefused = true
        else fabric.drop(copy, this.node, DROP_BUFFER)
        continue
      }
      ints[copy | OUT] = out
      ints[copy | NEXT] = -1
      if (first < 0) first = copy
      else ints[last | NEXT] = copy
      last = copy
    }
    if (isRefused) fabric.drop(packet, this.node, DROP_BUFFER)
    if (first < 0) {
      this.copies.close(group)
      if ((this.ports[input]!.lossless & (1 << trafficClass)) !== 0) fabric.counters.losslessDrops++
    } else if (this.buffer.isOverXoff(input, trafficClass)) this.pause(input, trafficClass)
    // Its destination's link is down.
    if (!isPlaced) fabric.drop(packet, this.node, DROP_NO_MAC)
    for (let copy = first; copy >= 0;) {
      const next = ints[copy | NEXT]!
      ints[copy | NEXT] = -1
      this.send(copy, trafficClass, ints[copy | OUT]!)
      copy = next
    }
  }

  /** Charges a copy, the first one with its bytes. @returns whether the buffer had room */
  private charge(copy: number, group: number, trafficClass: number, out: number, isStored: boolean): boolean {
    const sizeBytes = ints[copy | SIZE]!
    const isCharged = isStored
      ? this.buffer.admitCopy(trafficClass, out, sizeBytes)
      : this.buffer.admit(ints[copy | INPUT]!, trafficClass, out, sizeBytes) !== REFUSED
    if (!isCharged) return false
    if (isStored) this.duplicateBytes += sizeBytes
    this.copies.join(copy, group)
    return true
  }

  /** A copy for another port than the destination's; of a broadcast, one more for all. */
  private copyOf(packet: number): number {
    const { fabric } = this
    const copy = fabric.packets.copy(packet)
    if (ints[packet | KIND] !== BROADCAST) ints[copy | KIND] = COPY
    fabric.pairs.addPackets(ints[copy | DIRECTION]!, 1)
    fabric.counters.floodCopies++
    return copy
  }

  override forward(packet: number, trafficClass: number, out: number): void {
    if (this.hasHost[out] === 1 || !isSpare(packet)) return super.forward(packet, trafficClass, out)
    const port = this.portBase + out
    const state = ints[this.records | (port << 4) | STATE]!
    if ((state & (DOWN | BLOCKED)) !== 0 && this.isDiscarded(packet, port, trafficClass, state)) return
    this.queues.push(port, packet, trafficClass, ints[packet | INPUT]! - 1)
    this.transmitter.kick(port)
  }

  /** A port to another switch drops the copies at the head of its queues; a paused class keeps them. */
  override nextPacket(port: number): number {
    if (this.hasHost[port - this.portBase] === 1) return super.nextPacket(port)
    for (;;) {
      const state = ints[this.records | (port << 4) | STATE]!
      const ready = (state >> FULL_SHIFT) & ~(state >> PAUSED_SHIFT) & ALL_CLASSES
      if (ready === 0) return -1
      const trafficClass = (this.scheduler ?? this.portOf(port).scheduler).pick(ready, port)
      const packet = this.queues.pop(port, trafficClass)
      if (!isSpare(packet)) {
        this.depart(port, packet, trafficClass)
        return packet
      }
      const sizeBytes = ints[packet | SIZE]!
      this.discard(packet, port, trafficClass, DROP_NOT_MINE)
      if (this.layer2.headDropTakesTime) {
        this.transmitter.skip(port, sizeBytes)
        return -1
      }
    }
  }

  override depart(port: number, packet: number, trafficClass: number): void {
    if (!this.copies.has(packet) || this.copies.leave(packet)) return super.depart(port, packet, trafficClass)
    if (this.departure !== 0) this.stamp(port, packet, trafficClass, this.departure)
    this.releaseCopy(port, packet, trafficClass)
  }

  override discard(packet: number, port: number, trafficClass: number, reason: number): void {
    if (!this.copies.has(packet) || this.copies.leave(packet)) return super.discard(packet, port, trafficClass, reason)
    this.releaseCopy(port, packet, trafficClass)
    this.fabric.drop(packet, this.node, reason)
  }

  /** Copies are not trimmed: their bytes are stored once. */
  protected override loseEarly(packet: number, port: number, trafficClass: number): void {
    if (this.copies.has(packet)) this.discard(packet, port, trafficClass, DROP_WRED)
    else super.loseEarly(packet, port, trafficClass)
  }

  /** A copy has left its queue and others of the packet are left. */
  private releaseCopy(port: number, packet: number, trafficClass: number): void {
    const sizeBytes = ints[packet | SIZE]!
    this.duplicateBytes -= sizeBytes
    this.buffer.releaseCopy(trafficClass, port - this.portBase, sizeBytes)
  }

  // The CPU.

  /** Hands a packet to the CPU, whose queue is outside the buffer. */
  private punt(packet: number, input: number): void {
    const { fabric, layer2 } = this
    const { nowPs } = fabric.queue
    fabric.counters.punts++
    const waitPs = Math.max(0, this.cpuFreePs - nowPs)
    if (waitPs + layer2.cpuPs > layer2.cpuQueue * layer2.cpuPs) {
      fabric.counters.puntsRefused++
      fabric.drop(packet, this.node, DROP_NO_MAC)
      return
    }
    this.cpuFreePs = nowPs + waitPs + layer2.cpuPs
    ints[packet | INPUT] = input
    ints[packet | OUT] = CPU
    fabric.inPipeline++
    fabric.queue.enterAfter(packet, waitPs + layer2.cpuPs, packet | EVENT_FORWARD)
  }

  override leavePipeline(packet: number): void {
    if (ints[packet | OUT] !== CPU) return super.leavePipeline(packet)
    this.fabric.inPipeline--
    const { nowPs } = this.fabric.queue
    const port = this.hosts.portOf[ints[packet | DESTINATION]!]!
    if (this.tables.stateOf(port, nowPs) === COMPLETE) return super.receive(packet, ints[packet | INPUT]!)
    this.ask(port, nowPs)
    this.fabric.drop(packet, this.node, DROP_NO_MAC)
  }

  /** The CPU sends an ARP request for the host at a port, unless one is under way. */
  private ask(port: number, nowPs: number): void {
    if (this.askedPs[port]! >= 0) return
    this.fabric.counters.arpRequests++
    this.askedPs[port] = nowPs
    this.lookAt(nowPs + this.layer2.resolvePs)
  }

  /** One look is pending for all entries: a later one than it is found when it comes. */
  private lookAt(timePs: number): void {
    if (timePs >= this.lookPs) return
    this.lookPs = timePs
    this.hosts.callAt(timePs)
  }

  /** Answers may be due, and entries of the ARP table may have to be asked for again. */
  look(nowPs: number): void {
    // An earlier look has taken the place of this one.
    if (nowPs !== this.lookPs) return
    this.lookPs = Infinity
    const { tables, hosts, layer2, askedPs } = this
    for (let port = 1; port < this.hasHost.length; port++) {
      if (this.hasHost[port] === 0) continue
      if (askedPs[port]! >= 0 && askedPs[port]! + layer2.resolvePs <= nowPs) {
        askedPs[port] = -1
        if (hosts.answers(port)) tables.answer(port, nowPs)
        else if (tables.arpUntilPs(port) <= nowPs) tables.forgetArp(port)
      }
      if (tables.hasArp(port) && tables.arpUntilPs(port) - layer2.resolvePs <= nowPs) this.ask(port, nowPs)
    }
    this.awaitAgeing()
  }

  /** Looks when the next answer is due, or the next entry has to be asked for again. */
  private awaitAgeing(): void {
    const { tables, askedPs } = this
    const { resolvePs } = this.layer2
    const { nowPs } = this.fabric.queue
    let nextPs = Infinity
    for (let port = 1; port < this.hasHost.length; port++) {
      if (askedPs[port]! >= 0) nextPs = Math.min(nextPs, askedPs[port]! + resolvePs)
      else if (this.hasHost[port] === 1 && tables.hasArp(port))
        nextPs = Math.min(nextPs, tables.arpUntilPs(port) - resolvePs)
    }
    if (nextPs < Infinity) this.lookAt(Math.max(nextPs, nowPs))
  }
}
