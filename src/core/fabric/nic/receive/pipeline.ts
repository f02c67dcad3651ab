/**
 * HOT. Receive pipeline: the way of a packet through a NIC, from its port to the protocol. Packets wait in a receive
 * buffer and are processed one by one. A packet whose queue pair's context or whose page is not in the NIC's caches waits
 * for a read of host memory, and all behind it wait too. Above XOFF the NIC pauses its switch.
 * A NIC without one (the default) has nothing of this on its path: packets come in by the port's intake.
 * Units: bytes of frames, picoseconds.
 * Invariant: the bytes held are those of the packets in the list; at most one packet is being processed, the first.
 * Source: [MS-Scale] 4.3 (a pipeline that stops, and its watchdog), 4.4 (translation table of 2K entries).
 */
import { INTS } from '../../../base/memory.ts'
import { NEVER_PS } from '../../../base/params.ts'
import { DATA } from '../../../transport/segment.ts'
import { unwrapPsn } from '../../../transport/psn.ts'
import { DROP_FOREIGN, DROP_NIC } from '../../counters.ts'
import { SOUND } from '../../link/fault.ts'
import type { Intake } from '../../link/intake.ts'
import type { Port } from '../../link/port.ts'
import type { Fabric } from '../../fabric.ts'
import type { Actor } from '../../watch.ts'
import { CLASS, CODEPOINT, DESTINATION, DIRECTION, INPUT, KIND, NEXT, PAYLOAD, PFC, PSN, SIZE } from '../../packets.ts'
import type { PairTable } from '../../pairs/pair-table.ts'
import type { QueuePair } from '../../pairs/queue-pair.ts'
import type { Addresses } from './addresses.ts'
import type { LruCache } from './lru-cache.ts'

/** Counts of a receive pipeline, over the whole run. */
class ReceiveCounts {
  /** Packets that it has processed. */
  packets = 0
  /** Packets that it has dropped. */
  drops = 0
  /** Pages looked up in the translation cache, and those that were not there. */
  translations = 0
  translationMisses = 0
  /** Packets whose queue pair's context was not in the NIC. */
  contextMisses = 0
  /** Times that it began to pause its switch. */
  pauses = 0
  /** Most bytes in one of its buffers. */
  mostBytes = 0
  /** When the watchdog gave it up; -1: it has not. */
  gaveUpPs = -1
}

const ints = INTS

/** Buffer of all lossy classes, where each lossless class has its own. */
const LOSSY = 8

/** The parts of the network that a pipeline uses. */
interface ReceiveNetwork {
  readonly fabric: Fabric
  readonly pairs: PairTable
  addActor(actor: Actor): number
  actAt(timePs: number, actor: number): void
}

/** The NIC behind it. */
interface ReceivingNic {
  readonly node: number
  readonly position: number
  readonly port: Port
  receive(packet: number): void
}

export interface ReceiveOptions {
  /** Class by codepoint. */
  readonly classOf: Uint8Array
  /** One buffer for all classes; if not, one for each lossless class and one for the others. */
  readonly isShared: boolean
  /** Size and thresholds of a buffer: it pauses above XOFF, and resumes at XON. */
  readonly bufferBytes: number
  readonly xoffBytes: number
  readonly xonBytes: number
  /** Least time of a packet, and time per byte on the host's bus (0: none). */
  readonly packetPs: number
  readonly bytePs: number
  /** Pages in the translation cache, and cost of one that is not there. */
  readonly translations: LruCache
  readonly pageBytes: number
  readonly translationPs: number
  readonly addresses: Addresses
  /** Contexts of queue pairs in the NIC; null: all. */
  readonly contexts: LruCache | null
  readonly contextPs: number
  /** Time after which the watchdog gives up a pipeline that stands still while the NIC pauses; NEVER_PS: never. */
  readonly watchdogPs: number
}

export class ReceivePipeline implements Intake {
  /** It takes every frame. */
  readonly isLast = true
  readonly counts = new ReceiveCounts()
  private readonly network: ReceiveNetwork
  private readonly nic: ReceivingNic
  private readonly port: Port
  private readonly options: ReceiveOptions
  /** By buffer. */
  private readonly held = new Float64Array(LOSSY + 1)
  private head = -1
  private tail = -1
  private packetCount = 0
  /** The first packet is processed from then until then; NEVER_PS: it is not. */
  private begunPs = NEVER_PS
  private endPs = NEVER_PS
  /** Time it stopped; NEVER_PS: it has not. */
  private stoppedPs = NEVER_PS
  /** The watchdog has disabled pauses. */
  private isGivenUp = false
  /** Classes of which pauses are generated whatever the buffer holds. */
  private stormClasses = 0
  private powerCycles = 0
  private isWatched = false
  private readonly processor: number
  private readonly watchdog: number

  constructor(network: ReceiveNetwork, nic: ReceivingNic, options: ReceiveOptions) {
    this.network = network
    this.nic = nic
    this.port = nic.port
    this.options = options
    this.processor = network.addActor({ onEvent: (nowPs) => this.onProcessed(nowPs) })
    this.watchdog = network.addActor({ onEvent: (nowPs) => this.onWatch(nowPs) })
  }

  /** Pauses are generated whatever the buffer holds. */
  private get isStorming(): boolean {
    return this.stormClasses !== 0
  }

  /** Packets in the NIC. */
  get packetsHeld(): number {
    return this.packetCount
  }

  get heldBytes(): number {
    return this.held.reduce((sum, bytes) => sum + bytes, 0)
  }

  /** A buffer holds more than the threshold at which it would resume. */
  get isBacklogged(): boolean {
    return this.held.some((bytes) => bytes > this.options.xonBytes)
  }

  /** About the time that it takes for the packets in it, if no reads of host memory come between. */
  get backlogPs(): number {
    return Math.max(this.packetCount * this.options.packetPs, this.heldBytes * this.options.bytePs)
  }

  /** Packets that arrive reach the server: the pipeline does not stand still, and does not drop all of them. */
  get isReceiving(): boolean {
    return !this.isStopped && !this.isGivenUp
  }

  /** It takes nothing, drops all, or pauses whatever it holds. */
  get isStanding(): boolean {
    return !this.isReceiving || this.stormClasses !== 0
  }

  private get isStopped(): boolean {
    return this.stoppedPs !== NEVER_PS
  }

  takes(packet: number, port: Port): boolean {
    if (ints[packet | KIND] === PFC) return false
    const { fabric } = this.network
    // A frame with bit errors that cut-through switches have forwarded is dropped by the host's port.
    if (fabric.cutThrough !== null && fabric.cutThrough.isTaken(packet, port, SOUND)) return true
    // A NIC looks at the address before it stores a frame.
    if (ints[packet | DESTINATION] !== this.nic.position) {
      fabric.drop(packet, this.nic.node, DROP_FOREIGN)
      return true
    }
    const o = this.options
    const trafficClass = o.classOf[ints[packet | CODEPOINT]!]!
    const isLossless = ((port.lossless >> trafficClass) & 1) !== 0
    const buffer = o.isShared ? 0 : isLossless ? trafficClass : LOSSY
    const sizeBytes = ints[packet | SIZE]!
    // What lies above XOFF is headroom, of lossless classes only.
    const limitBytes = isLossless || (o.isShared ? port.lossless === 0 : true) ? o.bufferBytes : o.xoffBytes
    if (this.isGivenUp || this.held[buffer]! + sizeBytes > limitBytes) {
      if (isLossless && !this.isGivenUp) {
        fabric.counters.losslessDrops++
        // A link that went down has taken the pause of a full buffer with it.
        if ((port.xoffSent & (1 << trafficClass)) === 0) this.pause(trafficClass)
      }
      this.counts.drops++
      fabric.drop(packet, this.nic.node, DROP_NIC)
      return true
    }
    ints[packet | CLASS] = trafficClass
    ints[packet | INPUT] = buffer
    this.append(packet, buffer, sizeBytes)
    if (isLossless && this.held[buffer]! > o.xoffBytes) this.pause(trafficClass)
    if (this.head === packet) this.begin()
    return true
  }

  /** The pipeline stands still from now on, until a power cycle. */
  stop(): void {
    if (this.isStopped) return
    this.stoppedPs = this.network.fabric.queue.nowPs
    this.endPs = NEVER_PS
  }

  /**
   * Pauses are sent at these intervals from now on, whatever the buffer holds, until the watchdog ends it or the time comes.
   * @param untilPs NEVER_PS: until a power cycle
   */
  storm(classes: number, quanta: number, intervalPs: number, untilPs: number): void {
    const { network } = this
    const begun = this.powerCycles
    const actor = network.addActor({
      onEvent: (nowPs) => {
        if (nowPs >= untilPs || (untilPs === NEVER_PS && (this.isGivenUp || this.powerCycles !== begun))) return
        network.actAt(nowPs + intervalPs, actor)
        // A power cycle that is not the end of this storm lets it go on.
        if (this.isGivenUp) return
        // Frames that end a pause are none; the NIC's watchdog does not mind them.
        if (quanta > 0) {
          this.stormClasses |= classes
          this.watch()
        }
        if (this.port.isUp)
          for (let c = 0; c < 8; c++) if ((classes & (1 << c)) !== 0) this.port.sendPfc(1 << c, quanta)
      },
    })
    network.actAt(network.fabric.queue.nowPs, actor)
  }

  /** Starts anew: packets in the NIC are lost, caches are empty, and the watchdog's verdict is forgotten. The caller has cut the link. */
  powerCycle(): void {
    this.stoppedPs = NEVER_PS
    this.stormClasses = 0
    this.powerCycles++
    this.isGivenUp = false
    this.endPs = NEVER_PS
    this.begunPs = NEVER_PS
    this.dropAll(DROP_NIC)
    this.options.translations.clear()
    this.options.contexts?.clear()
  }

  /** Its server has died: packets in the NIC are lost, and nothing keeps the pauses of a buffer that is empty now. */
  empty(reason: number): void {
    this.endPs = NEVER_PS
    this.begunPs = NEVER_PS
    this.dropAll(reason)
    for (let buffer = 0; buffer <= LOSSY; buffer++) if (this.port.xoffSent !== 0) this.resume(buffer)
  }

  /** Differences between the bytes held and the packets in the list, for checkers. */
  audit(): string[] {
    const bytes = new Float64Array(LOSSY + 1)
    let packets = 0
    for (let packet = this.head; packet >= 0; packet = ints[packet | NEXT]!) {
      bytes[ints[packet | INPUT]!]! += ints[packet | SIZE]!
      packets++
    }
    const isRight = packets === this.packetCount && bytes.every((sum, i) => sum === this.held[i])
    return isRight ? [] : [`${this.heldBytes} bytes in ${this.packetCount} packets charged, ${packets} packets stored`]
  }

  private append(packet: number, buffer: number, sizeBytes: number): void {
    ints[packet | NEXT] = -1
    if (this.head < 0) this.head = packet
    else ints[this.tail | NEXT] = packet
    this.tail = packet
    this.packetCount++
    this.held[buffer]! += sizeBytes
    if (this.held[buffer]! > this.counts.mostBytes) this.counts.mostBytes = this.held[buffer]!
  }

  private dropAll(reason: number): void {
    while (this.head >= 0) {
      const packet = this.takeFirst()
      this.counts.drops++
      this.network.fabric.drop(packet, this.nic.node, reason)
    }
  }

  private takeFirst(): number {
    const packet = this.head
    this.head = ints[packet | NEXT]!
    this.packetCount--
    this.held[ints[packet | INPUT]!]! -= ints[packet | SIZE]!
    return packet
  }

  /** Processes the first packet. */
  private begin(): void {
    const { nowPs } = this.network.fabric.queue
    this.begunPs = nowPs
    if (this.stoppedPs !== NEVER_PS) return
    this.endPs = nowPs + this.servicePs(this.head)
    this.network.actAt(this.endPs, this.processor)
  }

  private onProcessed(nowPs: number): void {
    // It has stopped since, or started anew.
    if (nowPs !== this.endPs) return
    const buffer = ints[this.head | INPUT]!
    const packet = this.takeFirst()
    this.endPs = NEVER_PS
    this.begunPs = NEVER_PS
    this.counts.packets++
    if (this.port.xoffSent !== 0 && this.held[buffer]! <= this.options.xonBytes) this.resume(buffer)
    // Before the next begins, which may follow this packet in its message.
    this.nic.receive(packet)
    if (this.head >= 0) this.begin()
  }

  /** Time that a packet takes, with the reads of host memory that it waits for. */
  private servicePs(packet: number): number {
    const o = this.options
    let ps = Math.max(o.packetPs, Math.ceil(ints[packet | SIZE]! * o.bytePs))
    const pair = this.network.pairs.byNumber[ints[packet | DIRECTION]! >> 1]!
    if (o.contexts !== null && !o.contexts.touch(pair.id)) {
      this.counts.contextMisses++
      ps += o.contextPs
    }
    if (ints[packet | KIND] !== DATA) return ps
    const misses = this.missesOf(packet, pair)
    this.counts.translationMisses += misses
    return ps + misses * o.translationPs
  }

  /** Pages of a data packet that are not in the translation cache. Packets that the receiver will refuse touch no memory. */
  private missesOf(packet: number, pair: QueuePair): number {
    const { sender, receiver } = pair
    const { expectedPsn } = receiver
    const psn = unwrapPsn(ints[packet | PSN]!, expectedPsn)
    // Where a host stack follows, the receiver has not seen the packets before this one yet.
    const isRefused = pair.stacks === null && (receiver.isReordering ? psn < expectedPsn : psn !== expectedPsn)
    const payloadBytes = ints[packet | PAYLOAD]!
    if (isRefused || psn < sender.una || psn >= sender.end || payloadBytes === 0) return 0
    const { pageBytes, translations, addresses } = this.options
    const fromBytes = addresses.of(pair, psn)
    const first = Math.floor(fromBytes / pageBytes)
    const last = Math.floor((fromBytes + payloadBytes - 1) / pageBytes)
    let misses = 0
    for (let page = first; page <= last; page++) {
      this.counts.translations++
      if (!translations.touch(page)) misses++
    }
    return misses
  }

  /** Pauses the class, or with one buffer all lossless classes. */
  private pause(trafficClass: number): void {
    if (this.isGivenUp) return
    const { port } = this
    const bits = this.options.isShared ? port.lossless : 1 << trafficClass
    if ((bits & ~port.xoffSent) !== 0) this.counts.pauses++
    for (let c = 0; c < 8; c++) if ((bits & (1 << c)) !== 0) port.pausePeer(c)
    this.watch()
  }

  private resume(buffer: number): void {
    const { port } = this
    const bits = port.xoffSent & (this.options.isShared ? 0xff : 1 << buffer)
    for (let c = 0; c < 8; c++) if ((bits & (1 << c)) !== 0) port.resumePeer(c)
  }

  // Watchdog: a micro-controller beside the pipeline.

  /** Since when the pipeline has stood still; NEVER_PS: it does not. */
  private get stillSincePs(): number {
    return this.stoppedPs === NEVER_PS ? this.begunPs : this.stoppedPs
  }

  /** Looks when the pipeline has stood still for the watchdog's time, at the earliest. */
  private watch(): void {
    const { watchdogPs } = this.options
    if (watchdogPs === NEVER_PS || this.isWatched || this.isGivenUp) return
    const { nowPs } = this.network.fabric.queue
    this.isWatched = true
    this.network.actAt(Math.max(nowPs, Math.min(nowPs, this.stillSincePs) + watchdogPs), this.watchdog)
  }

  private onWatch(nowPs: number): void {
    this.isWatched = false
    if (!this.isStorming && this.port.xoffSent === 0) return
    if (nowPs - this.stillSincePs >= this.options.watchdogPs) this.giveUp(nowPs)
    else this.watch()
  }

  /** Generates no pauses from now on, and takes no packet. */
  private giveUp(nowPs: number): void {
    const { port } = this
    this.isGivenUp = true
    // Pauses that do not expire have to be taken back, also those of full buffers, below.
    const open = port.peer.endlessPauses & this.stormClasses & ~port.xoffSent
    if (open !== 0) port.sendPfc(open, 0)
    this.stormClasses = 0
    this.counts.gaveUpPs = nowPs
    for (let c = 0; c < 8; c++) if ((port.xoffSent & (1 << c)) !== 0) port.giveUpXoff(c)
  }
}
