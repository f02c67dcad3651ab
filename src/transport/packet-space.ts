/**
 * HOT. Packet space: the PSNs of one direction at their sender; what is outstanding, which packet may go and when, the
 * retransmission timer. It asks the recovery what goes again and the congestion control how fast and how much; what the
 * packets carry is the business of the class that extends it.
 * Units: packets are numbered by unbounded PSNs; sizes bytes; times picoseconds.
 * Invariant: una <= nxt <= end, but while a go-back-0 restart lies below what was acknowledged.
 * A packet may start when all hold: a PSN below `end` waits, the window is open, no RNR wait runs, the pacing
 * deadline has passed. (A pause of the class is the NIC's to honour.)
 * Source: S0 II-A, S3 3.2, IBTA 9.7.
 */
import { DOUBLES, LINE } from '../base/memory.ts'
import { NEVER_PS } from '../base/params.ts'
import { ByteWindow } from './byte-window.ts'
import { blankNews, fillNews, type CongestionControl } from './congestion/congestion.ts'
import { Pacing, PACING } from './pacing.ts'
import { unwrapPsn } from './psn.ts'
import {
  SEEK_ALWAYS,
  SEEK_NEVER,
  type SenderRecovery,
  type SendWindow,
  TIMER_BY_ACK,
  TIMER_OF_OLDEST,
} from './recovery/recovery.ts'
import { ECE, type Segment } from './segment.ts'
import type { SenderOptions } from './sender-options.ts'
import { ACK_TIMER, RNR_TIMER, SENDING_TIMER, type Timers } from './timers.ts'

const doubles = DOUBLES

/** What an answer says, filled in anew for each one of any QP, so that it stays in the nearest cache; nothing between two. */
const NEWS = blankNews()

export abstract class PacketSpace implements SendWindow {
  // What the path of a packet touches comes first, so that it shares cache lines.
  una: number
  nxt: number
  /** One past the highest PSN that was ever sent. */
  highest: number
  /** `una` at the last timeout, until it goes again; -1: it has. */
  private lateUna = -1
  /** The control a rate observer may look at. */
  congestion!: CongestionControl
  protected recovery!: SenderRecovery
  readonly pacing: Pacing
  protected readonly timers: Timers
  /** Where `nextSendPs` is, in doubles, beside what pacing keeps. */
  private readonly nextSendAt: number
  /** null: none. */
  private readonly byteWindow: ByteWindow | null
  protected isClosed = false
  private isRnrWaiting = false
  protected readonly ackInterval: number
  protected readonly hasAckTimer: number
  private ackTimerFollows = 0
  /** 1: a rate change moves a deadline that is already set. */
  private readonly pacingMoves: number
  private retriesLeft: number
  /** -1: none. */
  private readonly retryLimit: number
  /** The bit of an ACK that echoes a mark, or 0. */
  private readonly echoBit: number
  /** The QP gave up: its retry limit was reached. */
  isFailed = false
  timeouts = 0
  protected readonly options: SenderOptions

  constructor(options: SenderOptions) {
    this.options = options
    const record = options.timers.memory.takeRecord(LINE)
    this.pacing = new Pacing(options.serialization, record)
    this.nextSendAt = (record + PACING) >> 1
    this.timers = options.timers
    this.ackInterval = options.ackInterval
    this.byteWindow = options.windowBytes === null ? null : new ByteWindow(options.windowBytes, options)
    this.retriesLeft = this.retryLimit = options.retryLimit ?? -1
    this.una = this.nxt = this.highest = options.firstPsn ?? 0
    this.hasAckTimer = options.ackTimeoutPs === null ? 0 : 1
    this.echoBit = options.echoInAck ? ECE : 0
    this.pacingMoves = options.pacingFixed ? 0 : 1
    doubles[this.nextSendAt] = NEVER_PS
  }

  /** One past the last PSN that there is to send. */
  abstract get end(): number

  /** First PSN of the message that holds `psn`. */
  abstract firstPsnOf(psn: number): number

  /** Everything below `psn`, and more than before, is at the receiver. */
  protected abstract onAcknowledged(psn: number): void

  /** Gives the sender its two schemes; they are made after it since the recovery works on it. */
  equip(recovery: SenderRecovery, congestion: CongestionControl): void {
    this.recovery = recovery
    this.ackTimerFollows = this.options.ackTimerFollows && recovery.timerRule === TIMER_BY_ACK ? 1 : 0
    this.congestion = congestion
    if (recovery.ackTimeoutPs === NEVER_PS) recovery.ackTimeoutPs = this.options.ackTimeoutPs ?? NEVER_PS
  }

  get nextSendPs(): number {
    return doubles[this.nextSendAt]!
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
  }

  get waitingPackets(): number {
    return this.recovery.waitingPackets
  }

  get slowdown(): number {
    return this.options.lineRateBps / this.congestion.rateBps
  }

  /** All that there is to send is acknowledged. */
  get isIdle(): boolean {
    return this.una >= this.end
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

  /** No more deadlines: the QP is done. */
  close(): void {
    this.isClosed = true
    this.timers.clearAll()
    doubles[this.nextSendAt] = NEVER_PS
  }

  /** Gives its records back, its timers' too. Only its counters may be read from now on. */
  release(): void {
    this.isClosed = true
    this.timers.memory.giveRecord(2 * this.nextSendAt - PACING, LINE)
    this.timers.release()
  }

  /** The receiver is not ready for `psn`: everything from there on goes again, when the wait is over. */
  protected awaitReceiver(nowPs: number, psn: number, waitPs: number): void {
    if (psn > this.una) this.acknowledge(psn)
    this.nxt = psn
    this.recovery.onRnr()
    this.isRnrWaiting = true
    this.timers.clear(ACK_TIMER)
    this.timers.set(RNR_TIMER, nowPs + waitPs)
  }

  /** A packet starts: the pacing, both schemes and the timer hear of it. `isLast`: of its message. */
  protected onStarted(nowPs: number, psn: number, isLast: boolean, wireBytes: number, out: Segment): void {
    const { recovery, congestion } = this
    this.pacing.start(nowPs, wireBytes, congestion.rateBps)
    if (congestion.releases > 0) congestion.releases--
    congestion.onSent(nowPs, wireBytes)
    recovery.onSent(nowPs, psn, isLast, out)
    if (psn === this.lateUna) this.lateUna = -1
    const isAlone = psn === this.una && (recovery.timerRule === TIMER_OF_OLDEST || congestion.windowPackets < 1)
    if (this.hasAckTimer !== 0 && (isAlone || this.ackTimerFollows !== 0 || !this.timers.isSet(ACK_TIMER)))
      this.startAckTimer(nowPs)
    this.refresh()
  }

  protected onRate(): void {
    if (this.pacingMoves !== 0) this.pacing.move(this.congestion.rateBps)
  }

  protected onAnswer(nowPs: number, segment: Segment, cumulativePsn: number, isNak: boolean): void {
    // An answer to nothing that was sent, or one that is older than what is known, moves nothing.
    const isKnown = cumulativePsn <= this.highest
    const newPackets = isKnown && cumulativePsn > this.una ? cumulativePsn - this.una : 0
    if (newPackets > 0) this.acknowledge(cumulativePsn)
    const recovery = this.recovery
    let isRestarted = isKnown && (!isNak || cumulativePsn < this.end)
    if (!isNak) recovery.onAck(nowPs, segment)
    else if (isRestarted) {
      const isBegun = recovery.onNak(nowPs, cumulativePsn, unwrapPsn(segment.sackPsn, this.una), segment)
      if (isBegun) this.congestion.onLoss(nowPs)
      isRestarted = isBegun || recovery.hasNamed !== 0
    }
    const isProgress = newPackets > 0 || recovery.hasNamed !== 0
    if (isProgress) this.retriesLeft = this.retryLimit
    if (this.hasAckTimer !== 0 && (recovery.timerRule === TIMER_BY_ACK ? isRestarted : isProgress))
      this.restartAckTimer(nowPs)
    NEWS.cumulativePsn = cumulativePsn
    NEWS.nextPsn = this.nxt
    NEWS.unsentPsn = this.highest
    NEWS.newPackets = newPackets
    NEWS.deliveredPackets = recovery.deliveredPackets >= 0 ? recovery.deliveredPackets : isNak ? 0 : newPackets
    NEWS.isNak = isNak
    NEWS.marked = (segment.flags & this.echoBit) !== 0
    fillNews(NEWS, nowPs, segment)
    this.congestion.onAck(nowPs, NEWS)
    this.onRate()
    if (recovery.seekMode !== SEEK_NEVER && (recovery.seekMode === SEEK_ALWAYS || !this.maySendNew()))
      recovery.seek(nowPs)
  }

  /** Everything below `psn`, and more than before, is at the receiver. */
  protected acknowledge(psn: number): void {
    this.una = psn
    this.onProgress()
    this.onAcknowledged(psn)
  }

  /** Timeouts in a row are counted anew; what is acknowledged need not be sent again. */
  protected onProgress(): void {
    this.recovery.dropBelow(this.una)
    this.retriesLeft = this.retryLimit
  }

  private onAckTimeout(nowPs: number): void {
    const { recovery } = this
    // What was late and has not gone again yet (its rate, the turn among QPs, a pause) is not late twice; it starts the timer.
    const isLateAlready =
      recovery.timerRule !== TIMER_BY_ACK && recovery.pendingPsn === this.una && this.lateUna === this.una
    if (this.una >= this.nxt || isLateAlready) return
    const extensionPs = recovery.extendTimeout()
    if (extensionPs > 0) {
      this.timers.set(ACK_TIMER, nowPs + extensionPs)
      return
    }
    this.timeouts++
    if (this.retryLimit >= 0 && this.retriesLeft-- === 0) {
      this.isFailed = true
      this.close()
      return
    }
    this.lateUna = this.una
    recovery.onTimeout(nowPs)
    this.congestion.onTimeout(nowPs)
    this.onRate()
    this.startAckTimer(nowPs)
  }

  private startAckTimer(nowPs: number): void {
    this.recovery.onTimerStart()
    this.timers.set(ACK_TIMER, nowPs + this.recovery.ackTimeoutPs)
  }

  protected restartAckTimer(nowPs: number): void {
    if (this.una < this.highest) this.startAckTimer(nowPs)
    else this.timers.clear(ACK_TIMER)
  }

  protected maySendNew(): boolean {
    return this.nxt < this.end && !this.isWindowClosed()
  }

  private isWindowClosed(): boolean {
    if (this.nxt - this.una >= this.recovery.capPackets) return true
    const inFlight = this.nxt - this.una - this.recovery.arrivedPackets
    const windowPackets = this.congestion.windowPackets
    // Below one packet the scheme releases them one by one; from one on only whole packets count. No ACK, no window.
    const isClosed = windowPackets < 1 ? this.congestion.releases === 0 : inFlight + 1 > windowPackets
    if (isClosed && this.ackInterval > 0) return true
    return this.byteWindow !== null && this.byteWindow.isClosed(inFlight, this.congestion.rateBps)
  }

  protected refresh(): void {
    // Stores of their own, not one of a choice: a choice between doubles becomes a heap number.
    const recovery = this.recovery
    const at = this.nextSendAt
    if (this.isRnrWaiting || this.isClosed) doubles[at] = NEVER_PS
    else if (this.maySendNew()) doubles[at] = this.pacing.availablePs
    else if (recovery.pendingPsn < 0) doubles[at] = NEVER_PS
    else if (recovery.pendingPs > this.pacing.availablePs) doubles[at] = recovery.pendingPs
    else doubles[at] = this.pacing.availablePs
  }
}
