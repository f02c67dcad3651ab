/**
 * HOT. Transmitter: sends the frames of all ports of a fabric, one at a time per port. Ports are numbers here; the
 * state needed per packet is in their records.
 * Units: picoseconds, bytes of frames (the serialization table adds preamble and gap).
 * The end of a transmission is an event only when something waits for it; its order is assigned at the start of the
 * transmission in any case, so that it does not depend on whether the event is queued.
 * Invariant: at most one end-of-transmission event of a port is pending; a frame on the link is an arrival event.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import { DOUBLES, INTS, type Memory } from '../../base/memory.ts'
import type { EventQueue } from '../../engine/event-queue.ts'
import { EVENT_ARRIVAL, EVENT_PORT_END, KIND_BITS } from '../event-codes.ts'
import { AT, expectAlive, KIND, PFC, SIZE } from '../packets.ts'
import {
  ALL_CLASSES,
  ASKS_DEVICE,
  BLOCKED,
  BUSY_ORDER,
  BUSY_PS,
  CHOOSING,
  DELAY_PS,
  DOWN,
  END_PENDING,
  FULL_SHIFT,
  HAS_PFC,
  HEADER_FIRST,
  NOTIFIES_END,
  PASSES,
  PAUSED_SHIFT,
  PEER,
  SENT_BYTES,
  SENT_FRAMES,
  STATE,
  TABLE,
  VIRTUAL,
  WATCHED,
  type PortRecords,
} from './port-records.ts'
import type { DevicePort, NicDevice, SwitchDevice } from './device.ts'
import type { FrameWatch } from '../watch.ts'

const ints = INTS
const doubles = DOUBLES

/** A packet may not bypass the queue while any of these is set, nor without PASSES. */
const PASS_BITS = END_PENDING | CHOOSING | DOWN | HAS_PFC | VIRTUAL | PASSES | BLOCKED | (ALL_CLASSES << FULL_SHIFT)
/** No frame may start while any of these is set. */
const WAITING_BITS = END_PENDING | CHOOSING | DOWN | HAS_PFC | (ALL_CLASSES << FULL_SHIFT)

/** The start of a frame takes more than the usual steps. */
const UNUSUAL = HEADER_FIRST | WATCHED

export class Transmitter {
  private readonly queue: EventQueue
  private readonly memory: Memory
  /** Base offset of the port records. */
  private readonly records: number
  /** Device of each port: one of the two is null. */
  private readonly switches: (SwitchDevice | null)[] = []
  private readonly nics: (NicDevice | null)[] = []
  private readonly ports: DevicePort[] = []
  /** By port: observers of the frames that start there. */
  private readonly watches: FrameWatch[] = []
  /** Index of each rate's serialization times by frame bytes, in doubles. */
  private readonly tables = new Map<Float64Array, number>()
  /** Bytes of a frame that a cut-through switch waits for. */
  private readonly headerBytes: number

  constructor(queue: EventQueue, records: PortRecords, memory: Memory, headerBytes: number) {
    this.queue = queue
    this.headerBytes = headerBytes
    this.memory = memory
    this.records = records.base
  }

  /** Adds the next port; ports come in the order of their numbers. */
  add(port: DevicePort, at: SwitchDevice | null, nic: NicDevice | null): void {
    this.ports.push(port)
    this.switches.push(at)
    this.nics.push(nic)
    let table = this.tables.get(port.transmitPs)
    if (table === undefined) {
      table = this.memory.take(2 * port.transmitPs.length) >> 1
      doubles.set(port.transmitPs, table)
      this.tables.set(port.transmitPs, table)
    }
    const record = this.records | (port.id << 4)
    ints[record | TABLE] = table
    if (nic !== null || (ints[record | STATE]! & NOTIFIES_END) !== 0) ints[record | STATE]! |= ASKS_DEVICE
  }

  /** Has a port of a host ask this device for packets from now on. */
  setNic(port: number, nic: NicDevice): void {
    this.nics[port] = nic
  }

  /** A NIC has a packet of one of these classes for its port, and no event of the port will ask for it. For checkers. */
  isForgotten(port: number, nic: NicDevice, classes: number): boolean {
    const state = ints[this.records | (port << 4) | STATE]!
    const isAtRest = (state & (END_PENDING | CHOOSING | DOWN)) === 0
    return isAtRest && (classes & ~(state >> PAUSED_SHIFT)) !== 0 && this.nics[port] === nic
  }

  /** Reports the frames that start at a port to this observer from now on, after those that were added before. */
  watch(port: number, watch: FrameWatch): void {
    const earlier = this.watches[port]
    this.watches[port] = earlier === undefined ? watch : both(earlier, watch)
    ints[this.records | (port << 4) | STATE]! |= WATCHED
  }

  /** The port may have a packet to send: starts it, or schedules the end of the current frame as an event. */
  kick(port: number): void {
    const record = this.records | (port << 4)
    const state = ints[record | STATE]!
    if ((state & (END_PENDING | CHOOSING)) !== 0) return
    if (this.isBusy(record)) this.awaitEnd(port, record, state)
    else this.start(port)
  }

  /** The pending end-of-transmission event. */
  onEnd(port: number): void {
    const record = this.records | (port << 4)
    const state = ints[record | STATE]!
    if ((state & NOTIFIES_END) === 0) ints[record | STATE] = state & ~END_PENDING
    else this.endHeld(port, record)
    this.start(port)
  }

  /** A resume of a packet that left by the port it came in by waits for `start`: until then the end counts as pending. */
  private endHeld(port: number, record: number): void {
    this.switches[port]!.onSent(port)
    ints[record | STATE]! &= ~END_PENDING
  }

  /** Time on the link of a frame that came in by a port, serialization included: both ends have the same rate. */
  flightPs(port: number, sizeBytes: number): number {
    const record = this.records | (port << 4)
    return doubles[(record >> 1) | DELAY_PS]! + doubles[ints[record | TABLE]! + sizeBytes]!
  }

  private start(port: number): void {
    const record = this.records | (port << 4)
    const state = ints[record | STATE]!
    if ((state & DOWN) !== 0) return
    let packet
    if ((state & HAS_PFC) !== 0) packet = this.ports[port]!.takePfc()
    else {
      const at = this.switches[port]!
      if (at === null) packet = this.nics[port]!.nextPacket(port)
      else if (at.xoffCount === 0) packet = at.nextPacket(port)
      else {
        // The switch may send a resume from within this call, which comes back to this port and has to wait. A NIC does not.
        ints[record | STATE] = state | CHOOSING
        packet = at.nextPacket(port)
        ints[record | STATE]! &= ~CHOOSING
      }
      if (packet < 0) return
    }
    this.launch(port, packet)
  }

  /** A packet that comes now would leave now: the port is idle, nothing is queued, and the packet is neither paused nor to be marked. */
  isFree(port: number, trafficClass: number): boolean {
    const record = this.records | (port << 4)
    const against = PASS_BITS | (1 << (PAUSED_SHIFT + trafficClass))
    return (ints[record | STATE]! & against) === PASSES && !this.isBusy(record)
  }

  /** The port is idle, nothing is queued and the class is not paused: a frame that comes now starts now. */
  isIdle(port: number, trafficClass: number): boolean {
    const record = this.records | (port << 4)
    const against = WAITING_BITS | (1 << (PAUSED_SHIFT + trafficClass))
    return (ints[record | STATE]! & against) === 0 && !this.isBusy(record)
  }

  /** The frame on the link ends at this instant, and the order of its end is later. */
  isEnding(port: number): boolean {
    const record = this.records | (port << 4)
    return doubles[(record >> 1) | BUSY_PS]! === this.queue.nowPs && this.isBusy(record)
  }

  /** Sends a switch's packet through a port that is free for it; equivalent to queueing it, a kick and dequeueing it. */
  pass(at: SwitchDevice, port: number, packet: number, trafficClass: number): void {
    if (at.xoffCount === 0) at.depart(port, packet, trafficClass)
    else {
      const state = this.records | (port << 4) | STATE
      // As in `start`: a resume may come back to this port.
      ints[state]! |= CHOOSING
      at.depart(port, packet, trafficClass)
      ints[state]! &= ~CHOOSING
    }
    this.launch(port, packet)
  }

  /** The port, which is free, is busy for the time of a frame and sends none; then it looks for another packet. */
  skip(port: number, sizeBytes: number): void {
    const record = this.records | (port << 4)
    doubles[(record >> 1) | BUSY_PS] = this.queue.nowPs + doubles[ints[record | TABLE]! + sizeBytes]!
    this.queue.drawInto(record)
    this.awaitEnd(port, record, ints[record | STATE]!)
  }

  /** Puts a packet on the link, and schedules its end if something may be sent then or the device is to be notified. */
  private launch(port: number, packet: number): void {
    if (CHECKED) expectAlive(packet)
    if (CHECKED) assert(port >= 0 && port < this.ports.length, 'a packet leaves by a port that there is not')
    const queue = this.queue
    const record = this.records | (port << 4)
    const sizeBytes = ints[packet | SIZE]!
    const transmitPs = doubles[ints[record | TABLE]! + sizeBytes]!
    doubles[(record >> 1) | BUSY_PS] = queue.nowPs + transmitPs
    // The end is assigned its order before the arrival: with zero delay the sender is free before the packet arrives.
    queue.drawInto(record)
    ints[packet | AT] = ints[record | PEER]!
    doubles[(record >> 1) | SENT_BYTES]! += sizeBytes
    doubles[(record >> 1) | SENT_FRAMES]!++
    const state = ints[record | STATE]!
    const reachPs = (state & UNUSUAL) === 0 ? transmitPs : this.reachPs(port, packet, sizeBytes)
    queue.enterAfter(packet, reachPs + doubles[(record >> 1) | DELAY_PS]!, packet | EVENT_ARRIVAL)
    const isReady = ((state >> FULL_SHIFT) & ~(state >> PAUSED_SHIFT) & ALL_CLASSES) !== 0
    if (isReady || (state & HAS_PFC) !== 0) this.awaitEnd(port, record, state)
    else if ((state & ASKS_DEVICE) !== 0 && this.isDeviceWaiting(port)) this.awaitEnd(port, record, state)
  }

  /** Serialization time of the part of a frame that its receiver waits for; reports the frame to observers. */
  private reachPs(port: number, packet: number, sizeBytes: number): number {
    const record = this.records | (port << 4)
    const state = ints[record | STATE]!
    const transmitPs = doubles[ints[record | TABLE]! + sizeBytes]!
    const reachPs = (state & HEADER_FIRST) !== 0 ? this.headerPs(record, packet, sizeBytes) : transmitPs
    if ((state & WATCHED) !== 0) this.watches[port]!.onStart(this.queue.nowPs, port, packet, transmitPs, reachPs)
    return reachPs
  }

  /** Serialization time of a frame's header; PFC frames are received whole. */
  private headerPs(record: number, packet: number, sizeBytes: number): number {
    const isWhole = sizeBytes < this.headerBytes || ints[packet | KIND] === PFC
    return doubles[ints[record | TABLE]! + (isWhole ? sizeBytes : this.headerBytes)]!
  }

  /** The frame on the wire is not out yet. */
  private isBusy(record: number): boolean {
    const queue = this.queue
    const busyPs = doubles[(record >> 1) | BUSY_PS]!
    if (queue.nowPs !== busyPs) return queue.nowPs < busyPs
    return queue.currentOrder < doubles[(record >> 1) | BUSY_ORDER]!
  }

  /** Schedules the end of the transmission, whose time and order are in the port's record. */
  private awaitEnd(port: number, record: number, state: number): void {
    ints[record | STATE] = state | END_PENDING
    this.queue.enter(record, (port << KIND_BITS) | EVENT_PORT_END)
  }

  private isDeviceWaiting(port: number): boolean {
    const at = this.switches[port]!
    return at !== null ? at.isHolding(port) : this.nics[port]!.hasWaiting()
  }
}

/** One observer that calls two in turn. */
function both(first: FrameWatch, second: FrameWatch): FrameWatch {
  return {
    onStart(nowPs, port, packet, transmitPs, reachPs) {
      first.onStart(nowPs, port, packet, transmitPs, reachPs)
      second.onStart(nowPs, port, packet, transmitPs, reachPs)
    },
  }
}
