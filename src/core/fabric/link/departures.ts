/**
 * HOT. Departures: packets and bytes that have left each port by class, PFC frames not among them. Switches count where
 * somebody has asked for it (Switch.countDepartures); of hosts an observer counts.
 * Shape: one double by port and class, [port * 8 + class]. Units: bytes of frames.
 */
import { INTS } from '../../base/memory.ts'
import { SIZE } from '../packets.ts'

export class Departures {
  readonly packets: Float64Array
  readonly bytes: Float64Array

  constructor(ports: number) {
    this.packets = new Float64Array(ports << 3)
    this.bytes = new Float64Array(ports << 3)
  }

  /** Packets of a port by class; they go on counting. */
  packetsOf(port: number): Float64Array {
    return this.packets.subarray(port << 3, (port << 3) + 8)
  }

  count(port: number, trafficClass: number, packet: number): void {
    const at = (port << 3) | trafficClass
    this.packets[at]!++
    this.bytes[at]! += INTS[packet | SIZE]!
  }
}
