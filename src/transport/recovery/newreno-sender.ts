/**
 * HOT. TCP NewReno: the third duplicate ACK resends the oldest packet; each that arrives then lets another one go, and
 * an ACK of a part resends the next. Duplicate ACKs say how many packets have left the network, not which.
 * Source: RFC 6582; where that inflates and deflates the window, here it is `arrivedPackets` beside the window of the
 * congestion control. RFC 3042: limited transmit.
 */
import { unwrapPsn } from '../psn.ts'
import type { Segment } from '../segment.ts'
import type { SendWindow } from './recovery.ts'
import { TcpSender, type TcpSenderOptions } from './tcp-sender.ts'

/** Most new packets that duplicate ACKs let go before recovery (RFC 3042 2). */
const LIMITED_TRANSMIT = 2

export class NewRenoSender extends TcpSender {
  private readonly limitedTransmit: number
  /** How far the window is inflated; below 0 where a partial acknowledgement has deflated it. */
  private inflation = 0

  constructor(options: TcpSenderOptions, window: SendWindow) {
    super(options, window)
    this.limitedTransmit = options.hasLimitedTransmit ? LIMITED_TRANSMIT : 0
  }

  override arrivedPackets(): number {
    return this.inflation
  }

  protected override onAnswer(newPackets: number, segment: Segment): boolean {
    if (newPackets > 0) this.onProgress(newPackets)
    else if (this.isDuplicate(segment)) return this.onDuplicate()
    return false
  }

  protected override open(): void {
    if (this.inRecovery === 0 && this.dupAcks === 0) this.inflation = 0
  }

  /** RFC 5681 2: it acknowledges nothing, and there is something to acknowledge. */
  private isDuplicate(segment: Segment): boolean {
    const { una, nxt } = this.window
    return una < nxt && unwrapPsn(segment.psn, una) + 1 === una
  }

  private onProgress(newPackets: number): void {
    const { window } = this
    const { una, nxt, congestion } = window
    this.dupAcks = 0
    if (this.inRecovery === 0) return
    if (una > this.recoveryPsn) {
      // A full acknowledgement (RFC 6582 3.2 step 3, the first option).
      this.inRecovery = 0
      congestion.onRepaired(nxt - una)
    } else {
      window.resend(una)
      const inflation = this.inflation - newPackets + 1
      const least = 1 - Math.floor(congestion.windowPackets)
      this.inflation = inflation > least ? inflation : least
    }
  }

  private onDuplicate(): boolean {
    if (this.inRecovery !== 0) {
      this.inflation++
      return false
    }
    // RFC 6582 3.2 step 2: duplicates of what was sent again before say nothing of a loss.
    const { una, nxt, congestion } = this.window
    const dupAcks = ++this.dupAcks
    const isEcho = una - 1 <= this.recoveryPsn
    if (dupAcks !== this.dupThresh || isEcho) {
      if (dupAcks <= this.limitedTransmit && dupAcks < this.dupThresh && !isEcho) this.inflation = dupAcks
      return false
    }
    // RFC 5681 3.2 (2): what limited transmit has sent does not count.
    const beyond = nxt - una - Math.floor(congestion.windowPackets)
    this.enter(nxt - una - (beyond <= 0 ? 0 : beyond < this.inflation ? beyond : this.inflation))
    this.inflation = this.dupThresh
    this.window.resend(una)
    return true
  }
}
