/** HOT. Request packets: the fields of packet `index` of a Request WQE. */
import {
  COMPARE_SWAP,
  FETCH_ADD,
  READ_REQUEST_OPCODE,
  SEND_FIRST,
  SEND_LAST,
  SEND_LAST_IMMEDIATE,
  SEND_LAST_INVALIDATE,
  SEND_MIDDLE,
  SEND_ONLY,
  SEND_ONLY_IMMEDIATE,
  SEND_ONLY_INVALIDATE,
  WRITE_FIRST,
  WRITE_LAST,
  WRITE_LAST_IMMEDIATE,
  WRITE_MIDDLE,
  WRITE_ONLY,
  WRITE_ONLY_IMMEDIATE,
} from '../../wire/opcodes.ts'
import { takesReceive } from '../codec.ts'
import { FIRST, LAST, SEND } from '../../transport/segment.ts'
import type { ConnectionValues } from '../connection/values.ts'
import {
  OP_COMPARE_SWAP,
  OP_READ,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type Operation,
} from '../queues/operation.ts'
import type { VerbsPacket } from '../packet.ts'
import type { SendWqe } from '../queues/send-queue.ts'

/** Values of a connection that all its request packets use. */
export interface RequestTerms {
  readonly remoteQp: number
  readonly mtuBytes: number
  /** The other end accepts packets out of order. */
  readonly isIrn: boolean
  /** Packets of a message from one that requests an ACK to the next. */
  readonly packetsPerAck: number
}

export function requestTerms({ remoteQp, mtuBytes, mode, ackInterval }: ConnectionValues): RequestTerms {
  return { remoteQp, mtuBytes, isIrn: mode === 'irn', packetsPerAck: ackInterval }
}

/**
 * Fills all fields but PSN, LSN, times and ECN codepoint. `index` counts packets of a WRITE or SEND, and responses of a
 * READ from which on data is requested.
 */
export function fillRequest(out: VerbsPacket, wqe: SendWqe, index: number, terms: RequestTerms): void {
  const { mtuBytes, isIrn } = terms
  const offset = index * mtuBytes
  const { operation } = wqe
  out.destinationQp = terms.remoteQp
  out.key = wqe.remoteKey
  out.receiveSn = wqe.receiveSn & 0xffffff
  out.readSn = wqe.readSn & 0xffffff
  out.messageOffset = index
  out.hasPayload = false
  out.syndrome = 0
  out.payloadBytes = 0
  if (wqe.responses > 0) {
    out.opcode = operation === OP_READ ? READ_REQUEST_OPCODE : operation === OP_COMPARE_SWAP ? COMPARE_SWAP : FETCH_ADD
    // RoCE: a repeated READ request asks only for the rest.
    out.virtualAddress = wqe.remoteAddress + offset
    out.lengthBytes = wqe.lengthBytes - offset
    out.swapHigh = wqe.swapHigh
    out.swapLow = wqe.swapLow
    out.compareHigh = wqe.compareHigh
    out.compareLow = wqe.compareLow
    // Its responses acknowledge it, unless they are acknowledged themselves.
    out.isAckRequested = isIrn
    out.isSolicited = false
    out.flags = FIRST | LAST
    return
  }
  const isFirst = index === 0
  const isLast = index === wqe.packets - 1
  const payloadBytes = isLast ? wqe.lengthBytes - offset : mtuBytes
  out.opcode = requestOpcode(operation, isFirst, isLast)
  out.payloadBytes = payloadBytes
  // Every packet carries its own address, so that it can be placed before earlier ones arrive ([IRN] 5.3.1).
  out.virtualAddress = wqe.remoteAddress + offset
  out.lengthBytes = wqe.lengthBytes
  out.immediate = wqe.immediate
  out.invalidateKey = wqe.invalidateKey
  out.isSolicited = isLast && wqe.isSolicited
  // Depends on the position in the message only, so that a retransmission carries the same bit.
  out.isAckRequested = isIrn || isLast || (index + 1) % terms.packetsPerAck === 0
  out.flags = (isFirst ? FIRST : 0) | (isLast ? LAST : 0) | (takesReceive(out.opcode) ? SEND : 0)
  if (wqe.region !== null) out.hasPayload = wqe.region.read(wqe.address + offset, out.payload, payloadBytes)
}

/** Opcode of a packet of a WRITE or SEND. */
export function requestOpcode(operation: Operation, isFirst: boolean, isLast: boolean): number {
  const isWrite = operation === OP_WRITE || operation === OP_WRITE_IMMEDIATE
  if (!isLast) return isFirst ? (isWrite ? WRITE_FIRST : SEND_FIRST) : isWrite ? WRITE_MIDDLE : SEND_MIDDLE
  switch (operation) {
    case OP_SEND:
      return isFirst ? SEND_ONLY : SEND_LAST
    case OP_SEND_IMMEDIATE:
      return isFirst ? SEND_ONLY_IMMEDIATE : SEND_LAST_IMMEDIATE
    case OP_SEND_INVALIDATE:
      return isFirst ? SEND_ONLY_INVALIDATE : SEND_LAST_INVALIDATE
    case OP_WRITE:
      return isFirst ? WRITE_ONLY : WRITE_LAST
    default:
      return isFirst ? WRITE_ONLY_IMMEDIATE : WRITE_LAST_IMMEDIATE
  }
}
