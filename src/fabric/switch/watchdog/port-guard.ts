/**
 * Port guard: the part of a watchdog that sees packets. While classes of a port are out of service, it counts their packets
 * that come in by the port, and discards them where the action is drop.
 */
import { INTS } from '../../../base/memory.ts'
import { DROP_WATCHDOG } from '../../counters.ts'
import type { Fabric } from '../../fabric.ts'
import type { Intake } from '../../link/intake.ts'
import type { Port } from '../../link/port.ts'
import { KIND, PFC } from '../../packets.ts'

export class PortGuard implements Intake {
  /** Classes that are out of service, and of these, those whose packets are discarded. */
  classes = 0
  dropped = 0
  private readonly fabric: Fabric

  constructor(fabric: Fabric) {
    this.fabric = fabric
  }

  takes(packet: number, port: Port): boolean {
    if (INTS[packet | KIND] === PFC) return false
    const trafficClass = port.at!.trafficClassOf(packet)
    const bit = 1 << trafficClass
    if ((this.classes & bit) === 0) return false
    const stats = port.openStats()
    if ((this.dropped & bit) === 0) {
      stats.rxPackets[trafficClass]!++
      return false
    }
    stats.rxDropped[trafficClass]!++
    this.fabric.drop(packet, port.node, DROP_WATCHDOG)
    return true
  }
}
