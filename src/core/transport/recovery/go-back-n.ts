/**
 * Go-back-N: discard what is out of order, resend from the first missing packet. The RoCE baseline.
 * Source: [IGBN] II-A, [MS-Scale] 4.1, [IRN] 2.1; NAK gate and duplicates as docs/models/go-back-n.md argues.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { choice, durationOrOff, US, type ValuesOf } from '../../base/params.ts'
import { ACK_REQUEST, RETRANSMITTED, type Segment } from '../segment.ts'
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
    source: '[IGBN] Table I: 500us',
  }),
  nakGate: choice(['per-epsn', 'strict'], {
    default: 'per-epsn',
    help: 'per-epsn: another missing packet is reported at once; strict: one NAK per interval whatever is missing',
    source: 'per-epsn: HPCC fork, conweave; strict: [IGBN] prose',
  }),
  duplicates: choice(['acknowledge', 'silent'], {
    default: 'acknowledge',
    help: 'a duplicate that asks for an ACK gets one, or is dropped silently',
    source: 'IBTA C9-110; silent: HPCC fork',
  }),
}

/** For schemes whose receiver may process headers of trimmed packets. */
export const noticingParams = {
  ...goBackParams,
  trimmed: choice(['ignore', 'nak'], {
    default: 'ignore',
    help: 'the header of a packet that a switch has trimmed. ignore: it is dropped; nak: a NAK as soon as everything before it is there',
    source: 'ignore: no RoCE adapter knows of it; nak: ours',
  }),
}

type GoBackValues = ValuesOf<typeof goBackParams>

/** Also the base of schemes that extend it. */
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

/** Also the base of go-back-0, which adds the rewind. */
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

  /** Reports the missing packet and closes the NAK gate. */
  protected nak(nowPs: number): void {
    this.reply = REPLY_NAK
    this.replyPsn = this.epsn
    this.nakUntilPs = nowPs + this.nakIntervalPs
    this.reportedPsn = this.epsn
  }

  protected mayNak(nowPs: number): boolean {
    return nowPs >= this.nakUntilPs || (!this.strict && this.reportedPsn !== this.epsn)
  }
}

/**
 * Reports a trimmed packet once everything before it has arrived: an in-order receiver can report no other. Also the
 * base of check-epsn.
 */
export class NoticingReceiver extends GoBackReceiver {
  /** The next trimmed packet to report; below `epsn`: none. */
  private trimmedPsn = -1
  private trimmedSentPs = DOUBLE_ZERO
  /** The trimmed packet was a retransmission. */
  private isAgain = false

  constructor(values: ValuesOf<typeof noticingParams>) {
    super(values)
    this.usesTrimmed = values.trimmed === 'nak'
  }

  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    // An earlier packet that was sent later: the sender has gone back and will send the trimmed one again.
    if (psn < this.trimmedPsn && segment.sentPs > this.trimmedSentPs) this.trimmedPsn = -1
    const isAccepted = super.onData(nowPs, psn, segment)
    if (isAccepted && this.trimmedPsn === this.epsn) this.report(nowPs, this.isAgain)
    return isAccepted
  }

  override onTrimmed(nowPs: number, psn: number, header: Segment): void {
    this.reply = NO_REPLY
    const { epsn } = this
    const isAgain = (header.flags & RETRANSMITTED) !== 0
    if (psn === epsn) this.report(nowPs, isAgain)
    else if (psn > epsn && (this.trimmedPsn < epsn || psn < this.trimmedPsn || (isAgain && !this.isAgain))) {
      this.trimmedPsn = psn
      this.trimmedSentPs = header.sentPs
      this.isAgain = isAgain
    }
  }

  protected override nak(nowPs: number): void {
    super.nak(nowPs)
    this.trimmedPsn = -1
  }

  /** A trimmed retransmission is reported regardless of the NAK gate: it is a new loss. */
  private report(nowPs: number, isAgain: boolean): void {
    if (isAgain || this.mayNak(nowPs)) this.nak(nowPs)
  }
}

export function createGoBackReceiver(values: ValuesOf<typeof noticingParams>): GoBackReceiver {
  return values.trimmed === 'nak' ? new NoticingReceiver(values) : new GoBackReceiver(values)
}

export const goBackN = defineRecovery({
  name: 'go-back-n',
  help: 'receiver discards out-of-order packets, sender resends from the first missing one',
  source: '[IGBN] II-A, [MS-Scale] 4.1',
  needs: {},
  params: noticingParams,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (_values, window) => new GoBackNSender(window),
  createReceiver: (values) => createGoBackReceiver(values),
})
