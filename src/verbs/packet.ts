/**
 * HOT. VerbsPacket: a segment with everything that the headers of the reliable connected service carry, decoded, and
 * its payload. Callers own it and use it again for the next. Sequence numbers are as on the wire.
 */
import { Segment } from '../transport/segment.ts'
import type { RcFields } from '../wire/rc-headers.ts'

export class VerbsPacket extends Segment implements RcFields {
  opcode = 0
  isAckRequested = false
  isSolicited = false
  destinationQp = 0
  padBytes = 0
  virtualAddress = -0
  key = -0
  lengthBytes = -0
  msn = 0
  immediate = -0
  invalidateKey = -0
  swapHigh = -0
  swapLow = -0
  compareHigh = -0
  compareLow = -0
  receiveSn = 0
  messageOffset = 0
  readSn = 0
  sackPsn = 0
  lsn = -0
  /** The first `payloadBytes` of it, if `hasPayload`. */
  readonly payload: Uint8Array
  /** False: the bytes are only counted (queue pairs without payload). */
  hasPayload = false

  constructor(mtuBytes: number) {
    super()
    this.payload = new Uint8Array(mtuBytes)
  }
}
