/**
 * Layout of the BTH and the headers after it, as bytes. The headers of each opcode are in opcodes.ts.
 * Integers are big-endian. 64-bit addresses are numbers below 2^53; 64-bit operands are two halves of 32 bits.
 * Source: IBTA 9.2 and 9.3; sizes of IRN's fields [IRN] 5.3.2 and 6.3 (docs/models/verbs.md).
 */
import { BTH_BYTES, type BthBits, PLAIN_BITS, writeBth } from './bth.ts'
import {
  HAS_AETH,
  HAS_ATOMIC_ACK_ETH,
  HAS_ATOMIC_ETH,
  HAS_IETH,
  HAS_IMMEDIATE,
  HAS_LSN,
  HAS_READ_SN,
  HAS_RECEIVE_SN,
  HAS_RETH,
  HAS_SACK,
  HAS_SEND_SEQUENCE,
  headersOf,
  isDefined,
} from './opcodes.ts'

/** Transport version in the second byte of the BTH; only 0 exists. */
const TVER_MASK = 0x0f
const SYNDROME_MASK = 0x7f
/** P_Key: number of the partition, without the bit for full membership. */
const PARTITION_MASK = 0x7fff
const DEFAULT_PARTITION = 0x7fff

/** All fields that the headers of a packet can carry. */
export interface RcFields {
  opcode: number
  /** 24 bits. */
  psn: number
  isAckRequested: boolean
  isSolicited: boolean
  /** 24 bits. */
  destinationQp: number
  /** Bytes of padding after the payload, 0..3. */
  padBytes: number
  virtualAddress: number
  key: number
  lengthBytes: number
  syndrome: number
  /** 24 bits. */
  msn: number
  /** 32 bits. */
  immediate: number
  /** Key in an IETH. */
  invalidateKey: number
  /** AtomicETH: value to swap in or to add; AtomicAckETH: original value. */
  swapHigh: number
  swapLow: number
  compareHigh: number
  compareLow: number
  /** 24 bits each. */
  receiveSn: number
  messageOffset: number
  readSn: number
  sackPsn: number
  /** 32 bits. */
  lsn: number
}

/** Bits and sizes of headers, in the order in which they follow the BTH. */
export const HEADER_SIZES: readonly (readonly [number, number])[] = [
  [HAS_RETH, 16],
  [HAS_ATOMIC_ETH, 28],
  [HAS_AETH, 4],
  [HAS_ATOMIC_ACK_ETH, 8],
  [HAS_IMMEDIATE, 4],
  [HAS_IETH, 4],
  [HAS_SEND_SEQUENCE, 6],
  [HAS_RECEIVE_SN, 3],
  [HAS_READ_SN, 3],
  [HAS_SACK, 3],
  [HAS_LSN, 4],
]

/** Bytes from the BTH to the payload, indexed [format * 32 + opcode]. */
const HEADER_BYTES = Int32Array.from({ length: 4 * 32 }, (_, at) => {
  const headers = headersOf(at & 31, at >> 5)
  return HEADER_SIZES.reduce((bytes, [bit, size]) => bytes + ((headers & bit) === 0 ? 0 : size), BTH_BYTES)
})

export function headerBytes(opcode: number, format: number): number {
  return HEADER_BYTES[(format << 5) | opcode]!
}

/**
 * Writes the headers at `at` and returns the offset of their end. Reserved bits after the BTH are zero.
 * @param bits of the BTH; without them the partition is the default one
 */
export function writeHeaders(
  view: DataView,
  at: number,
  format: number,
  fields: Readonly<RcFields>,
  bits: BthBits = PLAIN_BITS,
): number {
  writeBth(view, at, fields, bits)
  const headers = headersOf(fields.opcode, format)
  let end = at + BTH_BYTES
  if ((headers & (HAS_RETH | HAS_ATOMIC_ETH)) !== 0) {
    view.setUint32(end, Math.floor(fields.virtualAddress / 2 ** 32))
    view.setUint32(end + 4, fields.virtualAddress % 2 ** 32)
    view.setUint32(end + 8, fields.key)
    end += 12
  }
  if ((headers & HAS_RETH) !== 0) {
    view.setUint32(end, fields.lengthBytes)
    end += 4
  }
  if ((headers & HAS_ATOMIC_ETH) !== 0) {
    view.setUint32(end, fields.swapHigh)
    view.setUint32(end + 4, fields.swapLow)
    view.setUint32(end + 8, fields.compareHigh)
    view.setUint32(end + 12, fields.compareLow)
    end += 16
  }
  if ((headers & HAS_AETH) !== 0) {
    view.setUint32(end, (fields.syndrome << 24) | (fields.msn & 0xffffff))
    end += 4
  }
  if ((headers & HAS_ATOMIC_ACK_ETH) !== 0) {
    view.setUint32(end, fields.swapHigh)
    view.setUint32(end + 4, fields.swapLow)
    end += 8
  }
  if ((headers & HAS_IMMEDIATE) !== 0) {
    view.setUint32(end, fields.immediate)
    end += 4
  }
  if ((headers & HAS_IETH) !== 0) {
    view.setUint32(end, fields.invalidateKey)
    end += 4
  }
  if ((headers & (HAS_SEND_SEQUENCE | HAS_RECEIVE_SN)) !== 0) end = write24(view, end, fields.receiveSn)
  if ((headers & HAS_SEND_SEQUENCE) !== 0) end = write24(view, end, fields.messageOffset)
  if ((headers & HAS_READ_SN) !== 0) end = write24(view, end, fields.readSn)
  if ((headers & HAS_SACK) !== 0) end = write24(view, end, fields.sackPsn)
  if ((headers & HAS_LSN) !== 0) {
    view.setUint32(end, fields.lsn)
    end += 4
  }
  return end
}

/**
 * Reads the headers at `at` into `fields` and returns the offset of their end. -1: the bytes are too short, or the
 * packet has an undefined opcode, an unknown transport version or another partition than the default one (IBTA 9.6.1:
 * such packets are dropped silently).
 */
export function readHeaders(view: DataView, at: number, format: number, fields: RcFields): number {
  if (view.byteLength < at + BTH_BYTES) return -1
  const opcode = view.getUint8(at)
  if (!isDefined(opcode, format) || view.byteLength < at + headerBytes(opcode, format)) return -1
  const second = view.getUint8(at + 1)
  if ((second & TVER_MASK) !== 0 || (view.getUint16(at + 2) & PARTITION_MASK) !== DEFAULT_PARTITION) return -1
  const last = view.getUint32(at + 8)
  fields.opcode = opcode
  fields.isSolicited = (second & 0x80) !== 0
  fields.padBytes = (second >> 4) & 3
  fields.destinationQp = view.getUint32(at + 4) & 0xffffff
  fields.isAckRequested = last >= 0x80000000
  fields.psn = last & 0xffffff
  const headers = headersOf(opcode, format)
  let end = at + BTH_BYTES
  if ((headers & (HAS_RETH | HAS_ATOMIC_ETH)) !== 0) {
    fields.virtualAddress = view.getUint32(end) * 2 ** 32 + view.getUint32(end + 4)
    fields.key = view.getUint32(end + 8)
    end += 12
  }
  if ((headers & HAS_RETH) !== 0) {
    fields.lengthBytes = view.getUint32(end)
    end += 4
  }
  if ((headers & HAS_ATOMIC_ETH) !== 0) {
    fields.swapHigh = view.getUint32(end)
    fields.swapLow = view.getUint32(end + 4)
    fields.compareHigh = view.getUint32(end + 8)
    fields.compareLow = view.getUint32(end + 12)
    end += 16
  }
  if ((headers & HAS_AETH) !== 0) {
    const aeth = view.getUint32(end)
    fields.syndrome = (aeth >>> 24) & SYNDROME_MASK
    fields.msn = aeth & 0xffffff
    end += 4
  }
  if ((headers & HAS_ATOMIC_ACK_ETH) !== 0) {
    fields.swapHigh = view.getUint32(end)
    fields.swapLow = view.getUint32(end + 4)
    end += 8
  }
  if ((headers & HAS_IMMEDIATE) !== 0) {
    fields.immediate = view.getUint32(end)
    end += 4
  }
  if ((headers & HAS_IETH) !== 0) {
    fields.invalidateKey = view.getUint32(end)
    end += 4
  }
  if ((headers & (HAS_SEND_SEQUENCE | HAS_RECEIVE_SN)) !== 0) {
    fields.receiveSn = read24(view, end)
    end += 3
  }
  if ((headers & HAS_SEND_SEQUENCE) !== 0) {
    fields.messageOffset = read24(view, end)
    end += 3
  }
  if ((headers & HAS_READ_SN) !== 0) {
    fields.readSn = read24(view, end)
    end += 3
  }
  if ((headers & HAS_SACK) !== 0) {
    fields.sackPsn = read24(view, end)
    end += 3
  }
  if ((headers & HAS_LSN) !== 0) {
    fields.lsn = view.getUint32(end)
    end += 4
  }
  return end
}

function write24(view: DataView, at: number, value: number): number {
  view.setUint8(at, (value >> 16) & 0xff)
  view.setUint16(at + 1, value & 0xffff)
  return at + 3
}

function read24(view: DataView, at: number): number {
  return (view.getUint8(at) << 16) | view.getUint16(at + 1)
}
