/**
 * Check EPSN: go-back-N whose receiver repeats a NAK. When the last packet of a message arrives while an earlier one is
 * missing, a timer starts with the rest of the NAK interval; if the message is still incomplete when it fires, the
 * missing packet is reported once more. A lost NAK, or a packet lost twice, then costs a NAK interval instead of a
 * timeout.
 * Units: picoseconds, PSNs unbounded. Sender: that of go-back-N.
 * Source: [IGBN] III-C, Figure 5. Ours: with several messages outstanding the furthest last packet counts ([IGBN]
 * treats one).
 */
import { flag, NEVER_PS, type ValuesOf } from '../../base/params.ts'
import { LAST, type Segment } from '../segment.ts'
import { RECOVERY_TIMER, type Timers } from '../timers.ts'
import { GoBackNSender, NoticingReceiver, noticingParams } from './go-back-n.ts'
import { defineRecovery, NO_REPLY, whenOvertakenGoingBack } from './recovery.ts'

export const checkEpsnParams = {
  ...noticingParams,
  inclusive: flag({
    default: false,
    help: 'also report a last packet that alone is missing when the timer fires (<= in place of <)',
    source: '[IGBN] Figure 5 has <',
  }),
}

export class CheckEpsnReceiver extends NoticingReceiver {
  private readonly timers: Timers
  private readonly inclusive: number
  /** The furthest last packet seen while the timer runs; -1: the timer is stopped. */
  private lastPsn = -1

  constructor(values: ValuesOf<typeof checkEpsnParams>, timers: Timers) {
    super(values)
    this.timers = timers
    this.inclusive = values.inclusive ? 1 : 0
  }

  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    // Go-back-N's rule comes first: it may send the NAK whose interval the timer completes.
    const isAccepted = super.onData(nowPs, psn, segment)
    if (isAccepted) {
      if (this.lastPsn >= 0) {
        // "Only set the timer to its initial value": the missing packets are in flight.
        if (this.epsn > this.lastPsn) this.stop()
        else this.start(nowPs, this.nakIntervalPs)
      }
    } else this.watch(nowPs, psn, segment)
    return isAccepted
  }

  /** The header of a last packet tells as much as the packet: the whole message has been sent. */
  override onTrimmed(nowPs: number, psn: number, header: Segment): void {
    super.onTrimmed(nowPs, psn, header)
    this.watch(nowPs, psn, header)
  }

  override onTimer(nowPs: number): void {
    this.reply = NO_REPLY
    if (this.epsn >= this.lastPsn + this.inclusive) {
      this.lastPsn = -1
      return
    }
    this.nak(nowPs)
    this.start(nowPs, this.nakIntervalPs)
  }

  /** Starts the timer at a last packet that arrives while an earlier one is missing. */
  private watch(nowPs: number, psn: number, segment: Segment): void {
    if (psn <= this.epsn || (segment.flags & LAST) === 0) return
    if (this.lastPsn < 0) {
      const leftPs = this.nakUntilPs - nowPs
      this.start(nowPs, leftPs > 0 ? leftPs : this.nakIntervalPs)
    }
    if (psn > this.lastPsn) this.lastPsn = psn
  }

  private start(nowPs: number, afterPs: number): void {
    // Without an interval there is nothing to wait for: a timer of 0 would fire for ever within one instant.
    if (afterPs > 0 && afterPs < NEVER_PS) this.timers.set(RECOVERY_TIMER, nowPs + afterPs)
  }

  private stop(): void {
    this.lastPsn = -1
    this.timers.clear(RECOVERY_TIMER)
  }
}

export const checkEpsn = defineRecovery({
  name: 'check-epsn',
  help: 'go-back-n whose receiver reports a missing packet again by a timer',
  source: '[IGBN] III-C',
  needs: {},
  params: checkEpsnParams,
  whenOvertaken: whenOvertakenGoingBack,
  createSender: (_values, window) => new GoBackNSender(window),
  createReceiver: (values, timers) => new CheckEpsnReceiver(values, timers),
  hasReceiverTimer: true,
})
