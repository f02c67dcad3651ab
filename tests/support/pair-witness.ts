/**
 * Witness: observes a pair and derives from the posted messages alone what must happen. Its laws:
 * every packet sent belongs to a posted message, not before its predecessor, within the window, no faster than the
 * line;
 * payload is accepted once, in order unless the scheme is reordering, discarded only by schemes that declare it, and
 * counted to the byte;
 * nothing is acknowledged that was not delivered; a SEND waits for a Receive WQE; rates are above 0 and up to the line
 * rate, and whole where required; no deadline lies in the past.
 */
import { DATA, FIRST, LAST, RETH, RETRANSMITTED, SEND, type Segment } from '../../src/core/transport/segment.ts'
import type { Held, Operation, Pair, PairObserver } from './pair.ts'

interface Planned {
  readonly firstPsn: number
  readonly packets: number
  readonly sizeBytes: number
  readonly operation: Operation
}

interface WitnessOptions {
  readonly payloadBytes: number
  readonly lineRateBps: number
  readonly firstPsn: number
  /** Most packets in flight, or Infinity. */
  readonly windowPackets: number
  readonly receiveQueue: number | null
  readonly repostPs: number
  /** The recovery may discard what it has of an unfinished message. */
  readonly mayRewind: boolean
  /** The recovery accepts packets out of order; messages still complete in order. */
  readonly isReordering: boolean
  /** The expected PSN advances when a message is complete, or else by at least this many packets of it. */
  readonly blockPackets: number
  /** The last ACK may be lost for good: nothing else waits for it. */
  readonly mayMissLastAck: boolean
  /** Rates are rounded down to whole bit/s. */
  readonly hasWholeRates: boolean
}

/** Further findings are dropped: the first one matters. */
const MOST_FINDINGS = 5

export class Witness implements PairObserver {
  readonly broken: string[] = []
  /** Packets observed, so that a witness that saw nothing is not taken for a satisfied one. */
  seen = 0
  retransmitted = 0
  slowestBps = Infinity
  /** Set once, after the pair's creation. */
  pair!: Pair
  readonly #o: WitnessOptions
  readonly #plan: Planned[] = []
  #end: number
  #sentUpTo: number
  #highestExpected: number
  #lastSentPs = -Infinity
  #lastWireBytes = 0
  /** Packets of the current message held by the receiver, and bytes of the messages before. */
  #heldPackets = 0
  #wholeBytes = 0
  #at = 0
  readonly #sendsDonePs: number[] = []
  /** Reordering recovery: packets held beyond the expected one, and bytes of all that arrived. */
  readonly #placed = new Set<number>()
  #placedBytes = 0
  /**
   * Packets without payload received out of order: whether they were accepted shows when they become the next expected.
   */
  readonly #perhaps = new Set<number>()

  constructor(options: WitnessOptions) {
    this.#o = options
    this.#end = options.firstPsn
    this.#sentUpTo = options.firstPsn
    this.#highestExpected = options.firstPsn
  }

  onPost(_nowPs: number, sizeBytes: number, operation: Operation): void {
    const packets = Math.max(1, Math.ceil(sizeBytes / this.#o.payloadBytes))
    this.#plan.push({ firstPsn: this.#end, packets, sizeBytes, operation })
    this.#end += packets
  }

  onSent(nowPs: number, psn: number, segment: Readonly<Segment>): void {
    this.seen++
    const { pair } = this
    const message = this.#messageOf(psn)
    if (message === undefined) return this.#find(`PSN ${psn} sent, posted are ${this.#o.firstPsn} to ${this.#end - 1}`)
    if (psn > this.#sentUpTo) this.#find(`PSN ${psn} sent before ${this.#sentUpTo}`)
    const isAgain = psn < this.#sentUpTo
    if (isAgain) this.retransmitted++
    else this.#sentUpTo = psn + 1
    const offset = psn - message.firstPsn
    const isLast = offset === message.packets - 1
    const expected =
      (offset === 0 ? FIRST : 0) |
      (isLast ? LAST : 0) |
      (message.operation === 'send' ? SEND : 0) |
      (offset === 0 && message.operation === 'write' ? RETH : 0) |
      (isAgain ? RETRANSMITTED : 0)
    const mask = FIRST | LAST | SEND | RETH | RETRANSMITTED
    if ((segment.flags & mask) !== expected)
      this.#find(`PSN ${psn} sent with flags ${segment.flags & mask}, not ${expected}`)
    const bytes = this.#payloadOf(message, offset)
    if (segment.payloadBytes !== bytes) this.#find(`PSN ${psn} sent with ${segment.payloadBytes} bytes, not ${bytes}`)
    if (psn - pair.sender.una >= this.#o.windowPackets) this.#find(`PSN ${psn} sent out of the window`)
    const earliestPs = this.#lastSentPs + (this.#lastWireBytes * 8e12) / this.#o.lineRateBps
    if (nowPs < Math.floor(earliestPs))
      this.#find(`PSN ${psn} sent at ${nowPs} ps, the line is busy until ${earliestPs}`)
    this.#lastSentPs = nowPs
    this.#lastWireBytes = Math.max(64, bytes + 62 + ((expected & RETH) === 0 ? 0 : 16)) + 20
  }

  onArrival(nowPs: number, psn: number, segment: Readonly<Segment>, before: Held, after: Held): void {
    this.seen++
    const isChanged =
      before.expectedPsn !== after.expectedPsn || before.messages !== after.messages || before.bytes !== after.bytes
    if (after.expectedPsn > this.#highestExpected) this.#highestExpected = after.expectedPsn
    if (!isChanged) {
      if (this.#o.isReordering && segment.kind === DATA && segment.payloadBytes === 0 && psn > before.expectedPsn)
        this.#perhaps.add(psn)
      const isExpected = this.pair.receiver.expectedPsn === psn && !this.#placed.has(psn)
      if (isExpected && segment.kind === DATA && this.#o.receiveQueue === null)
        this.#find(`PSN ${psn} refused although it was expected`)
      return
    }
    if (this.#o.isReordering) return this.#onPlaced(nowPs, psn, before, after)
    const message = this.#plan[before.messages]
    if (message === undefined) return this.#find(`PSN ${psn} accepted behind the last message`)
    if (after.expectedPsn < before.expectedPsn) {
      if (!this.#o.mayRewind)
        this.#find(`the receiver went back from PSN ${before.expectedPsn} to ${after.expectedPsn}`)
      if (after.expectedPsn < message.firstPsn) this.#find(`the receiver forgot a whole message at PSN ${psn}`)
      this.#heldPackets = after.expectedPsn - message.firstPsn
    } else {
      const offset = psn - message.firstPsn
      if (psn !== before.expectedPsn || after.expectedPsn !== psn + 1 || offset !== this.#heldPackets)
        return this.#find(`PSN ${psn} accepted, expected was ${message.firstPsn + this.#heldPackets}`)
      if (offset === 0 && message.operation === 'send') this.#checkWqe(nowPs, psn)
      this.#heldPackets++
    }
    const isWhole = this.#heldPackets === message.packets
    if (after.messages !== before.messages + (isWhole ? 1 : 0))
      this.#find(`${after.messages - before.messages} messages delivered at PSN ${psn}`)
    if (isWhole) {
      this.#wholeBytes += message.sizeBytes
      this.#heldPackets = 0
      if (message.operation === 'send') this.#sendsDonePs.push(nowPs)
    }
    const bytes = this.#wholeBytes + this.#heldPackets * this.#o.payloadBytes
    if (after.bytes !== bytes) this.#find(`${after.bytes} bytes delivered at PSN ${psn}, not ${bytes}`)
  }

  /** One more packet was accepted, in whatever order. */
  #onPlaced(nowPs: number, psn: number, before: Held, after: Held): void {
    const message = this.#messageOf(psn)
    if (message === undefined) return this.#find(`PSN ${psn} accepted, but not posted`)
    if (psn < before.expectedPsn || this.#placed.has(psn)) return this.#find(`PSN ${psn} accepted twice`)
    this.#placed.add(psn)
    this.#placedBytes += this.#payloadOf(message, psn - message.firstPsn)
    let reached = before.expectedPsn
    while (this.#placed.has(reached) || (reached < after.expectedPsn && this.#perhaps.has(reached))) reached++
    let expected = before.expectedPsn
    let messages = before.messages
    for (let whole = this.#plan[messages]; whole !== undefined; whole = this.#plan[++messages]) {
      if (whole.firstPsn + whole.packets > reached) break
      expected = whole.firstPsn + whole.packets
      if (whole.operation !== 'send') continue
      this.#checkWqe(nowPs, psn)
      this.#sendsDonePs.push(nowPs)
    }
    if (reached - expected >= this.#o.blockPackets) expected = reached
    for (let done = before.expectedPsn; done < expected; done++) {
      this.#placed.delete(done)
      this.#perhaps.delete(done)
    }
    if (after.expectedPsn !== expected) this.#find(`expects PSN ${after.expectedPsn} behind ${psn}, not ${expected}`)
    if (after.messages !== messages) this.#find(`${after.messages} messages delivered at PSN ${psn}, not ${messages}`)
    if (after.bytes !== this.#placedBytes)
      this.#find(`${after.bytes} bytes delivered at PSN ${psn}, not ${this.#placedBytes}`)
  }

  onStep(nowPs: number): void {
    const { sender, receiver } = this.pair
    const { rateBps } = sender.congestion
    if (!(rateBps > 0 && rateBps <= this.#o.lineRateBps)) this.#find(`rate ${rateBps} at ${nowPs} ps`)
    else if (rateBps < this.slowestBps) this.slowestBps = rateBps
    if (this.#o.hasWholeRates && !Number.isInteger(rateBps)) this.#find(`rate ${rateBps} is not whole at ${nowPs} ps`)
    const deadlinePs = Math.min(sender.nextTimeoutPs, receiver.nextTimeoutPs)
    if (deadlinePs < nowPs) this.#find(`a deadline of ${deadlinePs} ps at ${nowPs} ps`)
    if (Number.isNaN(sender.nextSendPs)) this.#find(`no send time at ${nowPs} ps`)
    if (sender.acknowledgedMessages > receiver.deliveredMessages)
      this.#find(`${sender.acknowledgedMessages} messages acknowledged, ${receiver.deliveredMessages} delivered`)
    if (sender.una > this.#highestExpected) this.#find(`PSN ${sender.una - 1} acknowledged, but never accepted`)
    if (sender.una > sender.nxt || sender.nxt > sender.end)
      this.#find(`una ${sender.una}, nxt ${sender.nxt}, end ${sender.end}`)
  }

  /** To be called after a run that finished. */
  onFinished(): void {
    const { sender, receiver } = this.pair
    const bytes = this.#plan.reduce((sum, message) => sum + message.sizeBytes, 0)
    if (receiver.delivered.bytes !== bytes) this.#find(`${receiver.delivered.bytes} bytes delivered of ${bytes}`)
    if (receiver.expectedPsn !== this.#end) this.#find(`expects PSN ${receiver.expectedPsn}, not ${this.#end}`)
    if (!sender.isIdle && !this.#o.mayMissLastAck) this.#find('not idle')
    if (sender.retransmissions !== this.retransmitted)
      this.#find(`${sender.retransmissions} retransmissions counted of ${this.retransmitted}`)
  }

  #checkWqe(nowPs: number, psn: number): void {
    if (this.#o.receiveQueue === null) return
    const donePs = this.#sendsDonePs.at(-this.#o.receiveQueue)
    if (donePs !== undefined && nowPs < donePs + this.#o.repostPs) this.#find(`PSN ${psn} accepted without a WQE`)
  }

  #payloadOf(message: Planned, offset: number): number {
    const { payloadBytes } = this.#o
    return offset === message.packets - 1 ? message.sizeBytes - offset * payloadBytes : payloadBytes
  }

  #messageOf(psn: number): Planned | undefined {
    while (this.#at > 0 && psn < this.#plan[this.#at]!.firstPsn) this.#at--
    while (this.#at < this.#plan.length - 1 && psn >= this.#plan[this.#at + 1]!.firstPsn) this.#at++
    const message = this.#plan[this.#at]
    return message !== undefined && psn >= message.firstPsn && psn < this.#end ? message : undefined
  }

  #find(what: string): void {
    if (this.broken.length < MOST_FINDINGS) this.broken.push(what)
  }
}
