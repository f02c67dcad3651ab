/**
 * Packet sequence numbers: 24 bits that wrap (IBTA 9.7.1). Analysis counts on without wrapping, from the first that was seen.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'

const BITS = 24
const MASK = 2 ** BITS - 1
/** Room below the first number, so that older ones are not negative. */
const BASE = 2 ** BITS

/** From `b` to `a`, by the shorter path: -2^23 .. 2^23 - 1. */
export function psnDistance(a: number, b: number): number {
  return ((a - b) << (32 - BITS)) >> (32 - BITS)
}

/** The number that does not wrap, nearest to `near`; without one it is the first. */
export function unwrapped(psn: number, near: number | null): number {
  const count = near === null ? BASE + psn : near + psnDistance(psn, near & MASK)
  if (CHECKED) assert(wrapped(count) === psn, 'decode: a PSN counts on as another one')
  return count
}

export function wrapped(count: number): number {
  return count & MASK
}

/** "0a1b2c" */
export function psnText(psn: number): string {
  if (CHECKED) assert(psn === wrapped(psn), 'decode: a PSN that is shown has more than 24 bits')
  return psn.toString(16).padStart(6, '0')
}
