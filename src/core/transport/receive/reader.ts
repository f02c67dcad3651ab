/**
 * Reader: state of a READ requester: READs posted, requested and not yet complete, and the response timer.
 * Units: picoseconds, bytes, unbounded PSNs of the responses.
 * Invariant: everything requested so far ends at `end`; requests are sent, and repeated, in posting order.
 * Source: [MS-Scale] 4.1 and [LDCP] 3.1 (READ), IBTA 9.7.5.1 and 9.7.6.1 (requests out of sequence); waits as
 * docs/models/go-back-n.md argues.
 */
import { NEVER_PS } from '../../base/params.ts'
import { type RetrySchedule, RetryTimers } from '../retry.ts'
import { longestReadWaitPs, type Timeout } from '../recovery/recovery.ts'
import { ACK_TIMER, type Timers } from '../timers.ts'

interface ReaderOptions {
  readonly timers: Timers
  readonly payloadBytes: number
  /** null: requests are never repeated. */
  readonly readTimeout: Timeout | null
  /** Consecutive timeouts without a response before it gives up; null: no limit. */
  readonly retryLimit: number | null
  readonly retry?: RetrySchedule | null
  readonly readsByProgress?: boolean
}

export class Reader {
  /** One past the last PSN requested. */
  end = 0
  private readonly options: ReaderOptions
  private readonly timers: Timers
  private readonly byProgress: boolean
  readonly retry: RetryTimers | null
  private readonly retryLimit: number
  private retriesLeft: number
  /** The next timeout; NEVER_PS: requests are not repeated. */
  private waitPs: number
  /** Start of the wait for the next response. */
  private sincePs = 0
  /** Incomplete READs in order: bytes, and the first PSN of the responses. */
  private readonly sizes: number[] = []
  private readonly firstPsns: number[] = []
  /** Number of these READs that are requested, or whose request need not be repeated. */
  private requested = 0
  /** One past the last PSN of the posted READs. */
  private postedEnd = 0

  constructor(options: ReaderOptions) {
    this.options = options
    this.timers = options.timers
    this.byProgress = options.readsByProgress ?? false
    this.retry = options.retry == null ? null : new RetryTimers(options.retry)
    this.retryLimit = this.retry?.limitOf(options.retryLimit) ?? options.retryLimit ?? Infinity
    this.retriesLeft = this.retryLimit
    this.waitPs = options.readTimeout?.firstPs ?? NEVER_PS
  }

  /** A request is due. */
  get hasRequests(): boolean {
    return this.requested < this.sizes.length
  }

  /** First PSN of the next request. */
  get requestPsn(): number {
    return this.firstPsns[this.requested]!
  }

  /** Bytes of the oldest incomplete READ. */
  get firstBytes(): number {
    return this.requested > 0 ? this.sizes[0]! : 0
  }

  /** Sets the first PSN of the responses, if it is not 0. Called before the first READ. */
  startAt(psn: number): void {
    this.end = this.postedEnd = psn
  }

  /** Adds a READ whose request was sent by other means. `epsn`: the next response expected. */
  expect(nowPs: number, epsn: number, sizeBytes: number): void {
    this.post(sizeBytes)
    this.takeRequest(nowPs, epsn)
  }

  post(sizeBytes: number): void {
    this.sizes.push(sizeBytes)
    this.firstPsns.push(this.postedEnd)
    this.postedEnd += sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / this.options.payloadBytes)
  }

  /** Marks the next request, which must exist, as sent; returns its size. `epsn`: the next response expected. */
  takeRequest(nowPs: number, epsn: number): number {
    const sizeBytes = this.sizes[this.requested++]!
    const end = this.firstPsns[this.requested] ?? this.postedEnd
    if (end > this.end) {
      if (epsn >= this.end) this.sincePs = nowPs
      this.end = end
    }
    this.arm(nowPs, epsn)
    return sizeBytes
  }

  /** Repeats the requests behind the oldest READ: they may be lost too (IBTA 9.7.6.1.3). */
  requestAgainBehindFirst(): void {
    if (this.requested > 1) this.requested = 1
  }

  /**
   * The responder lacks the request that begins with `psn` and has dropped those behind it: all of them are sent again,
   * unless a response shows that the request has arrived by now.
   */
  onRequestNak(psn: number, epsn: number): void {
    this.onResponse()
    if (psn < epsn) return
    const index = this.firstPsns.indexOf(psn)
    if (index >= 0 && index < this.requested) this.requested = index
  }

  /** Any response shows that the responder is alive: resets the count of timeouts, unless only progress does. */
  onResponse(): void {
    if (!this.byProgress) this.retriesLeft = this.retryLimit
  }

  /** The next response was accepted. */
  onProgress(nowPs: number, epsn: number): void {
    const { readTimeout } = this.options
    if (readTimeout === null) return
    if (this.byProgress) this.retriesLeft = this.retryLimit
    // A slow responder may take as long for the next one, and somewhat more; not twice as long, as the wait may have
    // been due to a loss.
    const { firstPs } = readTimeout
    this.waitUpTo(readTimeout, Math.max(firstPs, nowPs - this.sincePs + Math.min(firstPs, nowPs - this.sincePs)))
    this.sincePs = nowPs
    this.arm(nowPs, epsn)
  }

  /** The oldest `messages` READs are complete. */
  onWhole(messages: number): void {
    this.sizes.splice(0, messages)
    this.firstPsns.splice(0, messages)
    this.requested = Math.max(0, this.requested - messages)
  }

  /** Doubles the timeout after it has expired, unless it is fixed; false if the retry limit is reached. */
  mayRetry(): boolean {
    this.retry?.onTimeout(this.retryLimit - this.retriesLeft)
    if (this.retriesLeft-- === 0) return false
    const { readTimeout } = this.options
    if (readTimeout !== null) this.waitUpTo(readTimeout, 2 * this.waitPs)
    return true
  }

  /** Starts the response timer if responses are outstanding. */
  arm(nowPs: number, epsn: number): void {
    if (this.waitPs === NEVER_PS) return
    const waitPs = this.retry?.waitPs(this.retryLimit - this.retriesLeft) ?? this.waitPs
    if (epsn < this.end) this.timers.set(ACK_TIMER, nowPs + waitPs)
    else this.timers.clear(ACK_TIMER)
  }

  private waitUpTo(timeout: Timeout, waitPs: number): void {
    if (!this.byProgress) this.waitPs = Math.min(waitPs, longestReadWaitPs(timeout))
  }
}
