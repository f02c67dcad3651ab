/**
 * Message headers: the BTH and the headers after it that hardware would send for a packet of a scenario's message. The
 * simulation has no such headers: a packet has a kind, a PSN, flags and a payload size. The rest is made up here
 * (docs/models/capture.md): QP numbers, keys and addresses of memory.
 */
import { INTS } from '../../core/base/memory.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { DIRECTION, FLAGS, KIND, PAYLOAD, PSN, SACK_PSN, SYNDROME } from '../../core/fabric/packets.ts'
import { unwrapPsn } from '../../core/transport/psn.ts'
import { ACK, ACK_REQUEST, FIRST, LAST, NAK, READ_REQUEST, RNR_NAK, SACK, SEND } from '../../core/transport/segment.ts'
import { SYNDROME_ACK_UNLIMITED } from '../../core/wire/aeth.ts'
import {
  ACKNOWLEDGE,
  FORMAT_IRN,
  FORMAT_ROCE,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
  SEND_FIRST,
  SEND_LAST,
  SEND_MIDDLE,
  SEND_ONLY,
  WRITE_FIRST,
  WRITE_LAST,
  WRITE_MIDDLE,
  WRITE_ONLY,
} from '../../core/wire/opcodes.ts'
import type { RcFields } from '../../core/wire/rc-headers.ts'

const ints = INTS

/** QP numbers 0 and 1 are special; the numbers begin some way above. */
const FIRST_QP = 256
/** Every message is read from or written to the same address. */
const BUFFER_ADDRESS = 0x10000000
const FIRST_KEY = 0x1000

/** Opcodes of the packets of a message: first, middle, last, only. */
const SENDS = [SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_ONLY] as const
const WRITES = [WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY] as const
const RESPONSES = [READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE, READ_RESPONSE_LAST, READ_RESPONSE_ONLY] as const

/** QP number at one end of a queue pair of the fabric. @param isBack the end that packets back go to: the sender of data */
export function qpNumber({ id }: QueuePair, isBack: boolean): number {
  return (FIRST_QP + 2 * id + (isBack ? 0 : 1)) & 0xffffff
}

/** Format of the packets of a queue pair that carries messages: IRN's where packets are accepted out of order. */
export function messageFormat({ receiver }: QueuePair): number {
  return receiver.isReordering ? FORMAT_IRN : FORMAT_ROCE
}

/** Fills in all fields of a packet's headers. Its kind is data, trimmed data, an ACK, a NAK or a READ request. */
export function fillMessageHeaders(packet: number, pair: QueuePair, out: RcFields): void {
  const kind = ints[packet | KIND]!
  const isBack = (ints[packet | DIRECTION]! & 1) !== 0
  out.psn = ints[packet | PSN]!
  out.destinationQp = qpNumber(pair, isBack)
  out.key = FIRST_KEY + pair.id
  out.isSolicited = false
  out.isAckRequested = false
  if (kind === READ_REQUEST) fillReadRequest(packet, pair, out)
  else if (kind === ACK || kind === NAK || kind === RNR_NAK) fillReply(packet, pair, kind, isBack, out)
  else fillData(packet, pair, out)
}

function fillData(packet: number, pair: QueuePair, out: RcFields): void {
  const flags = ints[packet | FLAGS]!
  const opcodes = pair.isRead ? RESPONSES : (flags & SEND) === 0 ? WRITES : SENDS
  const isFirst = (flags & FIRST) !== 0
  const isLast = (flags & LAST) !== 0
  out.opcode = opcodes[isFirst && isLast ? 3 : isFirst ? 0 : isLast ? 2 : 1]
  out.isAckRequested = (flags & ACK_REQUEST) !== 0 && !pair.isRead
  const found = messageOf(pair, out.psn)
  const offset = found === null ? 0 : found.psn - found.firstPsn
  out.virtualAddress = BUFFER_ADDRESS + offset * pair.frames.payloadBytes
  out.lengthBytes = found === null ? ints[packet | PAYLOAD]! : found.sizeBytes
  out.receiveSn = ints[packet | SYNDROME]! & 0xffffff
  out.messageOffset = offset
  // A response has the AETH of an ACK.
  out.syndrome = SYNDROME_ACK_UNLIMITED
  out.msn = found === null ? 0 : (found.number + 1) & 0xffffff
}

function fillReply(packet: number, pair: QueuePair, kind: number, isBack: boolean, out: RcFields): void {
  const isOfRead = pair.isRead && isBack && messageFormat(pair) === FORMAT_IRN
  out.opcode = !isOfRead ? ACKNOWLEDGE : kind === ACK ? READ_ACK : READ_NACK
  out.syndrome = ints[packet | SYNDROME]!
  const namesPacket = kind === NAK || (ints[packet | FLAGS]! & SACK) !== 0
  out.sackPsn = namesPacket ? ints[packet | SACK_PSN]! : out.psn
  // Messages that the receiver has whole: all before the packet that a NAK expects, or that an ACK ends with.
  const found = messageOf(pair, out.psn)
  const isWhole = kind === ACK && found !== null && found.psn === found.firstPsn + found.packets - 1
  out.msn = ((found === null ? pair.messages.acknowledgedMessages : found.number) + (isWhole ? 1 : 0)) & 0xffffff
}

/** A request that is repeated asks for the rest alone. */
function fillReadRequest(packet: number, pair: QueuePair, out: RcFields): void {
  const found = messageOf(pair, out.psn)
  const offset = found === null ? 0 : (found.psn - found.firstPsn) * pair.frames.payloadBytes
  out.opcode = READ_REQUEST_OPCODE
  out.isAckRequested = true
  out.virtualAddress = BUFFER_ADDRESS + offset
  out.lengthBytes = (found === null ? ints[packet | PAYLOAD]! : found.sizeBytes) - offset
  out.readSn = (found === null ? pair.receiver.deliveredMessages : found.number) & 0xffffff
}

interface FoundMessage {
  /** Unbounded. */
  readonly psn: number
  readonly firstPsn: number
  readonly packets: number
  readonly sizeBytes: number
  /** Messages of the queue pair before it. */
  readonly number: number
}

/** The message that contains a PSN; null: it is not posted yet, or was acknowledged long ago. */
function messageOf(pair: QueuePair, psn24: number): FoundMessage | null {
  const psn = unwrapPsn(psn24, pair.sender.una)
  const found = pair.messages.messageAt(psn)
  return found === null ? null : { psn, number: found.number, ...found.message }
}
