/**
 * CRC-32 of Ethernet's FCS and of RoCEv2's ICRC: polynomial 0x04c11db7, bits reflected, initial and final value all ones.
 * Both are sent with the low byte first.
 * Source: 802.3 3.2.9; IBTA 7.8.1.
 */

const POLYNOMIAL = 0xedb88320

/** Bytes that are taken in one step. */
const STEP = 8

/** Indexed [256 * n + byte]: what a byte does to the CRC when n more have followed it. */
const TABLE: Int32Array = new Int32Array(STEP * 256)
for (let byte = 0; byte < 256; byte++) {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL
  TABLE[byte] = value
}
for (let at = 256; at < TABLE.length; at++) {
  const before = TABLE[at - 256]!
  TABLE[at] = (before >>> 8) ^ TABLE[before & 0xff]!
}

/**
 * CRC of `bytes`, 0..2^32 - 1.
 * @param before CRC of what precedes them
 * @param from where a part of them begins
 * @param to where it ends
 */
export function crc32(bytes: Uint8Array, before = 0, from = 0, to: number = bytes.length): number {
  let value = ~before
  let at = from
  for (const end = to - STEP; at <= end; at += STEP) {
    // The CRC meets the first four bytes; the others go their own ways.
    value =
      TABLE[0x700 | ((value ^ bytes[at]!) & 0xff)]! ^
      TABLE[0x600 | (((value >>> 8) ^ bytes[at + 1]!) & 0xff)]! ^
      TABLE[0x500 | (((value >>> 16) ^ bytes[at + 2]!) & 0xff)]! ^
      TABLE[0x400 | ((value >>> 24) ^ bytes[at + 3]!)]! ^
      TABLE[0x300 | bytes[at + 4]!]! ^
      TABLE[0x200 | bytes[at + 5]!]! ^
      TABLE[0x100 | bytes[at + 6]!]! ^
      TABLE[bytes[at + 7]!]!
  }
  for (; at < to; at++) value = (value >>> 8) ^ TABLE[(value ^ bytes[at]!) & 0xff]!
  return ~value >>> 0
}

/** Index of the entry of the table with this highest byte: no two have the same. */
const INDEX_OF_HIGHEST = new Uint8Array(256)
for (let index = 0; index < 256; index++) INDEX_OF_HIGHEST[TABLE[index]! >>> 24] = index

/** CRC of what precedes `bytes`, where `after` is the CRC with them: crc32(bytes, crc32Before(bytes, after)) is `after`. */
export function crc32Before(bytes: Uint8Array, after: number): number {
  let value = ~after
  for (let i = bytes.length - 1; i >= 0; i--) {
    const index = INDEX_OF_HIGHEST[value >>> 24]!
    value = ((value ^ TABLE[index]!) << 8) | (index ^ bytes[i]!)
  }
  return ~value >>> 0
}
