/**
 * HOT. VerbsPacket: a segment with everything that the headers of the reliable connected service carry, decoded, and
 * its payload. Callers own it and use it again for the next. Sequence numbers are as on the wire.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { Segment } from '../transport/segment.ts'
import type { RcFields } from '../wire/rc-headers.ts'

/** Of packets that only count their payload. */
const NO_PAYLOAD = new Uint8Array(0)

export class VerbsPacket extends Segment implements RcFields {
  opcode = 0
  isAckRequested = false
  isSolicited = false
  destinationQp = 0
  padBytes = 0
  virtualAddress = DOUBLE_ZERO
  key = DOUBLE_ZERO
  lengthBytes = DOUBLE_ZERO
  msn = 0
  immediate = DOUBLE_ZERO
  invalidateKey = DOUBLE_ZERO
  swapHigh = DOUBLE_ZERO
  swapLow = DOUBLE_ZERO
  compareHigh = DOUBLE_ZERO
  compareLow = DOUBLE_ZERO
  receiveSn = 0
  messageOffset = 0
  readSn = 0
  lsn = DOUBLE_ZERO
  /** The first `payloadBytes` of it, if `hasPayload`. */
  readonly payload: Uint8Array
  /** False: the bytes are only counted (queue pairs without payload). */
  hasPayload = false

  constructor(mtuBytes: number) {
    super()
    this.payload = mtuBytes === 0 ? NO_PAYLOAD : new Uint8Array(mtuBytes)
  }
}
