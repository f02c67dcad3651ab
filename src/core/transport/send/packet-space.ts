/**
 * HOT. Packet space: the PSNs of one direction at their sender: which packets are outstanding, which may be sent and when,
 * and the retransmission timer. The recovery decides what is sent again, the congestion control how fast and how much.
 * Subclasses define what packets carry and which new one may be sent. Units: unbounded PSNs, bytes, picoseconds.
 * Invariant: una <= nxt <= end, except while a go-back-0 restart lies below what was acknowledged.
 * A packet may start when all hold: a PSN below `end` waits, the window is open (for a retransmission only if it covers
 * those), no RNR wait runs, the pacing deadline has passed. PFC is up to the NIC. Source: [IGBN] II-A, [IRN] 3.2, IBTA 9.7.
 */
import { assert } from '../../base/assert.ts'
import { DOUBLES, LINE } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { RNR_WAIT_US } from '../../wire/aeth.ts'
import { emptyAckEvent, fillAckEvent, type CongestionControl } from '../congestion/congestion.ts'
import type { Endpoint } from '../endpoint.ts'
import type { HostStack } from '../host-stack.ts'
import { Pacing, PACING } from './pacing.ts'
import { PSN_MASK, unwrapPsn } from '../psn.ts'
import { PsnWindow } from './psn-window.ts'
import {
  LOSS_FOUND,
  NOTHING_NEW,
  PACKET_NAMED,
  type SenderRecovery,
  TIMER_BY_ACK,
  TIMER_OF_OLDEST,
} from '../recovery/recovery.ts'
import {
  ACK,
  CNM,
  CNP,
  DATA,
  ECE,
  ECT_0,
  NAK,
  NOT_ECT,
  READ_REQUEST,
  RETRANSMITTED,
  RNR_NAK,
  RTT_RESPONSE,
  type Segment,
  type MessageOperation,
} from '../segment.ts'
import type { SenderOptions } from './sender-options.ts'
import { ACK_TIMER, RNR_TIMER, SENDING_TIMER, type Timers } from '../timers.ts'
import { PLAIN } from '../plain.ts'

const doubles = DOUBLES

/** One ACK event for all QPs, so that it stays in the nearest cache; filled in anew for each ACK or NAK. */
const ACK_EVENT = emptyAckEvent()

export abstract class PacketSpace<S extends Segment = Segment> extends PsnWindow implements Endpoint<S> {
  /** `una` at the last timeout, until that packet is sent again; then -1. */
  private lateUna = -1
  readonly pacing: Pacing
  readonly timers: Timers
  /** Index of `nextSendPs` in doubles, in the pacing record. */
  private readonly nextSendAt: number
  private stack: HostStack | null = null
  protected isClosed = false
  /** Its deadlines, which are the congestion control's, have no events (pairs/queue-pair.ts). */
  isResting = false
  protected readonly hasAckTimer: number
  private ackTimerFollows = 0
  /** An ACK restarts the timer even if it acknowledges nothing new. */
  private readonly restartsByAny: boolean
  /** 1: a rate change moves a pacing deadline that is already set. */
  private readonly pacingMoves: number
  readonly ackTimeoutPs: number
  /** Flag of an ACK that echoes a mark, or 0 where ACKs carry no echo. */
  private readonly echoBit: number
  /** ECN codepoint of data packets. */
  private readonly ecn: number
  /** The QP gave up: its retry limit was reached. */
  isFailed = false
  timeouts = 0
  packetsSent = 0
  retransmissions = 0
  /** Congestion messages received from switches (QCN). */
  cnms = 0
  protected readonly options: SenderOptions

  constructor(options: SenderOptions) {
    super(options)
    this.options = options
    const record = options.timers.memory.takeRecord(LINE)
    this.pacing = new Pacing(options.serialization, record)
    this.nextSendAt = (record + PACING) >> 1
    this.timers = options.timers
    this.ecn = options.ectCapable ? ECT_0 : NOT_ECT
    this.hasAckTimer = options.ackTimeoutPs === null ? 0 : 1
    this.ackTimeoutPs = options.ackTimeoutPs ?? NEVER_PS
    this.restartsByAny = options.ackTimerByProgress !== true
    this.echoBit = options.echoInAck ? ECE : 0
    this.pacingMoves = options.pacingFixed ? 0 : 1
    doubles[this.nextSendAt] = NEVER_PS
  }

  /**
   * Fills in flags, payload and message of packet `psn`. Returns the bytes of its frame and the gap around it, or 0 if
   * it is no longer to be sent: then `skip` is called.
   */
  protected abstract fill(nowPs: number, psn: number, out: S): number

  /** `una` has advanced to `psn`. */
  protected abstract onAcknowledged(psn: number): void

  /**
   * Sets the sender's two schemes, which are created after it because the recovery works on it.
   * @param stack host stack between the sender and its NIC.
   */
  equip(recovery: SenderRecovery, congestion: CongestionControl, stack: HostStack | null = null): void {
    assert(!PLAIN || congestion.bytesCounted === 0, 'the plain program has no windows in bytes')
    this.stack = stack
    this.recovery = recovery
    this.ackTimerFollows = this.options.ackTimerFollows && recovery.timerRule === TIMER_BY_ACK ? 1 : 0
    this.congestion = congestion
  }

  get nextSendPs(): number {
    return doubles[this.nextSendAt]!
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
  }

  get waitingPackets(): number {
    return this.recovery.waitingPackets()
  }

  get slowdown(): number {
    return this.options.lineRateBps / this.congestion.rateBps
  }

  /** Everything posted is acknowledged. */
  get isIdle(): boolean {
    return this.una >= this.end
  }

  /** Appends the PSNs of a posted message. */
  protected extend(nowPs: number, packets: number, operation: MessageOperation): void {
    let fromPs = nowPs
    if (this.isIdle) {
      this.catchUp(nowPs)
      this.congestion.onStart(nowPs)
      // Packets released by an ACK or a READ request: the host stack's delay is added once, by the NIC.
      if (this.stack !== null && operation !== 'read') fromPs = this.stack.downPs(nowPs)
    }
    this.openEnd = this.end += packets
    // An idle QP may start at once; pacing does not reach back into the idle time.
    this.pacing.notBefore(fromPs)
    this.recovery.onPost(nowPs, operation)
  }

  pollTransmit(nowPs: number, out: S): boolean {
    if (this.isResting) this.catchUp(nowPs)
    if (nowPs < this.nextSendPs) return false
    // Retransmissions go first, once their data are fetched again; new packets are sent meanwhile.
    let isAgain = this.resendPsn >= 0 && this.resendPs <= nowPs && this.mayResend()
    if (isAgain && this.recovery.isNewFirst()) isAgain = !this.maySendNew()
    const psn = isAgain ? this.resendPsn : this.nxt
    out.kind = DATA
    const wireBytes = this.fill(nowPs, psn, out)
    if (wireBytes === 0) {
      this.skip(nowPs, psn, isAgain, out)
      return false
    }
    const { flags } = out
    out.ecn = psn < this.congestion.incapableBelow && (flags & this.congestion.capableFlags) === 0 ? NOT_ECT : this.ecn
    if (psn < this.highest) {
      out.flags = flags | RETRANSMITTED
      this.retransmissions++
    } else this.highest = psn + 1
    out.psn = psn & PSN_MASK
    out.sentPs = nowPs
    if (isAgain) this.resendPsn = -1
    else this.nxt = psn + 1
    this.packetsSent++
    this.onStarted(nowPs, psn, isAgain, wireBytes, out)
    return true
  }

  onSegment(nowPs: number, segment: S): void {
    // A QP in error or released ignores everything: a late CNP would start timers that nobody stops.
    if (this.isClosed) return
    this.catchUp(nowPs)
    switch (segment.kind) {
      case ACK:
        this.onAcknowledgement(nowPs, segment, unwrapPsn(segment.psn, this.una) + 1, false)
        break
      case NAK:
        this.onAcknowledgement(nowPs, segment, unwrapPsn(segment.psn, this.una), true)
        break
      case RNR_NAK:
        this.onRnr(nowPs, unwrapPsn(segment.psn, this.una), RNR_WAIT_US[segment.syndrome & 0x1f]! * 1e6)
        break
      case CNP:
        this.congestion.onCnp(nowPs, segment.causePs)
        break
      case CNM:
        this.cnms++
        this.congestion.onCnm(nowPs, segment.syndrome)
        break
      case RTT_RESPONSE:
        this.congestion.onRttResponse(nowPs, segment.sentPs)
        break
      case READ_REQUEST:
        this.onReadRequest(nowPs, unwrapPsn(segment.psn, this.end), segment)
        break
    }
    if (segment.kind !== ACK) this.onRate()
    this.refresh()
  }

  onTimeout(nowPs: number): void {
    const timers = this.timers
    if (timers.nextPs > nowPs) return
    const slot = timers.nextSlot
    timers.clear(slot)
    if (slot === ACK_TIMER) this.onAckTimeout(nowPs)
    else if (slot === RNR_TIMER) this.isRnrWaiting = false
    else if (slot === SENDING_TIMER) this.recovery.onTimer(nowPs)
    else {
      this.congestion.onTimer(nowPs, slot)
      this.onRate()
    }
    this.refresh()
  }

  /** Brings the congestion control up to date, also for observers. */
  catchUp(nowPs: number): void {
    if (!this.isResting || this.timers.nextPs > nowPs) return
    this.congestion.elapse(nowPs)
    this.onRate()
    this.refresh()
    while (this.timers.nextPs <= nowPs) this.onTimeout(this.timers.nextPs)
  }

  /** Stops all deadlines: the QP is done. */
  close(): void {
    this.isClosed = true
    this.timers.clearAll()
    doubles[this.nextSendAt] = NEVER_PS
  }

  /** Returns its records and those of its timers. Only the counters may be read afterwards. */
  release(): void {
    this.isClosed = true
    this.timers.memory.giveRecord(2 * this.nextSendAt - PACING, LINE)
    this.timers.release()
  }

  /** Fills `out` with a NAK for READ requests that is due, or returns false. */
  takeRequestNak(_nowPs: number, _out: S): boolean {
    return false
  }

  /** A READ request for data from `psn` on. */
  protected onReadRequest(_nowPs: number, _psn: number, _segment: S): void {}

  /** `fill` found that `psn` is no longer to be sent; the next poll finds what is. */
  protected skip(_nowPs: number, _psn: number, _isAgain: boolean, _out: S): void {}

  /** Drops the pending retransmission; the recovery goes on as if it had been sent. */
  protected passOver(nowPs: number, psn: number, out: S): void {
    this.cancelResend()
    this.recovery.onSent(nowPs, psn, true, out)
  }

  /** The receiver is not ready for `psn`: everything from there on is sent again after the wait. */
  protected onRnr(nowPs: number, psn: number, waitPs: number): void {
    if (psn < this.una || psn >= this.end) return
    if (psn > this.una) this.acknowledge(psn)
    this.nxt = psn
    this.cancelResend()
    this.recovery.onRnr()
    this.isRnrWaiting = true
    this.timers.clear(ACK_TIMER)
    this.timers.set(RNR_TIMER, nowPs + waitPs)
  }

  /** Reports the start of a packet to pacing, both schemes and the timer. */
  private onStarted(nowPs: number, psn: number, isAgain: boolean, wireBytes: number, out: S): void {
    const { recovery, congestion } = this
    this.pacing.start(nowPs, wireBytes, congestion.rateBps)
    if (congestion.releases > 0) congestion.releases--
    congestion.onSent(nowPs, wireBytes)
    recovery.onSent(nowPs, psn, isAgain, out)
    if (psn === this.lateUna) this.lateUna = -1
    const isAlone = psn === this.una && (recovery.timerRule === TIMER_OF_OLDEST || congestion.windowPackets < 1)
    if (this.hasAckTimer !== 0 && (isAlone || this.ackTimerFollows !== 0 || !this.timers.isSet(ACK_TIMER)))
      this.startAckTimer(nowPs)
    this.refresh()
  }

  protected onRate(): void {
    if (this.pacingMoves !== 0) this.pacing.move(this.congestion.rateBps)
  }

  private onAcknowledgement(nowPs: number, segment: Segment, cumulativePsn: number, isNak: boolean): void {
    // ACKs of PSNs never sent and stale ACKs move nothing.
    const isKnown = cumulativePsn <= this.highest
    const newPackets = isKnown && cumulativePsn > this.una ? cumulativePsn - this.una : 0
    if (newPackets > 0) this.acknowledge(cumulativePsn)
    const recovery = this.recovery
    let isRestarted = isKnown && (isNak ? cumulativePsn < this.end : newPackets > 0 || this.restartsByAny)
    let verdict = NOTHING_NEW
    if (!isNak) verdict = recovery.onAck(nowPs, segment)
    else if (isRestarted) {
      verdict = recovery.onNak(nowPs, cumulativePsn, unwrapPsn(segment.sackPsn, this.una), segment)
      isRestarted = verdict !== NOTHING_NEW
    }
    if ((verdict & LOSS_FOUND) !== 0) this.congestion.onLoss(nowPs, recovery.flightPackets())
    const isProgress = newPackets > 0 || (verdict & PACKET_NAMED) !== 0
    if (isProgress) this.retriesLeft = this.retryLimit
    if (this.hasAckTimer !== 0 && (recovery.timerRule === TIMER_BY_ACK ? isRestarted : isProgress))
      this.restartAckTimer(nowPs)
    ACK_EVENT.cumulativePsn = cumulativePsn
    ACK_EVENT.nextPsn = this.nxt
    ACK_EVENT.unsentPsn = this.highest
    ACK_EVENT.newPackets = newPackets
    ACK_EVENT.deliveredPackets = recovery.deliveredPackets(isNak ? 0 : newPackets)
    ACK_EVENT.isNak = isNak
    ACK_EVENT.marked = (segment.flags & this.echoBit) !== 0
    fillAckEvent(ACK_EVENT, nowPs, segment)
    this.congestion.onAck(nowPs, ACK_EVENT)
    this.onRate()
    recovery.afterAck(nowPs)
  }

  /** Everything below `psn`, which is above `una`, has arrived. */
  protected acknowledge(psn: number): void {
    this.una = psn
    if (this.nxt < psn) this.nxt = psn
    this.onProgress()
    this.onAcknowledged(psn)
  }

  /** Everything below `psn` is known to have arrived, without an ACK. */
  protected settleTo(nowPs: number, psn: number): void {
    if (psn > this.una) this.una = psn
    if (this.nxt < this.una) this.nxt = this.una
    this.onProgress()
    if (this.hasAckTimer !== 0) this.restartAckTimer(nowPs)
  }

  /** Resets the count of consecutive timeouts, and cancels a retransmission that is acknowledged by now. */
  private onProgress(): void {
    if (this.resendPsn < this.una) this.resendPsn = -1
    this.retriesLeft = this.retryLimit
  }

  private onAckTimeout(nowPs: number): void {
    const { recovery } = this
    // The oldest packet has timed out but has not been sent again yet (rate, round robin among QPs, a pause), or waits
    // for the release of a window below one packet: not a timeout. Its retransmission starts the timer.
    const isLateAlready =
      recovery.timerRule !== TIMER_BY_ACK &&
      this.resendPsn === this.una &&
      (this.lateUna === this.una || (this.congestion.windowPackets < 1 && !this.mayResend()))
    if (this.una >= this.nxt || isLateAlready) return
    const extensionPs = recovery.extendTimeout()
    if (extensionPs > 0) return this.timers.set(ACK_TIMER, nowPs + extensionPs)
    this.timeouts++
    this.retry?.onTimeout(this.retryLimit - this.retriesLeft)
    if (this.retryLimit >= 0 && this.retriesLeft-- === 0) {
      this.isFailed = true
      this.close()
      return
    }
    this.lateUna = this.una
    recovery.onTimeout(nowPs)
    this.congestion.onTimeout(nowPs, recovery.flightPackets())
    this.onRate()
    this.startAckTimer(nowPs)
  }

  private startAckTimer(nowPs: number): void {
    const { retry } = this
    if (retry === null) this.timers.set(ACK_TIMER, nowPs + this.recovery.timeoutPs())
    else this.timers.set(ACK_TIMER, nowPs + retry.waitPs(this.retryLimit - this.retriesLeft))
  }

  private restartAckTimer(nowPs: number): void {
    if (this.una < this.highest) this.startAckTimer(nowPs)
    else this.timers.clear(ACK_TIMER)
  }

  protected refresh(): void {
    // Separate stores instead of one store of a selected value: V8 would box a choice between doubles as a heap number.
    const at = this.nextSendAt
    if (this.isClosed || (!PLAIN && (this.isRnrWaiting || this.isMute))) doubles[at] = NEVER_PS
    else if (this.maySendNew()) doubles[at] = this.pacing.availablePs
    else if (this.resendPsn < 0 || !this.mayResend()) doubles[at] = NEVER_PS
    else if (this.resendPs > this.pacing.availablePs) doubles[at] = this.resendPs
    else doubles[at] = this.pacing.availablePs
  }
}
