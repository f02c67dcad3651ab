/**
 * HOT. Receiver half of a QP: takes data packets, answers with ACKs, NAKs and CNPs; of a READ it is the requester
 * and answers with requests instead.
 * Invariant: payload is accepted once, in order unless the recovery takes it out of order; `deliveredMessages` counts messages whole to their last byte.
 * Source: S0 II-A, IBTA 9.7, DCQCN's notification point (S1 V-B).
 */
import { assert } from '../base/assert.ts'
import { DOUBLES } from '../base/memory.ts'
import { NEVER_PS } from '../base/params.ts'
import { creditCode, RNR_WAIT_US, SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../wire/aeth.ts'
import { Delivered } from './delivered.ts'
import type { Endpoint } from './endpoint.ts'
import type { HeldAck } from './held-ack.ts'
import { Hops } from './hops.ts'
import { PSN_MASK, unwrapPsn } from './psn.ts'
import { Reader } from './reader.ts'
import { ReceiveQueue } from './receive-queue.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { NO_REPLY, REPLY_ACK, REPLY_NAK, REPLY_SACK, type ReceiverRecovery } from './recovery/recovery.ts'
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
import { HELD_ACK_TIMER, RECOVERY_TIMER, type Timers } from './timers.ts'

/** Bits of what a receiver has to send. */
const OWES_ANSWER = 1
const OWES_CNP = 2
const OWES_RTT = 4
const OWES_HELD_ACK = 8
const OWES_READ = 16
const OWES_ANY_ANSWER = OWES_ANSWER | OWES_HELD_ACK

/** Kinds of answers. */
const SEND_ACK = 1
const SEND_NAK = 2
const SEND_REFUSAL = 3
const SEND_READ = 4
const SEND_SACK = 5

/** A refusal without an answer: as if the packet had never come. */
export const UNHEARD = -1

const doubles = DOUBLES

/** Doubles of its record, a cache line. Of the packet that is to be answered: transmission start, time under way. */
const SENT_PS = 0
const DELAY_PS = 1
/** Of what was delivered: three. */
const DELIVERED = 2
const LAST_CNP_PS = 5
/** Time of the RTT request that waits for its answer. */
const PROBE_PS = 6
/** While an RNR NAK makes the sender wait. */
const RNR_UNTIL_PS = 7
const RECORD = 8

export class Receiver<S extends Segment = Segment> implements Endpoint<S> {
  // What the path of a packet touches comes first, so that it shares cache lines.
  protected readonly recovery: ReceiverRecovery
  /** Where its record is, in doubles. */
  private readonly at: number
  readonly delivered: Delivered
  /** Bits; 0: it has nothing to send. */
  owes = 0
  deliveredMessages = 0
  /** null: its data come unasked. */
  protected readonly reader: Reader | null
  /** null: there are always enough. */
  private readonly wqes: ReceiveQueue | null
  /** Of the latest packet; null: nobody wants to know. */
  private readonly hops: Hops | null
  private readonly heldAck: HeldAck | null
  /** A reader gave up: its retry limit was reached. */
  isFailed = false
  private answer = 0
  private answerPsn = 0
  private answerSackPsn = 0
  /** Syndrome of the refusal that is to be answered. */
  private refusal = 0
  /** RETRANSMITTED, the size and the path of the packet answered. */
  private answerFlags = 0
  /** ECE when a mark is to be echoed. */
  private echo = 0
  /** The bit of an ACK that echoes a mark, or 0. */
  private readonly echoBit: number
  private answerBytes = 0
  naksSent = 0
  cnpsSent = 0
  timeouts = 0
  private readonly options: ReceiverOptions
  private readonly timers: Timers

  constructor(options: ReceiverOptions) {
    this.options = options
    this.recovery = options.recovery
    this.timers = options.timers
    this.echoBit = options.echoInAck ? ECE : 0
    this.hops = options.echoesHops ? new Hops() : null
    this.heldAck = options.heldAck
    this.reader = options.isReader ? new Reader(options) : null
    this.wqes = options.receiveQueue === null ? null : new ReceiveQueue(options.receiveQueue, options.repostPs)
    this.at = options.timers.memory.takeRecord(2 * RECORD) >> 1
    this.delivered = new Delivered(this.at + DELIVERED)
    doubles[this.at | LAST_CNP_PS] = -Infinity
    doubles[this.at | RNR_UNTIL_PS] = -Infinity
  }

  get nextSendPs(): number {
    return this.owes !== 0 ? 0 : NEVER_PS
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
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

  /** It has nothing to say, now or at a deadline. */
  get isSilent(): boolean {
    return this.owes === 0 && this.timers.nextPs === NEVER_PS
  }

  /** Gives its record back. Only its counters and what it has delivered may be read from now on. */
  release(): void {
    this.delivered.close()
    this.timers.memory.giveRecord(2 * this.at, 2 * RECORD)
  }

  /** Asks the other side for `sizeBytes` (READ). */
  read(sizeBytes: number): void {
    assert(this.reader !== null, 'a READ on a QP that is not a reader')
    this.reader.want(sizeBytes)
    if (!this.isFailed) this.owes |= OWES_READ
  }

  onSegment(nowPs: number, segment: S): void {
    if (this.isFailed) return
    if (segment.kind !== DATA) {
      if (segment.kind === NAK && this.reader !== null) {
        this.reader.onRequestNak(unwrapPsn(segment.psn, this.recovery.epsn), this.recovery.epsn)
        if (this.reader.hasRequests) this.owes |= OWES_READ
      }
      if (segment.kind !== RTT_REQUEST) return
      this.owes |= OWES_RTT
      doubles[this.at | PROBE_PS] = segment.sentPs
      return
    }
    const { at, reader } = this
    if (reader !== null) reader.onResponse()
    const isMarked = segment.ecn === CE
    if (isMarked) this.notify(nowPs)
    doubles[at | SENT_PS] = segment.sentPs
    doubles[at | DELAY_PS] = nowPs - segment.sentPs
    if (this.hops !== null) this.hops.take(segment.hops)
    const recovery = this.recovery
    const psn = unwrapPsn(segment.psn, recovery.epsn)
    const refusal = this.refusalOf(nowPs, psn, segment)
    if (refusal !== 0) {
      if (refusal !== UNHEARD) this.refuse(nowPs, psn, refusal)
      return
    }
    // Sent before the sender knew: a NAK now would close the gate for a loss to come. It starts again after this time.
    if (psn > recovery.epsn && nowPs < doubles[at | RNR_UNTIL_PS]!) return
    this.answerFlags = segment.flags & (RETRANSMITTED | SHORT_MASK | PATH_MASK)
    const before = recovery.epsn
    const isAccepted = recovery.onData(nowPs, psn, segment)
    // The mark of a packet that is dropped without a word is not told in the answer to another (S4 2.2).
    if (isMarked && (isAccepted || recovery.reply !== NO_REPLY)) this.echo = this.echoBit
    else if (recovery.reply === REPLY_NAK && psn > before && this.options.marksNaks) {
      this.echo = this.echoBit
      this.notify(nowPs)
    }
    if (isAccepted) this.accept(nowPs, psn, segment)
    else if (recovery.epsn < before) this.forget(before - recovery.epsn)
    this.takeReply(nowPs, isAccepted && (segment.flags & LAST) === 0)
  }

  /**
   * Why a packet is not taken though it came: a syndrome, which its sender is told; UNHEARD; or 0: it may be. Only what
   * is new is asked about: the packet expected, and where packets are taken out of order those behind it.
   */
  protected refusalOf(nowPs: number, psn: number, segment: S): number {
    const wqes = (segment.flags & SEND) === 0 ? null : this.wqes
    if (wqes === null) return 0
    const { recovery } = this
    if (psn === recovery.epsn && (segment.flags & FIRST) !== 0 && !wqes.hasNext(nowPs))
      return SYNDROME_RNR | this.options.rnrCode
    // Out of order and without a WQE (S3 B.3).
    const isEarly = recovery.isReordering !== 0 && psn > recovery.epsn
    return isEarly && !wqes.hasFor(nowPs, segment.syndrome) ? UNHEARD : 0
  }

  /** Answers the packet expected with a NAK of this syndrome, which is not that of a PSN error. */
  private refuse(nowPs: number, psn: number, syndrome: number): void {
    this.answerWith(SEND_REFUSAL, psn)
    this.refusal = syndrome
    if (syndrome < SYNDROME_PSN_ERROR) doubles[this.at | RNR_UNTIL_PS] = nowPs + RNR_WAIT_US[syndrome & 0x1f]! * 1e6
    this.releaseAck()
  }

  /** A marked packet: a CNP is due, if there are any and the last one is long enough ago (S1 V-B). */
  private notify(nowPs: number): void {
    const { cnpIntervalPs } = this.options
    if (cnpIntervalPs === null || nowPs - doubles[this.at | LAST_CNP_PS]! < cnpIntervalPs) return
    this.owes |= OWES_CNP
    doubles[this.at | LAST_CNP_PS] = nowPs
  }

  /** A packet was taken, and `recovery` says how far that goes. */
  protected onTaken(_nowPs: number, _psn: number, _segment: S): void {}

  /** Go-back-0 forgets what it had of the message; only whole packets can be forgotten. */
  protected forget(packets: number): void {
    this.delivered.forget(packets * this.options.payloadBytes)
  }

  /** No answer waits for something else that goes before it. */
  protected mayAnswer(): boolean {
    return true
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
      if (this.reader !== null && !this.options.acksReads) return
      if (this.heldAck !== null && this.holdsAck(nowPs, replyPsn, mayWait)) return
      this.answerWith(SEND_ACK, replyPsn)
    } else if (reply === REPLY_NAK || reply === REPLY_SACK) {
      this.releaseAck()
      if (this.reader !== null && !this.options.naksReads) {
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
    heldAck.hold(psn, this.echo, doubles[this.at | SENT_PS]!, doubles[this.at | DELAY_PS]!)
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

  pollTransmit(nowPs: number, out: S): boolean {
    out.ecn = NOT_ECT
    out.flags = 0
    out.payloadBytes = 0
    out.syndrome = 0
    out.sentPs = doubles[this.at | SENT_PS]!
    out.delayPs = doubles[this.at | DELAY_PS]!
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
      out.sentPs = doubles[this.at | PROBE_PS]!
      out.delayPs = 0
      return true
    }
    if ((this.owes & OWES_ANY_ANSWER) === 0 || !this.mayAnswer()) return this.ask(nowPs, out)
    if ((this.owes & OWES_HELD_ACK) !== 0) {
      this.owes &= ~OWES_HELD_ACK
      this.heldAck!.fill(out)
      out.kind = ACK
      out.syndrome = this.creditCode(nowPs)
      return true
    }
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
      case SEND_REFUSAL:
        out.kind = this.refusal < SYNDROME_PSN_ERROR ? RNR_NAK : NAK
        out.syndrome = this.refusal
        break
      case SEND_READ:
        out.kind = READ_REQUEST
        out.payloadBytes = this.answerBytes
        out.flags = RETRANSMITTED
        this.reader!.arm(nowPs, this.recovery.epsn)
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
      if (this.recovery.reply === REPLY_NAK) doubles[this.at | SENT_PS] = nowPs - doubles[this.at | DELAY_PS]!
      this.takeReply(nowPs, false)
      return
    }
    if (slot === HELD_ACK_TIMER) {
      this.releaseAck()
      return
    }
    if (this.recovery.epsn >= this.reader!.end) return
    this.timeouts++
    if (!this.reader!.mayAskAgain()) {
      this.isFailed = true
      this.owes = 0
      return
    }
    this.releaseAck()
    this.askAgain(this.recovery.epsn)
    this.reader!.askAgainBehindFirst()
    if (this.reader!.hasRequests) this.owes |= OWES_READ
  }

  private accept(nowPs: number, psn: number, segment: S): void {
    this.delivered.add(nowPs, segment.payloadBytes)
    this.onTaken(nowPs, psn, segment)
    if (this.reader !== null) this.reader.onProgress(nowPs, this.recovery.epsn)
    const recovery = this.recovery
    if (recovery.isReordering !== 0) {
      if (recovery.wholeMessages > 0) this.complete(nowPs, recovery.wholeMessages, recovery.wholeSends)
    } else if ((segment.flags & LAST) !== 0) this.complete(nowPs, 1, (segment.flags & SEND) === 0 ? 0 : 1)
  }

  private complete(nowPs: number, messages: number, sends: number): void {
    this.deliveredMessages += messages
    if (this.reader !== null) this.reader.onWhole(messages)
    if (this.wqes !== null) this.wqes.consume(nowPs, sends)
  }

  /** Receive WQEs that wait, as an ACK says it. */
  protected creditCode(nowPs: number): number {
    return creditCode(this.wqes === null ? Infinity : this.wqes.credits(nowPs))
  }

  private echoInto(out: Segment): void {
    out.flags = this.echo | this.answerFlags
    this.echo = 0
  }

  /** Requests the READ that holds `psn` again: all of it if its first request was lost, else from `psn` on. */
  private askAgain(psn: number): void {
    this.answerWith(SEND_READ, psn)
    this.answerBytes = this.reader!.firstBytes
  }

  private ask(nowPs: number, out: Segment): boolean {
    const { reader } = this
    if (reader === null || !reader.hasRequests) return false
    out.kind = READ_REQUEST
    out.psn = reader.requestPsn & PSN_MASK
    out.payloadBytes = reader.ask(nowPs, this.recovery.epsn)
    if (!reader.hasRequests) this.owes &= ~OWES_READ
    return true
  }
}
