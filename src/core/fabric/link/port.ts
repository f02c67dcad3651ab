/**
 * Port: one end of a link, with its pauses, faults and outages. The state that is needed per packet is in the port's
 * record (port-records.ts); its frames are sent by the transmitter.
 * Units: picoseconds, bytes of frames.
 */
import { DOUBLES, INTS } from '../../base/memory.ts'
import { EgressQueue } from './egress-queue.ts'
import type { Marker, MarkingRule } from './ecn.ts'
import { DESTINATION, DIRECTION, OUT, SIZE } from '../packets.ts'
import {
  ALL_CLASSES,
  BLOCKED,
  DELAY_PS,
  DOWN,
  HAS_PFC,
  HEADER_FIRST,
  MARK_FROM,
  NOTIFIES_END,
  PAUSED_SHIFT,
  PEER,
  SENT_BYTES,
  SENT_FRAMES,
  STATE,
} from './port-records.ts'
import type { Scheduler } from './scheduler.ts'
import type { DevicePort, NicDevice, SwitchDevice } from './device.ts'
import { EVENT_PFC, KIND_BITS } from '../event-codes.ts'
import type { LinkFabric } from './link-fabric.ts'
import { DROP_LINK_DOWN } from '../counters.ts'
import type { LinkFault } from './fault.ts'
import { type Intake, withFirstIntake, withIntake, withoutIntake } from './intake.ts'
import { holdPfc, makePfc, WAITS_TO_LEAVE } from './pfc-frame.ts'
import { PauseBook, pauseDurationPs, refreshIntervalPs, type PfcRules } from './pfc.ts'
import type { PortOptions } from './port-options.ts'
import { PortStats } from './port-stats.ts'
import { WaitingPfc } from './waiting-pfc.ts'

const ints = INTS
const doubles = DOUBLES

export class Port implements DevicePort {
  readonly id: number
  readonly index: number
  readonly rateBps: number
  readonly delayPs: number
  readonly transmitPs: Float64Array
  readonly queue: EgressQueue
  scheduler: Scheduler
  readonly marker: Marker | null
  /** Classes that this end has paused at its peer. */
  xoffSent = 0
  /** Its device: one of the two is null. */
  readonly at: SwitchDevice<Port> | null
  readonly nic: NicDevice | null
  /** Faults of the direction towards this port. */
  fault: LinkFault | null = null
  /** Sees every frame that arrives, after the faults; null: none does. */
  intake: Intake | null = null
  /** Classes whose packets are dropped instead of being queued here (BLOCKED is set while there are any). */
  private blocked = 0
  /** Time when the link last went down. */
  cutPs = -1
  readonly fabric: LinkFabric
  /** Offset of its record. */
  private readonly record: number
  /** PFC frames that wait for the frame on the link; HAS_PFC is set while there are any. */
  private readonly pfcFrames = new WaitingPfc()
  /** Created at the first pause, so that ports without pauses stay small. */
  private pauses: PauseBook | null = null
  private otherEnd: Port | null = null
  /** Rules of its PFC, suspended classes included. */
  pfc: PfcRules
  /** Classes whose PFC a watchdog has turned off for the time being. */
  private suspended = 0
  /** Counters by class; null: nobody has asked for them. */
  stats: PortStats | null = null
  private readonly pfcFrameBytes: number

  constructor(fabric: LinkFabric, options: PortOptions<Port>) {
    this.fabric = fabric
    this.record = fabric.records.base | (options.id << 4)
    this.id = options.id
    this.index = options.index
    this.rateBps = options.rateBps
    this.delayPs = options.delayPs
    this.transmitPs = options.transmitPs
    this.pfc = options.pfc
    this.pfcFrameBytes = options.pfcFrameBytes
    this.queue = new EgressQueue(fabric.queues, options.id)
    this.scheduler = options.scheduler
    this.marker = options.marker
    this.at = options.at
    this.nic = options.nic
    doubles[(this.record >> 1) | DELAY_PS] = options.delayPs
    ints[this.record | MARK_FROM] = options.marker === null ? 2 ** 30 : options.marker.fromBytes
    if (options.notifiesEnd) this.set(NOTIFIES_END)
    fabric.transmitter.add(this, this.at, this.nic)
  }

  get isUp(): boolean {
    return (ints[this.record | STATE]! & DOWN) === 0
  }

  /** Classes that may not start a frame. */
  get pausedMask(): number {
    return (ints[this.record | STATE]! >> PAUSED_SHIFT) & ALL_CLASSES
  }

  /** Node id of its device. */
  get node(): number {
    return this.at !== null ? this.at.node : this.nic!.node
  }

  /** Classes that PFC protects on this port: it pauses its peer for them, and obeys its peer's pauses. */
  get lossless(): number {
    return this.pfc.lossless & ~this.suspended
  }

  /** Packets of all classes leave as class 0. */
  get isOneClass(): boolean {
    return this.pfc.isOneClass
  }

  /** Turns PFC off for these classes, whatever its rules are, until the next call; 0: for none. */
  suspendPfc(classes: number): void {
    this.usePfc(this.pfc, classes)
  }

  /** Follows these rules from now on. Classes that are lossy now start again if they were paused, and pause no more. */
  usePfc(rules: PfcRules, suspended = this.suspended): void {
    const before = this.lossless
    this.pfc = rules
    this.suspended = suspended
    for (let lost = before & ~this.lossless; lost !== 0; lost &= lost - 1) {
      const c = 31 - Math.clz32(lost & -lost)
      if ((this.xoffSent & (1 << c)) !== 0) this.giveUpXoff(c)
      this.resumed(this.fabric.queue.nowPs, c)
    }
    this.kick()
  }

  /** Its counters by class; they count from the first call on. */
  openStats(): PortStats {
    if (this.stats === null) {
      const txPackets = this.fabric.openDepartures().packetsOf(this.id)
      this.stats = new PortStats(this.pauseBook(), this.rateBps, this.peer.pfc.expires, txPackets)
    }
    return this.stats
  }

  /** Chooses among classes by another scheduler from now on. */
  useScheduler(scheduler: Scheduler): void {
    this.scheduler = scheduler
    this.at?.onPortChange(this)
  }

  /** Marks by another rule from now on. */
  useMarking(rule: MarkingRule): void {
    this.marker!.useRule(rule)
    ints[this.record | MARK_FROM] = this.marker!.fromBytes
    this.at?.onPortChange(this)
  }

  /** Classes whose packets are dropped instead of being queued here. */
  get blockedMask(): number {
    return this.blocked
  }

  /** Drops packets of these classes from now on instead of queueing them; 0: of none. */
  block(classes: number): void {
    this.blocked = classes
    if (classes === 0) this.clear(BLOCKED)
    else this.set(BLOCKED)
  }

  /** Adds an intake before those it has, or after them but for one that is last. Call Network.recordTargets() afterwards. */
  addIntake(intake: Intake, isFirst = false): void {
    this.intake = isFirst ? withFirstIntake(this.intake, intake) : withIntake(this.intake, intake)
  }

  /** Takes an intake away. */
  removeIntake(intake: Intake): void {
    this.intake = withoutIntake(this.intake, intake)
  }

  private pauseBook(): PauseBook {
    return (this.pauses ??= new PauseBook())
  }

  /** Time its classes have been paused up to now, summed. */
  pausedPs(nowPs: number): number {
    return this.pauses === null ? 0 : this.pauses.pausedPs(nowPs)
  }

  /** Start of the present pause of a class; -1: none. */
  pausedSincePs(trafficClass: number): number {
    return this.pauses === null ? -1 : this.pauses.startPs(trafficClass)
  }

  /** Frame bytes sent so far. */
  get sentBytes(): number {
    return doubles[(this.record >> 1) | SENT_BYTES]!
  }

  get sentFrames(): number {
    return doubles[(this.record >> 1) | SENT_FRAMES]!
  }

  /** The port at the other end of the link. */
  get peer(): Port {
    return this.otherEnd!
  }

  /** Connects the two ends of a link. */
  connect(peer: Port): void {
    this.otherEnd = peer
    ints[this.record | PEER] = peer.id
    if (peer.at !== null && this.fabric.cutThrough !== null) this.set(HEADER_FIRST)
  }

  /** Starts a transmission if the device has a packet to send. */
  kick(): void {
    this.fabric.transmitter.kick(this.id)
  }

  /** Takes the first of the PFC frames that wait. */
  takePfc(): number {
    const packet = this.pfcFrames.shift()
    if (this.pfcFrames.isEmpty) this.clear(HAS_PFC)
    return packet
  }

  private set(bit: number): void {
    ints[this.record | STATE]! |= bit
  }

  private clear(bit: number): void {
    ints[this.record | STATE]! &= ~bit
  }

  /** Number of PFC frames that wait for the frame on the link. */
  get waitingPfc(): number {
    return this.pfcFrames.length
  }

  /** Whether a packet that arrives now was on the link when it went down. */
  wasCut(packet: number): boolean {
    if (!this.isUp) return true
    if (this.cutPs < 0) return false
    const { cutThrough, queue } = this.fabric
    const wholePs = queue.nowPs + (cutThrough === null ? 0 : cutThrough.leadPs(packet, this))
    return wholePs - this.delayPs - this.peer.transmitPs[ints[packet | SIZE]!]! <= this.cutPs
  }

  /** Sends a PFC frame: pauses (`quanta` above 0) or resumes (0) the classes in `vector` at the peer. */
  sendPfc(vector: number, quanta: number): void {
    const packet = makePfc(this, vector, quanta, this.pfcFrameBytes)
    if (this.pfc.sendPs > 0) holdPfc(this.fabric, packet, this.id, this.pfc.sendPs, true)
    else this.queuePfc(packet)
  }

  private queuePfc(packet: number): void {
    if (this.pfc.keepsAll) this.pfcFrames.push(packet)
    else this.pfcFrames.admit(this, packet)
    this.set(HAS_PFC)
    this.kick()
  }

  /** After a charge to (this port, class): pauses the peer. */
  pausePeer(trafficClass: number): void {
    const bit = 1 << trafficClass
    const isNew = (this.xoffSent & bit) === 0
    if (!isNew && !this.pfc.repeats) return
    if (isNew) {
      this.xoffSent |= bit
      if (this.at !== null) this.at.xoffCount++
    }
    this.sendPfc(bit, this.pfc.quanta[trafficClass]!)
    if (isNew && this.pfc.refreshShare > 0) this.armRefresh(trafficClass)
  }

  /** After a release: resumes the peer. */
  resumePeer(trafficClass: number): void {
    this.forgetXoff(trafficClass)
    this.sendPfc(1 << trafficClass, 0)
  }

  /** The peer is no longer paused by this port, as far as this port is concerned. */
  forgetXoff(trafficClass: number): void {
    this.xoffSent &= ~(1 << trafficClass)
    if (this.at !== null) this.at.xoffCount--
  }

  /** It pauses no more: the peer's pause ends by itself, or, where the peer's pauses do not, with a last resume. */
  giveUpXoff(trafficClass: number): void {
    if (this.peer.pfc.expires && (this.peer.endlessPauses & (1 << trafficClass)) === 0) this.forgetXoff(trafficClass)
    else this.resumePeer(trafficClass)
  }

  /** Classes that are paused here and whose pause does not end by itself. */
  get endlessPauses(): number {
    return this.pauses === null ? 0 : this.pausedMask & this.pauses.endless
  }

  private armRefresh(trafficClass: number): void {
    const queue = this.fabric.queue
    const { quanta, refreshShare } = this.pfc
    const framePs = this.transmitPs[this.pfcFrameBytes]!
    const intervalPs = refreshIntervalPs(quanta[trafficClass]!, refreshShare, this.rateBps, framePs)
    this.pauseBook().refreshPs[trafficClass] = queue.nowPs + intervalPs
    queue.after(intervalPs, (((this.id << 4) | 8 | trafficClass) << KIND_BITS) | EVENT_PFC)
  }

  /** A PFC frame has arrived; it takes effect, and its pause time begins, after the reaction time. */
  onPfc(packet: number): void {
    if (this.stats !== null) this.stats.onReceived(this.fabric.queue.nowPs, packet, this.lossless)
    if (this.pfc.reactionPs > 0) holdPfc(this.fabric, packet, this.id, this.pfc.reactionPs, false)
    else this.applyPfc(packet)
  }

  /** The time of a PFC frame is over, unless the link went down meanwhile. */
  endPfcWait(packet: number): void {
    if (ints[packet | OUT] !== WAITS_TO_LEAVE) this.applyPfc(packet)
    else if (!this.isUp || this.cutPs >= this.fabric.queue.nowPs - this.pfc.sendPs)
      this.fabric.drop(packet, this.node, DROP_LINK_DOWN)
    else this.queuePfc(packet)
  }

  applyPfc(packet: number): void {
    const fabric = this.fabric
    const nowPs = fabric.queue.nowPs
    // Pauses of classes without PFC have no effect (802.1Qbb 36.1.3.2).
    const obeyed = ints[packet | DIRECTION]! & this.lossless
    const vector = this.pfc.isOneClass ? (obeyed & 1) * ALL_CLASSES : obeyed
    const quanta = ints[packet | DESTINATION]!
    fabric.packets.free(packet)
    // Where the link went down during the reaction time, the frame has no effect.
    if (vector === 0 || this.cutPs >= nowPs - this.pfc.reactionPs) return
    if (fabric.watch !== null) fabric.watch.onPfcReceived(nowPs, this.id, vector, quanta > 0)
    for (let c = 0; c < 8; c++) {
      if ((vector & (1 << c)) === 0) continue
      if (quanta === 0) this.resumed(nowPs, c)
      else {
        const untilPs = this.pfc.expires ? nowPs + pauseDurationPs(quanta, this.rateBps) : Infinity
        this.pauseBook().untilPs[c] = untilPs
        const isNew = (this.pausedMask & (1 << c)) === 0
        if (isNew) {
          this.set(1 << (PAUSED_SHIFT + c))
          this.pauseBook().open(nowPs, c)
        }
        if (this.pfc.expires)
          fabric.queue.schedule(untilPs, fabric.queue.draw(), (((this.id << 4) | c) << KIND_BITS) | EVENT_PFC)
        if (isNew && fabric.watch !== null) fabric.watch.onPauseChanged(nowPs, this.id, c, true)
      }
    }
    if (quanta === 0) this.kick()
  }

  private resumed(nowPs: number, trafficClass: number): void {
    if ((this.pausedMask & (1 << trafficClass)) === 0) return
    this.clear(1 << (PAUSED_SHIFT + trafficClass))
    this.pauseBook().close(nowPs, trafficClass)
    if (this.stats !== null) this.stats.on2off[trafficClass]!++
    this.fabric.watch?.onPauseChanged(nowPs, this.id, trafficClass, false)
  }

  /** A pause may be over, or may have to be sent again. */
  onPfcTimer(data: number): void {
    const trafficClass = data & 7
    const bit = 1 << trafficClass
    const nowPs = this.fabric.queue.nowPs
    if ((data & 8) !== 0) {
      // Pauses in a row arm several timers, of which only the last counts.
      if ((this.xoffSent & bit) === 0 || !this.isUp || this.pauseBook().refreshPs[trafficClass] !== nowPs) return
      this.sendPfc(bit, this.pfc.quanta[trafficClass]!)
      this.armRefresh(trafficClass)
    } else if ((this.pausedMask & bit) !== 0 && this.pauseBook().untilPs[trafficClass]! <= nowPs) {
      this.resumed(nowPs, trafficClass)
      this.kick()
    }
  }

  /** The link goes down: waiting PFC frames are lost and all pause state is cleared. */
  cut(): void {
    const fabric = this.fabric
    this.set(DOWN)
    this.cutPs = fabric.queue.nowPs
    if (fabric.cutThrough !== null) fabric.cutThrough.onCut(this.id)
    while (!this.pfcFrames.isEmpty) fabric.drop(this.takePfc(), this.node, DROP_LINK_DOWN)
    for (let c = 0; c < 8; c++) this.resumed(fabric.queue.nowPs, c)
    if (this.at !== null) for (let bits = this.xoffSent; bits !== 0; bits &= bits - 1) this.at.xoffCount--
    this.xoffSent = 0
  }

  /** The link comes up again. */
  restore(): void {
    this.clear(DOWN)
    this.kick()
  }
}
