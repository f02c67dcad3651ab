/**
 * HOT. Receiver half of a QP: takes data packets, answers with ACKs, NAKs and CNPs; of a READ it is the requester
 * and answers with requests instead.
 * Invariant: payload is accepted once, in order unless the recovery takes it out of order; `deliveredMessages` counts messages whole to their last byte.
 * Source: S0 II-A, IBTA 9.7, DCQCN's notification point (S1 V-B).
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { assert } from '../base/assert.ts'
import { NEVER_PS } from '../base/params.ts'
import { creditCode, RNR_WAIT_US, SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../wire/aeth.ts'
import type { Endpoint } from './endpoint.ts'
import type { HeldAck } from './held-ack.ts'
import { Hops } from './hops.ts'
import { PSN_MASK, unwrapPsn } from './psn.ts'
import { ReceiveQueue } from './receive-queue.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { longestReadWaitPs, REPLY_ACK, REPLY_NAK, REPLY_SACK, type ReceiverRecovery } from './recovery/recovery.ts'
import {
  ACK,
  CE,
  CNP,
  DATA,
  ECE,
  FIRST,
  LAST,
  NAK,
  NOT_ECT,
  PATH_MASK,
  READ_REQUEST,
  RETRANSMITTED,
  RNR_NAK,
  RTT_REQUEST,
  RTT_RESPONSE,
  SACK,
  SEND,
  SHORT_MASK,
  type Segment,
} from './segment.ts'
import { ACK_TIMER, HELD_ACK_TIMER, RECOVERY_TIMER, type Timers } from './timers.ts'

/** Bits of what a receiver has to send. */
const OWES_ANSWER = 1
const OWES_CNP = 2
const OWES_RTT = 4
const OWES_HELD_ACK = 8
const OWES_READ = 16

/** Kinds of answers. */
const SEND_ACK = 1
const SEND_NAK = 2
const SEND_RNR = 3
const SEND_READ = 4
const SEND_SACK = 5

export class Receiver implements Endpoint {
  deliveredMessages = 0
  deliveredBytes = DOUBLE_ZERO
  /** Time the last message was whole. */
  deliveredPs = DOUBLE_ZERO
  naksSent = 0
  cnpsSent = 0
  timeouts = 0
  /** A reader gave up: its retry limit was reached. */
  isFailed = false

  private readonly options: ReceiverOptions
  private readonly retryLimit: number
  private retriesLeft: number
  /** A reader's next wait; NEVER_PS: it does not ask again. */
  private readWaitPs = DOUBLE_ZERO
  /** Since when it waits for the response that is next. */
  private waitingPs = DOUBLE_ZERO
  private readonly recovery: ReceiverRecovery
  private readonly timers: Timers
  /** The bit of an ACK that echoes a mark, or 0. */
  private readonly echoBit: number
  /** Bits; 0: it has nothing to send. */
  owes = 0
  private answer = 0
  private answerPsn = 0
  private answerBytes = 0
  private answerSackPsn = 0
  /** RETRANSMITTED, the size and the path of the packet answered. */
  private answerFlags = 0
  /** ECE when a mark is to be echoed. */
  private echo = 0
  private readonly heldAck: HeldAck | null
  /** Time of the RTT request that waits for its answer. */
  private probePs = DOUBLE_ZERO
  private lastCnpPs = -Infinity
  /** Of times when something was forgotten. */
  private forgottenPeakBytes = DOUBLE_ZERO
  private sentPs = DOUBLE_ZERO
  private delayPs = DOUBLE_ZERO
  /** Of the latest packet; null: nobody wants to know. */
  private readonly hops: Hops | null
  /** READs asked for but not yet requested on the wire: sizes, in order. */
  private readonly reads: number[] = []
  /** Sizes of READs requested and not yet whole, in order. */
  private readonly reading: number[] = []
  private readEnd = 0
  /** null: there are always enough. */
  private readonly wqes: ReceiveQueue | null
  /** While an RNR NAK makes the sender wait. */
  private rnrUntilPs = -Infinity

  constructor(options: ReceiverOptions) {
    this.options = options
    this.recovery = options.recovery
    this.timers = options.timers
    this.echoBit = options.echoInAck ? ECE : 0
    this.hops = options.echoesHops ? new Hops() : null
    this.heldAck = options.heldAck
    this.deliveredBytes = 0
    this.retriesLeft = this.retryLimit = options.retryLimit ?? Infinity
    this.readWaitPs = options.readTimeout?.firstPs ?? NEVER_PS
    this.wqes = options.receiveQueue === null ? null : new ReceiveQueue(options.receiveQueue, options.repostPs)
  }

  get nextSendPs(): number {
    return this.owes !== 0 ? 0 : NEVER_PS
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
  }

  /** The most bytes ever delivered at once. */
  get peakBytes(): number {
    return this.deliveredBytes > this.forgottenPeakBytes ? this.deliveredBytes : this.forgottenPeakBytes
  }

  /** Next PSN expected; for observers and checkers. */
  get expectedPsn(): number {
    return this.recovery.epsn
  }

  /** Packets are taken out of order. */
  get isReordering(): boolean {
    return this.recovery.isReordering !== 0
  }

  /** PSN that was last reported missing, or -1. */
  get reportedPsn(): number {
    return this.recovery.reportedPsn
  }

  /** Asks the other side for `sizeBytes` (READ). */
  read(sizeBytes: number): void {
    assert(this.options.isReader, 'a READ on a QP that is not a reader')
    this.reads.push(sizeBytes)
    if (!this.isFailed) this.owes |= OWES_READ
  }

  onSegment(nowPs: number, segment: Segment): void {
    if (this.isFailed) return
    if (segment.kind !== DATA) {
      if (segment.kind !== RTT_REQUEST) return
      this.owes |= OWES_RTT
      this.probePs = segment.sentPs
      return
    }
    const options = this.options
    // The responder is there, though maybe not with what is next: a reader does not give up.
    this.retriesLeft = this.retryLimit
    const isMarked = segment.ecn === CE
    if (isMarked && options.cnpIntervalPs !== null && nowPs - this.lastCnpPs >= options.cnpIntervalPs) {
      this.owes |= OWES_CNP
      this.lastCnpPs = nowPs
    }
    this.sentPs = segment.sentPs
    this.delayPs = nowPs - segment.sentPs
    if (this.hops !== null) this.hops.take(segment.hops)
    const recovery = this.recovery
    const psn = unwrapPsn(segment.psn, recovery.epsn)
    const wqes = (segment.flags & SEND) === 0 ? null : this.wqes
    if (wqes !== null && psn === recovery.epsn && (segment.flags & FIRST) !== 0 && !wqes.hasNext(nowPs)) {
      this.answerWith(SEND_RNR, psn)
      this.rnrUntilPs = nowPs + RNR_WAIT_US[options.rnrCode]! * 1e6
      this.releaseAck()
      return
    }
    // Out of order and without a WQE: as if it had never come (S3 B.3).
    const isEarly = recovery.isReordering !== 0 && psn > recovery.epsn
    if (isEarly && wqes !== null && !wqes.hasFor(nowPs, segment.syndrome)) return
    // What follows a packet without a WQE was sent before the sender knew: no gap is reported, which would close the
    // NAK gate for a loss to come. The sender cannot start again before this time.
    if (psn > recovery.epsn && nowPs < this.rnrUntilPs) return
    if (isMarked) this.echo = this.echoBit
    this.answerFlags = segment.flags & (RETRANSMITTED | SHORT_MASK | PATH_MASK)
    const before = recovery.epsn
    const isAccepted = recovery.onData(nowPs, psn, segment)
    if (isAccepted) this.accept(nowPs, segment)
    // Go-back-0 forgets what it had of the message; only whole packets can be forgotten.
    else if (recovery.epsn < before) {
      if (this.deliveredBytes > this.forgottenPeakBytes) this.forgottenPeakBytes = this.deliveredBytes
      this.deliveredBytes -= (before - recovery.epsn) * options.payloadBytes
    }
    this.takeReply(nowPs, isAccepted && (segment.flags & LAST) === 0)
  }

  private answerWith(answer: number, psn: number): void {
    this.answer = answer
    this.answerPsn = psn
    this.owes |= OWES_ANSWER
  }

  /** What the recovery wants to be answered; `mayWait`: an ACK need not go at once. */
  private takeReply(nowPs: number, mayWait: boolean): void {
    const { reply, replyPsn } = this.recovery
    if (reply === REPLY_ACK) {
      if (this.options.isReader && !this.options.acksReads) return
      if (this.heldAck !== null && this.holdsAck(nowPs, replyPsn, mayWait)) return
      this.answerWith(SEND_ACK, replyPsn)
    } else if (reply === REPLY_NAK || reply === REPLY_SACK) {
      this.releaseAck()
      if (this.options.isReader && !this.options.naksReads) {
        if (reply === REPLY_NAK) this.askAgain(this.recovery.epsn)
        return
      }
      this.answerWith(reply === REPLY_NAK ? SEND_NAK : SEND_SACK, replyPsn)
      this.answerSackPsn = this.recovery.sackPsn
    }
  }

  /** Whether the ACK of `psn` waits for more; an older one with another echo goes first. */
  private holdsAck(nowPs: number, psn: number, mayWait: boolean): boolean {
    const heldAck = this.heldAck!
    const isHeld = heldAck.mayJoin(this.echo, mayWait)
    if (heldAck.isDue) this.owes |= OWES_HELD_ACK
    if (heldAck.packets === 0) this.timers.clear(HELD_ACK_TIMER)
    if (!isHeld) return false
    if (heldAck.packets === 0) this.timers.set(HELD_ACK_TIMER, nowPs + heldAck.delayPs)
    heldAck.hold(psn, this.echo, this.sentPs, this.delayPs)
    this.echo = 0
    return true
  }

  /** Nothing is said before an ACK that is held. */
  private releaseAck(): void {
    if (this.heldAck === null) return
    this.heldAck.release()
    if (this.heldAck.isDue) this.owes |= OWES_HELD_ACK
    this.timers.clear(HELD_ACK_TIMER)
  }

  pollTransmit(nowPs: number, out: Segment): boolean {
    out.ecn = NOT_ECT
    out.flags = 0
    out.payloadBytes = 0
    out.syndrome = 0
    out.sentPs = this.sentPs
    out.delayPs = this.delayPs
    if (this.hops !== null) out.hops.take(this.hops)
    if ((this.owes & OWES_CNP) !== 0) {
      this.owes &= ~OWES_CNP
      this.cnpsSent++
      out.kind = CNP
      out.psn = 0
      return true
    }
    if ((this.owes & OWES_RTT) !== 0) {
      this.owes &= ~OWES_RTT
      out.kind = RTT_RESPONSE
      out.psn = 0
      out.sentPs = this.probePs
      out.delayPs = 0
      return true
    }
    if ((this.owes & OWES_HELD_ACK) !== 0) {
      this.owes &= ~OWES_HELD_ACK
      this.heldAck!.fill(out)
      out.kind = ACK
      out.syndrome = this.creditCode(nowPs)
      return true
    }
    if ((this.owes & OWES_ANSWER) === 0) return this.pollRead(nowPs, out)
    switch (this.answer) {
      case SEND_ACK:
      case SEND_SACK:
        out.kind = ACK
        out.syndrome = this.creditCode(nowPs)
        this.echoInto(out)
        if (this.answer === SEND_ACK) break
        out.sackPsn = this.answerSackPsn & PSN_MASK
        out.flags |= SACK
        break
      case SEND_NAK:
        out.kind = NAK
        out.syndrome = SYNDROME_PSN_ERROR
        out.sackPsn = this.answerSackPsn & PSN_MASK
        this.naksSent++
        this.echoInto(out)
        break
      case SEND_RNR:
        out.kind = RNR_NAK
        out.syndrome = SYNDROME_RNR | this.options.rnrCode
        break
      case SEND_READ:
        out.kind = READ_REQUEST
        out.payloadBytes = this.answerBytes
        out.flags = RETRANSMITTED
        this.armRead(nowPs)
        break
    }
    out.psn = this.answerPsn & PSN_MASK
    this.owes &= ~OWES_ANSWER
    return true
  }

  onTimeout(nowPs: number): void {
    const timers = this.timers
    if (timers.nextPs > nowPs) return
    const slot = timers.nextSlot
    timers.clear(slot)
    if (slot === RECOVERY_TIMER) {
      this.recovery.onTimer(nowPs)
      // A NAK that the timer brings is no late answer: the wait is not part of the round trip it tells.
      if (this.recovery.reply === REPLY_NAK) this.sentPs = nowPs - this.delayPs
      this.takeReply(nowPs, false)
      return
    }
    if (slot === HELD_ACK_TIMER) {
      this.releaseAck()
      return
    }
    if (this.recovery.epsn >= this.readEnd) return
    if (this.retriesLeft-- === 0) {
      this.isFailed = true
      this.owes = 0
      return
    }
    this.timeouts++
    this.waitUpTo(2 * this.readWaitPs)
    this.releaseAck()
    this.askAgain(this.recovery.epsn)
  }

  private accept(nowPs: number, segment: Segment): void {
    this.deliveredBytes += segment.payloadBytes
    const { readTimeout } = this.options
    if (readTimeout !== null) {
      // A slow responder takes as long for the next one, and some more; not twice as long, as it may have been a loss.
      const { firstPs } = readTimeout
      this.waitUpTo(Math.max(firstPs, nowPs - this.waitingPs + Math.min(firstPs, nowPs - this.waitingPs)))
      this.waitingPs = nowPs
      this.armRead(nowPs)
    }
    const recovery = this.recovery
    if (recovery.isReordering !== 0) {
      if (recovery.wholeMessages > 0) this.complete(nowPs, recovery.wholeMessages, recovery.wholeSends)
    } else if ((segment.flags & LAST) !== 0) this.complete(nowPs, 1, (segment.flags & SEND) === 0 ? 0 : 1)
  }

  private complete(nowPs: number, messages: number, sends: number): void {
    this.deliveredMessages += messages
    this.deliveredPs = nowPs
    if (this.options.isReader) this.reading.splice(0, messages)
    if (this.wqes !== null) this.wqes.consume(nowPs, sends)
  }

  private creditCode(nowPs: number): number {
    return creditCode(this.wqes === null ? Infinity : this.wqes.credits(nowPs))
  }

  private echoInto(out: Segment): void {
    out.flags = this.echo | this.answerFlags
    this.echo = 0
  }

  /** Requests the READ that holds `psn` again: all of it if its first request was lost, else from `psn` on. */
  private askAgain(psn: number): void {
    this.answerWith(SEND_READ, psn)
    this.answerBytes = this.reading[0] ?? 0
  }

  private pollRead(nowPs: number, out: Segment): boolean {
    const sizeBytes = this.reads.shift()
    if (sizeBytes === undefined) return false
    if (this.reads.length === 0) this.owes &= ~OWES_READ
    out.kind = READ_REQUEST
    out.psn = this.readEnd & PSN_MASK
    out.payloadBytes = sizeBytes
    this.reading.push(sizeBytes)
    if (this.recovery.epsn >= this.readEnd) this.waitingPs = nowPs
    this.readEnd += sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / this.options.payloadBytes)
    this.armRead(nowPs)
    return true
  }

  private waitUpTo(waitPs: number): void {
    this.readWaitPs = Math.min(waitPs, longestReadWaitPs(this.options.readTimeout!))
  }

  private armRead(nowPs: number): void {
    if (this.readWaitPs === NEVER_PS) return
    if (this.recovery.epsn < this.readEnd) this.timers.set(ACK_TIMER, nowPs + this.readWaitPs)
    else this.timers.clear(ACK_TIMER)
  }
}
