/**
 * HOT. Transmitter: every port of a fabric sends frames of its device, one at a time. Ports are numbers here, and all
 * that is asked of them per packet is in their records.
 * Units: picoseconds, bytes of frames (the serialization table adds preamble and gap).
 * The end of a transmission is an event only when something waits for it; its place in line is drawn at the start of
 * the transmission all the same, so an event that is never queued changes no order.
 * Invariant: at most one end-of-transmission event of a port is pending; a frame on the wire is an arrival event.
 */
import type { EventQueue } from '../engine/event-queue.ts'
import { EVENT_ARRIVAL, EVENT_PORT_END, KIND_BITS } from './event-codes.ts'
import type { Nic } from './nic.ts'
import { AT, SIZE, type Packets } from './packets.ts'
import type { Port } from './port.ts'
import {
  ALL_CLASSES,
  BUSY_ORDER,
  BUSY_PS,
  CHOOSING,
  DELAY_PS,
  DOWN,
  END_PENDING,
  FULL_SHIFT,
  HAS_PFC,
  NOTIFIES_END,
  PASSES,
  PAUSED_SHIFT,
  PEER,
  SENT_BYTES,
  SENT_FRAMES,
  STATE,
  TABLE,
  VIRTUAL,
  type PortRecords,
} from './port-records.ts'
import type { Switch } from './switch.ts'

/** A packet may not go past the queue with any of these, nor without PASSES. */
const PASS_BITS = END_PENDING | CHOOSING | DOWN | HAS_PFC | VIRTUAL | PASSES | (ALL_CLASSES << FULL_SHIFT)

export class Transmitter {
  private readonly queue: EventQueue
  private readonly packets: Packets
  private readonly ints: Int32Array
  private readonly doubles: Float64Array
  /** What a port belongs to: one of the two is null. */
  private readonly switches: (Switch | null)[] = []
  private readonly nics: (Nic | null)[] = []
  private readonly ports: Port[] = []
  /** Serialization times by frame bytes, one table per rate, and all of them behind each other in one column. */
  private readonly tables: Float64Array[] = []
  private transmitPs = new Float64Array(0)

  constructor(queue: EventQueue, packets: Packets, records: PortRecords) {
    this.queue = queue
    this.packets = packets
    this.ints = records.ints
    this.doubles = records.doubles
  }

  /** Takes in the next port; ports come in the order of their numbers. */
  add(port: Port, at: Switch | null, nic: Nic | null): void {
    this.ports.push(port)
    this.switches.push(at)
    this.nics.push(nic)
    if (!this.tables.includes(port.transmitPs)) {
      this.tables.push(port.transmitPs)
      this.transmitPs = Float64Array.from(this.tables.flatMap((table) => [...table]))
    }
    const before = this.tables.slice(0, this.tables.indexOf(port.transmitPs))
    this.ints[(port.id << 4) | TABLE] = before.reduce((sum, table) => sum + table.length, 0)
  }

  /** Something may be there to send: starts it, or makes sure that the end of the current frame looks. */
  kick(port: number): void {
    const state = this.ints[(port << 4) | STATE]!
    if ((state & (END_PENDING | CHOOSING)) !== 0) return
    const queue = this.queue
    const nowPs = queue.nowPs
    const doubles = this.doubles
    const busyPs = doubles[(port << 3) | BUSY_PS]!
    if (nowPs < busyPs || (nowPs === busyPs && queue.currentOrder < doubles[(port << 3) | BUSY_ORDER]!)) {
      this.ints[(port << 4) | STATE] = state | END_PENDING
      queue.scheduleFrom(doubles, (port << 3) | BUSY_PS, (port << KIND_BITS) | EVENT_PORT_END)
      return
    }
    this.start(port)
  }

  /** The pending end-of-transmission event. */
  onEnd(port: number): void {
    const state = this.ints[(port << 4) | STATE]!
    this.ints[(port << 4) | STATE] = state & ~END_PENDING
    if ((state & NOTIFIES_END) !== 0) this.switches[port]!.onSent(port)
    this.start(port)
  }

  /** Whole time on the cable of a frame that came in by a port: both ends run at the same rate. */
  flightPs(port: number, sizeBytes: number): number {
    const transmitPs = this.transmitPs[this.ints[(port << 4) | TABLE]! + sizeBytes]!
    return this.doubles[(port << 3) | DELAY_PS]! + transmitPs
  }

  private start(port: number): void {
    const ints = this.ints
    const state = ints[(port << 4) | STATE]!
    if ((state & DOWN) !== 0) return
    let packet
    if ((state & HAS_PFC) !== 0) packet = this.ports[port]!.takePfc()
    else {
      const at = this.switches[port]!
      if (at !== null && at.xoffCount === 0) packet = at.nextPacket(port)
      else {
        // What the device does on the way (a resume) may come back to this port: it has to wait.
        ints[(port << 4) | STATE] = state | CHOOSING
        packet = at !== null ? at.nextPacket(port) : this.nics[port]!.nextPacket(port)
        ints[(port << 4) | STATE]! &= ~CHOOSING
      }
      if (packet < 0) return
    }
    this.launch(port, packet)
  }

  /** A packet that comes now would leave now: nothing is on the wire or waits, nor may anything be marked or paused. */
  isFree(port: number, trafficClass: number): boolean {
    const against = PASS_BITS | (1 << (PAUSED_SHIFT + trafficClass))
    if ((this.ints[(port << 4) | STATE]! & against) !== PASSES) return false
    const nowPs = this.queue.nowPs
    const busyPs = this.doubles[(port << 3) | BUSY_PS]!
    return nowPs > busyPs || (nowPs === busyPs && this.queue.currentOrder >= this.doubles[(port << 3) | BUSY_ORDER]!)
  }

  /** Sends a switch's packet through a port that is free for it; the same as to queue it, kick and take it out again. */
  pass(port: number, packet: number, trafficClass: number): void {
    const at = this.switches[port]!
    if (at.xoffCount === 0) at.depart(port, packet, trafficClass)
    else {
      // As in `start`: what the switch does on the way may come back to this port.
      this.ints[(port << 4) | STATE]! |= CHOOSING
      at.depart(port, packet, trafficClass)
      this.ints[(port << 4) | STATE]! &= ~CHOOSING
    }
    this.launch(port, packet)
  }

  /** Puts a packet on the cable, and its end in line if then something could be sent or is to be told. */
  private launch(port: number, packet: number): void {
    const queue = this.queue
    const data = this.packets.data
    const ints = this.ints
    const doubles = this.doubles
    const sizeBytes = data[packet | SIZE]!
    const transmitPs = this.transmitPs[ints[(port << 4) | TABLE]! + sizeBytes]!
    doubles[(port << 3) | BUSY_PS] = queue.nowPs + transmitPs
    // The end draws before the arrival: at no delay the sender is free before the packet is there.
    queue.drawInto(doubles, (port << 3) | BUSY_ORDER)
    data[packet | AT] = ints[(port << 4) | PEER]!
    doubles[(port << 3) | SENT_BYTES]! += sizeBytes
    doubles[(port << 3) | SENT_FRAMES]!++
    queue.after(transmitPs + doubles[(port << 3) | DELAY_PS]!, (packet << KIND_BITS) | EVENT_ARRIVAL)
    const state = ints[(port << 4) | STATE]!
    const isReady = ((state >> FULL_SHIFT) & ~(state >> PAUSED_SHIFT) & ALL_CLASSES) !== 0
    if (isReady || (state & HAS_PFC) !== 0 || this.isDeviceWaiting(port)) {
      ints[(port << 4) | STATE] = state | END_PENDING
      queue.scheduleFrom(doubles, (port << 3) | BUSY_PS, (port << KIND_BITS) | EVENT_PORT_END)
    }
  }

  private isDeviceWaiting(port: number): boolean {
    const at = this.switches[port]!
    return at !== null ? at.isHolding(port) : this.nics[port]!.hasWaiting()
  }
}
