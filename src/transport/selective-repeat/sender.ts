/**
 * HOT. Sender of one selective-repeat PSN space that is not a simulated sender's: which packet goes next, what is lost,
 * when to time out. IRN's rules are recovery/irn.ts; here are the window they work on and their one deadline, with the
 * names of the authors' modules receiveAck, txFree and timeout.
 * Sans-IO: the owner calls onTimeout() when `deadlinePs` is due. PSNs are unbounded; a cumulative PSN is the next one the
 * receiver expects. Units: packets, picoseconds.
 * Invariants: una <= nxt <= highest, but that answers may be ahead of both; nxt - una <= cap.
 * Source: S3 3.1, 3.2.
 */
import { assert } from '../../base/assert.ts'
import { NEVER_PS } from '../../base/params.ts'
import { IrnSender } from '../recovery/irn.ts'
import { type PacketWindow, SEEK_NEVER } from '../recovery/recovery.ts'
import { Segment } from '../segment.ts'

export interface SelectiveRepeatOptions {
  /** BDP-FC: most packets in flight. */
  readonly capPackets: number
  /** Packets that a bitmap holds at least: the cap or more. */
  readonly bitmapBits: number
  /** Null: no timeouts. */
  readonly rtoLowPs: number | null
  /** Total, from when the low one was armed. */
  readonly rtoHighPs: number
  /** N: the low timeout counts when at most so many are in flight. */
  readonly rtoLowPackets: number
  /** NACKs in a row at one cumulative PSN that start recovery. */
  readonly nackThreshold: number
  /** From detecting a loss to being able to send the packet again. */
  readonly fetchDelayPs: number
}

/** S3 4.1: 40 Gb/s and 24 us. */
export const SELECTIVE_REPEAT_DEFAULTS: SelectiveRepeatOptions = {
  capPackets: 110,
  bitmapBits: 128,
  rtoLowPs: 100e6,
  rtoHighPs: 320e6,
  rtoLowPackets: 3,
  nackThreshold: 1,
  fetchDelayPs: 0,
}

/** Nothing to send. */
export const NO_PSN = -1

/** Line rate over rate: a QP that is slow is not given the low timeout; here its owner says which it is. */
const FULL_SPEED = 1
const SLOW = 2

export class SelectiveRepeatSender implements PacketWindow {
  /** Oldest unacknowledged. */
  una: number
  /** Next new one. */
  nxt: number
  /** One past the highest ever sent. */
  highest: number
  /** Line rate over rate, as far as the rules ask. */
  slowdown = FULL_SPEED
  /** Of the retransmission timer, or NEVER_PS. */
  deadlinePs = NEVER_PS
  retransmissions = 0
  timeouts = 0
  /** `una` at the last of them, until it goes again; -1: it has. */
  private lateUna = -1
  private readonly rules: IrnSender
  /** Answers here carry nothing that the rules ask for. */
  private readonly answer = new Segment()

  constructor(options: SelectiveRepeatOptions, firstPsn = 0) {
    const { capPackets, bitmapBits, rtoLowPs, rtoHighPs } = options
    assert(bitmapBits >= capPackets, 'a bitmap is as wide as the cap')
    this.una = this.nxt = this.highest = firstPsn
    const values = {
      bdpFlowControl: true,
      cap: capPackets,
      timeout: 'two-level',
      rtoLow: rtoLowPs ?? NEVER_PS,
      rtoLowPackets: options.rtoLowPackets,
      rtoLowSlowdown: FULL_SPEED,
      resend: 'holes',
      nackThreshold: options.nackThreshold,
      nackWithProgress: 'ignore',
      fetchDelay: options.fetchDelayPs,
      extraHeader: 0,
    } as const
    const ackTimeoutPs = rtoLowPs === null ? NEVER_PS : rtoHighPs
    this.rules = new IrnSender(values, this, { bdpPackets: capPackets, ackTimeoutPs }, bitmapBits)
  }

  get inFlight(): number {
    return this.nxt - this.una
  }

  /** One more new packet fits below the cap. */
  get mayGrow(): boolean {
    return this.nxt - this.una < this.rules.capPackets
  }

  /** Bits of the SACK bitmap, for the books on NIC state. */
  get bitmapBits(): number {
    return this.rules.sacked.size
  }

  /** Variables of the authors' modules; for tests and explanations. */
  get state(): SenderState {
    const { rules, una, nxt } = this
    const { rtxPsn, recoveryPsn } = rules
    return { una, nxt, rtx: rtxPsn, rec: recoveryPsn, doRtx: rules.pendingPsn >= 0, inRecovery: rules.inRecovery !== 0 }
  }

  isSacked(psn: number): boolean {
    return psn > this.una && psn < this.highest && this.rules.sacked.has(psn)
  }

  onAck(nowPs: number, cumulative: number): void {
    const isNew = this.moveTo(cumulative)
    this.rules.onAck(nowPs, this.answer)
    if (isNew) this.restartTimer(nowPs)
  }

  onNack(nowPs: number, cumulative: number, sackPsn: number): void {
    const isNew = this.moveTo(cumulative)
    this.rules.onNak(nowPs, cumulative, sackPsn, this.answer)
    if (isNew) this.restartTimer(nowPs)
  }

  /**
   * Earliest time take() gives a packet (0: at once), or NEVER_PS. Where there is nothing to do but to look for a hole,
   * it looks, as take() would.
   * @param hasNew a new packet may be sent, but for the cap
   */
  nextSendPs(nowPs: number, hasNew: boolean): number {
    const { rules } = this
    if (hasNew && this.mayGrow) return 0
    if (rules.seekMode !== SEEK_NEVER) rules.seek(nowPs)
    return rules.pendingPsn >= 0 ? rules.pendingPs : NEVER_PS
  }

  /** txFree: the PSN to send now, or NO_PSN. One below `highest` as it was before is a retransmission. */
  take(nowPs: number, hasNew: boolean): number {
    const { rules } = this
    let psn = NO_PSN
    if (rules.pendingPsn >= 0 && nowPs >= rules.pendingPs) {
      psn = rules.pendingPsn
      this.retransmissions++
    } else if (hasNew && this.mayGrow) {
      psn = this.nxt++
      if (this.nxt > this.highest) this.highest = this.nxt
    }
    if (psn === NO_PSN) {
      if (rules.seekMode !== SEEK_NEVER) rules.seek(nowPs)
      return NO_PSN
    }
    rules.onSent(nowPs, psn)
    if (psn === this.una) this.lateUna = -1
    if (psn === this.una || this.deadlinePs === NEVER_PS) this.startTimer(nowPs)
    return psn
  }

  /**
   * The deadline has passed. True: it was a timeout; false: early, or extended to the high one.
   * @param isSlow the QP sends at less than a quarter of its line rate: the low timeout would fire for nothing
   */
  onTimeout(nowPs: number, isSlow: boolean): boolean {
    if (nowPs < this.deadlinePs) return false
    // What was late and has not gone again yet is not late twice; `take` starts the timer with it.
    if (this.rules.pendingPsn === this.una && this.lateUna === this.una) {
      this.stopTimer()
      return false
    }
    this.slowdown = isSlow ? SLOW : FULL_SPEED
    this.deadlinePs += this.rules.extendTimeout()
    if (nowPs < this.deadlinePs) return false
    this.timeouts++
    this.lateUna = this.una
    this.rules.onTimeout(nowPs)
    this.startTimer(nowPs)
    return true
  }

  /**
   * The receiver was not ready for `psn`, or refused it: everything from there on is sent anew, and the timer is off
   * (S3 B.4). What the receiver has of it already, it takes for duplicates. False: an old story.
   */
  goBack(psn: number): boolean {
    if (psn < this.una) return false
    this.una = this.nxt = psn
    this.rules.onRnr()
    this.stopTimer()
    return true
  }

  /** No more deadlines. */
  stopTimer(): void {
    this.deadlinePs = NEVER_PS
  }

  /** True when more is acknowledged than before. */
  private moveTo(cumulative: number): boolean {
    if (cumulative <= this.una) return false
    this.una = cumulative
    if (this.highest < cumulative) this.highest = cumulative
    this.rules.dropBelow(cumulative)
    return true
  }

  private restartTimer(nowPs: number): void {
    if (this.una < this.nxt) this.startTimer(nowPs)
    else this.stopTimer()
  }

  private startTimer(nowPs: number): void {
    if (this.rules.ackTimeoutPs === NEVER_PS) return
    this.rules.onTimerStart()
    this.deadlinePs = nowPs + this.rules.ackTimeoutPs
  }
}

export interface SenderState {
  readonly una: number
  readonly nxt: number
  readonly rtx: number
  readonly rec: number
  readonly doRtx: boolean
  readonly inRecovery: boolean
}
