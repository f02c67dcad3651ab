/**
 * HOT. Trim notices: packets that a sender of IRN was told have been trimmed, and whether they have gone again since.
 * A packet is told of once for each of its transmissions; what else reports it missing is no news.
 * Units: unbounded PSNs. Invariant: base <= every PSN in the bitmaps < base + size; no PSN is in both; `due` are waiting.
 */
import { PsnBitmap } from '../psn-bitmap.ts'

export class TrimNotices {
  /** Packets that wait to be sent again. */
  due = 0
  private readonly waiting: PsnBitmap
  private readonly gone: PsnBitmap

  /** @param packets that the bitmaps hold at first. */
  constructor(packets: number) {
    this.waiting = new PsnBitmap(packets)
    this.gone = new PsnBitmap(packets)
  }

  /** It was told of `psn`, which waits to be sent again or has been. */
  has(psn: number): boolean {
    return this.waiting.has(psn) || this.gone.has(psn)
  }

  /** `psn` is missing, and its last transmission too. */
  add(psn: number): void {
    this.gone.clear(psn)
    if (this.waiting.has(psn)) return
    this.waiting.set(psn)
    this.due++
  }

  /** The first from `start` on and below `end` that waits, or -1. */
  next(start: number, end: number): number {
    return this.due === 0 ? -1 : this.waiting.firstPresent(start, end)
  }

  /** `psn` goes again. */
  onSent(psn: number): void {
    if (this.take(psn)) this.gone.set(psn)
  }

  /** `psn` has arrived; true where it was waiting to be sent again. */
  onArrived(psn: number): boolean {
    this.gone.clear(psn)
    return this.take(psn)
  }

  /** Packets from `base` on and below `una` are acknowledged. */
  advance(base: number, una: number): void {
    this.gone.clearRange(base, una)
    if (this.due === 0) return
    const most = base + this.waiting.size
    const end = una < most ? una : most
    this.due -= end - base - this.waiting.countAbsent(base, end)
    this.waiting.clearRange(base, end)
  }

  /** What went again may be lost again: nothing is known of it any more. */
  forgetGone(): void {
    this.gone.clearAll()
  }

  clear(): void {
    this.gone.clearAll()
    this.waiting.clearAll()
    this.due = 0
  }

  /** Makes room for `packets`; PSNs from `base` on stay. */
  grow(base: number, packets: number): void {
    this.gone.grow(base, packets)
    this.waiting.grow(base, packets)
  }

  private take(psn: number): boolean {
    if (!this.waiting.has(psn)) return false
    this.waiting.clear(psn)
    this.due--
    return true
  }
}
