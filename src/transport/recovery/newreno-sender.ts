/**
 * HOT. TCP NewReno: the third duplicate ACK resends the oldest packet; each that arrives then lets another one go, and
 * an ACK of a part resends the next.
 * Source: RFC 6582; the window inflates and deflates as there, in packets.
 */
import { unwrapPsn } from '../psn.ts'
import type { Segment } from '../segment.ts'
import { TcpSender } from './tcp-sender.ts'

export class NewRenoSender extends TcpSender {
  protected override onAnswer(newPackets: number, segment: Segment): void {
    if (newPackets > 0) this.onProgress(newPackets)
    else if (this.isDuplicate(segment)) this.onDuplicate()
  }

  protected override open(): void {
    const packets = Math.floor(this.windowPackets)
    this.cap = packets < this.receiveWindow ? packets : this.receiveWindow
  }

  /** RFC 5681 2: it acknowledges nothing, and there is something to acknowledge. */
  private isDuplicate(segment: Segment): boolean {
    const { una, nxt } = this.window
    return una < nxt && unwrapPsn(segment.psn, una) + 1 === una
  }

  private onProgress(newPackets: number): void {
    const { una, nxt } = this.window
    this.dupAcks = 0
    if (this.inRecovery === 0) this.grow()
    else if (una > this.recoveryPsn) {
      // A full acknowledgement (RFC 6582 3.2 step 3, the first option).
      this.inRecovery = 0
      const packets = (nxt - una > 1 ? nxt - una : 1) + 1
      this.windowPackets = packets < this.thresholdPackets ? packets : this.thresholdPackets
    } else {
      this.window.resend(una)
      const packets = this.windowPackets - newPackets + 1
      this.windowPackets = packets > 1 ? packets : 1
    }
  }

  private onDuplicate(): void {
    if (this.inRecovery !== 0) {
      this.windowPackets++
      return
    }
    // RFC 6582 3.2 step 2: duplicates of what was sent again before say nothing of a loss.
    const { una, nxt } = this.window
    if (++this.dupAcks !== this.dupThresh || una - 1 <= this.recoveryPsn) return
    this.enter(nxt - una)
    this.windowPackets = this.thresholdPackets + this.dupThresh
    this.window.resend(una)
  }
}
