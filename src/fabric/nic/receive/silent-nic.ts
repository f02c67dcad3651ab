/**
 * Silent NIC: stands at a port in the place of a NIC that sends nothing any more. PFC frames are the port's own and leave
 * as before; packets of the NIC wait in it.
 */
import { Bug } from '../../../base/assert.ts'
import type { NicDevice } from '../../link/device.ts'

export class SilentNic implements NicDevice {
  readonly node: number
  readonly position: number

  constructor({ node, position }: NicDevice) {
    this.node = node
    this.position = position
  }

  nextPacket(): number {
    return -1
  }

  hasWaiting(): boolean {
    return false
  }

  leaveStack(): void {
    throw new Bug('a silent NIC has no host stack')
  }
}
