/**
 * HOT. Counters of the whole fabric, as plain numbers; and the reasons of drops with their names.
 */

import { DOUBLE_ZERO } from '../base/double.ts'

export const DROP_BUFFER = 0
export const DROP_WRED = 1
export const DROP_LOSS = 2
export const DROP_FCS = 3
export const DROP_LINK_DOWN = 4
export const DROP_NO_ROUTE = 5
/** Header of a trimmed packet at a receiver that makes no use of it. */
export const DROP_TRIMMED = 6
/** In a class that a switch's PFC watchdog has taken out of service. */
export const DROP_WATCHDOG = 7
/** No port is known for its destination's MAC address. */
export const DROP_NO_MAC = 8
/** A flooded copy at a port or host that is not its destination. */
export const DROP_NOT_MINE = 9
export const DROP_HOST_DOWN = 10
export const DROP_SWITCH_DOWN = 11
/** Tagged or untagged, where the port takes only the other. */
export const DROP_VLAN = 12
/** Longer than the port's MTU. */
export const DROP_MTU = 13
/** No room in a NIC's receive buffer, or its receive pipeline has been given up. */
export const DROP_NIC = 14
/** At a host that is not its destination, and not flooded. */
export const DROP_FOREIGN = 15
export const DROP_REASONS: readonly string[] = [
  'buffer full',
  'WRED',
  'link loss',
  'FCS error',
  'link down',
  'no route',
  'trimmed',
  'watchdog',
  'no MAC entry',
  'flooded, wrong host',
  'host down',
  'switch down',
  'VLAN',
  'frame too long',
  'NIC',
  'wrong host',
]

export class FabricCounters {
  /** May exceed the small integers. */
  packetHops = DOUBLE_ZERO
  dataSent = 0
  controlSent = 0
  /** PFC frames sent. */
  pfcSent = 0
  pauseFrames = 0
  resumeFrames = 0
  ecnMarks = 0
  /** Congestion notification messages (QCN) sent. */
  cnms = 0
  readonly drops = new Float64Array(DROP_REASONS.length)
  /** Drops of packets that carried data, also those whose payload had been trimmed before. */
  dataDrops = 0
  /** Drops of packets in a lossless class for lack of buffer, including trimmed ones. */
  losslessDrops = 0
  /** Data packets that were trimmed, and bytes of their frames that were cut off. */
  trimmed = 0
  trimmedBytes = DOUBLE_ZERO
  /** Trimmed packets whose headers have been received or dropped, and the bytes cut off them. */
  trimmedEnded = 0
  trimmedBytesEnded = DOUBLE_ZERO

  /** Switches with tables: packets flooded, copies made of them beyond the first. */
  floods = 0
  /** Packets that found an ARP entry and no MAC entry. */
  incomplete = 0
  floodCopies = 0
  /** Broadcast frames that hosts have received. */
  broadcastsReceived = 0
  /** Packets that switches have handed to their CPU, those of them that its queue had no room for, and ARP requests. */
  punts = 0
  puntsRefused = 0
  arpRequests = 0

  constructor() {
    this.packetHops = 0
    this.trimmedBytes = 0
    this.trimmedBytesEnded = 0
  }

  /** Pauses (`quanta` above 0) or resumes are sent; -1: one that waits is not sent as it was. */
  countPfc(quanta: number, frames: number): void {
    this.pfcSent += frames
    if (quanta > 0) this.pauseFrames += frames
    else this.resumeFrames += frames
  }
}
