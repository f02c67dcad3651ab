/**
 * HOT. Payload reads: a stage between a NIC and its port. Packets that the NIC chooses are read from host memory one after
 * the other, and wait for the port when they are complete; meanwhile others are read. So the slower of read and link
 * sets the rate, and a packet alone takes the sum. Control packets pass without a read. NICs below one host bridge read one
 * after the other.
 * The NIC sees this in the place of its port, and the port in the place of its NIC; a NIC without (the default) sees its port.
 * Units: payload bytes, picoseconds.
 * Invariant: `staged` counts the packets of each class in `reading` and `ready`; all of them count as in a pipeline.
 */
import { DOUBLE_ZERO } from '../../../base/double.ts'
import { INTS } from '../../../base/memory.ts'
import { DATA, FIRST, RETRANSMITTED } from '../../../transport/segment.ts'
import type { DeviceNetwork } from '../../fabric.ts'
import type { NicDevice, NicPort } from '../../link/device.ts'
import { ALL_CLASSES, DOWN, PAUSED_SHIFT, STATE } from '../../link/port-records.ts'
import { DIRECTION, FLAGS, KIND, NEXT, PAYLOAD } from '../../packets.ts'
import type { Actor } from '../../watch.ts'
import { CLASSES, ControlLanes } from '../control-lanes.ts'

const ints = INTS

/** Packets of a NIC that are read or wait for the port, those of paused classes apart. */
const STAGED_MAX = 4

/** A path to host memory, of one NIC or of those below one host bridge. */
export class ReadPath {
  freePs = DOUBLE_ZERO
}

/** The NIC behind it. */
interface ReadingNic extends NicDevice {
  readonly isDown: boolean
  readonly controlClasses: number
  readonly port: { readonly id: number }
}

export class PayloadReads implements NicDevice, NicPort, Actor {
  readonly node: number
  readonly position: number
  private readonly network: DeviceNetwork
  private readonly nic: ReadingNic
  private readonly path: ReadPath
  /** Time per byte; and least time between the first packets of two messages. */
  private readonly bytePs: number
  private readonly messagePs: number
  /** The NIC is busy with the first packet of a message until then. */
  private freePs = DOUBLE_ZERO
  /** Packets that are read, all as of one class. */
  private readonly reading = new ControlLanes()
  private readonly ready = new ControlLanes()
  private readonly staged = new Int32Array(CLASSES)
  private readonly actor: number

  constructor(network: DeviceNetwork, nic: ReadingNic, path: ReadPath, bytePs: number, messagePs: number) {
    this.node = nic.node
    this.position = nic.position
    this.network = network
    this.nic = nic
    this.path = path
    this.bytePs = bytePs
    this.messagePs = messagePs
    this.actor = network.addActor(this)
  }

  /** Classes with packets that wait for the port, as bits; for checkers. */
  get readyClasses(): number {
    return this.ready.waiting
  }

  kick(port: number): void {
    this.fetch(port)
    this.network.fabric.transmitter.kick(port)
  }

  flightPs(port: number, sizeBytes: number): number {
    return this.network.fabric.transmitter.flightPs(port, sizeBytes)
  }

  hasWaiting(): boolean {
    return this.ready.waiting !== 0 || this.nic.hasWaiting()
  }

  leaveStack(packet: number): void {
    this.nic.leaveStack(packet)
  }

  nextPacket(port: number): number {
    const { nic, ready } = this
    const paused = this.pausedAt(port)
    while ((nic.controlClasses & ~paused) !== 0) {
      const packet = nic.nextPacket(port)
      if (packet < 0) break
      // Data may go between two RTT requests.
      if (ints[packet | KIND] === DATA) this.read(packet)
      else {
        this.fetch(port)
        return packet
      }
    }
    const packet = (ready.waiting & ~paused) === 0 ? -1 : this.takeReady(paused)
    this.fetch(port)
    return packet
  }

  /** A packet has been read. */
  onEvent(): void {
    const { nic } = this
    const packet = this.reading.take(0)
    ints[packet | NEXT] = -1
    this.ready.push(packet, this.classOf(packet))
    this.kick(nic.port.id)
  }

  /** There is room for another packet beside those of paused classes. */
  hasRoom(port: number): boolean {
    const paused = this.pausedAt(port)
    let held = 0
    for (let c = 0; c < CLASSES; c++) if ((paused & (1 << c)) === 0) held += this.staged[c]!
    return held < STAGED_MAX
  }

  /** Drops the packets that wait for the port. */
  drop(reason: number): void {
    while (this.ready.waiting !== 0) this.network.fabric.drop(this.takeReady(0), this.node, reason)
  }

  /** Reads what the NIC may send, while there is room. Control packets that may go take the port first. */
  private fetch(port: number): void {
    const { nic } = this
    if (nic.isDown || (this.stateOf(port) & DOWN) !== 0) return
    while ((nic.controlClasses & ~this.pausedAt(port)) === 0 && this.hasRoom(port)) {
      const packet = nic.nextPacket(port)
      if (packet < 0) return
      this.read(packet)
    }
  }

  private read(packet: number): void {
    const { network, path } = this
    const { queue } = network.fabric
    let fromPs = queue.nowPs
    if (path.freePs > fromPs) fromPs = path.freePs
    if (this.freePs > fromPs) fromPs = this.freePs
    path.freePs = fromPs + Math.ceil(ints[packet | PAYLOAD]! * this.bytePs)
    if ((ints[packet | FLAGS]! & (FIRST | RETRANSMITTED)) === FIRST) this.freePs = fromPs + this.messagePs
    this.reading.push(packet, 0)
    this.staged[this.classOf(packet)]!++
    network.fabric.inPipeline++
    network.actAt(path.freePs, this.actor)
  }

  private takeReady(paused: number): number {
    const packet = this.ready.take(paused)
    this.staged[this.classOf(packet)]!--
    this.network.fabric.inPipeline--
    return packet
  }

  private classOf(packet: number): number {
    return this.network.fabric.pairs.byNumber[ints[packet | DIRECTION]! >> 1]!.trafficClass
  }

  private stateOf(port: number): number {
    return ints[this.network.fabric.records.base | (port << 4) | STATE]!
  }

  private pausedAt(port: number): number {
    return (this.stateOf(port) >> PAUSED_SHIFT) & ALL_CLASSES
  }
}
