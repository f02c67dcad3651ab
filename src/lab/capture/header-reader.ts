/**
 * Header reader: the fields of a packet's headers from the BTH on. Work requests have their own, messages get made-up ones.
 */
import { INTS } from '../../core/base/memory.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { DIRECTION, FLAGS, KIND, PAYLOAD, PSN, SACK_PSN, SYNDROME } from '../../core/fabric/packets.ts'
import { dataFrameBytes } from '../../core/transport/endpoint.ts'
import { DATA, NAK, SACK, TRIMMED } from '../../core/transport/segment.ts'
import { VerbsPacket } from '../../core/verbs/index.ts'
import { ACKNOWLEDGE } from '../../core/wire/opcodes.ts'
import type { RcFields } from '../../core/wire/rc-headers.ts'
import { fillMessageHeaders, messageFormat, qpNumber } from './message-headers.ts'

const ints = INTS

export interface PacketHeaders {
  /** Valid until the next call. */
  readonly fields: RcFields
  readonly format: number
  /** Payload without padding; of a trimmed packet, what it had before. */
  readonly payloadBytes: number
}

export class HeaderReader {
  readonly #fields = new VerbsPacket(0)

  /**
   * Headers of a packet that is data, trimmed data, an ACK, a NAK or a READ request.
   * @param wholeBytes bytes of its frame before it was trimmed, without a tag that only this link has
   */
  read(packet: number, pair: QueuePair, wholeBytes: number): PacketHeaders {
    const fields = this.#fields
    const { verbs } = pair
    if (verbs === null) {
      fillMessageHeaders(packet, pair, fields)
      return {
        fields,
        format: messageFormat(pair),
        payloadBytes: payloadOf(packet, wholeBytes - overheadOf(packet, pair)),
      }
    }
    verbs.packets.of(packet, fields)
    fields.destinationQp = this.destinationQp(pair, (ints[packet | DIRECTION]! & 1) !== 0)
    fields.psn = ints[packet | PSN]!
    fields.syndrome = ints[packet | SYNDROME]!
    if (fields.opcode === ACKNOWLEDGE) fields.isAckRequested = fields.isSolicited = false
    const namesPacket = ints[packet | KIND] === NAK || (ints[packet | FLAGS]! & SACK) !== 0
    fields.sackPsn = namesPacket ? ints[packet | SACK_PSN]! : fields.psn
    // A size above the shortest frame, so that the difference is the packet's headers.
    fields.kind = DATA
    fields.payloadBytes = pair.frames.payloadBytes & ~3
    const overheadBytes = verbs.frameBytes(fields) - fields.payloadBytes
    return { fields, format: verbs.format, payloadBytes: payloadOf(packet, wholeBytes - overheadBytes) }
  }

  /** Number of the queue pair that a packet goes to. @param isBack to the sender of the data */
  destinationQp(pair: QueuePair, isBack: boolean): number {
    if (pair.verbs === null) return qpNumber(pair, isBack)
    return (isBack ? pair.verbs.nearPair : pair.verbs.farPair).number
  }
}

/** Payload of a packet. @param cutBytes that of a packet whose payload was trimmed */
function payloadOf(packet: number, cutBytes: number): number {
  const kind = ints[packet | KIND]!
  if (kind === TRIMMED) return Math.max(0, cutBytes)
  // Other kinds keep something else in this field.
  return kind === DATA ? ints[packet | PAYLOAD]! : 0
}

/** Bytes of a data packet's frame besides its payload. */
function overheadOf(packet: number, { frames }: QueuePair): number {
  return dataFrameBytes(frames, frames.payloadBytes, ints[packet | FLAGS]!) - frames.payloadBytes
}
