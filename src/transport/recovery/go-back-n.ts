/**
 * Go-back-N: discard what is out of order, resend from the first missing packet. The RoCE baseline.
 * Source: S0 II-A, S2 4.1, S3 2.1; NAK gate and duplicates as docs/models/go-back-n.md argues.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { choice, durationOrOff, US, type ValuesOf } from '../../base/params.ts'
import { ACK_REQUEST, type Segment } from '../segment.ts'
import {
  defineRecovery,
  LOSS_FOUND,
  NO_REPLY,
  NOTHING_NEW,
  REPLY_ACK,
  REPLY_NAK,
  ReceiverRecovery,
  SenderRecovery,
  type Verdict,
  whenOvertakenGoingBack,
} from './recovery.ts'

export const goBackParams = {
  nakInterval: durationOrOff({
    default: 500 * US,
    help: 'time after a NAK in which the same missing packet is not reported again; off: only once',
    source: 'S0 Table I: 500us',
  }),
  nakGate: choice(['per-epsn', 'strict'], {
    default: 'per-epsn',
    help: 'per-epsn: another missing packet is reported at once; strict: one NAK per interval whatever is missing',
    source: 'per-epsn: HPCC fork, conweave; strict: S0 prose',
  }),
  duplicates: choice(['acknowledge', 'silent'], {
    default: 'acknowledge',
    help: 'a duplicate that asks for an ACK gets one, or is dropped without a word',
    source: 'IBTA C9-110; silent: HPCC fork',
  }),
}

export type GoBackValues = ValuesOf<typeof goBackParams>

/** Also the base of what adds to it. */
export class GoBackNSender extends SenderRecovery {
  override onNak(_nowPs: number, psn: number): Verdict {
    if (psn < this.window.una) return NOTHING_NEW
    this.window.nxt = psn
    return LOSS_FOUND
  }
  override onTimeout(): void {
    this.window.nxt = this.window.una
  }
}

/** Also the base of go-back-0, which adds the rewind, and of check-epsn, which adds a timer. */
export class GoBackReceiver extends ReceiverRecovery {
  protected nakUntilPs = DOUBLE_ZERO
  protected readonly nakIntervalPs: number
  private readonly strict: boolean
  private readonly silent: boolean

  constructor(values: GoBackValues) {
    super()
    this.nakIntervalPs = values.nakInterval ?? Infinity
    this.strict = values.nakGate === 'strict'
    this.silent = values.duplicates === 'silent'
  }

  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    if (psn === this.epsn) {
      this.epsn = psn + 1
      this.reply = (segment.flags & ACK_REQUEST) === 0 ? NO_REPLY : REPLY_ACK
      this.replyPsn = psn
      return true
    }
    this.reply = NO_REPLY
    if (psn > this.epsn) {
      if (this.mayNak(nowPs)) this.nak(nowPs)
    } else if (!this.silent && (segment.flags & ACK_REQUEST) !== 0) {
      this.reply = REPLY_ACK
      this.replyPsn = this.epsn - 1
    }
    return false
  }

  /** Reports the missing packet, and closes the gate behind it. */
  protected nak(nowPs: number): void {
    this.reply = REPLY_NAK
    this.replyPsn = this.epsn
    this.nakUntilPs = nowPs + this.nakIntervalPs
    this.reportedPsn = this.epsn
  }

  private mayNak(nowPs: number): boolean {
    return nowPs >= this.nakUntilPs || (!this.strict && this.reportedPsn !== this.epsn)
  }
}

export const goBackN = defineRecovery({
  name: 'go-back-n',
  help: 'receiver discards out-of-order packets, sender resends from the first missing one',
  source: 'S0 II-A, S2 4.1',
  needs: {},
  params: goBackParams,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (_values, window) => new GoBackNSender(window),
  createReceiver: (values) => new GoBackReceiver(values),
})
