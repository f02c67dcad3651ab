/**
 * HOT. Asked space: a packet space whose receiver may ask for data, and ask again (READ).
 * Source: [LDCP] 3.1, IBTA 9.7.5.1.
 */
import { PacketSpace } from './packet-space.ts'
import { LOSS_FOUND } from '../recovery/recovery.ts'
import { RETRANSMITTED, type Segment } from '../segment.ts'

export abstract class ReadResponder<S extends Segment = Segment> extends PacketSpace<S> {
  /** The receiver asks for data from `psn` on, which are not posted. */
  protected onNewRead(_nowPs: number, _psn: number, _segment: S): void {}

  /**
   * A READ request asks for new data (at the end) or again from the first response that is missing. The READs behind that
   * are sent again unasked; their requests, which come too, count only where they had not come before.
   */
  protected override onReadRequest(nowPs: number, psn: number, segment: S): void {
    const hasAcks = this.ackInterval > 0
    // Where a timer watches over acknowledged responses their loss is the recovery's business.
    const isRecovering = hasAcks && this.hasAckTimer !== 0
    // A repeated request stands for the ACKs that were lost ([LDCP] 3.1: the responder has no timeout of its own).
    const mayAcknowledge = hasAcks && !isRecovering && (segment.flags & RETRANSMITTED) !== 0
    if (mayAcknowledge && psn > this.una && psn <= this.highest) this.acknowledge(psn)
    if (psn >= this.end) this.onNewRead(nowPs, psn, segment)
    else if ((segment.flags & RETRANSMITTED) === 0 || isRecovering || psn >= this.nxt || this.una >= this.end) return
    // Going back to 0, a reader asks for what it has acknowledged and forgotten.
    else if (psn >= (hasAcks ? this.firstPsnOf(this.una) : this.una)) this.goBackTo(nowPs, psn, segment)
  }

  /** Data that were sent are asked for again, from `psn` on, or from the oldest that is not acknowledged. */
  protected goBackTo(nowPs: number, psn: number, segment: S): void {
    const fromPsn = psn < this.una ? this.una : psn
    const verdict = this.recovery.onNak(nowPs, fromPsn, fromPsn, segment)
    const isLoss = (verdict & LOSS_FOUND) !== 0 && this.ackInterval > 0
    if (isLoss) this.congestion.onLoss(nowPs, this.recovery.flightPackets())
  }
}
