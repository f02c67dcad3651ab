/**
 * HOT. Bitmap over a window of PSNs: a ring of bits, so that moving the window costs only what it moves over.
 * PSNs are unbounded; the window is at most `bits` wide and the owner clears what it leaves.
 * Invariant: no bit is set outside the owner's window.
 * Source: S3 3.1 and 6.1 (bitmaps of the size of the BDP cap).
 */
import { assert } from '../../base/assert.ts'

/** Widest window that is foreseen. */
export const BITMAP_BITS_MAX = 4096

/** Smallest bitmap for so many packets in flight: a power of two, at least one word. */
export function bitmapBits(capPackets: number): number {
  let bits = 32
  while (bits < capPackets) bits *= 2
  assert(bits <= BITMAP_BITS_MAX, 'more packets in flight than a bitmap holds')
  return bits
}

export class PsnBitmap {
  readonly bits: number
  private readonly words: Int32Array
  private readonly mask: number

  /** @param bits a power of two, 32 .. 4096 */
  constructor(bits: number) {
    assert(bits >= 32 && bits <= BITMAP_BITS_MAX && (bits & (bits - 1)) === 0, 'a bitmap is a power of two of bits')
    this.bits = bits
    this.words = new Int32Array(bits >> 5)
    this.mask = bits - 1
  }

  has(psn: number): boolean {
    const at = psn & this.mask
    return (this.words[at >> 5]! & (1 << (at & 31))) !== 0
  }

  set(psn: number): void {
    const at = psn & this.mask
    this.words[at >> 5]! |= 1 << (at & 31)
  }

  clear(psn: number): void {
    const at = psn & this.mask
    this.words[at >> 5]! &= ~(1 << (at & 31))
  }

  clearAll(): void {
    this.words.fill(0)
  }

  /** Clears from <= psn < to; a range wider than the bitmap clears it all. */
  clearRange(from: number, to: number): void {
    if (to - from >= this.bits) {
      this.words.fill(0)
      return
    }
    const words = this.words
    let psn = from
    while (psn < to) {
      const at = psn & this.mask
      const room = 32 - (at & 31)
      const count = to - psn < room ? to - psn : room
      // A whole word at a time where the range covers one: 1 << 32 would be 1.
      words[at >> 5]! &= count === 32 ? 0 : ~(((1 << count) - 1) << (at & 31))
      psn += count
    }
  }

  /** First psn with from <= psn < limit whose bit is clear, or `limit`. The range is at most `bits` wide. */
  nextClear(from: number, limit: number): number {
    const words = this.words
    let psn = from
    while (psn < limit) {
      const at = psn & this.mask
      const clear = ~words[at >> 5]! >>> (at & 31)
      if (clear !== 0) {
        // The lowest bit that is clear; shifting brought in zeros only above the word's end.
        const found = psn + (31 - Math.clz32(clear & -clear))
        return found < limit ? found : limit
      }
      psn += 32 - (at & 31)
    }
    return limit
  }
}
