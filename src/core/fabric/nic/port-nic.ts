/**
 * HOT. Port NIC: one port of a host that has several. It sends and receives as any NIC does; a queue pair may use
 * several ports of its host, and packets for it may come in by any of them.
 */
import { INTS } from '../../base/memory.ts'
import { CLASSES, type ControlLanes } from './control-lanes.ts'
import type { Fabric } from '../fabric.ts'
import { Nic } from './nic.ts'
import type { NicOptions } from './nic-options.ts'
import { DESTINATION, DIRECTION, NEXT } from '../packets.ts'
import type { PortEntry } from './pair-ports.ts'
import type { HostPort, QueuePair } from '../pairs/queue-pair.ts'
import type { RoundRobinEntry } from '../pairs/round-robin-entry.ts'

const ints = INTS

export class PortNic extends Nic implements HostPort {
  /** Number of the port at its host, from 0. */
  readonly local: number
  /** It is choosing a packet: a kick from within is deferred, as it would choose another. */
  private isChoosing = false
  private wasKicked = false
  /** Queue pair of the data packet that it has just chosen; null: none. */
  private chosen: QueuePair | null = null

  constructor(fabric: Fabric, options: NicOptions, local: number) {
    super(fabric, options)
    this.local = local
  }

  /** An entry in its round robin may have a packet to send. */
  updateEntry(entry: RoundRobinEntry): void {
    this.roundRobin.update(entry)
  }

  override kick(): void {
    if (this.isChoosing) this.wasKicked = true
    else super.kick()
  }

  override nextPacket(port: number): number {
    this.isChoosing = true
    let packet
    do {
      this.wasKicked = false
      packet = super.nextPacket(port)
    } while (packet < 0 && this.wasKicked)
    // The queue pair's next packet may take another port, now that this one is complete.
    const { chosen } = this
    if (chosen !== null) {
      this.chosen = null
      chosen.ports!.kick()
    }
    this.isChoosing = false
    return packet
  }

  /** An entry in its round robin has nothing to send before then. */
  putOff(entry: RoundRobinEntry, untilPs: number): void {
    this.roundRobin.setReady(entry.index, untilPs)
  }

  /** Control packets that wait for a port that is down leave by another, where their queue pair has one. */
  moveControl(): void {
    for (const lanes of [this.cnps, this.acks, this.probes]) this.moveLane(lanes)
  }

  protected override pairAt(index: number): QueuePair {
    return (this.roundRobin.pairAt(index) as PortEntry).pair
  }

  override refresh(pair: QueuePair): void {
    pair.ports!.refresh()
    pair.ports!.kick()
  }

  protected override afterSend(pair: QueuePair): void {
    pair.ports!.afterSend()
    this.chosen = pair
  }

  protected override endpointOf(pair: QueuePair, isBack: 0 | 1): number {
    return pair.ports!.endpointFrom(this.local, isBack)
  }

  protected override queue(packet: number, pair: QueuePair): void {
    const ports = pair.ports!
    const isBack = (ints[packet | DIRECTION]! & 1) as 0 | 1
    const nic = ports.nicFor(this, isBack)
    if (nic === this) super.queue(packet, pair)
    else {
      ints[packet | DESTINATION] = ports.endpointFrom(nic.local, isBack)
      nic.queueHere(packet, pair)
    }
  }

  /** Queues a control packet of another port of the host. */
  queueHere(packet: number, pair: QueuePair): void {
    super.queue(packet, pair)
    this.kick()
  }

  private moveLane(lanes: ControlLanes): void {
    const { byNumber } = this.fabric.pairs
    for (let trafficClass = 0; trafficClass < CLASSES; trafficClass++) {
      // Packets without another port return to the end of the same FIFO; each is taken once.
      for (let left = lanes.count(trafficClass); left > 0; left--) {
        const packet = lanes.take(~(1 << trafficClass))
        ints[packet | NEXT] = -1
        const pair = byNumber[ints[packet | DIRECTION]! >> 1]
        // A frame of no queue pair is the port's own.
        if (pair === undefined) lanes.push(packet, trafficClass)
        else {
          this.waitingControl--
          this.queue(packet, pair!)
        }
      }
    }
  }
}
