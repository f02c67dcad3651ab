/** Bytes of Node: everything that a driver hands on is a plain Uint8Array. */

/** The same bytes, not as a Buffer, whose slice() shares them and whose toString() is another. */
export function plainBytes({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
