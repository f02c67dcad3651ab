/**
 * HOT. MP-RDMA's receiver: a bitmap of L slots from the expected PSN on, two bits each. Packets are accepted in any
 * order; the cumulative acknowledgement advances when the message at the head is complete.
 * Units: unbounded PSNs. Invariant: only PSNs of epsn .. epsn + slots - 1 are in the bitmaps.
 * Source: [Survey] V-C, Fig. 12; docs/models/mp-rdma.md for what it leaves open.
 */
import { PsnBitmap } from '../psn-bitmap.ts'
import { LAST, type Segment, SEND, SYNCHRONISE } from '../segment.ts'
import { REPLY_ACK, REPLY_NAK, REPLY_SACK, REPLY_TRIMMED, ReceiverRecovery } from './recovery.ts'

export class MpRdmaReceiver extends ReceiverRecovery {
  /** Packets beyond the bitmap, and synchronise messages that arrived too early. */
  refused = 0
  private readonly slots: number
  /** An incomplete message is cleared in part once this many of its packets have arrived. */
  private readonly clearFrom: number
  /** 00 empty, 10 received, 01 tail, 11 tail with completion: that of a SEND, which takes a Receive WQE. */
  private readonly first: PsnBitmap
  private readonly second: PsnBitmap
  /** Everything from epsn to here has arrived. */
  private reached = 0

  constructor(slots: number, usesTrimmed = false) {
    super()
    this.usesTrimmed = usesTrimmed
    this.isReordering = true
    this.slots = slots
    this.clearFrom = Math.ceil(slots / 2)
    this.first = new PsnBitmap(slots)
    this.second = new PsnBitmap(slots)
  }

  override holds(psn: number): boolean {
    return psn >= this.epsn && psn < this.epsn + this.slots && (this.first.has(psn) || this.second.has(psn))
  }

  override onData(_nowPs: number, psn: number, segment: Segment): boolean {
    this.wholeMessages = 0
    this.wholeSends = 0
    if (psn >= this.epsn + this.slots) return this.refuse(this.epsn)
    let isNew = false
    if (psn >= this.epsn) {
      isNew = !this.first.has(psn) && !this.second.has(psn)
      if (isNew) {
        this.mark(psn, segment.flags)
        this.clearHead()
      }
      if ((segment.flags & SYNCHRONISE) !== 0 && psn > this.epsn) {
        this.first.clear(psn)
        this.second.clear(psn)
        if (psn < this.reached) this.reached = psn
        return this.refuse(psn)
      }
    }
    // Ours: the ACK of a duplicate names no packet, so that the sender counts each packet once.
    this.reply = isNew ? REPLY_SACK : REPLY_ACK
    this.replyPsn = this.epsn - 1
    this.sackPsn = psn
    return isNew
  }

  /**
   * A NACK as in `refuse`, but it implies nothing about the packets behind `psn`. A packet that has arrived is
   * acknowledged as a duplicate.
   */
  override onTrimmed(_nowPs: number, psn: number, _header: Segment): void {
    const isThere = psn < this.epsn || this.holds(psn)
    this.reply = isThere ? REPLY_ACK : REPLY_TRIMMED
    this.replyPsn = isThere ? this.epsn - 1 : this.epsn
    this.sackPsn = psn
    if (!isThere) this.reportedPsn = psn
  }

  /** NACK: everything below epsn has arrived, and `psn` is requested. */
  private refuse(psn: number): boolean {
    this.reply = REPLY_NAK
    this.replyPsn = this.epsn
    this.sackPsn = psn
    this.refused++
    return false
  }

  private mark(psn: number, flags: number): void {
    const isLast = (flags & LAST) !== 0
    if (isLast) this.second.set(psn)
    if (!isLast || (flags & SEND) !== 0) this.first.set(psn)
  }

  /** "a head-of-line message with a continuous block of slots and the last slot is Tail": cleared, and the head behind it. */
  private clearHead(): void {
    const { first, second } = this
    const end = this.epsn + this.slots
    let psn = this.reached > this.epsn ? this.reached : this.epsn
    for (; psn < end; psn++) {
      const isFirst = first.has(psn)
      if (second.has(psn)) {
        this.wholeMessages++
        if (isFirst) this.wholeSends++
        this.clearTo(psn + 1)
      } else if (!isFirst) break
    }
    // Ours: otherwise a message of more packets than slots would never end.
    if (psn - this.epsn >= this.clearFrom) this.clearTo(psn)
    this.reached = psn
  }

  private clearTo(end: number): void {
    for (let psn = this.epsn; psn < end; psn++) {
      this.first.clear(psn)
      this.second.clear(psn)
    }
    this.epsn = end
  }
}
