/**
 * HOT. TCP with SACK: `pipe`, an estimate of the packets in the network, is kept at the congestion window; holes are
 * resent before new packets.
 * Invariant: every PSN in the scoreboard is above una and below highest; in recovery nxt = highest.
 * Source: RFC 6675. After a timeout (5.1) the scoreboard is kept and SACKed packets are not sent again.
 */
import { unwrapPsn } from '../psn.ts'
import { PsnBitmap } from '../psn-bitmap.ts'
import { SACK, type Segment } from '../segment.ts'
import type { SendWindow } from './recovery.ts'
import { TcpSender, type TcpSenderOptions } from './tcp-sender.ts'

export class SackSender extends TcpSender {
  private readonly sacked: PsnBitmap
  /** Highest SACKed packet, or one below una. */
  private topPsn: number
  /** Packets below it without a SACK are lost: enough packets behind them are SACKed (IsLost). */
  private lossEdge: number
  /** HighRxt: highest packet resent in this recovery. */
  private resentPsn: number
  /** RescueRxt: a rescue retransmission is allowed only when more than this is acknowledged. */
  private rescuePsn: number
  /** 1: the pending retransmission is the rescue retransmission. */
  private isRescue = 0
  /** Packets in flight at the first duplicate ACK, before those released by duplicates. */
  private flight = 0
  /** Packets from una on that have left the network, as last computed. */
  private absent = 0

  constructor(options: TcpSenderOptions, window: SendWindow) {
    super(options, window)
    this.sacked = new PsnBitmap(this.receiveWindow)
    this.topPsn = window.una - 1
    this.lossEdge = window.una - 1
    this.resentPsn = window.una - 1
    this.rescuePsn = window.una - 1
  }

  /** Estimate of the packets in the network (SetPipe). */
  get pipe(): number {
    const { una, nxt } = this.window
    if (this.topPsn < una && this.resentPsn < una) return nxt - una
    const { sacked, lossEdge, resentPsn } = this
    if (this.inRecovery === 0) return sacked.countAbsent(una, nxt)
    const flying = sacked.countAbsent(lossEdge > una ? lossEdge : una, nxt)
    return resentPsn < una ? flying : flying + sacked.countAbsent(una, resentPsn + 1)
  }

  override arrivedPackets(): number {
    return this.absent
  }

  protected override processAck(newPackets: number, segment: Segment): boolean {
    if (newPackets > 0) this.onProgress(newPackets)
    return (segment.flags & SACK) !== 0 && this.onSack(unwrapPsn(segment.sackPsn, this.window.una))
  }

  protected override open(): void {
    const { window, sacked } = this
    while (window.nxt < window.highest && sacked.has(window.nxt)) window.nxt++
    const { una, nxt, resendPsn } = window
    const pipe = this.pipe
    this.absent = nxt - una - pipe
    if (resendPsn >= 0) {
      if (resendPsn >= una && !sacked.has(resendPsn)) return
      window.cancelResend()
    }
    if (this.inRecovery === 0) return
    // A window below one packet still allows one packet in the network now and then.
    const { windowPackets } = window.congestion
    if (pipe + 1 <= (windowPackets > 1 ? windowPackets : 1)) this.findNext()
  }

  protected override onResent(psn: number): void {
    if (this.isRescue === 0) this.resentPsn = psn
    else this.rescuePsn = this.recoveryPsn
  }

  protected override forget(): void {
    const before = this.window.una - 1
    this.sacked.clearAll()
    this.topPsn = before
    this.lossEdge = before
    this.resentPsn = before
  }

  private onProgress(newPackets: number): void {
    const { una } = this.window
    const end = this.topPsn < una ? this.topPsn + 1 : una
    for (let psn = una - newPackets; psn < end; psn++) this.sacked.clear(psn)
    this.dupAcks = 0
    if (una > this.recoveryPsn) this.inRecovery = 0
  }

  /**
   * Records that `psn` has arrived. A duplicate ACK is one with new information (RFC 6675 2). Returns whether recovery
   * begins.
   */
  private onSack(psn: number): boolean {
    const { una, nxt, highest } = this.window
    const { sacked } = this
    if (psn <= una || psn >= highest || sacked.has(psn)) return false
    sacked.set(psn)
    if (psn > this.topPsn) this.topPsn = psn
    if (psn > this.lossEdge) this.findEdge()
    if (this.inRecovery !== 0) return false
    if (this.dupAcks++ === 0) this.flight = nxt - una
    // RFC 6675 5 (2); its (1), dupThresh duplicates, is never met earlier. 5.1: not before the packets resent by a
    // timeout are acknowledged.
    if (una <= this.recoveryPsn || this.lossEdge < una) return false
    this.enter(this.flight)
    this.window.resend(una)
    this.isRescue = 0
    this.resentPsn = una - 1
    this.rescuePsn = una
    return true
  }

  /** Moves `lossEdge` to the highest packet with enough SACKed packets at or above it. */
  private findEdge(): void {
    const { una } = this.window
    let left = this.dupThresh
    for (let psn = this.topPsn; psn > una; psn--) {
      if (!this.sacked.has(psn) || --left > 0) continue
      this.lossEdge = psn
      return
    }
  }

  /** NextSeg: a lost packet, else a new one, else one that may be lost, else once the highest one. */
  private findNext(): void {
    const { sacked, window, resentPsn } = this
    const { una, nxt } = window
    const start = resentPsn < una ? una : resentPsn + 1
    let psn = sacked.firstAbsent(start, this.lossEdge)
    this.isRescue = 0
    if (psn < 0) {
      if (nxt < window.end && nxt - una < this.receiveWindow) return
      psn = sacked.firstAbsent(start, this.topPsn)
    }
    if (psn < 0 && una - 1 > this.rescuePsn) {
      psn = nxt - 1
      while (sacked.has(psn)) psn--
      this.isRescue = 1
    }
    if (psn >= 0) window.resend(psn)
  }
}
