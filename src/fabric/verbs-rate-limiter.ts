/**
 * HOT. Rate limiter of a verbs queue pair: a congestion control that CNPs or switches tell (DCQCN, QCN), as RoCE NICs
 * have it around each queue pair, and the notification point that answers marks with CNPs. Requests and READ responses
 * of one end share its rate; answers do not wait. It does not hear what is acknowledged and what is lost.
 * Units: picoseconds, wire bytes, bit/s. Source: S1 V-B.
 */
import type { Serialization } from '../base/serialization.ts'
import type { CongestionControl } from '../transport/congestion/congestion.ts'
import { Pacing, PACING } from '../transport/pacing.ts'
import { ECT_0, NOT_ECT } from '../transport/segment.ts'
import type { Timers } from '../transport/timers.ts'

export interface VerbsRateLimiterOptions {
  readonly congestion: CongestionControl
  /** The control's own. */
  readonly timers: Timers
  readonly serialization: Serialization
  /** Preamble and gap of each frame. */
  readonly gapBytes: number
  /** Packets with data may be marked. */
  readonly isEcnCapable: boolean
  /** Least time between two CNPs to the other end; null: marks are not answered. */
  readonly cnpIntervalPs: number | null
  /** Of a CNP's frame. */
  readonly cnpBytes: number
  readonly cnpCodepoint: number
  /** A change of the rate moves a deadline that is already set. */
  readonly movesDeadline: boolean
}

export class VerbsRateLimiter {
  readonly congestion: CongestionControl
  /** Codepoint of packets with data. */
  readonly ecn: number
  readonly cnpBytes: number
  readonly cnpCodepoint: number
  cnpsSent = 0
  private readonly options: VerbsRateLimiterOptions
  private readonly timers: Timers
  private readonly pacing: Pacing
  private lastCnpPs = -Infinity

  constructor(options: VerbsRateLimiterOptions) {
    this.options = options
    this.congestion = options.congestion
    this.timers = options.timers
    this.ecn = options.isEcnCapable ? ECT_0 : NOT_ECT
    this.cnpBytes = options.cnpBytes
    this.cnpCodepoint = options.cnpCodepoint
    this.pacing = new Pacing(options.serialization, options.timers.memory.take(PACING))
  }

  /** No request or response before this time. */
  availablePs(nowPs: number): number {
    this.catchUp(nowPs)
    return this.pacing.availablePs
  }

  /** When the rate may change of itself, after availablePs() was asked; NEVER_PS: it stays. */
  get nextChangePs(): number {
    return this.timers.nextPs
  }

  /** A request or response starts. */
  onSent(nowPs: number, frameBytes: number): void {
    const wireBytes = frameBytes + this.options.gapBytes
    this.catchUp(nowPs)
    this.pacing.start(nowPs, wireBytes, this.congestion.rateBps)
    this.congestion.onSent(nowPs, wireBytes)
  }

  onCnp(nowPs: number, causePs: number): void {
    this.catchUp(nowPs)
    this.congestion.onCnp(nowPs, causePs)
    this.onRate()
  }

  onCnm(nowPs: number, feedback: number): void {
    this.catchUp(nowPs)
    this.congestion.onCnm(nowPs, feedback)
    this.onRate()
  }

  /** A marked packet arrived: whether a CNP goes to where it came from. */
  answersMark(nowPs: number): boolean {
    const { cnpIntervalPs } = this.options
    if (cnpIntervalPs === null || nowPs - this.lastCnpPs < cnpIntervalPs) return false
    this.lastCnpPs = nowPs
    this.cnpsSent++
    return true
  }

  /** Timers need no events of their own: each that has come since is told at its own time when somebody asks. */
  private catchUp(nowPs: number): void {
    const { timers } = this
    if (timers.nextPs > nowPs) return
    while (timers.nextPs <= nowPs) {
      const duePs = timers.nextPs
      const slot = timers.nextSlot
      timers.clear(slot)
      this.congestion.onTimer(duePs, slot)
    }
    this.onRate()
  }

  private onRate(): void {
    if (this.options.movesDeadline) this.pacing.move(this.congestion.rateBps)
  }
}
