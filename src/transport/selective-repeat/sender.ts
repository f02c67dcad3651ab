/**
 * HOT. Sender of one selective-repeat PSN space: which packet goes next, what is lost, when to time out (IRN).
 * Sans-IO and without a timer of its own: `deadlinePs` is the one deadline, and its owner calls onTimeout() when it is
 * due. PSNs are unbounded; a cumulative PSN is the next one the receiver expects. Units: packets, picoseconds.
 * Invariants: una <= nxt; nxt - una <= cap; the bit of una is never set; `top` is the highest PSN SACKed, or < una.
 * Source: S3 3.1, 3.2 and the authors' modules receiveAck, txFree and timeout, whose names it keeps.
 * Deviates: a NACK whose SACK lies outside una < sack < nxt says nothing of what is missing and is taken as an ACK
 * (reordered, or from before a go-back; the modules do not see any).
 */
import { assert } from '../../base/assert.ts'
import { DOUBLE_ZERO } from '../../base/double.ts'
import { NEVER_PS } from '../../base/params.ts'
import { PsnBitmap } from './bitmap.ts'

export interface SelectiveRepeatOptions {
  /** BDP-FC: most packets in flight. */
  readonly capPackets: number
  /** A power of two, at least the cap. */
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
  /** A NACK that also moves una starts recovery. The authors' modules: no. */
  readonly nackWithProgressTriggers: boolean
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
  nackWithProgressTriggers: false,
}

/** Nothing to send. */
export const NO_PSN = -1

export class SelectiveRepeatSender {
  /** Oldest unacknowledged. */
  una = 0
  /** Next new one. */
  nxt = 0
  /** Last or next to be sent again. */
  rtx = 0
  /** Recovery sequence: last new packet sent before the latest retransmission. Recovery ends above it. */
  rec = 0
  inRecovery = false
  doRtx = false
  findHole = false
  /** Of the retransmission timer, or NEVER_PS. */
  deadlinePs = NEVER_PS
  /** The next expiry is that of the low timeout. */
  rtoIsLow = true
  /** Earliest time the packet that is to be sent again is there. */
  readyPs = DOUBLE_ZERO
  retransmissions = 0
  timeouts = 0
  private readonly options: SelectiveRepeatOptions
  private readonly sack: PsnBitmap
  private readonly extendPs: number
  private top = -1
  private nackRun = 0
  /** Of which `readyPs` tells. */
  private fetchedPsn = NO_PSN

  constructor(options: SelectiveRepeatOptions, firstPsn = 0) {
    assert(options.bitmapBits >= options.capPackets, 'a bitmap is as wide as the cap')
    this.options = options
    this.sack = new PsnBitmap(options.bitmapBits)
    this.extendPs = options.rtoLowPs === null ? 0 : options.rtoHighPs - options.rtoLowPs
    this.una = this.nxt = this.rtx = firstPsn
    this.rec = this.top = firstPsn - 1
  }

  get inFlight(): number {
    return this.nxt - this.una
  }

  /** One more new packet fits below the cap. */
  get mayGrow(): boolean {
    return this.nxt - this.una < this.options.capPackets
  }

  /** Bits of the SACK bitmap, for the books on NIC state. */
  get bitmapBits(): number {
    return this.sack.bits
  }

  isSacked(psn: number): boolean {
    return psn > this.una && psn <= this.top && this.sack.has(psn)
  }

  onAck(nowPs: number, cumulative: number): void {
    this.receive(nowPs, cumulative, NO_PSN)
  }

  onNack(nowPs: number, cumulative: number, sackPsn: number): void {
    this.receive(nowPs, cumulative, sackPsn)
  }

  /**
   * Earliest time take() gives a packet (0: at once), or NEVER_PS. Where there is nothing to do but to look for a hole,
   * it looks, as take() would.
   * @param hasNew a new packet may be sent, but for the cap
   */
  nextSendPs(nowPs: number, hasNew: boolean): number {
    if (hasNew && this.mayGrow) return 0
    if (this.findHole && !this.isRtxPending) this.search(nowPs)
    return this.isRtxPending ? this.readyPs : NEVER_PS
  }

  /** txFree: the PSN to send now, or NO_PSN. One below nxt as it was before is a retransmission. */
  take(nowPs: number, hasNew: boolean): number {
    let psn = NO_PSN
    if (this.isRtxPending && nowPs >= this.readyPs) {
      psn = this.rtx
      if (psn === this.una) this.inRecovery = true
      this.rec = this.nxt - 1
      this.doRtx = false
      this.fetchedPsn = NO_PSN
      this.findHole = true
      this.retransmissions++
      if (psn === this.una) this.startTimer(nowPs)
    } else {
      if (this.doRtx && this.rtx < this.una) this.doRtx = false
      if (hasNew && this.mayGrow) {
        psn = this.nxt++
        if (this.deadlinePs === NEVER_PS) this.startTimer(nowPs)
      }
    }
    if (this.findHole) this.search(nowPs)
    return psn
  }

  /**
   * The deadline has passed. True: it was a timeout; false: early, or extended to the high one.
   * @param isSlow the QP sends at less than a quarter of its line rate: the low timeout would fire for nothing
   */
  onTimeout(nowPs: number, isSlow: boolean): boolean {
    if (nowPs < this.deadlinePs) return false
    if (this.rtoIsLow && (this.nxt - this.una > this.options.rtoLowPackets || isSlow)) {
      this.rtoIsLow = false
      this.deadlinePs += this.extendPs
      if (nowPs < this.deadlinePs) return false
    }
    this.timeouts++
    this.findHole = false
    this.wantAgain(nowPs, this.una)
    this.startTimer(nowPs)
    return true
  }

  /**
   * The receiver was not ready for `psn`, or refused it: everything from there on is sent anew, as new packets, and
   * the timer is off (S3 B.4). What the receiver has of it already, it takes for duplicates. False: an old story.
   */
  goBack(psn: number): boolean {
    if (psn < this.una) return false
    this.sack.clearAll()
    this.inRecovery = this.doRtx = this.findHole = false
    this.nackRun = 0
    this.fetchedPsn = NO_PSN
    this.una = this.nxt = this.rtx = psn
    this.rec = this.top = psn - 1
    this.stopTimer()
    return true
  }

  /** No more deadlines. */
  stopTimer(): void {
    this.deadlinePs = NEVER_PS
    this.rtoIsLow = true
  }

  private get isRtxPending(): boolean {
    return this.doRtx && this.rtx >= this.una
  }

  /** receiveAck. */
  private receive(nowPs: number, cumulative: number, sackPsn: number): void {
    if (cumulative > this.nxt) this.nxt = cumulative
    const isNew = cumulative > this.una
    if (isNew) {
      if (this.top >= this.una) this.sack.clearRange(this.una, cumulative <= this.top ? cumulative : this.top + 1)
      this.una = cumulative
      if (this.una === this.nxt) this.stopTimer()
      else this.startTimer(nowPs)
    }
    const isNack = sackPsn > this.una && sackPsn < this.nxt
    if (isNack) {
      if (this.inRecovery) {
        // The candidate just got there, or what is new on top may show new holes.
        if (this.doRtx && this.rtx === sackPsn) {
          this.doRtx = false
          this.findHole = true
        } else if (!this.doRtx && this.top <= sackPsn) this.findHole = true
      }
      this.sack.set(sackPsn)
      if (sackPsn > this.top) this.top = sackPsn
    }
    if (cumulative > this.rec) this.inRecovery = this.doRtx = this.findHole = false
    if (isNew) {
      this.nackRun = 0
      if (this.inRecovery && (this.rtx < this.una || (this.rtx === this.una && this.doRtx))) {
        this.findHole = false
        this.wantAgain(nowPs, this.una)
        return
      }
      if (!this.options.nackWithProgressTriggers) return
    }
    if (!this.inRecovery && isNack && this.una < this.nxt && ++this.nackRun >= this.options.nackThreshold) {
      this.findHole = false
      this.wantAgain(nowPs, this.una)
    }
  }

  /** Lost only if something above it was SACKed. */
  private search(nowPs: number): void {
    this.findHole = false
    const start = this.rtx >= this.una ? this.rtx + 1 : this.una
    if (start >= this.top) return
    const hole = this.sack.nextClear(start, this.top)
    if (hole < this.top) this.wantAgain(nowPs, hole)
  }

  private wantAgain(nowPs: number, psn: number): void {
    if (this.fetchedPsn !== psn) this.readyPs = nowPs + this.options.fetchDelayPs
    this.fetchedPsn = psn
    this.rtx = psn
    this.doRtx = true
  }

  private startTimer(nowPs: number): void {
    if (this.options.rtoLowPs === null) return
    this.deadlinePs = nowPs + this.options.rtoLowPs
    this.rtoIsLow = true
  }
}
