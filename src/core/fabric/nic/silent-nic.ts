/**
 * Silent NIC: stands at a port in the place of a NIC that sends nothing any more, as its server is dead or its pipeline
 * stands still. PFC frames are the port's own and leave as before; packets of the NIC wait in it.
 */
import type { NicDevice } from '../link/device.ts'

export class SilentNic implements NicDevice {
  readonly node: number
  readonly position: number
  private readonly nic: NicDevice

  constructor(nic: NicDevice) {
    this.node = nic.node
    this.position = nic.position
    this.nic = nic
  }

  nextPacket(): number {
    return -1
  }

  hasWaiting(): boolean {
    return false
  }

  leaveStack(packet: number): void {
    this.nic.leaveStack(packet)
  }
}
