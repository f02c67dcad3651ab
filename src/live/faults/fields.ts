/**
 * Fields that `set` changes: where their bits are in a packet.
 * Source: IBTA 9.2 (BTH), 9.3 (RETH, AETH, AtomicETH); annex A17 for those of IP and UDP.
 */

/** Header in which a field is; `ip`: of the frame around the packet. */
type Base = 'ip' | 'bth' | 'aeth' | 'memory'

export interface Field {
  readonly base: Base
  /** First bit, counted from the start of the header. */
  readonly bitAt: number
  readonly bits: number
}

const field = (base: Base, bitAt: number, bits: number): Field => ({ base, bitAt, bits })

/** `memory`: RETH or AtomicETH, which begin alike. */
export const FIELDS: Readonly<Record<string, Field>> = {
  dscp: field('ip', 0, 6),
  ecn: field('ip', 0, 2),
  hopLimit: field('ip', 0, 8),
  sourcePort: field('ip', 0, 16),
  opcode: field('bth', 0, 8),
  solicited: field('bth', 8, 1),
  migrated: field('bth', 9, 1),
  pad: field('bth', 10, 2),
  version: field('bth', 12, 4),
  partition: field('bth', 16, 16),
  qp: field('bth', 40, 24),
  ackRequest: field('bth', 64, 1),
  psn: field('bth', 72, 24),
  syndrome: field('aeth', 0, 8),
  msn: field('aeth', 8, 24),
  address: field('memory', 0, 64),
  key: field('memory', 64, 32),
  length: field('memory', 96, 32),
}

/** Writes a value below 2^53 to the bits of a field, most significant bit first. */
export function writeBits(bytes: Uint8Array, bitAt: number, bits: number, value: number): void {
  let left = value
  for (let at = bitAt + bits - 1; at >= bitAt; at--) {
    const mask = 0x80 >> (at & 7)
    const bit = left % 2
    bytes[at >> 3] = bit === 1 ? bytes[at >> 3]! | mask : bytes[at >> 3]! & ~mask
    left = (left - bit) / 2
  }
}
