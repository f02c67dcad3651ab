/**
 * HOT. Selective repeat as in conweave's simulator (`rewinds` of src/lab/scenario/compat.ts): the first NACK of a recovery
 * takes the sender back to the oldest packet; from there everything is sent again except packets known to have arrived.
 * Only the first known run of arrived packets is skipped, and then forgotten. Recovery ends with the first ACK that
 * names no packet, or when the packet that was next at its start is acknowledged.
 * Units: packets numbered by unbounded PSNs; picoseconds.
 * Invariant: base <= every PSN in the bitmap <= topPsn < base + size of the bitmap; una <= nxt.
 * Source: conweave, ReceiveAck, GetBytesLeft and GetRto.
 */
import { PsnBitmap } from '../psn-bitmap.ts'
import type { Segment } from '../segment.ts'
import { CappedSender, type CappedValues, capOf } from './capped-sender.ts'
import { bitsFor, irn } from './irn.ts'
import {
  defineRecovery,
  LOSS_FOUND,
  NOTHING_NEW,
  PACKET_NAMED,
  REPLY_ACK,
  type RecoveryContext,
  type SendWindow,
  TIMER_BY_ACK,
  type Verdict,
} from './recovery.ts'
import { ReorderingReceiver } from './reordering-receiver.ts'

export class RewindingSender extends CappedSender {
  private readonly arrived: PsnBitmap
  /** `una` as last seen. */
  private base: number
  /** Highest PSN in the bitmap, or below base. */
  private topPsn: number
  private inRecovery = 0
  /** Next PSN to send when recovery began. */
  private recoveryPsn = 0
  private delivered = 0

  /** @param bitmapPackets initial size of the bitmap. */
  constructor(values: CappedValues, window: SendWindow, context: RecoveryContext, bitmapPackets: number) {
    super(values, window, context, TIMER_BY_ACK)
    this.arrived = new PsnBitmap(bitmapPackets)
    this.base = window.una
    this.topPsn = window.una - 1
  }

  override onAck(nowPs: number, segment: Segment): Verdict {
    this.sample(nowPs, segment)
    this.follow()
    this.inRecovery = 0
    this.passOver()
    return NOTHING_NEW
  }

  override onNak(nowPs: number, _psn: number, sackPsn: number, segment: Segment): Verdict {
    this.sample(nowPs, segment)
    this.follow()
    const window = this.window
    if (sackPsn > window.una && sackPsn < window.highest) this.take(sackPsn)
    if (window.una >= this.recoveryPsn) this.inRecovery = 0
    this.passOver()
    if (this.inRecovery !== 0) return PACKET_NAMED
    this.inRecovery = 1
    this.recoveryPsn = window.nxt
    window.nxt = window.una
    return LOSS_FOUND | PACKET_NAMED
  }

  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    this.inRecovery = 1
    this.window.nxt = this.window.una
  }

  override onSent(): void {
    const window = this.window
    if (window.highest - this.base > this.arrived.size) this.arrived.grow(this.base, window.highest - this.base)
    this.passOver()
  }

  override onRnr(): void {
    this.arrived.clearAll()
    this.base = this.window.una
    this.topPsn = this.base - 1
    this.inRecovery = 0
  }

  /** With few packets behind the oldest the timeout is short; conweave decides this when the timer starts. */
  override timeoutPs(): number {
    const { window, extensionPs } = this
    if (extensionPs > 0 && window.highest - window.una - 1 > this.lowPackets) return this.lowPs + extensionPs
    return super.timeoutPs()
  }

  override extendTimeout(): number {
    return 0
  }

  override deliveredPackets(): number {
    return this.delivered
  }

  /** Advances `base` to `una`. */
  private follow(): void {
    const { una } = this.window
    // Packets named by NACKs count as delivered when acknowledged: the bitmap may forget them before.
    this.delivered = una - this.base
    this.forget(una)
    this.base = una
  }

  private take(psn: number): void {
    this.arrived.set(psn)
    if (psn > this.topPsn) this.topPsn = psn
  }

  /** Forgets the packets below `end`. */
  private forget(end: number): void {
    const past = this.topPsn < end ? this.topPsn + 1 : end
    if (past > this.base) this.arrived.clearRange(this.base, past)
  }

  /** Skips the first run of packets known to have arrived, if `nxt` has reached it. */
  private passOver(): void {
    const window = this.window
    const { nxt } = window
    const { arrived, base } = this
    if (nxt > this.topPsn || !arrived.has(nxt) || arrived.countAbsent(base, nxt) !== nxt - base) return
    const absent = arrived.firstAbsent(nxt, this.topPsn + 1)
    window.nxt = absent < 0 ? this.topPsn + 1 : absent
    this.forget(window.nxt)
  }
}

/** While packets out of order are kept, every reply is a NACK that names its packet. */
class NamingReceiver extends ReorderingReceiver {
  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    const isAccepted = super.onData(nowPs, psn, segment)
    if (this.reply === REPLY_ACK && this.arrivals.held > 0) this.name(psn)
    return isAccepted
  }
}

/** IRN with this sender, whatever `resend` says. Its receiver drops trimmed headers. */
export const rewindingIrn = defineRecovery({
  ...irn,
  whenOvertaken: () =>
    'goes back as soon as one packet overtakes another; without compat recovery.nackThreshold lets it wait for more of them',
  createSender: (values, window, context) => new RewindingSender(values, window, context, bitsFor(values, context)),
  createReceiver: (values, _timers, context) =>
    new NamingReceiver({ packets: bitsFor(values, context), isGrowing: capOf(values, context) === Infinity }),
})
