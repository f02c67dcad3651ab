/**
 * Options of a port.
 */
import type { Marker } from './ecn.ts'
import type { DevicePort, NicDevice, SwitchDevice } from './device.ts'
import type { PfcRules } from './pfc.ts'
import type { Scheduler } from './scheduler.ts'

export interface PortOptions<P extends DevicePort> {
  readonly id: number
  /** 1-based, in the order of the node's links. */
  readonly index: number
  readonly rateBps: number
  readonly delayPs: number
  /** Serialization time by frame bytes; ports of one rate have one table. */
  readonly transmitPs: Float64Array
  readonly pfc: PfcRules
  readonly pfcFrameBytes: number
  readonly notifiesEnd: boolean
  /** Its device: one of the two is null. */
  readonly at: SwitchDevice<P> | null
  readonly nic: NicDevice | null
  /** At a switch: scheduler of the classes, and ECN marker or null. */
  readonly scheduler: Scheduler
  readonly marker: Marker | null
}
