/**
 * Packet sequence numbers: 24 bits on the wire, unbounded integers inside the endpoints.
 * Source: IBTA 9.7.1; comparison by distance modulo 2^24.
 */

import { assert, CHECKED } from '../base/assert.ts'

export const PSN_MASK = 0xffffff
/** Packets in flight that 24 bits can tell apart. */
export const IN_FLIGHT_MAX: number = 2 ** 23

/** For the checked program, wherever a PSN is written into a packet or read from one. */
export function expectPsn(psn: number): void {
  assert(psn === (psn & PSN_MASK), 'a PSN has more than 24 bits')
}

/** Signed distance from b to a, -2^23 .. 2^23-1. */
export function psnDistance(a: number, b: number): number {
  return ((a - b) << 8) >> 8
}

/** The unbounded number nearest to `reference` whose low 24 bits are `psn`. */
export function unwrapPsn(psn: number, reference: number): number {
  if (CHECKED) expectPsn(psn)
  // Bitwise operators take the low 32 bits of the reference, of which 24 are used.
  return reference + (((psn - (reference & PSN_MASK)) << 8) >> 8)
}
