/**
 * HOT. Port: one end of a cable; sends frames of its device, one at a time.
 * Units: picoseconds, bytes of frames (the serialization table adds preamble and gap).
 * The end of a transmission is an event only when something waits for it; its place in line is drawn at the start of
 * the transmission all the same, so an event that is never queued changes no order.
 * Invariant: at most one end-of-transmission event is pending; a frame on the wire is an arrival event.
 */
import type { EgressQueue } from './egress-queue.ts'
import type { Marker } from './ecn.ts'
import type { Nic } from './nic.ts'
import { AT, DESTINATION, FLOW, KIND, NEXT, PFC, SIZE } from './packets.ts'
import type { Scheduler } from './scheduler.ts'
import type { Switch } from './switch.ts'
import { EVENT_ARRIVAL, EVENT_FORWARD, EVENT_PFC, EVENT_PORT_END, KIND_BITS, type Fabric } from './fabric.ts'
import { DROP_LINK_DOWN } from './counters.ts'
import type { LinkFault } from './fault.ts'
import { PauseBook, pauseDurationPs, refreshIntervalPs, type PfcRules } from './pfc.ts'

export interface PortOptions {
  readonly id: number
  /** 1-based, in the order of the node's links. */
  readonly index: number
  readonly rateBps: number
  readonly delayPs: number
  /** Serialization time by frame bytes. */
  readonly transmitPs: Int32Array | Float64Array
  readonly pfc: PfcRules
  readonly pfcFrameBytes: number
  readonly notifiesEnd: boolean
  /** Of a switch's port: what waits, which class goes first, what is marked (null: nothing). */
  readonly queue: EgressQueue
  readonly scheduler: Scheduler
  readonly marker: Marker | null
}

/** Bits of a port's state. */
const END_PENDING = 1
/** Asks its device for a packet right now. */
const CHOOSING = 2
const DOWN = 4

/** All ports have the same fields from the constructor on, so that code on the path of packets sees one shape. */
export class Port {
  // What the path of a packet touches comes first, so that it shares cache lines.
  /** A NIC's port has an empty one. */
  readonly queue: EgressQueue
  /** Classes that may not start a frame. */
  pausedMask = 0
  /** Classes this end has told its peer to stop. */
  xoffSent = 0
  /** Egress queue below which nothing is marked. */
  readonly markFromBytes: number
  private state = 0
  /** PFC frames waiting for the frame on the wire. */
  private pfcHead = -1
  private pfcTail = -1
  private peerId = -1
  readonly id: number
  readonly index: number
  readonly delayPs: number
  readonly transmitPs: Int32Array | Float64Array
  private readonly fabric: Fabric
  /** At 4 * id: end of the transmission in progress, its place in line, bytes and frames sent. */
  private readonly clock: Float64Array
  /** What it belongs to: one of the two is null. */
  nic: Nic | null = null
  at: Switch | null = null
  readonly scheduler: Scheduler
  readonly marker: Marker | null
  /** Faults of the direction towards this port. */
  fault: LinkFault | null = null
  /** When the cable was last cut. */
  cutPs = -1
  readonly rateBps: number
  /** Made at the first pause: ports that never see one stay small, and a large fabric stays in the cache. */
  private pauses: PauseBook | null = null
  private otherEnd: Port | null = null
  private readonly pfc: PfcRules
  private readonly pfcFrameBytes: number
  private readonly notifiesEnd: boolean

  constructor(fabric: Fabric, options: PortOptions) {
    this.fabric = fabric
    this.clock = fabric.portClock
    this.id = options.id
    this.index = options.index
    this.rateBps = options.rateBps
    this.delayPs = options.delayPs
    this.transmitPs = options.transmitPs
    this.pfc = options.pfc
    this.pfcFrameBytes = options.pfcFrameBytes
    this.notifiesEnd = options.notifiesEnd
    this.queue = options.queue
    this.scheduler = options.scheduler
    this.marker = options.marker
    this.markFromBytes = options.marker === null ? 2 ** 30 : options.marker.fromBytes
  }

  get isUp(): boolean {
    return (this.state & DOWN) === 0
  }

  /** Node id of its device. */
  get node(): number {
    return this.at !== null ? this.at.node : this.nic!.node
  }

  private pauseBook(): PauseBook {
    return (this.pauses ??= new PauseBook())
  }

  /** Time its classes were paused up to now, summed. */
  pausedPs(nowPs: number): number {
    return this.pauses === null ? 0 : this.pauses.pausedPs(nowPs)
  }

  /** Frame bytes sent so far. */
  get sentBytes(): number {
    return this.clock[(this.id << 2) + 2]!
  }

  get sentFrames(): number {
    return this.clock[(this.id << 2) + 3]!
  }

  /** The other end of the cable. */
  get peer(): Port {
    return this.otherEnd!
  }

  /** Lays the cable. */
  connect(peer: Port): void {
    this.otherEnd = peer
    this.peerId = peer.id
  }

  /** Something may be there to send: starts it, or makes sure that the end of the current frame looks. */
  kick(): void {
    if ((this.state & (END_PENDING | CHOOSING)) !== 0) return
    const queue = this.fabric.queue
    const nowPs = queue.nowPs
    const clock = this.clock
    const at = this.id << 2
    const busyPs = clock[at]!
    if (nowPs < busyPs || (nowPs === busyPs && queue.currentOrder < clock[at + 1]!)) {
      this.state |= END_PENDING
      queue.scheduleFrom(clock, at, (this.id << KIND_BITS) | EVENT_PORT_END)
      return
    }
    this.start()
  }

  /** The pending end-of-transmission event. */
  onEnd(): void {
    this.state &= ~END_PENDING
    if (this.notifiesEnd && this.at !== null) this.at.onSent(this)
    this.start()
  }

  private start(): void {
    if ((this.state & DOWN) !== 0) return
    const { at } = this
    let packet = this.pfcHead
    if (packet >= 0) {
      const next = this.fabric.packets.data[packet | NEXT]!
      this.pfcHead = next
      if (next < 0) this.pfcTail = -1
    } else {
      // What the device does on the way (a resume) may come back to this port: it has to wait.
      this.state |= CHOOSING
      packet = at !== null ? at.nextPacket(this) : this.nic!.nextPacket(this)
      this.state &= ~CHOOSING
      if (packet < 0) return
    }
    this.send(packet)
    if (this.pfcHead >= 0 || (at !== null ? at.hasWaiting(this) : this.nic!.hasWaiting())) {
      this.state |= END_PENDING
      this.fabric.queue.scheduleFrom(this.clock, this.id << 2, (this.id << KIND_BITS) | EVENT_PORT_END)
    }
  }

  private send(packet: number): void {
    const fabric = this.fabric
    const queue = fabric.queue
    const data = fabric.packets.data
    const sizeBytes = data[packet | SIZE]!
    const transmitPs = this.transmitPs[sizeBytes]!
    const at = this.id << 2
    this.clock[at] = queue.nowPs + transmitPs
    // The end draws before the arrival: at no delay the sender is free before the packet is there.
    queue.drawInto(this.clock, at + 1)
    data[packet | AT] = this.peerId
    this.clock[at + 2]! += sizeBytes
    this.clock[at + 3]!++
    queue.after(transmitPs + this.delayPs, (packet << KIND_BITS) | EVENT_ARRIVAL)
  }

  /** PFC frames that wait for the frame on the wire. */
  get waitingPfc(): number {
    let count = 0
    for (let packet = this.pfcHead; packet >= 0; packet = this.fabric.packets.data[packet | NEXT]!) count++
    return count
  }

  /** Whether a packet that arrives now was on the cable when it was cut. */
  wasCut(packet: number): boolean {
    if ((this.state & DOWN) !== 0) return true
    if (this.cutPs < 0) return false
    const sentPs =
      this.fabric.queue.nowPs - this.delayPs - this.peer.transmitPs[this.fabric.packets.data[packet | SIZE]!]!
    return sentPs <= this.cutPs
  }

  /** Tells the peer to stop (`quanta` above 0) or go on (0) with the classes in `vector`. */
  sendPfc(vector: number, quanta: number): void {
    const fabric = this.fabric
    const packets = fabric.packets
    const packet = packets.alloc()
    packets.data[packet | KIND] = PFC
    packets.data[packet | SIZE] = this.pfcFrameBytes
    packets.data[packet | FLOW] = vector
    packets.data[packet | DESTINATION] = quanta
    packets.data[packet | NEXT] = -1
    fabric.counters.pfcSent++
    if (quanta > 0) fabric.counters.pauseFrames++
    else fabric.counters.resumeFrames++
    if (this.pfcHead < 0) this.pfcHead = packet
    else packets.data[this.pfcTail + NEXT] = packet
    this.pfcTail = packet
    this.kick()
  }

  /** After a charge to (this port, class): pause the peer if the buffer says so. */
  pausePeer(trafficClass: number): void {
    const bit = 1 << trafficClass
    const isNew = (this.xoffSent & bit) === 0
    if (!isNew && !this.pfc.repeats) return
    if (isNew) {
      this.xoffSent |= bit
      this.at!.xoffCount++
    }
    this.sendPfc(bit, this.pfc.quanta)
    if (isNew && this.pfc.refreshShare > 0) this.armRefresh(trafficClass)
  }

  /** After a release: let the peer go on. */
  resumePeer(trafficClass: number): void {
    this.xoffSent &= ~(1 << trafficClass)
    this.at!.xoffCount--
    this.sendPfc(1 << trafficClass, 0)
  }

  private armRefresh(trafficClass: number): void {
    const queue = this.fabric.queue
    const intervalPs = refreshIntervalPs(this.pfc, this.rateBps, this.transmitPs[this.pfcFrameBytes]!)
    this.pauseBook().refreshPs[trafficClass] = queue.nowPs + intervalPs
    queue.after(intervalPs, (((this.id << 4) | 8 | trafficClass) << KIND_BITS) | EVENT_PFC)
  }

  /** A PFC frame arrived; it may take effect later (reaction time). */
  onPfc(packet: number): void {
    if (this.pfc.reactionPs > 0) {
      this.fabric.inPipeline++
      this.fabric.queue.after(this.pfc.reactionPs, (packet << KIND_BITS) | EVENT_FORWARD)
    } else this.applyPfc(packet)
  }

  applyPfc(packet: number): void {
    const fabric = this.fabric
    const nowPs = fabric.queue.nowPs
    const vector = fabric.packets.data[packet | FLOW]!
    const quanta = fabric.packets.data[packet | DESTINATION]!
    fabric.packets.free(packet)
    // The cable was cut while the port made up its mind: nothing said before counts.
    if (this.cutPs >= nowPs - this.pfc.reactionPs) return
    if (fabric.watch !== null) fabric.watch.onPfcReceived(nowPs, this.id, vector, quanta > 0)
    for (let c = 0; c < 8; c++) {
      if ((vector & (1 << c)) === 0) continue
      if (quanta === 0) this.resumed(nowPs, c)
      else {
        const untilPs = this.pfc.expires ? nowPs + pauseDurationPs(quanta, this.rateBps) : Infinity
        this.pauseBook().untilPs[c] = untilPs
        const isNew = (this.pausedMask & (1 << c)) === 0
        if (isNew) {
          this.pausedMask |= 1 << c
          this.pauseBook().open(nowPs, c)
        }
        if (this.pfc.expires) {
          fabric.queue.schedule(untilPs, fabric.queue.draw(), (((this.id << 4) | c) << KIND_BITS) | EVENT_PFC)
        }
        if (isNew && fabric.watch !== null) fabric.watch.onPauseChanged(nowPs, this.id, c, true)
      }
    }
    if (quanta === 0) this.kick()
  }

  private resumed(nowPs: number, trafficClass: number): void {
    if ((this.pausedMask & (1 << trafficClass)) === 0) return
    this.pausedMask &= ~(1 << trafficClass)
    this.pauseBook().close(nowPs, trafficClass)
    const { watch } = this.fabric
    if (watch !== null) watch.onPauseChanged(nowPs, this.id, trafficClass, false)
  }

  /** A pause may be over, or may have to be sent again. */
  onPfcTimer(data: number): void {
    const trafficClass = data & 7
    const bit = 1 << trafficClass
    const nowPs = this.fabric.queue.nowPs
    if ((data & 8) !== 0) {
      // Of several timers that pauses in a row have armed, only the last counts.
      if ((this.xoffSent & bit) === 0 || !this.isUp || this.pauseBook().refreshPs[trafficClass] !== nowPs) return
      this.sendPfc(bit, this.pfc.quanta)
      this.armRefresh(trafficClass)
    } else if ((this.pausedMask & bit) !== 0 && this.pauseBook().untilPs[trafficClass]! <= nowPs) {
      this.resumed(nowPs, trafficClass)
      this.kick()
    }
  }

  /** The cable is cut: waiting PFC frames are lost and all pause state is forgotten. */
  cut(): void {
    const fabric = this.fabric
    this.state |= DOWN
    this.cutPs = fabric.queue.nowPs
    while (this.pfcHead >= 0) {
      const packet = this.pfcHead
      this.pfcHead = fabric.packets.data[packet | NEXT]!
      fabric.drop(packet, this.node, DROP_LINK_DOWN)
    }
    this.pfcTail = -1
    for (let c = 0; c < 8; c++) this.resumed(fabric.queue.nowPs, c)
    for (let bits = this.xoffSent; bits !== 0; bits &= bits - 1) this.at!.xoffCount--
    this.xoffSent = 0
  }

  /** The cable is mended. */
  mend(): void {
    this.state &= ~DOWN
    this.kick()
  }
}
