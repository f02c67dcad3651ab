/**
 * HOT. VerbsPacket: a segment with the decoded fields of all headers of the reliable connected service, and its
 * payload. Owned and reused by the caller. Sequence numbers are as on the wire.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { Segment } from '../transport/segment.ts'
import type { RcFields } from '../wire/rc-headers.ts'

/** Payload of packets without bytes. */
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
  /** Its first `payloadBytes` bytes are the payload, if `hasPayload`. */
  readonly payload: Uint8Array
  /** False: only the length of the payload is modelled. */
  hasPayload = false

  constructor(mtuBytes: number) {
    super()
    this.payload = mtuBytes === 0 ? NO_PAYLOAD : new Uint8Array(mtuBytes)
  }
}
