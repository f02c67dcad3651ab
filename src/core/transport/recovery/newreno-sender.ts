/**
 * HOT. TCP NewReno: the third duplicate ACK resends the oldest packet; each further one then releases another packet,
 * and a partial acknowledgement resends the next. Duplicate ACKs tell how many packets have left the network, not
 * which.
 * Source: RFC 6582; its inflation and deflation of the window is `arrivedPackets` here, apart from the window of the
 * congestion control. RFC 3042: limited transmit.
 */
import { unwrapPsn } from '../psn.ts'
import type { Segment } from '../segment.ts'
import type { SendWindow } from './recovery.ts'
import { TcpSender, type TcpSenderOptions } from './tcp-sender.ts'

/** Most new packets released by duplicate ACKs before recovery (RFC 3042 2). */
const LIMITED_TRANSMIT = 2

export class NewRenoSender extends TcpSender {
  private readonly limitedTransmit: number
  /** Inflation of the window; below 0 after a partial acknowledgement has deflated it. */
  private inflation = 0

  constructor(options: TcpSenderOptions, window: SendWindow) {
    super(options, window)
    this.limitedTransmit = options.hasLimitedTransmit ? LIMITED_TRANSMIT : 0
  }

  override arrivedPackets(): number {
    return this.inflation
  }

  protected override processAck(newPackets: number, segment: Segment): boolean {
    if (newPackets > 0) this.onProgress(newPackets)
    else if (this.isDuplicate(segment)) return this.onDuplicate()
    return false
  }

  protected override open(): void {
    if (this.inRecovery === 0 && this.dupAcks === 0) this.inflation = 0
  }

  /** RFC 5681 2: it acknowledges nothing new while something is unacknowledged. */
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
    // RFC 6582 3.2 step 2: duplicates caused by earlier retransmissions do not indicate a loss.
    const { una, nxt, congestion } = this.window
    const dupAcks = ++this.dupAcks
    const isEcho = una - 1 <= this.recoveryPsn
    if (dupAcks !== this.dupThresh || isEcho) {
      if (dupAcks <= this.limitedTransmit && dupAcks < this.dupThresh && !isEcho) this.inflation = dupAcks
      return false
    }
    // RFC 5681 3.2 (2): packets sent by limited transmit do not count.
    const beyond = nxt - una - Math.floor(congestion.windowPackets)
    this.enter(nxt - una - (beyond <= 0 ? 0 : beyond < this.inflation ? beyond : this.inflation))
    this.inflation = this.dupThresh
    this.window.resend(una)
    return true
  }
}
