/** The window of a recovery whose rules stand alone: a test moves it, and reads the pending retransmission. */
import { US } from '../../base/params.ts'
import type { SendWindow } from './recovery.ts'

export class WindowByHand implements SendWindow {
  una = 0
  nxt = 0
  highest = 0
  end = Infinity
  slowdown = 1
  resendPsn = -1
  readonly ackTimeoutPs = 320 * US
  /** A new packet may go. */
  isOpen = false

  get congestion(): never {
    throw new Error('it stands alone')
  }

  firstPsnOf(): number {
    return this.una
  }

  resend(psn: number): void {
    this.resendPsn = psn
  }

  cancelResend(): void {
    this.resendPsn = -1
  }

  maySendNew(): boolean {
    return this.isOpen
  }

  /** An ACK of everything below `psn`. */
  acknowledge(psn: number): void {
    if (psn <= this.una) return
    this.una = psn
    if (this.nxt < psn) this.nxt = psn
    if (this.resendPsn < psn) this.resendPsn = -1
  }
}
