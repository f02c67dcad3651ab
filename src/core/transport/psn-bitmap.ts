/**
 * HOT. Bitmap over a sliding window of PSNs: one bit each, in a ring of 32-bit words.
 * Shape: bit of `psn` is psn modulo `size`, a power of two; at any time only PSNs of one window of `size` are in it.
 * The owner clears PSNs that leave the window, and grows the bitmap before it adds a PSN beyond it.
 * Source: [IRN] 3.1, 6.1.
 */
export class PsnBitmap {
  size: number
  private words: Int32Array

  /** @param packets minimum capacity; rounded up to a power of two, 32 or more. */
  constructor(packets: number) {
    this.size = 32
    while (this.size < packets) this.size *= 2
    this.words = new Int32Array(this.size >> 5)
  }

  has(psn: number): boolean {
    const at = psn & (this.size - 1)
    return (this.words[at >> 5]! & (1 << (at & 31))) !== 0
  }

  set(psn: number): void {
    const at = psn & (this.size - 1)
    this.words[at >> 5] = this.words[at >> 5]! | (1 << (at & 31))
  }

  clear(psn: number): void {
    const at = psn & (this.size - 1)
    this.words[at >> 5] = this.words[at >> 5]! & ~(1 << (at & 31))
  }

  clearAll(): void {
    this.words.fill(0)
  }

  /** Clears the PSNs from `start` on and below `end`. */
  clearRange(start: number, end: number): void {
    if (end - start >= this.size) {
      this.words.fill(0)
      return
    }
    const mask = this.size - 1
    for (let psn = start; psn < end;) {
      const at = psn & mask
      const room = 32 - (at & 31)
      const count = end - psn < room ? end - psn : room
      // Whole words are cleared separately: 1 << 32 is 1.
      const bits = count === 32 ? -1 : ((1 << count) - 1) << (at & 31)
      this.words[at >> 5] = this.words[at >> 5]! & ~bits
      psn += count
    }
  }

  /** The least PSN from `start` on and below `end` whose bit is clear, or -1. */
  firstAbsent(start: number, end: number): number {
    const mask = this.size - 1
    for (let psn = start; psn < end;) {
      const at = psn & mask
      const absent = ~this.words[at >> 5]! >>> (at & 31)
      if (absent !== 0) {
        const found = psn + 31 - Math.clz32(absent & -absent)
        return found < end ? found : -1
      }
      psn += 32 - (at & 31)
    }
    return -1
  }

  /** The least PSN from `start` on and below `end` whose bit is set, or -1. */
  firstPresent(start: number, end: number): number {
    let psn = start
    while (psn < end && !this.has(psn)) {
      const at = psn & (this.size - 1)
      // Skips the rest of a word without set bits.
      psn += this.words[at >> 5]! >>> (at & 31) === 0 ? 32 - (at & 31) : 1
    }
    return psn < end ? psn : -1
  }

  /** Number of PSNs from `start` on and below `end` whose bit is clear. */
  countAbsent(start: number, end: number): number {
    const mask = this.size - 1
    let count = 0
    for (let psn = start; psn < end;) {
      const at = psn & mask
      const bits = 32 - (at & 31)
      const absent = ~this.words[at >> 5]! >>> (at & 31)
      const left = end - psn
      count += ones(left < bits ? absent & ((1 << left) - 1) : absent)
      psn += bits
    }
    return count
  }

  /** Makes room for `packets` from `base` on, keeping the bits. */
  grow(base: number, packets: number): void {
    const from = this.words
    const mask = this.size - 1
    const held = this.size
    while (this.size < packets) this.size *= 2
    this.words = new Int32Array(this.size >> 5)
    for (let psn = base; psn < base + held; psn++) {
      const at = psn & mask
      if ((from[at >> 5]! & (1 << (at & 31))) !== 0) this.set(psn)
    }
  }
}

/** Number of bits set. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
