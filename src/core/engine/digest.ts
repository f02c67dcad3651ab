/**
 * HOT. Digest: a fingerprint of the event stream, two 32-bit lanes, order-sensitive.
 * Not cryptographic: it serves to compare two runs, nothing more.
 */
export class Digest {
  private a = 0x9e3779b9 | 0
  private b = 0x7f4a7c15 | 0

  /** Adds a time (ps, any non-negative integer number) and two integers. */
  add(timePs: number, x: number, y: number): void {
    // The time enters as its low 32 bits and its quotient by 2^32.
    const low = timePs | 0
    const high = (timePs * (1 / 4294967296)) | 0
    let a = Math.imul(this.a ^ low, 0x85ebca6b)
    a = Math.imul((a ^ (a >>> 15)) + x, 0xc2b2ae35)
    let b = Math.imul(this.b + (y ^ high), 0x27d4eb2f)
    b = (b ^ (b >>> 13)) + a
    this.a = (a ^ (b >>> 16)) | 0
    this.b = b | 0
  }

  /** 16 hex digits. */
  text(): string {
    return hex(mixed(this.a ^ this.b)) + hex(mixed(this.b))
  }
}

function mixed(value: number): number {
  let h = value
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0')
}
