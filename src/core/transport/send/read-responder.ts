/**
 * HOT. READ responder: a packet space whose receiver requests the data by READ requests, and may repeat them.
 * Source: [LDCP] 3.1, IBTA 9.7.5.1.
 */
import { PacketSpace } from './packet-space.ts'
import { LOSS_FOUND } from '../recovery/recovery.ts'
import { RETRANSMITTED, type Segment } from '../segment.ts'

export abstract class ReadResponder<S extends Segment = Segment> extends PacketSpace<S> {
  /** A READ request for data from `psn` on, which are not posted yet. */
  protected onNewRead(_nowPs: number, _psn: number, _segment: S): void {}

  /**
   * A READ request is for new data (at the end) or repeats one from the first missing response on. The READs behind
   * that are resent anyway; their requests are repeated too, and count only if they had not arrived before.
   */
  protected override onReadRequest(nowPs: number, psn: number, segment: S): void {
    const hasAcks = this.ackInterval > 0
    // Acknowledged responses with a timer are recovered by the recovery scheme.
    const isRecovering = hasAcks && this.hasAckTimer !== 0
    // A repeated request implies the ACKs that were lost ([LDCP] 3.1: the responder has no timeout of its own).
    const mayAcknowledge = hasAcks && !isRecovering && (segment.flags & RETRANSMITTED) !== 0
    if (mayAcknowledge && psn > this.una && psn <= this.highest) this.acknowledge(psn)
    if (psn >= this.end) this.onNewRead(nowPs, psn, segment)
    else if ((segment.flags & RETRANSMITTED) === 0 || isRecovering || psn >= this.nxt || this.una >= this.end) return
    // With go-back-0 a reader may request data that it has acknowledged and discarded.
    else if (psn >= (hasAcks ? this.firstPsnOf(this.una) : this.una)) this.goBackTo(nowPs, psn, segment)
  }

  /** Data sent before are requested again, from `psn` on, or from the oldest unacknowledged PSN. */
  protected goBackTo(nowPs: number, psn: number, segment: S): void {
    this.catchUp(nowPs)
    const fromPsn = psn < this.una ? this.una : psn
    const verdict = this.recovery.onNak(nowPs, fromPsn, fromPsn, segment)
    const isLoss = (verdict & LOSS_FOUND) !== 0 && this.ackInterval > 0
    if (isLoss) this.congestion.onLoss(nowPs, this.recovery.flightPackets())
  }
}
