/**
 * HOT. IRN: selective repeat. The receiver keeps packets out of order and replies to each with a NACK that names it;
 * the sender resends the holes below the highest packet known to have arrived, and limits its packets in flight to the
 * BDP.
 * Units: packets numbered by unbounded PSNs; picoseconds.
 * A NACK that names a trimmed packet reports its loss: it is resent whatever is known of its neighbours.
 * The cap gates new packets only; a congestion window may gate retransmissions too (congestion.ts, windowCovers).
 * Invariant: base <= every PSN in the sender's bitmap < highest; base is `una` as the recovery last saw it.
 * Source: [IRN] 3.1, 3.2 and 4.3; where the text leaves a choice, the authors' hardware model (docs/models/irn.md).
 */
import { choice, count, duration, size, type ValuesOf } from '../../base/params.ts'
import { PsnBitmap } from '../psn-bitmap.ts'
import { NAMES_TRIMMED, RETRANSMITTED, type Segment } from '../segment.ts'
import { CappedSender, cappedParams, capOf } from './capped-sender.ts'
import { createGoBackReceiver } from './go-back-n.ts'
import {
  defineRecovery,
  LOSS_FOUND,
  NOTHING_NEW,
  type RecoveryContext,
  type SendWindow,
  type Verdict,
  whenOvertakenGoingBack,
} from './recovery.ts'
import { ReorderingReceiver } from './reordering-receiver.ts'
import { TrimNotices } from './trim-notices.ts'

/** Minimum size of the bitmaps, bits ([IRN] 6.1). */
const LEAST_BITS = 128

const params = {
  ...cappedParams,
  resend: choice(['holes', 'oldest', 'go-back-n'], {
    default: 'holes',
    help: 'holes: packets missing below one that arrived; oldest: only the packet expected, one a round trip; go-back-n: everything from it on, as the receiver keeps nothing out of order',
    source: '[IRN] 3.1; oldest (no SACK) and go-back-n: the ablations of 4.3',
  }),
  nackThreshold: count({
    default: 1,
    min: 1,
    help: 'consecutive NACKs for the same packet that start a recovery; not with resend: go-back-n',
    source: '[IRN] 3.1; more for packet spraying, [IRN] 7',
  }),
  nackWithProgress: choice(['ignore', 'resend'], {
    default: 'ignore',
    help: 'a NACK outside recovery that also acknowledges something, as the ACK before it was lost. ignore: the next NACK starts recovery; resend: this one does; not with resend: go-back-n',
    source: "ignore: the authors' hardware model; resend: [IRN] 3.1 as it is written",
  }),
  fetchDelay: duration({
    default: 0,
    help: 'delay before a packet found missing can be sent again, as its data are fetched over PCIe again; new packets are sent meanwhile; not with resend: go-back-n',
    source: '[IRN] 6.3: 2us',
  }),
  trimmed: choice(['nack', 'ignore'], {
    default: 'nack',
    help: 'the header of a packet that a switch has trimmed. nack: the packet is reported missing and sent again at once, the last of a message too; with resend: oldest and go-back-n only the one expected; ignore: it is dropped',
    source: 'NDP; Ultra Ethernet 1.0; in IRN: ours',
  }),
  extraHeader: size({
    default: 0,
    max: 1024,
    help: 'bytes that every data packet carries more than in RoCE, first WRITE packets and READ responses too: the worst case; work requests have the headers that each of their packets needs instead',
    source: '[IRN] 6.3: 16B, a RETH in each packet, at worst; 6B for SENDs',
  }),
}

export type IrnValues = ValuesOf<typeof params>

/** `recoveryPsn` and `inRecovery` are public for tests that compare them with the authors' modules. */
export class IrnSender extends CappedSender {
  private readonly sacked: PsnBitmap
  /** Last packet that was resent, or is about to be. */
  private rtxPsn: number
  /** Recovery ends when more than this is acknowledged. */
  recoveryPsn = 0
  inRecovery = 0
  private base: number
  /** Highest PSN known to have arrived out of order, or below base. */
  private topPsn: number
  private nackRun = 0
  /** 1: there may be another hole, to be searched for once no new packet can be sent. */
  private isSeekDue = 0
  private delivered = 0
  /** One past the last packet sent before the last timeout: those not known to have arrived are lost. */
  private timedOutEnd = 0
  /** Reports of trimmed packets; null: none so far. */
  private notices: TrimNotices | null = null
  /** Losses up to this PSN have been reported to the congestion control because of trimmed packets. */
  private reportedPsn = -1
  private readonly nackThreshold: number
  /** 1: a NACK that also acknowledges packets starts recovery like any other. */
  private readonly nackWithProgress: number
  /** 1: only the oldest packet is resent. */
  private readonly oldestOnly: number
  private readonly fetchDelayPs: number

  /** @param bitmapPackets initial size of the bitmap. */
  constructor(values: IrnValues, window: SendWindow, context: RecoveryContext, bitmapPackets: number) {
    super(values, window, context)
    this.sacked = new PsnBitmap(bitmapPackets)
    this.rtxPsn = window.una - 1
    this.base = window.una
    this.topPsn = window.una - 1
    this.nackThreshold = values.nackThreshold
    this.nackWithProgress = values.nackWithProgress === 'resend' ? 1 : 0
    this.oldestOnly = values.resend === 'oldest' ? 1 : 0
    this.fetchDelayPs = values.fetchDelay
  }

  override onAck(nowPs: number, segment: Segment): Verdict {
    this.sample(nowPs, segment)
    if (this.advance()) this.afterProgress(nowPs)
    return NOTHING_NEW
  }

  override onNak(nowPs: number, psn: number, sackPsn: number, segment: Segment): Verdict {
    if ((segment.flags & NAMES_TRIMMED) !== 0) return this.onTrimmed(nowPs, sackPsn, segment)
    this.sample(nowPs, segment)
    const isNew = this.advance()
    // The packet named by a stale NACK may be acknowledged by now.
    if (sackPsn > this.base && sackPsn < this.window.highest && this.oldestOnly === 0) {
      if (!this.sacked.has(sackPsn)) this.delivered++
      this.take(sackPsn)
    }
    if (isNew) {
      this.afterProgress(nowPs)
      if (this.nackWithProgress === 0) return NOTHING_NEW
    }
    const { una, nxt, resendPsn } = this.window
    if (this.inRecovery !== 0 || resendPsn === una || una >= nxt) return NOTHING_NEW
    // A stale NACK tells nothing about the oldest packet, unless it names one behind it.
    if (psn < una && sackPsn <= una) return NOTHING_NEW
    if (++this.nackRun < this.nackThreshold) return NOTHING_NEW
    if (this.isReported(una)) this.recoverBehind(una)
    else this.sendAgain(nowPs, una)
    return una > this.reportedPsn ? LOSS_FOUND : NOTHING_NEW
  }

  override afterAck(nowPs: number): void {
    if (this.notices !== null) this.serve(nowPs, this.notices)
    if (this.isSeekDue !== 0 && !this.window.maySendNew()) this.seek(nowPs)
  }

  override deliveredPackets(): number {
    return this.delivered
  }

  /**
   * Lost are packets below one that has arrived, those trimmed, and at a timeout all; resent ones are in flight again.
   * [IRN] 3.2 counts every packet from una on, for its cap.
   */
  override inFlightPackets(): number {
    const { sacked, notices, rtxPsn } = this
    const { una, nxt, resendPsn } = this.window
    const resentEnd = this.inRecovery !== 0 && rtxPsn >= una ? rtxPsn + 1 : una
    let lostEnd = this.topPsn < this.timedOutEnd ? this.timedOutEnd : this.topPsn + 1
    if (lostEnd < resentEnd) lostEnd = resentEnd
    let packets = sacked.countAbsent(una, resentEnd) + (nxt > lostEnd ? nxt - lostEnd : 0)
    if (resendPsn >= una && resendPsn < resentEnd) packets--
    if (notices === null) return packets
    if (resendPsn < resentEnd && notices.isWaiting(resendPsn)) packets++
    return (
      packets +
      notices.resentIn(resentEnd, lostEnd) -
      notices.waitingIn(una, resentEnd) -
      notices.waitingIn(lostEnd, nxt)
    )
  }

  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    this.timedOutEnd = this.window.nxt
    if (this.notices !== null) this.notices.forgetGone()
    this.sendAgain(nowPs, this.window.una)
  }

  override onSent(nowPs: number, psn: number, isAgain: boolean): void {
    const { window, notices } = this
    if (isAgain) {
      if (notices !== null) notices.onSent(psn)
      // A trimmed retransmission tells nothing about earlier packets, which may be in flight.
      if (psn === this.rtxPsn) {
        if (psn === window.una) this.inRecovery = 1
        // At each retransmission, not only at the first.
        this.recoveryPsn = window.nxt - 1
        this.isSeekDue = 1 - this.oldestOnly
      }
    } else if (window.nxt - this.base > this.sacked.size) {
      this.sacked.grow(this.base, window.nxt - this.base)
      if (notices !== null) notices.grow(this.base, window.nxt - this.base)
    }
    if (notices !== null) this.serve(nowPs, notices)
    if (this.isSeekDue !== 0) this.seek(nowPs)
  }

  override onRnr(): void {
    this.sacked.clearAll()
    this.base = this.window.una
    this.topPsn = this.base - 1
    this.rtxPsn = this.base - 1
    this.inRecovery = 0
    this.isSeekDue = 0
    this.nackRun = 0
    this.timedOutEnd = 0
    if (this.notices !== null) this.notices.clear()
  }

  /** Advances `base` to `una`; true if `una` has moved. */
  private advance(): boolean {
    const { una } = this.window
    const base = this.base
    this.delivered = una - base
    if (una === base) return false
    if (this.topPsn >= base) {
      const end = this.topPsn < una ? this.topPsn + 1 : una
      this.delivered = una - end + this.sacked.countAbsent(base, end)
      this.sacked.clearRange(base, end)
    }
    if (this.notices !== null) this.notices.advance(base, una)
    this.base = una
    this.nackRun = 0
    return true
  }

  private take(sackPsn: number): void {
    this.sacked.set(sackPsn)
    if (this.inRecovery !== 0) {
      const window = this.window
      if (window.resendPsn === sackPsn) {
        window.cancelResend()
        this.isSeekDue = 1
      } else if (window.resendPsn < 0 && sackPsn >= this.topPsn) this.isSeekDue = 1
    }
    if (this.notices !== null && this.notices.onArrived(sackPsn) && this.window.resendPsn === sackPsn)
      this.window.cancelResend()
    if (sackPsn > this.topPsn) this.topPsn = sackPsn
  }

  private afterProgress(nowPs: number): void {
    if (this.inRecovery === 0) return
    const una = this.base
    if (una > this.recoveryPsn) {
      this.inRecovery = 0
      this.isSeekDue = 0
      this.window.cancelResend()
    } else if (this.rtxPsn < una) {
      // A partial acknowledgement: the next hole is at its end.
      this.isSeekDue = 0
      if (this.isReported(una)) this.recoverBehind(una)
      else this.sendAgain(nowPs, una)
    }
  }

  /** Packet `psn` was trimmed: it is resent, and congestion control is notified of a loss once per window. */
  private onTrimmed(nowPs: number, psn: number, segment: Segment): Verdict {
    if (this.advance()) this.afterProgress(nowPs)
    const { una, nxt, resendPsn } = this.window
    // The packet has arrived, or is about to be resent anyway.
    if (psn < una || psn >= nxt || psn === resendPsn || (psn > una && this.sacked.has(psn))) return NOTHING_NEW
    const notices = (this.notices ??= new TrimNotices(this.sacked.size))
    // The report concerns a first transmission; the packet may have been resent since.
    const isOld = (segment.flags & RETRANSMITTED) === 0
    if (isOld && (notices.has(psn) || (this.inRecovery !== 0 && psn <= this.rtxPsn))) return NOTHING_NEW
    notices.add(psn)
    this.serve(nowPs, notices)
    if (this.inRecovery !== 0 || psn <= this.reportedPsn) return NOTHING_NEW
    this.reportedPsn = nxt - 1
    return LOSS_FOUND
  }

  /** Resends the next trimmed packet, unless another retransmission is pending. */
  private serve(nowPs: number, notices: TrimNotices): void {
    const { una, nxt, resendPsn } = this.window
    if (notices.due === 0 || resendPsn >= 0) return
    const psn = notices.next(una, nxt)
    if (psn === una) this.sendAgain(nowPs, una)
    else if (psn >= 0 && this.oldestOnly === 0) this.request(nowPs, psn)
  }

  private isReported(psn: number): boolean {
    return this.notices !== null && this.notices.has(psn)
  }

  /** The oldest packet was trimmed: search for holes behind it. */
  private recoverBehind(una: number): void {
    this.inRecovery = 1
    if (this.rtxPsn < una) this.rtxPsn = una
    this.isSeekDue = 1 - this.oldestOnly
  }

  /**
   * The next hole: a packet not known to have arrived, below one that has ("lost only if a higher PSN was
   * acknowledged").
   */
  private seek(nowPs: number): void {
    this.isSeekDue = 0
    const { una, resendPsn } = this.window
    if (resendPsn >= 0) return
    let hole = this.sacked.firstAbsent(this.rtxPsn >= una ? this.rtxPsn + 1 : una, this.topPsn)
    while (hole >= 0 && this.isReported(hole)) hole = this.sacked.firstAbsent(hole + 1, this.topPsn)
    if (hole >= 0) this.sendAgain(nowPs, hole)
  }

  private sendAgain(nowPs: number, psn: number): void {
    this.rtxPsn = psn
    this.request(nowPs, psn)
    if (psn === this.window.una) this.isSeekDue = 0
  }

  private request(nowPs: number, psn: number): void {
    if (this.fetchDelayPs === 0) this.window.resend(psn)
    else this.window.resend(psn, nowPs + this.fetchDelayPs)
  }
}

/** IRN's flow control and timeouts with a receiver that discards packets out of order ([IRN] 4.3, first ablation). */
class CappedGoBackNSender extends CappedSender {
  override onAck(nowPs: number, segment: Segment): Verdict {
    this.sample(nowPs, segment)
    return NOTHING_NEW
  }
  override onNak(nowPs: number, psn: number, _sackPsn: number, segment: Segment): Verdict {
    this.sample(nowPs, segment)
    if (psn < this.window.una) return NOTHING_NEW
    this.window.nxt = psn
    return LOSS_FOUND
  }
  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    this.window.nxt = this.window.una
  }
}

/** Bits that hold a window; without a cap the bitmaps grow. */
export function bitsFor(values: IrnValues, context: RecoveryContext): number {
  const cap = capOf(values, context)
  return cap === Infinity ? LEAST_BITS : Math.max(LEAST_BITS, cap)
}

export const irn = defineRecovery({
  name: 'irn',
  help: 'selective repeat with SACK, BDP flow control and two timeouts',
  source: '[IRN] 3',
  needs: { perPacketAck: true, soleAcks: true },
  hasOwnWaits: true,
  params,
  whenOvertaken: ({ resend, nackThreshold }) =>
    resend === 'go-back-n'
      ? whenOvertakenGoingBack()
      : nackThreshold > 1
        ? undefined
        : 'asks for a packet again as soon as one overtakes it; recovery.nackThreshold lets it wait for more of them',
  createSender: (values, window, context) =>
    values.resend === 'go-back-n'
      ? new CappedGoBackNSender(values, window, context)
      : new IrnSender(values, window, context, bitsFor(values, context)),
  createReceiver: (values, _timers, context) =>
    values.resend === 'go-back-n'
      ? createGoBackReceiver({
          nakInterval: null,
          nakGate: 'per-epsn',
          duplicates: 'acknowledge',
          trimmed: values.trimmed === 'nack' ? 'nak' : 'ignore',
        })
      : // Without a cap at the sender the bitmaps grow.
        new ReorderingReceiver({
          packets: bitsFor(values, context),
          isGrowing: capOf(values, context) === Infinity,
          usesTrimmed: values.trimmed === 'nack',
        }),
  isCapped: true,
  acknowledgesReads: true,
  headerBytes: (values) => values.extraHeader,
})
