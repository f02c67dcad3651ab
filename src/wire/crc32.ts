/**
 * CRC-32 of Ethernet's FCS and of RoCEv2's ICRC: polynomial 0x04c11db7, bits reflected, initial and final value all ones.
 * Both are sent with the low byte first.
 * Source: 802.3 3.2.9; IBTA 7.8.1.
 */

const POLYNOMIAL = 0xedb88320

const TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ POLYNOMIAL
  return value
})

/**
 * CRC of `bytes`, 0..2^32 - 1.
 * @param before CRC of what precedes them
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let value = ~before
  for (const byte of bytes) value = (value >>> 8) ^ TABLE[(value ^ byte) & 0xff]!
  return ~value >>> 0
}

/** Index of the entry of the table with this highest byte: no two have the same. */
const INDEX_OF_HIGHEST = new Uint8Array(256)
TABLE.forEach((entry, index) => (INDEX_OF_HIGHEST[entry >>> 24] = index))

/** CRC of what precedes `bytes`, where `after` is the CRC with them: crc32(bytes, crc32Before(bytes, after)) is `after`. */
export function crc32Before(bytes: Uint8Array, after: number): number {
  let value = ~after
  for (let i = bytes.length - 1; i >= 0; i--) {
    const index = INDEX_OF_HIGHEST[value >>> 24]!
    value = ((value ^ TABLE[index]!) << 8) | (index ^ bytes[i]!)
  }
  return ~value >>> 0
}
