/**
 * Columns whose records are cache lines, or parts of one, should begin where a line begins. The engine does not say
 * where it puts a buffer, but the C library of Linux puts a large one 16 bytes behind a page's start; so 48 bytes on
 * a line begins. Elsewhere this loses 48 bytes and nothing else.
 */

const OFFSET_BYTES = 48

export function alignedDoubles(length: number): Float64Array {
  return new Float64Array(new ArrayBuffer(OFFSET_BYTES + 8 * length), OFFSET_BYTES, length)
}

export function alignedInts(length: number): Int32Array {
  return new Int32Array(new ArrayBuffer(OFFSET_BYTES + 4 * length), OFFSET_BYTES, length)
}
