/**
 * HOT. Packet space: how one direction's packets get there, whatever they mean. IRN's is the selective-repeat sender;
 * RoCE's is here: go-back-N. PSNs are unbounded; a cumulative PSN is the next one that the receiver expects.
 * Source: docs/models/go-back-n.md.
 */
import { NEVER_PS } from '../base/params.ts'
import { NO_PSN } from '../transport/selective-repeat/index.ts'

export interface PacketSpace {
  readonly una: number
  /** Next new one. RoCE: the owner moves it over the PSNs of a READ's responses. */
  nxt: number
  readonly deadlinePs: number
  readonly timeouts: number
  /** Earliest time take() gives a packet (0: at once), or NEVER_PS. */
  nextSendPs(nowPs: number, hasNew: boolean): number
  /** PSN to send now, or NO_PSN. */
  take(nowPs: number, hasNew: boolean): number
  onAck(nowPs: number, cumulative: number): void
  /** `sackPsn` has arrived and `cumulative` has not. */
  onNack(nowPs: number, cumulative: number, sackPsn: number): void
  /** True: it was a timeout. */
  onTimeout(nowPs: number, isSlow: boolean): boolean
  /** Everything from `psn` on is sent anew, without a timer until something is sent. False: an old story. */
  goBack(psn: number): boolean
  stopTimer(): void
}

export interface GoBackSpaceOptions {
  readonly capPackets: number
  /** Null: no timeouts. */
  readonly timeoutPs: number | null
}

export class GoBackSpace implements PacketSpace {
  una: number
  nxt: number
  deadlinePs = NEVER_PS
  timeouts = 0
  /** One past the last ever sent. */
  private highest: number
  private readonly options: GoBackSpaceOptions

  constructor(options: GoBackSpaceOptions, firstPsn: number) {
    this.options = options
    this.una = this.nxt = this.highest = firstPsn
  }

  nextSendPs(_nowPs: number, hasNew: boolean): number {
    return hasNew && this.nxt - this.una < this.options.capPackets ? 0 : NEVER_PS
  }

  take(nowPs: number, hasNew: boolean): number {
    if (this.nextSendPs(nowPs, hasNew) > 0) return NO_PSN
    if (this.deadlinePs === NEVER_PS) this.startTimer(nowPs)
    const psn = this.nxt++
    this.note()
    return psn
  }

  onAck(nowPs: number, cumulative: number): void {
    this.note()
    if (cumulative > this.highest || cumulative < this.una) return
    this.una = cumulative
    if (this.nxt < cumulative) this.nxt = cumulative
    // Restarted by every answer while something is outstanding (IBTA o9-85).
    if (this.una < this.highest) this.startTimer(nowPs)
    else this.stopTimer()
  }

  onNack(nowPs: number, cumulative: number): void {
    this.note()
    if (cumulative < this.una || cumulative > this.highest) return
    this.onAck(nowPs, cumulative)
    this.nxt = this.una
  }

  onTimeout(nowPs: number): boolean {
    if (nowPs < this.deadlinePs) return false
    this.timeouts++
    this.note()
    this.nxt = this.una
    this.startTimer(nowPs)
    return true
  }

  goBack(psn: number): boolean {
    this.note()
    if (psn < this.una || psn > this.highest) return false
    this.una = this.nxt = psn
    this.stopTimer()
    return true
  }

  stopTimer(): void {
    this.deadlinePs = NEVER_PS
  }

  /** The owner may have moved `nxt` since: answers up to there are answers. */
  private note(): void {
    if (this.nxt > this.highest) this.highest = this.nxt
  }

  private startTimer(nowPs: number): void {
    if (this.options.timeoutPs !== null) this.deadlinePs = nowPs + this.options.timeoutPs
  }
}
