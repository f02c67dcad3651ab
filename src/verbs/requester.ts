/**
 * HOT. Requester half of a queue pair: turns Request WQEs into packets and answers into completions.
 * Numbers are unbounded inside and 24 bits on the wire. Units: packets, bytes, picoseconds.
 * Invariant: WQEs are done in the order in which they were posted. A PSN in una..nxt belongs to a WQE in the queue.
 * Source: IBTA 9.7; S3 5 and appendix B for IRN. Deviations: docs/models/verbs.md.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { NEVER_PS } from '../base/params.ts'
import { PSN_MASK, unwrapPsn } from '../transport/psn.ts'
import { NOT_ECT, RETRANSMITTED } from '../transport/segment.ts'
import { NO_PSN, SelectiveRepeatSender } from '../transport/selective-repeat/index.ts'
import {
  CREDITS,
  RNR_WAIT_US,
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_PSN_ERROR,
  SYNDROME_RESERVED,
  SYNDROME_RNR,
} from '../wire/aeth.ts'
import { READ_ACK, READ_NACK, READ_RESPONSE_MIDDLE } from '../wire/opcodes.ts'
import { kindOf } from './codec.ts'
import type { ConnectionValues } from './connection-values.ts'
import { consumesReceive, isAnswered, OP_SEND_INVALIDATE, OP_WRITE_IMMEDIATE } from './operation.ts'
import type { VerbsPacket } from './packet.ts'
import { GoBackSpace, type PacketSpace } from './packet-space.ts'
import { READ_PLACED, READ_REFUSED, ReadTracker } from './read-tracker.ts'
import { fillRequest } from './request-packet.ts'
import { PSNS_MAX, type SendQueue, type SendWqe } from './send-queue.ts'
import {
  FLUSHED,
  LOCAL_PROTECTION_ERROR,
  RETRY_EXCEEDED,
  RNR_RETRY_EXCEEDED,
  type Status,
  statusOfNak,
} from './status.ts'

/** Told what becomes of WQEs; the queue pair. */
export interface RequesterHost {
  /** New WQEs may begin (ready to send, not draining). */
  readonly mayBegin: boolean
  onSendDone(wqe: SendWqe): void
  /** The WQE failed, and with it the queue pair. */
  onSendFailed(wqe: SendWqe, status: Status): void
}

export class Requester {
  /** Messages that the responder has whole (MSN). */
  msn = 0
  /** When the requests may be sent again after an RNR NAK, or NEVER_PS: there was none. */
  rnrUntilPs = NEVER_PS
  retransmissions = 0
  rnrNaks = 0
  readonly space: PacketSpace
  readonly reads: ReadTracker
  private readonly host: RequesterHost
  readonly queue: SendQueue
  private readonly values: ConnectionValues
  private readonly isIrn: boolean
  private retriesLeft: number
  private rnrLeft: number
  /** Messages that take a Receive WQE may be sent up to this receiveSn; the one of it as a probe. */
  private creditEnd: number
  /** One past the last PSN ever sent. */
  private highest: number
  /** RoCE: the missing response for which the READ was asked for again. */
  private gapPsn = -1
  /** The request that has failed, and how: it ends when all before it are done. -1: none has. */
  private doomedSn = -1
  private doomedStatus: Status = FLUSHED
  /** Byte window: what the other side said that it has. */
  private lsnUna = DOUBLE_ZERO

  constructor(host: RequesterHost, queue: SendQueue, values: ConnectionValues) {
    this.host = host
    this.queue = queue
    this.values = values
    this.isIrn = values.mode === 'irn'
    this.space = this.isIrn
      ? new SelectiveRepeatSender(values.selectiveRepeat, values.sendPsn)
      : new GoBackSpace({ capPackets: values.capPackets, timeoutPs: values.ackTimeoutPs }, values.sendPsn)
    this.reads = new ReadTracker(values)
    this.retriesLeft = values.retryLimit ?? Infinity
    this.rnrLeft = values.rnrRetryLimit ?? Infinity
    this.creditEnd = values.hasCredits ? values.initialCredits : Infinity
    this.highest = values.sendPsn
  }

  /** Earliest time poll() gives a packet (0: at once), or NEVER_PS. */
  nextSendPs(nowPs: number): number {
    if (this.isSilent) return NEVER_PS
    return this.space.nextSendPs(nowPs, this.hasNew())
  }

  /** The next request. */
  poll(nowPs: number, out: VerbsPacket): boolean {
    if (this.isSilent) return false
    const { values, queue } = this
    let psn: number
    let wqe: SendWqe
    do {
      psn = this.space.take(nowPs, this.hasNew())
      if (psn === NO_PSN) return false
      wqe = queue.ofPsn(psn)
    } while (!this.mayLeave(wqe) && !queue.isEmpty)
    if (queue.isEmpty) return false
    fillRequest(out, wqe, psn - wqe.firstPsn, values)
    out.psn = psn & PSN_MASK
    out.lsn = queue.lsnOf(psn) >>> 0
    out.sentPs = nowPs
    // Nothing here answers to marks.
    out.ecn = NOT_ECT
    // A READ takes the PSNs of its responses.
    let nextPsn = psn + 1
    if (!this.isIrn && wqe.responses > 0) this.space.nxt = nextPsn = wqe.firstPsn + wqe.packets
    if (!out.isAckRequested) out.isAckRequested = this.isLastForNow(wqe, nextPsn)
    if (psn < this.highest) {
      out.flags |= RETRANSMITTED
      this.retransmissions++
    } else this.highest = nextPsn
    if (wqe.responses > 0) this.reads.onIssued(wqe)
    return true
  }

  /** ACK, NAK or RNR NAK of requests. */
  onAnswer(nowPs: number, packet: Readonly<VerbsPacket>): void {
    const { space, isIrn } = this
    const { syndrome } = packet
    // Neither an ACK nor a NAK of any kind (IBTA table 44).
    if (syndrome >= SYNDROME_RESERVED && syndrome < SYNDROME_PSN_ERROR) return
    const isAck = syndrome < SYNDROME_RNR
    const psn = unwrapPsn(packet.psn, space.una)
    // On the wire an ACK has the last PSN, a NAK the expected one.
    const cumulative = isAck ? psn + 1 : psn
    if (cumulative > this.highest) return
    const before = space.una
    if (this.values.lsnWindowBytes !== null && isAck) this.onLsn(packet.lsn)
    const reached = isIrn ? cumulative : this.reads.bound(cumulative)
    if (isIrn && syndrome === SYNDROME_PSN_ERROR) {
      space.onNack(nowPs, cumulative, unwrapPsn(packet.sackPsn, cumulative))
    } else if (reached >= before) space.onAck(nowPs, reached)
    if (space.una > before) this.onProgress()
    if (cumulative >= before) this.onMsn(packet)
    this.retire()
    if (isIrn) this.reads.watch(nowPs, space.una)
    // It tells of requests behind a READ whose responses have not come: they are lost (IBTA 9.7.5.1.4).
    if (reached < cumulative) this.askAgain(nowPs, reached)
    else if (isAck) return
    else if (cumulative < space.una) {
      if (isIrn && syndrome > SYNDROME_PSN_ERROR) this.onReadDenied(cumulative, statusOfNak(syndrome))
    } else if (!this.queue.holds(cumulative)) return
    else if (syndrome < SYNDROME_PSN_ERROR) this.onRnr(nowPs, cumulative, syndrome)
    else if (syndrome > SYNDROME_PSN_ERROR) this.doom(this.queue.ofPsn(cumulative), statusOfNak(syndrome))
    else if (!isIrn) space.onNack(nowPs, cumulative, cumulative)
  }

  /** READ response or atomic acknowledgement. */
  onResponse(nowPs: number, packet: Readonly<VerbsPacket>): void {
    const { reads, space } = this
    if (this.isIrn) {
      if (reads.onSeparateResponse(packet) === READ_REFUSED) this.failRead()
      else {
        this.retire()
        reads.watch(nowPs, space.una)
      }
      return
    }
    const psn = unwrapPsn(packet.psn, space.una)
    if (psn >= this.highest) return
    const before = space.una
    // The responder answers in order: everything before this response has been done.
    const reached = reads.bound(psn)
    if (reached >= before) space.onAck(nowPs, reached)
    const verdict = reads.onSharedResponse(psn, packet)
    if (verdict === READ_REFUSED) {
      this.retire()
      this.failRead()
      return
    }
    if (verdict === READ_PLACED) {
      space.onAck(nowPs, psn + 1)
      this.gapPsn = -1
    }
    if (packet.opcode !== READ_RESPONSE_MIDDLE && psn >= before) this.onMsn(packet)
    if (space.una > before) this.onProgress()
    this.retire()
    if (reached < psn) this.askAgain(nowPs, reached)
  }

  /** READ-ACK or READ-NACK that is due; of the last response only. */
  pollReadAck(out: VerbsPacket): boolean {
    const { reads } = this
    if (reads.reply === 0) return false
    const isNack = reads.reply === READ_NACK
    out.opcode = isNack ? READ_NACK : READ_ACK
    out.syndrome = isNack ? SYNDROME_PSN_ERROR : SYNDROME_ACK_UNLIMITED
    out.psn = (isNack ? reads.replyPsn : reads.replyPsn - 1) & PSN_MASK
    out.sackPsn = reads.replySack & PSN_MASK
    out.msn = 0
    out.lsn = reads.lsn
    out.kind = kindOf(out.opcode, out.syndrome)
    out.ecn = NOT_ECT
    reads.reply = 0
    return true
  }

  /** The space's deadline has passed. */
  onTimeout(nowPs: number): void {
    if (!this.space.onTimeout(nowPs, false)) return
    this.gapPsn = -1
    const { queue } = this
    if (this.isRefused) {
      // It waits for READs, which have a deadline of their own.
      this.space.stopTimer()
      // Nothing is owed, and what is before it is not done: the other end's numbers contradict each other.
      if (this.reads.done === this.reads.issued) this.host.onSendFailed(queue.at(queue.head), RETRY_EXCEEDED)
      return
    }
    if (this.retriesLeft === 0) this.host.onSendFailed(queue.at(queue.head), RETRY_EXCEEDED)
    else this.retriesLeft--
  }

  /** IRN: the deadline of responses has passed. */
  onReadTimeout(nowPs: number): void {
    if (!this.reads.onTimeout(nowPs)) this.host.onSendFailed(this.queue.at(this.queue.head), RETRY_EXCEEDED)
  }

  /** The RNR wait is over. */
  onRnrTimer(nowPs: number): void {
    if (nowPs < this.rnrUntilPs) return
    this.rnrUntilPs = NEVER_PS
    // Late answers may have started it; it begins with the first packet that is sent again.
    this.space.stopTimer()
  }

  /** A request that was refused, or has failed, ends when its turn has come and all before it are done. */
  checkHead(): void {
    const { queue } = this
    if (queue.isEmpty) return
    const wqe = queue.at(queue.head)
    if (wqe.sn === this.doomedSn) this.host.onSendFailed(wqe, this.doomedStatus)
    // It begins to be processed as any other: not while the send queue drains.
    else if (wqe.isRefused && this.host.mayBegin) this.host.onSendFailed(wqe, LOCAL_PROTECTION_ERROR)
  }

  /** Nothing that has begun is without an answer. */
  get isDrained(): boolean {
    const { queue } = this
    return queue.isEmpty || queue.at(queue.head).firstPsn >= this.highest
  }

  private get isSilent(): boolean {
    return this.rnrUntilPs !== NEVER_PS || this.queue.isEmpty || this.isRefused
  }

  /** IRN: what is not acknowledged was refused, and is not sent any more. */
  private get isRefused(): boolean {
    const { doomedSn } = this
    return doomedSn >= 0 && this.space.una >= this.queue.at(doomedSn).firstPsn
  }

  /** Neither it nor what is behind it is sent from now on. */
  private doom(wqe: SendWqe, status: Status): void {
    if (this.doomedSn < 0 || wqe.sn < this.doomedSn) {
      this.doomedSn = wqe.sn
      this.doomedStatus = status
    }
    this.checkHead()
  }

  /** False: it has failed, or does now, as a key that was taken away gives no access (IBTA 10.6). */
  private mayLeave(wqe: SendWqe): boolean {
    if (this.doomedSn >= 0 && wqe.sn >= this.doomedSn) return false
    const { region } = wqe
    if (region === null || region.isValid || wqe.lengthBytes === 0) return true
    this.doom(wqe, LOCAL_PROTECTION_ERROR)
    return false
  }

  /** A new packet could be sent, but for the space's own limit. */
  private hasNew(): boolean {
    const psn = this.space.nxt
    if (psn >= this.queue.endPsn) return false
    const wqe = this.queue.ofPsn(psn)
    if (this.doomedSn >= 0 && wqe.sn >= this.doomedSn) return false
    if (psn === wqe.firstPsn ? !this.mayBegin(wqe, psn) : !this.mayGoOn(wqe)) return false
    const { lsnWindowBytes } = this.values
    return lsnWindowBytes === null || this.bytesInFlight(psn) < lsnWindowBytes
  }

  private mayBegin(wqe: SendWqe, psn: number): boolean {
    const { reads } = this
    if (wqe.isRefused) return false
    // What was sent before may be sent again, whatever state the queue pair is in.
    if (psn >= this.highest && !this.host.mayBegin) return false
    if (wqe.isFenced && reads.done < wqe.readSn) return false
    if (wqe.responses > 0 && wqe.readSn - reads.done >= this.values.readsOut) return false
    // A READ leaves as one packet and takes as many PSNs as it has responses.
    if (psn + wqe.packets - this.space.una > PSNS_MAX && !this.isIrn) return false
    // S3 B.5: a SEND with invalidate that overtook a WRITE would have it refused.
    if (this.isIrn && wqe.operation === OP_SEND_INVALIDATE && (this.space.una < psn || reads.done < wqe.readSn)) {
      return false
    }
    // The one at the end of the credit goes as a probe, those behind it wait (S3 B.3).
    return !consumesReceive(wqe.operation) || wqe.receiveSn <= this.creditEnd
  }

  /** Of a SEND the probe is its first packet, of a WRITE with immediate all of them. */
  private mayGoOn(wqe: SendWqe): boolean {
    const { operation } = wqe
    return !consumesReceive(operation) || operation === OP_WRITE_IMMEDIATE || wqe.receiveSn < this.creditEnd
  }

  /** Without an answer to this packet nothing would follow it. */
  private isLastForNow(wqe: SendWqe, nextPsn: number): boolean {
    if (consumesReceive(wqe.operation) && wqe.receiveSn >= this.creditEnd) return true
    const { capPackets, lsnWindowBytes } = this.values
    if (nextPsn - this.space.una >= capPackets) return true
    return lsnWindowBytes !== null && this.bytesInFlight(nextPsn) >= lsnWindowBytes
  }

  private bytesInFlight(psn: number): number {
    const acknowledged = this.queue.lsnOf(this.space.una)
    return this.queue.lsnOf(psn) - (this.lsnUna > acknowledged ? this.lsnUna : acknowledged)
  }

  private onLsn(lsn: number): void {
    // 32 bits on the wire, compared by distance.
    const reached = this.lsnUna + ((lsn - this.lsnUna) | 0)
    if (reached > this.lsnUna) this.lsnUna = reached
  }

  private onProgress(): void {
    this.retriesLeft = this.values.retryLimit ?? Infinity
    this.rnrLeft = this.values.rnrRetryLimit ?? Infinity
  }

  private onMsn(packet: Readonly<VerbsPacket>): void {
    const { queue } = this
    const msn = unwrapPsn(packet.msn, this.msn)
    if (msn < this.msn || msn > queue.tail) return
    this.msn = msn
    const { syndrome } = packet
    if (syndrome >= SYNDROME_RNR || msn < queue.head) return
    if (syndrome === SYNDROME_ACK_UNLIMITED) this.creditEnd = Infinity
    else {
      const taken = msn < queue.tail ? queue.at(msn).receiveSn : queue.nextReceiveSn
      const end = taken + CREDITS[syndrome]!
      if (end > this.creditEnd) this.creditEnd = end
    }
  }

  /** Completes what is done, in order. */
  private retire(): void {
    const { queue, reads, space, isIrn } = this
    while (!queue.isEmpty) {
      const wqe = queue.at(queue.head)
      if (wqe.sn === this.doomedSn) break
      // IRN: by the MSN, as S3 5.3.3 has it, which never runs ahead of the PSN; RoCE: by the PSN.
      if ((isIrn && this.msn <= wqe.sn) || space.una < wqe.firstPsn + wqe.packets) break
      if (isAnswered(wqe.operation) && reads.done <= wqe.readSn) break
      queue.head++
      this.host.onSendDone(wqe)
    }
    this.checkHead()
  }

  private onRnr(nowPs: number, psn: number, syndrome: number): void {
    // A copy, of the NAK or of the packet: the wait for this PSN has begun.
    if (this.rnrUntilPs !== NEVER_PS && psn === this.space.una) return
    this.rnrNaks++
    if (!this.space.goBack(psn)) return
    if (this.rnrLeft === 0) {
      this.doom(this.queue.ofPsn(psn), RNR_RETRY_EXCEEDED)
      return
    }
    this.rnrLeft--
    this.rnrUntilPs = nowPs + RNR_WAIT_US[syndrome & 0x1f]! * 1e6
  }

  /** RoCE: responses from `psn` on are asked for again, once until they come or time is up. */
  private askAgain(nowPs: number, psn: number): void {
    if (psn === this.gapPsn || psn < this.space.una) return
    this.gapPsn = psn
    this.space.onNack(nowPs, psn, psn)
  }

  /** IRN: of a request that was acknowledged: a READ whose memory was taken away since. */
  private onReadDenied(psn: number, status: Status): void {
    const { queue, reads } = this
    const wqe = queue.holds(psn) ? queue.ofPsn(psn) : null
    if (wqe !== null && isAnswered(wqe.operation) && reads.done <= wqe.readSn) this.doom(wqe, status)
    // Its responses have come, and what was said of them was lost.
    else reads.sayAgain()
  }

  private failRead(): void {
    this.doom(this.reads.refused!, this.reads.refusedStatus)
  }
}
