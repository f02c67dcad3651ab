/**
 * HOT where it is used. Unmarkable packets: steps for packets that cannot carry an ECN mark, before they join an egress queue.
 * Data are dropped early where the queue is long (WRED); other packets are sampled by the congestion point, which may
 * have a message sent to the source of the data (QCN).
 * Units: bytes of frames.
 * Source: [LDCP] eq. 3 (early drop); 802.1Qau and [Survey] V-B (QCN).
 */
import { INTS } from '../../base/memory.ts'
import { CNM, DATA } from '../../transport/segment.ts'
import type { CongestionPoint } from './congestion-point.ts'
import type { Fabric } from '../fabric.ts'
import { AT, DIRECTION, INPUT, KIND, SIZE, SYNDROME } from '../packets.ts'
import type { SwitchDevice } from '../link/device.ts'
import type { SwitchOptions } from './switch-options.ts'

const ints = INTS

export class Unmarkable {
  private readonly device: SwitchDevice
  private readonly fabric: Fabric
  private readonly options: SwitchOptions

  constructor(device: SwitchDevice, fabric: Fabric, options: SwitchOptions) {
    this.device = device
    this.fabric = fabric
    this.options = options
  }

  /**
   * A packet is about to join a queue of the port of this local index, which holds `queueBytes`.
   * @returns whether it is to be dropped.
   */
  look(packet: number, out: number, trafficClass: number, queueBytes: number): boolean {
    if (this.isDroppedEarly(packet, trafficClass, queueBytes)) return true
    const point = this.options.congestionPoint
    if (point !== null) this.sample(point, packet, out, trafficClass, queueBytes)
    return false
  }

  private isDroppedEarly(packet: number, trafficClass: number, queueBytes: number): boolean {
    const o = this.options
    if ((o.wredClasses & (1 << trafficClass)) === 0 || queueBytes < o.wredThresholdBytes) return false
    // Early drop is for data that cannot be marked; control packets of the class are exempt (spec of [LDCP] eq. 3).
    return ints[packet | KIND] === DATA
  }

  /** Samples a frame; feedback is sent to the source if it is data. */
  private sample(point: CongestionPoint, packet: number, out: number, trafficClass: number, queueBytes: number): void {
    const sizeBytes = ints[packet | SIZE]!
    const feedback = point.onFrame(out, trafficClass, sizeBytes, queueBytes + sizeBytes)
    // Control frames have no reaction point to receive feedback.
    if (feedback > 0 && ints[packet | KIND] === DATA) this.notifySource(point, packet, feedback)
  }

  /** Sends a congestion notification message back; it is charged to the port by which the frame came. */
  private notifySource(point: CongestionPoint, packet: number, feedback: number): void {
    const { counters } = this.fabric
    const direction = ints[packet | DIRECTION]!
    const { frameBytes, codepoint } = point
    const message = this.fabric.makePacket(CNM, direction ^ 1, this.options.sourceOf(direction), frameBytes, codepoint)
    ints[message | SYNDROME] = feedback
    ints[message | AT] = ints[packet | AT]!
    counters.cnms++
    this.fabric.pairs.addPackets(direction, 1)
    this.device.receive(message, ints[packet | INPUT]!)
  }
}
