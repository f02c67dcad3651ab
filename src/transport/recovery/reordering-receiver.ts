/**
 * HOT. Receiver that keeps what comes out of order: the receiver of IRN, and under TCP's answers that of iWARP.
 * Shape: two bits for each PSN from epsn on (S3 5.3.3): 00 not there, 10 there, 01 ends a message, 11 ends a SEND,
 * which also takes a Receive WQE.
 * Source: S3 3.1 and 5.3; where the text leaves a choice, the authors' hardware model (docs/models/irn.md).
 */
import { LAST, type Segment, SEND } from '../segment.ts'
import { NO_REPLY, REPLY_ACK, REPLY_NAK, ReceiverRecovery } from './recovery.ts'
import { SackBitmap } from './sack-bitmap.ts'

export class ReorderingReceiver extends ReceiverRecovery {
  /** Packets beyond the bitmap, dropped without an answer. */
  discarded = 0
  private readonly first: SackBitmap
  private readonly second: SackBitmap
  private readonly isGrowing: number

  /** @param packets that the bitmaps hold, from the one expected on; @param isGrowing they hold all there are. */
  constructor(packets: number, isGrowing: boolean) {
    super()
    this.isReordering = 1
    this.isGrowing = isGrowing ? 1 : 0
    this.first = new SackBitmap(packets)
    this.second = new SackBitmap(packets)
  }

  override onData(_nowPs: number, psn: number, segment: Segment): boolean {
    this.wholeMessages = 0
    this.wholeSends = 0
    if (psn > this.epsn) return this.keep(psn, segment.flags)
    const isExpected = psn === this.epsn
    if (isExpected) this.take(segment.flags)
    this.reply = REPLY_ACK
    this.replyPsn = this.epsn - 1
    return isExpected
  }

  private keep(psn: number, flags: number): boolean {
    const { first, second } = this
    if (psn - this.epsn >= first.size) {
      if (this.isGrowing === 0) {
        this.reply = NO_REPLY
        this.discarded++
        return false
      }
      first.grow(this.epsn, psn - this.epsn + 1)
      second.grow(this.epsn, psn - this.epsn + 1)
    }
    this.reply = REPLY_NAK
    this.replyPsn = this.epsn
    this.reportedPsn = this.epsn
    this.sackPsn = psn
    if (first.has(psn) || second.has(psn)) return false
    const isLast = (flags & LAST) !== 0
    if (isLast) second.set(psn)
    if (!isLast || (flags & SEND) !== 0) first.set(psn)
    return true
  }

  /** The packet expected, and what follows it and is there already. */
  private take(flags: number): void {
    if ((flags & LAST) !== 0) {
      this.wholeMessages = 1
      if ((flags & SEND) !== 0) this.wholeSends = 1
    }
    const { first, second } = this
    let psn = this.epsn + 1
    for (;;) {
      const isFirst = first.has(psn)
      if (second.has(psn)) {
        second.clear(psn)
        this.wholeMessages++
        if (isFirst) this.wholeSends++
      } else if (!isFirst) break
      if (isFirst) first.clear(psn)
      psn++
    }
    this.epsn = psn
  }
}
