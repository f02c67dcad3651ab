/**
 * HOT. What the hardware counts, for the whole fabric. Plain numbers; names are given to drops once, here.
 */

import { DOUBLE_ZERO } from '../base/double.ts'

export const DROP_BUFFER = 0
export const DROP_WRED = 1
export const DROP_LOSS = 2
export const DROP_FCS = 3
export const DROP_LINK_DOWN = 4
export const DROP_NO_ROUTE = 5
/** The header of a trimmed packet, at a receiver to which it says nothing. */
export const DROP_TRIMMED = 6
export const DROP_REASONS: readonly string[] = [
  'buffer full',
  'WRED',
  'link loss',
  'FCS error',
  'link down',
  'no route',
  'trimmed',
]

export class FabricCounters {
  /** There may be more than small integers hold. */
  packetHops = DOUBLE_ZERO
  dataSent = 0
  controlSent = 0
  /** PFC frames made. */
  pfcSent = 0
  pauseFrames = 0
  resumeFrames = 0
  ecnMarks = 0
  /** Messages of congestion points made (QCN). */
  cnms = 0
  readonly drops = new Float64Array(DROP_REASONS.length)
  /** Those of them that carried data, or had before they were trimmed: not ACKs, NAKs, CNPs, requests or PFC frames. */
  dataDrops = 0
  /** Drops of packets in a lossless class for want of buffer, trimmed ones too. */
  losslessDrops = 0
  /** Data packets that were trimmed, and bytes of their frames that were cut off. */
  trimmed = 0
  trimmedBytes = DOUBLE_ZERO
  /** Those of them whose headers have arrived and were heard, or were dropped, and what had been cut off them. */
  trimmedEnded = 0
  trimmedBytesEnded = DOUBLE_ZERO

  constructor() {
    this.packetHops = 0
    this.trimmedBytes = 0
    this.trimmedBytesEnded = 0
  }
}
