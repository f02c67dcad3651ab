/**
 * HOT. Receiver half of a QP: takes data packets and replies with ACKs, NAKs and CNPs. For READ responses it is the
 * requester, and sends READ requests instead.
 * Invariant: payload is accepted once, and in order unless the recovery is reordering; `deliveredMessages` counts
 * messages complete to their last byte.
 * Source: [IGBN] II-A, IBTA 9.7, DCQCN's notification point ([Survey] V-B).
 */
import { assert } from '../../base/assert.ts'
import { DOUBLES } from '../../base/memory.ts'
import { creditCode, RNR_WAIT_US, SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../../wire/aeth.ts'
import type { Endpoint } from '../endpoint.ts'
import { unwrapPsn } from '../psn.ts'
import { ReceiveQueue } from './receive-queue.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { NO_REPLY, REPLY_ACK, REPLY_ACK_LATER, REPLY_NAK, REPLY_SACK, REPLY_TRIMMED } from '../recovery/recovery.ts'
import {
  DELAY_PS,
  DELIVERED,
  LAST_CNP_PS,
  OWES_CNP,
  OWES_READ,
  OWES_RTT,
  PROBE_PS,
  RECORD,
  Replies,
  RNR_UNTIL_PS,
  SEND_ACK,
  SEND_NAK,
  SEND_REFUSAL,
  SEND_SACK,
  SENT_PS,
} from './replies.ts'
import {
  CE,
  DATA,
  FIRST,
  LAST,
  NAK,
  NAMES_TRIMMED,
  PATH_MASK,
  RETRANSMITTED,
  RTT_REQUEST,
  type Segment,
  SEND,
  SHORT_MASK,
  TRIMMED,
} from '../segment.ts'
import { HELD_ACK_TIMER, RECOVERY_TIMER } from '../timers.ts'
import { PLAIN } from '../plain.ts'

const doubles = DOUBLES

const BYTES = 0
const LAST_PS = 1
/** Highest byte count before payload was discarded. */
const FORGOTTEN_PEAK_BYTES = 2

/** The payload that a receiver has accepted, and when. Shape: three doubles of its owner's record. */
class Delivered {
  private readonly at: number
  /** Content of the record when it was returned; null while it exists. */
  private closed: { readonly bytes: number; readonly lastPs: number; readonly peakBytes: number } | null = null

  /** @param at offset of its record, in doubles. */
  constructor(at: number) {
    this.at = at
  }

  get bytes(): number {
    return this.closed === null ? doubles[this.at + BYTES]! : this.closed.bytes
  }

  /** Time the last packet was accepted, also of an incomplete message. */
  get lastPs(): number {
    return this.closed === null ? doubles[this.at + LAST_PS]! : this.closed.lastPs
  }

  /** The highest count of bytes delivered. */
  get peakBytes(): number {
    if (this.closed !== null) return this.closed.peakBytes
    return Math.max(this.bytes, doubles[this.at + FORGOTTEN_PEAK_BYTES]!)
  }

  add(nowPs: number, bytes: number): void {
    doubles[this.at + BYTES]! += bytes
    doubles[this.at + LAST_PS] = nowPs
  }

  /** Discards `bytes` of the delivered payload. */
  forget(bytes: number): void {
    doubles[this.at + FORGOTTEN_PEAK_BYTES] = this.peakBytes
    doubles[this.at + BYTES]! -= bytes
  }

  /** Its record is returned; the values remain readable. */
  close(): void {
    this.closed = { bytes: this.bytes, lastPs: this.lastPs, peakBytes: this.peakBytes }
  }
}

/** The packet is dropped without a reply. */
export const REFUSED_SILENTLY = -1

export class Receiver<S extends Segment = Segment> extends Replies<S> implements Endpoint<S> {
  readonly delivered: Delivered
  deliveredMessages = 0
  /** null: there are always enough Receive WQEs. */
  private readonly wqes: ReceiveQueue | null
  /** As requester of READs: its retry limit was reached. */
  isFailed = false
  timeouts = 0
  /** Packets that came behind a gap, and packets that came again. */
  outOfSequence = 0
  duplicates = 0
  private readonly options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    super(options)
    if (PLAIN) assert(options.receiveQueue === null, 'the plain program has no Receive WQEs')
    this.options = options
    this.wqes = options.receiveQueue === null ? null : new ReceiveQueue(options.receiveQueue, options.repostPs)
    this.delivered = new Delivered(this.at + DELIVERED)
    doubles[this.at | LAST_CNP_PS] = -Infinity
    doubles[this.at | RNR_UNTIL_PS] = -Infinity
  }

  /** Next PSN expected; for observers and checkers. */
  get expectedPsn(): number {
    return this.recovery.epsn
  }

  /** Packets are accepted out of order. */
  get isReordering(): boolean {
    return this.recovery.isReordering
  }

  /** Headers of trimmed packets are processed. */
  get usesTrimmed(): boolean {
    return this.recovery.usesTrimmed
  }

  /** PSN that was last reported missing, or -1. */
  get reportedPsn(): number {
    return this.recovery.reportedPsn
  }

  /** Returns its record. Only counters and delivered payload may be read afterwards. */
  release(): void {
    this.delivered.close()
    this.timers.memory.giveRecord(2 * this.at, 2 * RECORD)
  }

  /** A packet without data. */
  private onOther(nowPs: number, segment: S): void {
    if (segment.kind === NAK && this.reader !== null) {
      this.reader.onRequestNak(unwrapPsn(segment.psn, this.recovery.epsn), this.recovery.epsn)
      if (this.reader.hasRequests) this.owes |= OWES_READ
    }
    if (segment.kind === TRIMMED) this.onTrimmed(nowPs, segment)
    if (segment.kind !== RTT_REQUEST) return
    this.owes |= OWES_RTT
    doubles[this.at | PROBE_PS] = segment.sentPs
  }

  /** Posts a READ of `sizeBytes`. */
  read(sizeBytes: number): void {
    assert(this.reader !== null, 'a READ on a QP that is not a reader')
    this.reader.post(sizeBytes)
    if (!this.isFailed) this.owes |= OWES_READ
  }

  onSegment(nowPs: number, segment: S): void {
    if (this.isFailed) return
    if (segment.kind !== DATA) return PLAIN ? undefined : this.onOther(nowPs, segment)
    const { at, reader } = this
    if (!PLAIN && reader !== null) reader.onResponse()
    const isMarked = segment.ecn === CE
    if (isMarked) this.notify(nowPs)
    doubles[at | SENT_PS] = segment.sentPs
    doubles[at | DELAY_PS] = nowPs - segment.sentPs
    if (!PLAIN && this.hops !== null) this.hops.take(segment.hops)
    const recovery = this.recovery
    const psn = unwrapPsn(segment.psn, recovery.epsn)
    if (!PLAIN) {
      const refusal = this.refusalOf(nowPs, psn, segment)
      if (refusal > 0) this.refuse(nowPs, psn, refusal)
      if (refusal !== 0) return
    }
    // Sent before the sender received the RNR NAK: a sequence NAK now would close the NAK gate for a later loss. These
    // packets are sent again after the wait.
    if (psn > recovery.epsn) {
      if (!PLAIN && nowPs < doubles[at | RNR_UNTIL_PS]!) return
      this.outOfSequence++
    }
    this.replyFlags = segment.flags & (RETRANSMITTED | SHORT_MASK | PATH_MASK)
    const before = recovery.epsn
    const isAccepted = recovery.onData(nowPs, psn, segment)
    // The mark of a silently dropped packet is not echoed in the ACK of another packet ([LDCP] 2.2).
    if (recovery.isEchoing || (isMarked && (isAccepted || recovery.reply !== NO_REPLY))) this.echo = this.echoBit
    else if (recovery.reply === REPLY_NAK && psn > before && this.options.marksNaks) {
      this.echo = this.echoBit
      this.notify(nowPs)
    }
    if (isAccepted) this.accept(nowPs, psn, segment)
    else this.reject(psn, before)
    this.takeReply(nowPs, isAccepted && (segment.flags & LAST) === 0)
  }

  /** The header of a packet whose payload was trimmed by a switch. */
  private onTrimmed(nowPs: number, header: S): void {
    const { at, recovery, reader } = this
    if (reader !== null) reader.onResponse()
    const isMarked = header.ecn === CE
    if (isMarked) this.notify(nowPs)
    const psn = unwrapPsn(header.psn, recovery.epsn)
    // Everything is sent again after the RNR wait.
    if (psn > recovery.epsn && nowPs < doubles[at | RNR_UNTIL_PS]!) return
    recovery.onTrimmed(nowPs, psn, header)
    if (recovery.reply === NO_REPLY) return
    // The header overtook the data, so its own delay would show an empty queue: report the last data packet's delay
    // again.
    const delayPs = doubles[at | DELAY_PS]! > 0 ? doubles[at | DELAY_PS]! : nowPs - header.sentPs
    doubles[at | DELAY_PS] = delayPs
    doubles[at | SENT_PS] = nowPs - delayPs
    this.replyFlags = header.flags & (RETRANSMITTED | SHORT_MASK | PATH_MASK)
    if (isMarked) this.echo = this.echoBit
    this.takeReply(nowPs, false)
  }

  /**
   * Reason to refuse a packet: a syndrome for its sender, REFUSED_SILENTLY, or 0 to accept it. Only asked for new
   * packets: the one expected, and those behind it where packets are accepted out of order.
   */
  protected refusalOf(nowPs: number, psn: number, segment: S): number {
    const wqes = (segment.flags & SEND) === 0 ? null : this.wqes
    if (wqes === null) return 0
    const { recovery } = this
    if (psn === recovery.epsn && (segment.flags & FIRST) !== 0 && !wqes.hasNext(nowPs))
      return SYNDROME_RNR | this.options.rnrCode
    // Out of order and without a WQE ([IRN] B.3).
    const isEarly = recovery.isReordering && psn > recovery.epsn
    return isEarly && !wqes.hasFor(nowPs, segment.syndrome) ? REFUSED_SILENTLY : 0
  }

  /** Replies to the expected packet with a NAK of this syndrome, other than a PSN sequence error. */
  protected refuse(nowPs: number, psn: number, syndrome: number): void {
    this.replyWith(SEND_REFUSAL, psn)
    this.refusal = syndrome
    if (syndrome < SYNDROME_PSN_ERROR) doubles[this.at | RNR_UNTIL_PS] = nowPs + RNR_WAIT_US[syndrome & 0x1f]! * 1e6
    this.releaseAck()
  }

  /** A marked packet: a CNP is due if there are CNPs and the interval since the last one has passed ([Survey] V-B). */
  private notify(nowPs: number): void {
    const { cnpIntervalPs } = this.options
    if (cnpIntervalPs === null || nowPs - doubles[this.at | LAST_CNP_PS]! < cnpIntervalPs) return
    this.owes |= OWES_CNP
    doubles[this.at | LAST_CNP_PS] = nowPs
  }

  /** A packet was accepted; `recovery.epsn` says how far packets are in order. */
  protected onTaken(_nowPs: number, _psn: number, _segment: S): void {}

  /** A packet was not accepted; `before`: the PSN that was expected when it came. */
  private reject(psn: number, before: number): void {
    if (psn < before) this.duplicates++
    const { epsn } = this.recovery
    if (epsn < before) this.forget(before - epsn)
  }

  /** Go-back-0 discards its part of the message; only whole packets are discarded. */
  protected forget(packets: number): void {
    this.delivered.forget(packets * this.options.payloadBytes)
  }

  /** Turns the recovery's reply into a pending ACK or NAK. `mayWait`: a plain REPLY_ACK may be delayed. */
  private takeReply(nowPs: number, mayWait: boolean): void {
    const { reply, replyPsn } = this.recovery
    if (reply === REPLY_NAK || reply === REPLY_TRIMMED) {
      this.releaseAck()
      if (this.reader !== null && !this.options.naksReads) {
        this.requestAgain(this.recovery.epsn)
        return
      }
      this.replyWith(SEND_NAK, replyPsn)
      if (reply === REPLY_TRIMMED) this.replyFlags |= NAMES_TRIMMED
      this.replySackPsn = this.recovery.sackPsn
    } else if (reply !== NO_REPLY) {
      if (!PLAIN && this.reader !== null && !this.options.acksReads) return
      const isLater = reply === REPLY_ACK_LATER || (reply === REPLY_ACK && mayWait)
      if (!PLAIN && this.heldAck !== null && this.holdsAck(nowPs, replyPsn, isLater)) return
      this.replyWith(reply === REPLY_SACK ? SEND_SACK : SEND_ACK, replyPsn)
      this.replySackPsn = this.recovery.sackPsn
    }
  }

  onTimeout(nowPs: number): void {
    const timers = this.timers
    if (timers.nextPs > nowPs) return
    const slot = timers.nextSlot
    timers.clear(slot)
    if (slot === RECOVERY_TIMER) {
      this.recovery.onTimer(nowPs)
      // The wait for this timer is not part of the round trip that the NAK reports.
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
    if (!this.reader!.mayRetry()) {
      this.isFailed = true
      this.owes = 0
      return
    }
    this.releaseAck()
    this.onLateResponse(nowPs)
  }

  /** Those of the timeouts that were steps of adaptive retransmission. */
  get stepTimeouts(): number {
    return this.reader?.retry?.stepTimeouts ?? 0
  }

  /** The READ response timer has expired. */
  protected onLateResponse(_nowPs: number): void {
    this.requestAgain(this.recovery.epsn)
    this.reader!.requestAgainBehindFirst()
    if (this.reader!.hasRequests) this.owes |= OWES_READ
  }

  /** Ignores everything from now on and cancels replies and timers. */
  close(): void {
    this.isFailed = true
    this.owes = 0
    this.timers.clearAll()
  }

  private accept(nowPs: number, psn: number, segment: S): void {
    this.delivered.add(nowPs, segment.payloadBytes)
    this.onTaken(nowPs, psn, segment)
    if (!PLAIN && this.reader !== null) this.reader.onProgress(nowPs, this.recovery.epsn)
    const recovery = this.recovery
    if (recovery.isReordering) {
      if (recovery.wholeMessages > 0) this.complete(nowPs, recovery.wholeMessages, recovery.wholeSends)
    } else if ((segment.flags & LAST) !== 0) this.complete(nowPs, 1, (segment.flags & SEND) === 0 ? 0 : 1)
  }

  protected complete(nowPs: number, messages: number, sends: number): void {
    this.deliveredMessages += messages
    if (this.reader !== null) this.reader.onWhole(messages)
    if (this.wqes !== null) this.wqes.consume(nowPs, sends)
  }

  /** Credit code for ACKs: the Receive WQEs that are available. */
  protected override creditCode(nowPs: number): number {
    return creditCode(PLAIN || this.wqes === null ? Infinity : this.wqes.credits(nowPs))
  }
}
