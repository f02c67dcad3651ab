/**
 * Opcodes of the reliable connected service, and the headers that follow the BTH of each.
 * Source: IBTA 9.2.1, table 38. Deviates: 24 and 25, free in the standard, are IRN's READ-ACK and READ-NACK ([IRN] 5.2
 * takes one of the eight free codes and does not say which).
 */

export const SEND_FIRST = 0
export const SEND_MIDDLE = 1
export const SEND_LAST = 2
export const SEND_LAST_IMMEDIATE = 3
export const SEND_ONLY = 4
export const SEND_ONLY_IMMEDIATE = 5
export const WRITE_FIRST = 6
export const WRITE_MIDDLE = 7
export const WRITE_LAST = 8
export const WRITE_LAST_IMMEDIATE = 9
export const WRITE_ONLY = 10
export const WRITE_ONLY_IMMEDIATE = 11
export const READ_REQUEST_OPCODE = 12
export const READ_RESPONSE_FIRST = 13
export const READ_RESPONSE_MIDDLE = 14
export const READ_RESPONSE_LAST = 15
export const READ_RESPONSE_ONLY = 16
export const ACKNOWLEDGE = 17
export const ATOMIC_ACKNOWLEDGE = 18
export const COMPARE_SWAP = 19
export const FETCH_ADD = 20
export const SEND_LAST_INVALIDATE = 22
export const SEND_ONLY_INVALIDATE = 23
export const READ_ACK = 24
export const READ_NACK = 25

/** Headers after the BTH, in the order of the bits. */
export const HAS_RETH = 1
export const HAS_ATOMIC_ETH = 2
export const HAS_AETH = 4
export const HAS_ATOMIC_ACK_ETH = 8
export const HAS_IMMEDIATE = 16
export const HAS_IETH = 32
/** IRN: recv_WQE_SN and the packet's offset in the message, 3 + 3 bytes ([IRN] 5.3.2). */
export const HAS_SEND_SEQUENCE = 64
/** IRN: recv_WQE_SN, 3 bytes. */
export const HAS_RECEIVE_SN = 128
/** IRN: read_WQE_SN, 3 bytes. */
export const HAS_READ_SN = 256
/** IRN: PSN of the packet that triggered the ACK or NACK, 3 bytes. */
export const HAS_SACK = 512
/** LDCP: byte sequence number, 4 bytes ([LDCP] 3.1). */
export const HAS_LSN = 1024

/** Packet formats of a queue pair: bits. */
export const FORMAT_ROCE = 0
export const FORMAT_IRN = 1
export const FORMAT_LSN = 2

const ROCE: readonly number[] = Array.from({ length: 32 }, (_, opcode) => {
  switch (opcode) {
    case SEND_LAST_IMMEDIATE:
    case SEND_ONLY_IMMEDIATE:
    case WRITE_LAST_IMMEDIATE:
      return HAS_IMMEDIATE
    case WRITE_FIRST:
    case WRITE_ONLY:
    case READ_REQUEST_OPCODE:
      return HAS_RETH
    case WRITE_ONLY_IMMEDIATE:
      return HAS_RETH | HAS_IMMEDIATE
    case READ_RESPONSE_FIRST:
    case READ_RESPONSE_LAST:
    case READ_RESPONSE_ONLY:
    case ACKNOWLEDGE:
    case READ_ACK:
    case READ_NACK:
      return HAS_AETH
    case ATOMIC_ACKNOWLEDGE:
      return HAS_AETH | HAS_ATOMIC_ACK_ETH
    case COMPARE_SWAP:
    case FETCH_ADD:
      return HAS_ATOMIC_ETH
    case SEND_LAST_INVALIDATE:
    case SEND_ONLY_INVALIDATE:
      return HAS_IETH
    default:
      return 0
  }
})

/**
 * Headers that IRN adds: the RETH in every packet of a WRITE, position and WQE sequence numbers, the PSN in ACKs and
 * NACKs.
 */
function irnExtra(opcode: number): number {
  if (isSend(opcode)) return HAS_SEND_SEQUENCE
  if (isWrite(opcode)) {
    const hasImmediate = opcode === WRITE_LAST_IMMEDIATE || opcode === WRITE_ONLY_IMMEDIATE
    return HAS_RETH | (hasImmediate ? HAS_RECEIVE_SN : 0)
  }
  if (opcode === READ_REQUEST_OPCODE || isAtomic(opcode)) return HAS_READ_SN
  return opcode === ACKNOWLEDGE || opcode === READ_ACK || opcode === READ_NACK ? HAS_SACK : 0
}

/** Header bits, indexed [format * 32 + opcode]. */
const HEADERS: Int32Array = Int32Array.from({ length: 4 * 32 }, (_, at) => {
  const opcode = at & 31
  const format = at >> 5
  const irn = (format & FORMAT_IRN) === 0 ? 0 : irnExtra(opcode)
  return ROCE[opcode]! | irn | ((format & FORMAT_LSN) === 0 ? 0 : HAS_LSN)
})

/** HAS_... bits of an opcode in a format. */
export function headersOf(opcode: number, format: number): number {
  return HEADERS[(format << 5) | opcode]!
}

/**
 * Whether an opcode is defined: by the standard, by IRN, or, READ-ACK, also where READ responses have byte sequence
 * numbers. Packets with other opcodes are dropped (IBTA 9.6.1.1).
 */
export function isDefined(opcode: number, format: number): boolean {
  if (opcode === READ_ACK) return format !== FORMAT_ROCE
  if (opcode === READ_NACK) return (format & FORMAT_IRN) !== 0
  return opcode <= FETCH_ADD || opcode === SEND_LAST_INVALIDATE || opcode === SEND_ONLY_INVALIDATE
}

/** Whether packets of this opcode may have payload. */
export function mayHavePayload(opcode: number): boolean {
  return isSend(opcode) || isWrite(opcode) || isReadResponse(opcode)
}

export function isSend(opcode: number): boolean {
  return opcode <= SEND_ONLY_IMMEDIATE || opcode === SEND_LAST_INVALIDATE || opcode === SEND_ONLY_INVALIDATE
}

export function isWrite(opcode: number): boolean {
  return opcode >= WRITE_FIRST && opcode <= WRITE_ONLY_IMMEDIATE
}

export function isAtomic(opcode: number): boolean {
  return opcode === COMPARE_SWAP || opcode === FETCH_ADD
}

export function isReadResponse(opcode: number): boolean {
  return opcode >= READ_RESPONSE_FIRST && opcode <= READ_RESPONSE_ONLY
}

/** First or only packet of a SEND or WRITE. */
export function isFirst(opcode: number): boolean {
  return opcode === SEND_FIRST || opcode === WRITE_FIRST || isOnly(opcode)
}

/** Last or only packet of a SEND or WRITE. */
export function isLast(opcode: number): boolean {
  return (
    opcode === SEND_LAST ||
    opcode === SEND_LAST_IMMEDIATE ||
    opcode === SEND_LAST_INVALIDATE ||
    opcode === WRITE_LAST ||
    opcode === WRITE_LAST_IMMEDIATE ||
    isOnly(opcode)
  )
}

function isOnly(opcode: number): boolean {
  return (
    opcode === SEND_ONLY ||
    opcode === SEND_ONLY_IMMEDIATE ||
    opcode === SEND_ONLY_INVALIDATE ||
    opcode === WRITE_ONLY ||
    opcode === WRITE_ONLY_IMMEDIATE
  )
}
