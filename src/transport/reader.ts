/**
 * Reader: what a receiver keeps that asks for its data (READ): what it wants, what it has asked for and not yet got, and
 * how long it waits before it asks again.
 * Units: picoseconds, bytes, unbounded PSNs of the responses.
 * Invariant: what is asked for ends at `end`; requests go out in the order of `want`.
 * Source: S2 4.1 and S4 3.1 (READ); waits and the absence of NAKs as docs/models/go-back-n.md argues.
 */
import { NEVER_PS } from '../base/params.ts'
import { longestReadWaitPs, type Timeout } from './recovery/recovery.ts'
import { ACK_TIMER, type Timers } from './timers.ts'

export interface ReaderOptions {
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
  /** Sizes not yet requested on the wire, and those requested and not yet whole, in order. */
  private readonly wanted: number[] = []
  private readonly asked: number[] = []

  constructor(options: ReaderOptions) {
    this.options = options
    this.timers = options.timers
    this.retriesLeft = options.retryLimit ?? Infinity
    this.waitPs = options.readTimeout?.firstPs ?? NEVER_PS
  }

  /** Something is wanted that was not yet asked for. */
  get wantsMore(): boolean {
    return this.wanted.length > 0
  }

  /** Bytes of the READ that is not yet whole and came first. */
  get firstBytes(): number {
    return this.asked[0] ?? 0
  }

  want(sizeBytes: number): void {
    this.wanted.push(sizeBytes)
  }

  /** Asks for what is wanted next, of which there is something: its size. `epsn`: the next response expected. */
  ask(nowPs: number, epsn: number): number {
    const sizeBytes = this.wanted.shift()!
    this.asked.push(sizeBytes)
    if (epsn >= this.end) this.sincePs = nowPs
    this.end += sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / this.options.payloadBytes)
    this.arm(nowPs, epsn)
    return sizeBytes
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
    this.asked.splice(0, messages)
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
