/**
 * Send Twice: go-back-N whose sender sends the last packet of each message a second time, right behind the first, so that
 * the loss of it, or of its ACK, does not cost a timeout. The receiver is that of go-back-N.
 * The copy is paced and not windowed: with a window of one packet it could never leave.
 * Source: S0 III-C. Ours: the copy follows each transmission of the last packet, also when go-back-N sends it again.
 */
import { GoBackNSender, GoBackReceiver, goBackParams } from './go-back-n.ts'
import { defineRecovery, whenOvertakenGoingBack } from './recovery.ts'

export class SendTwiceSender extends GoBackNSender {
  override onSent(_nowPs: number, psn: number, isLast: boolean): void {
    // The copy itself comes by here too, and has none.
    this.pendingPsn = isLast && this.pendingPsn < 0 ? psn : -1
  }

  /** The receiver took nothing from there on: a copy would come before what it is a copy of. */
  override onRnr(): void {
    this.pendingPsn = -1
  }
}

export const sendTwice = defineRecovery({
  name: 'send-twice',
  help: 'go-back-n that sends the last packet of each message twice',
  source: 'S0 III-C',
  needs: {},
  params: goBackParams,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (_values, window) => new SendTwiceSender(window),
  createReceiver: (values) => new GoBackReceiver(values),
})
