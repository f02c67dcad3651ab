/**
 * Reader: what a receiver keeps that asks for its data (READ): what it wants, what it has asked for and not yet got, and
 * how long it waits before it asks again.
 * Units: picoseconds, bytes, unbounded PSNs of the responses.
 * Invariant: what was ever asked for ends at `end`; requests go out in the order of `want`, and again in that order.
 * Source: [MS-Scale] 4.1 and [LDCP] 3.1 (READ), IBTA 9.7.5.1 and 9.7.6.1 (requests out of sequence); waits as docs/models/go-back-n.md argues.
 */
import { NEVER_PS } from '../../base/params.ts'
import { longestReadWaitPs, type Timeout } from '../recovery/recovery.ts'
import { ACK_TIMER, type Timers } from '../timers.ts'

interface ReaderOptions {
  readonly timers: Timers
  readonly payloadBytes: number
  /** null: it never asks again. */
  readonly readTimeout: Timeout | null
  /** Timeouts in a row without a response before it gives up; null: no limit. */
  readonly retryLimit: number | null
}

export class Reader {
  /** One past the last PSN asked for. */
  end = 0
  private readonly options: ReaderOptions
  private readonly timers: Timers
  private retriesLeft: number
  /** The next wait; NEVER_PS: it does not ask again. */
  private waitPs: number
  /** Since when it waits for the response that is next. */
  private sincePs = 0
  /** READs that are not yet whole, in order: bytes, and the first PSN of the responses. */
  private readonly sizes: number[] = []
  private readonly firstPsns: number[] = []
  /** So many of them are asked for, or need not be asked for again. */
  private asked = 0
  /** One past the last PSN wanted. */
  private wantedEnd = 0

  constructor(options: ReaderOptions) {
    this.options = options
    this.timers = options.timers
    this.retriesLeft = options.retryLimit ?? Infinity
    this.waitPs = options.readTimeout?.firstPs ?? NEVER_PS
  }

  /** A request is to be sent. */
  get hasRequests(): boolean {
    return this.asked < this.sizes.length
  }

  /** First PSN of the request that is to be sent next. */
  get requestPsn(): number {
    return this.firstPsns[this.asked]!
  }

  /** Bytes of the READ that is not yet whole and came first. */
  get firstBytes(): number {
    return this.asked > 0 ? this.sizes[0]! : 0
  }

  /** The first PSN of the responses, where it is not 0; before anything is wanted. */
  startAt(psn: number): void {
    this.end = this.wantedEnd = psn
  }

  /** What was asked for by another way is due. `epsn`: the next response expected. */
  expect(nowPs: number, epsn: number, sizeBytes: number): void {
    this.want(sizeBytes)
    this.ask(nowPs, epsn)
  }

  want(sizeBytes: number): void {
    this.sizes.push(sizeBytes)
    this.firstPsns.push(this.wantedEnd)
    this.wantedEnd += sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / this.options.payloadBytes)
  }

  /** Asks for what is next, of which there is something: its size. `epsn`: the next response expected. */
  ask(nowPs: number, epsn: number): number {
    const sizeBytes = this.sizes[this.asked++]!
    const end = this.firstPsns[this.asked] ?? this.wantedEnd
    if (end > this.end) {
      if (epsn >= this.end) this.sincePs = nowPs
      this.end = end
    }
    this.arm(nowPs, epsn)
    return sizeBytes
  }

  /** What was asked for behind the READ that is next is asked for again: its requests may be lost too (IBTA 9.7.6.1.3). */
  askAgainBehindFirst(): void {
    if (this.asked > 1) this.asked = 1
  }

  /**
   * The responder misses the request that begins with `psn` and has dropped what came behind it: all of them are to be
   * sent again. Not when a response says that it has it by now.
   */
  onRequestNak(psn: number, epsn: number): void {
    this.onResponse()
    if (psn < epsn) return
    const index = this.firstPsns.indexOf(psn)
    if (index >= 0 && index < this.asked) this.asked = index
  }

  /** A response came, maybe not the next: the responder is there, and the reader does not give up. */
  onResponse(): void {
    this.retriesLeft = this.options.retryLimit ?? Infinity
  }

  /** The next response was taken. */
  onProgress(nowPs: number, epsn: number): void {
    const { readTimeout } = this.options
    if (readTimeout === null) return
    // A slow responder takes as long for the next one, and some more; not twice as long, as it may have been a loss.
    const { firstPs } = readTimeout
    this.waitUpTo(readTimeout, Math.max(firstPs, nowPs - this.sincePs + Math.min(firstPs, nowPs - this.sincePs)))
    this.sincePs = nowPs
    this.arm(nowPs, epsn)
  }

  /** So many READs are whole. */
  onWhole(messages: number): void {
    this.sizes.splice(0, messages)
    this.firstPsns.splice(0, messages)
    this.asked = Math.max(0, this.asked - messages)
  }

  /** The wait is over, and the next one is longer; false: it gives up. */
  mayAskAgain(): boolean {
    if (this.retriesLeft-- === 0) return false
    const { readTimeout } = this.options
    if (readTimeout !== null) this.waitUpTo(readTimeout, 2 * this.waitPs)
    return true
  }

  /** The wait begins, if something is to come. */
  arm(nowPs: number, epsn: number): void {
    if (this.waitPs === NEVER_PS) return
    if (epsn < this.end) this.timers.set(ACK_TIMER, nowPs + this.waitPs)
    else this.timers.clear(ACK_TIMER)
  }

  private waitUpTo(timeout: Timeout, waitPs: number): void {
    this.waitPs = Math.min(waitPs, longestReadWaitPs(timeout))
  }
}
