/**
 * HOT. Trim notices: the packets that NACKs have reported as trimmed to an IRN sender, and whether they were resent
 * since. A packet is recorded once per transmission; other reports of it add nothing.
 * Units: unbounded PSNs. Invariant: base <= every PSN in the bitmaps < base + size; no PSN is in both; `due` are
 * waiting.
 */
import { PsnBitmap } from '../psn-bitmap.ts'

export class TrimNotices {
  /** Packets waiting to be resent. */
  due = 0
  private readonly waiting: PsnBitmap
  private readonly gone: PsnBitmap

  /** @param packets initial size of the bitmaps. */
  constructor(packets: number) {
    this.waiting = new PsnBitmap(packets)
    this.gone = new PsnBitmap(packets)
  }

  /** `psn` was reported trimmed; it waits to be resent or has been. */
  has(psn: number): boolean {
    return this.waiting.has(psn) || this.gone.has(psn)
  }

  /** `psn` waits to be resent. */
  isWaiting(psn: number): boolean {
    return this.waiting.has(psn)
  }

  /** Waiting packets from `start` on and below `end`. */
  waitingIn(start: number, end: number): number {
    return this.due === 0 || start >= end ? 0 : end - start - this.waiting.countAbsent(start, end)
  }

  /** Packets from `start` on and below `end` that were resent. */
  resentIn(start: number, end: number): number {
    return start >= end ? 0 : end - start - this.gone.countAbsent(start, end)
  }

  /** Records that the last transmission of `psn` was trimmed. */
  add(psn: number): void {
    this.gone.clear(psn)
    if (this.waiting.has(psn)) return
    this.waiting.set(psn)
    this.due++
  }

  /** The first waiting packet from `start` on and below `end`, or -1. */
  next(start: number, end: number): number {
    return this.due === 0 ? -1 : this.waiting.firstPresent(start, end)
  }

  /** `psn` is resent. */
  onSent(psn: number): void {
    if (this.take(psn)) this.gone.set(psn)
  }

  /** `psn` has arrived; returns true if it was waiting to be resent. */
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

  /** Retransmissions may have been lost too: forgets them, so that they can be recorded again. */
  forgetGone(): void {
    this.gone.clearAll()
  }

  clear(): void {
    this.gone.clearAll()
    this.waiting.clearAll()
    this.due = 0
  }

  /** Makes room for `packets` from `base` on, keeping the PSNs recorded. */
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
