/**
 * File parts: files that are made part by part, as they may be larger than the memory that a run takes. A part is valid until
 * the next one is asked for.
 */

/** The parts one behind the other. */
export function joined(parts: Iterable<Uint8Array>): Uint8Array {
  const copies = Array.from(parts, (part) => part.slice())
  const bytes = new Uint8Array(copies.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of copies) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
