/**
 * HOT where it is used. Cut-through: forwards a frame between the arrival of its header and of its last bit.
 * A frame arrives with its header (transmitter.ts). If its port out is no faster than its port in, it is charged then, and
 * goes on if that port is idle, with nothing queued and its class not paused. Else, and always towards a faster port, it
 * waits for its last bit and is stored and forwarded.
 * Frames that are damaged or truncated go on where they are cut through, and are dropped where they are complete: in
 * a switch that stores them, or at a host. Shapes: by port, and of packets by ordinal. Units: picoseconds, bytes.
 * Exists only where switches cut through. The rule, its sources and its limits: docs/models/cut-through.md.
 */
import { INTS } from '../../base/memory.ts'
import { DROP_FCS, DROP_LINK_DOWN, DROP_NO_ROUTE } from '../counters.ts'
import { EVENT_CUT_THROUGH } from '../event-codes.ts'
import { SOUND } from './fault.ts'
import { TRIMMED } from '../../transport/segment.ts'
import { CLASS, INPUT, KIND, ORDINAL, OUT, PFC, SIZE, STAGE } from '../packets.ts'
import type { DevicePort as Port, SwitchDevice } from './device.ts'
import type { Transmitter } from './transmitter.ts'
import type { EventQueue } from '../../engine/event-queue.ts'

const ints = INTS

/** Stages of a frame. It is charged and checked for going on. */
const LOOKS = 0
/** It is charged, may not go on, and waits for its last bit. */
const STORED = 1
/** Its port out is faster than its port in: it waits for its last bit before anything else. */
const STORED_FIRST = 2

/** The parts of the fabric that it uses. */
export interface CutThroughFabric {
  readonly queue: EventQueue
  readonly transmitter: Transmitter
  inPipeline: number
  drop(packet: number, node: number, reason: number): void
}

export class CutThrough {
  readonly headerBytes: number
  private readonly fabric: CutThroughFabric
  /** Damaged frames, and frames without an end, by the reason of their later drop. */
  private readonly broken = new Map<number, number>()
  /** By port: the last frame whose header came in, how often its record had been lost before, and when its last bit is in. */
  private readonly latest: Int32Array
  private readonly latestUse: Int32Array
  private readonly wholePs: Float64Array
  /** How often each packet record was lost: a frame that is lost while it still arrives leaves its record to another. */
  private losses = new Int32Array(1024)

  constructor(fabric: CutThroughFabric, headerBytes: number, ports: number) {
    this.fabric = fabric
    this.headerBytes = headerBytes
    this.latest = new Int32Array(ports).fill(-1)
    this.latestUse = new Int32Array(ports)
    this.wholePs = new Float64Array(ports)
  }

  /** Time from a frame's arrival event to the arrival of its last bit. */
  leadPs(packet: number, { at, transmitPs }: Port): number {
    const sizeBytes = ints[packet | SIZE]!
    if (at === null || sizeBytes <= this.headerBytes || ints[packet | KIND] === PFC) return 0
    return transmitPs[sizeBytes]! - transmitPs[this.headerBytes]!
  }

  /**
   * A frame other than PFC arrives: with its header at a switch, complete at a host.
   * @param reason verdict of the link's faults, or SOUND.
   * @returns whether it was dropped or a switch has taken it over.
   */
  isTaken(packet: number, port: Port, reason: number): boolean {
    if (reason === DROP_FCS) this.broken.set(packet, reason)
    else if (reason !== SOUND) {
      this.fabric.drop(packet, port.node, reason)
      return true
    }
    if (port.at === null) return this.isLost(packet, port.node)
    this.onHeader(packet, port, port.at)
    return true
  }

  /** A frame at a switch's port has waited long enough. */
  onEvent(packet: number, port: Port): void {
    const at = port.at!
    const trafficClass = ints[packet | CLASS]!
    const out = ints[packet | OUT]!
    this.fabric.inPipeline--
    switch (ints[packet | STAGE]) {
      case LOOKS:
        this.look(packet, port, at)
        break
      case STORED:
        at.pipelineBytes -= ints[packet | SIZE]!
        if (this.isBroken(packet)) at.discard(packet, at.ports[out]!.id, trafficClass, this.broken.get(packet)!)
        else at.forward(packet, trafficClass, out)
        break
      case STORED_FIRST:
        if (!this.isLost(packet, at.node)) at.take(packet, port.index, trafficClass, out)
        break
    }
  }

  /** A link goes down: the frame that is arriving by this port is truncated. */
  onCut(port: number): void {
    const packet = this.latest[port]!
    if (packet < 0 || this.wholePs[port]! <= this.fabric.queue.nowPs) return
    const isSame = this.latestUse[port] === this.lossesOf(packet)
    if (isSame && !this.broken.has(packet)) this.broken.set(packet, DROP_LINK_DOWN)
  }

  /** A packet is dropped: its state is cleared. */
  forget(packet: number): void {
    this.broken.delete(packet)
    const ordinal = ints[packet | ORDINAL]!
    if (ordinal >= this.losses.length) this.grow(ordinal)
    this.losses[ordinal]!++
  }

  private onHeader(packet: number, port: Port, at: SwitchDevice): void {
    const leadPs = this.leadPs(packet, port)
    if (leadPs === 0) {
      if (!this.isLost(packet, at.node)) at.receive(packet, port.index)
      return
    }
    this.latest[port.id] = packet
    this.latestUse[port.id] = this.lossesOf(packet)
    this.wholePs[port.id] = this.fabric.queue.nowPs + leadPs
    const trafficClass = at.trafficClassOf(packet)
    const out = at.pathOf(packet)
    if (out < 0) {
      this.fabric.drop(packet, at.node, DROP_NO_ROUTE)
      return
    }
    ints[packet | INPUT] = port.index
    ints[packet | CLASS] = trafficClass
    ints[packet | OUT] = out
    if (at.ports[out]!.rateBps > port.rateBps) this.wait(packet, STORED_FIRST, leadPs)
    else {
      const admitted = at.admit(packet, port.index, trafficClass, out)
      if (admitted < 0) return
      ints[packet | CLASS] = admitted
      // The remaining header of a trimmed frame has arrived completely.
      if (ints[packet | KIND] === TRIMMED) this.latest[port.id] = -1
      at.pipelineBytes += ints[packet | SIZE]!
      if (at.latencyPs === 0) this.look(packet, port, at)
      else this.wait(packet, LOOKS, at.latencyPs)
    }
  }

  /** A charged frame whose header has reached its port out goes on, or is stored. */
  private look(packet: number, port: Port, at: SwitchDevice): void {
    const { transmitter } = this.fabric
    const trafficClass = ints[packet | CLASS]!
    const out = ints[packet | OUT]!
    const { id } = at.ports[out]!
    if (transmitter.isIdle(id, trafficClass)) {
      at.pipelineBytes -= ints[packet | SIZE]!
      at.forward(packet, trafficClass, out)
      // A transmission that ends now ends before a new one begins: the check is repeated after it.
    } else if (transmitter.isEnding(id)) this.wait(packet, LOOKS, 0)
    else this.wait(packet, STORED, this.leadPs(packet, port))
  }

  private wait(packet: number, stage: number, delayPs: number): void {
    const { fabric } = this
    ints[packet | STAGE] = stage
    fabric.inPipeline++
    fabric.queue.enterAfter(packet, delayPs, packet | EVENT_CUT_THROUGH)
  }

  private isBroken(packet: number): boolean {
    return this.broken.size > 0 && this.broken.has(packet)
  }

  /** A frame is complete and its FCS is checked. @returns whether it was wrong, and the frame dropped. */
  private isLost(packet: number, node: number): boolean {
    if (!this.isBroken(packet)) return false
    this.fabric.drop(packet, node, this.broken.get(packet)!)
    return true
  }

  private lossesOf(packet: number): number {
    return this.losses[ints[packet | ORDINAL]!] ?? 0
  }

  private grow(ordinal: number): void {
    const losses = new Int32Array(2 * ordinal)
    losses.set(this.losses)
    this.losses = losses
  }
}
