/**
 * Send Twice: go-back-N whose sender sends the last packet of each message a second time, right behind the first, so
 * that losing it, or its ACK, does not cost a timeout. The receiver is that of go-back-N.
 * The copy is paced but ignores the window: with a window of one packet it could never leave.
 * Source: [IGBN] III-C. Ours: the copy follows each transmission of the last packet, also when go-back-N sends it
 * again.
 */
import { LAST, type Segment } from '../segment.ts'
import { createGoBackReceiver, GoBackNSender, noticingParams } from './go-back-n.ts'
import { defineRecovery, whenOvertakenGoingBack } from './recovery.ts'

export class SendTwiceSender extends GoBackNSender {
  override onSent(_nowPs: number, psn: number, isAgain: boolean, out: Segment): void {
    // The copy itself (`isAgain`) is not copied again.
    if (!isAgain && (out.flags & LAST) !== 0) this.window.resend(psn)
  }
}

export const sendTwice = defineRecovery({
  name: 'send-twice',
  help: 'go-back-n that sends the last packet of each message twice',
  source: '[IGBN] III-C',
  needs: {},
  params: noticingParams,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (_values, window) => new SendTwiceSender(window),
  createReceiver: (values) => createGoBackReceiver(values),
})
