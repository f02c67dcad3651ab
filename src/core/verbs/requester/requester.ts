/**
 * HOT. Requester half of a queue pair: turns Request WQEs into packets, and ACKs, NAKs and responses into completions,
 * on a packet space with any recovery.
 * Numbers are unbounded inside and 24 bits on the wire. Units: packets, bytes, picoseconds.
 * Invariant: WQEs complete in posting order. A PSN in una..nxt belongs to a WQE in the queue.
 * Source: IBTA 9.7; [IRN] 5 and appendix B for out-of-order arrival. Deviations: docs/models/verbs.md.
 */
import { PacketSpace } from '../../transport/send/packet-space.ts'
import { unwrapPsn } from '../../transport/psn.ts'
import { ACK, ACK_REQUEST, NAK, RNR_NAK } from '../../transport/segment.ts'
import { ACK_TIMER } from '../../transport/timers.ts'
import {
  CREDITS,
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_PSN_ERROR,
  SYNDROME_RESERVED,
  SYNDROME_RNR,
} from '../../wire/aeth.ts'
import { READ_RESPONSE_MIDDLE } from '../../wire/opcodes.ts'
import type { ConnectionValues } from '../connection/values.ts'
import { consumesReceive, isAnswered, OP_SEND_INVALIDATE, OP_WRITE_IMMEDIATE } from '../queues/operation.ts'
import type { VerbsPacket } from '../packet.ts'
import { fillRequest, type RequestTerms } from './request-packet.ts'
import { type ReadHost, ResponseReceiver } from './response-receiver.ts'
import type { Schemes } from '../schemes.ts'
import { PSNS_MAX, type SendQueue, type SendWqe } from '../queues/send-queue.ts'
import {
  FLUSHED,
  LOCAL_PROTECTION_ERROR,
  RETRY_EXCEEDED,
  RNR_RETRY_EXCEEDED,
  type Status,
  statusOfNak,
} from '../queues/status.ts'
import type { ReceiverWatch, WatchableReceiver } from '../../transport/receive/watched-receiver.ts'

/**
 * Watched response receiver: reports to an observer the packets that complete READs and atomics, as a watched
 * receiver does.
 */
class WatchedResponseReceiver extends ResponseReceiver implements WatchableReceiver {
  watch: ReceiverWatch | null = null
  /** Record of the packet that was accepted last. */
  private ordinal = -1

  protected override onTaken(nowPs: number, psn: number, packet: VerbsPacket): void {
    this.ordinal = packet.ordinal
    super.onTaken(nowPs, psn, packet)
  }

  protected override complete(nowPs: number, messages: number, sends: number): void {
    super.complete(nowPs, messages, sends)
    this.watch?.onWhole(nowPs, messages, this.ordinal)
  }
}

/** Observer of completed and failed WQEs; the queue pair. */
export interface RequesterHost {
  /** New WQEs may start (ready to send, not draining). */
  readonly mayBegin: boolean
  onSendDone(wqe: SendWqe): void
  /** A READ or atomic has all its responses. */
  onWhole(): void
  /** The WQE failed; the queue pair enters the error state. */
  onSendFailed(wqe: SendWqe, status: Status): void
}

export class Requester extends PacketSpace<VerbsPacket> implements ReadHost, RequestTerms {
  /** Messages complete at the responder (MSN). */
  msn = 0
  rnrNaks = 0
  readonly queue: SendQueue
  /** Receiver of READ responses and atomic acknowledgements. */
  readonly reads: ResponseReceiver
  private readonly host: RequesterHost
  private readonly readsOut: number
  private readonly schemes: Schemes
  readonly isIrn: boolean
  // Its own, as the objects that they come from are cold: each costs a packet a cache miss.
  readonly remoteQp: number
  readonly mtuBytes: number
  readonly packetsPerAck: number
  private readonly mostRnrRetries: number
  /** Most packets in flight, in addition to the recovery's own limit. */
  private readonly capPackets: number
  private rnrLeft: number
  /** Messages that need a Receive WQE may be sent while their receiveSn is below this; the one at it as a probe. */
  private creditEnd: number
  /** SN of the failed request with its status, or -1: it completes when all earlier ones are complete. */
  private doomedSn = -1
  private doomedStatus: Status = FLUSHED
  /** An ACK or NAK is being processed; refresh() waits until its end. */
  private isProcessing = false
  /** A READ or atomic has left. */
  private hasReads = false
  /** While `una` is below it, no request completes and none has to fail. */
  private nextRetirePsn = 0
  /** Syndrome of the last ACK that was evaluated for its credits. */
  private creditSyndrome = -1

  constructor(host: RequesterHost, queue: SendQueue, values: ConnectionValues, schemes: Schemes) {
    super(schemes.senderOptions('requests'))
    this.host = host
    this.queue = queue
    this.readsOut = values.readsOut
    this.schemes = schemes
    this.isIrn = values.mode === 'irn'
    this.capPackets = this.isIrn ? PSNS_MAX : values.capPackets
    this.remoteQp = values.remoteQp
    this.mtuBytes = values.mtuBytes
    this.packetsPerAck = values.ackInterval
    this.rnrLeft = this.mostRnrRetries = values.rnrRetryLimit ?? Infinity
    this.creditEnd = values.hasCredits ? values.initialCredits : Infinity
    this.reads = new (schemes.isWatched ? WatchedResponseReceiver : ResponseReceiver)(this, values, schemes)
    schemes.equip(this, 'requests')
  }

  /** A WQE was added to the queue. */
  onPosted(nowPs: number, wqe: SendWqe): void {
    this.extend(nowPs, wqe.packets, consumesReceive(wqe.operation) ? 'send' : 'write')
    this.checkHead()
    this.refresh()
  }

  /** Evaluates again what may be sent. */
  onStateChange(): void {
    this.checkHead()
    this.refresh()
  }

  override get isIdle(): boolean {
    return this.isClosed || this.una >= this.end
  }

  /** All requests that have started are complete. */
  get isDrained(): boolean {
    const { queue } = this
    return queue.isEmpty || queue.at(queue.head).firstPsn >= this.highest
  }

  override onSegment(nowPs: number, packet: VerbsPacket): void {
    const { kind, syndrome } = packet
    if (this.isClosed || (kind !== ACK && kind !== NAK && kind !== RNR_NAK)) {
      super.onSegment(nowPs, packet)
      return
    }
    // Reserved syndromes (IBTA table 44).
    if (syndrome >= SYNDROME_RESERVED && syndrome < SYNDROME_PSN_ERROR) return
    const before = this.una
    const psn = unwrapPsn(packet.psn, before)
    // An ACK carries the last PSN, a NAK the expected one.
    const cumulative = kind === ACK ? psn + 1 : psn
    if (cumulative > this.highest) return
    // The steps below change what may be sent: one refresh() follows at the end.
    this.isProcessing = true
    if (kind !== NAK || syndrome === SYNDROME_PSN_ERROR) super.onSegment(nowPs, packet)
    else if (cumulative > before) this.settleTo(nowPs, cumulative)
    this.isProcessing = false
    // An RNR NAK that brings progress is the first of a new count.
    if (this.una > before && kind !== RNR_NAK) this.rnrLeft = this.mostRnrRetries
    if (cumulative >= before) this.onMsn(packet)
    this.retire()
    if (this.isClosed) return
    if (this.hasReads) this.reads.onExecuted(nowPs, this.una, true)
    if (kind === NAK && syndrome > SYNDROME_PSN_ERROR) this.onRefused(nowPs, cumulative, statusOfNak(syndrome))
    this.refresh()
  }

  onResponse(nowPs: number, wqe: SendWqe, packet: Readonly<VerbsPacket>): void {
    const past = wqe.firstPsn + 1
    // Acknowledged responses do not acknowledge their request, which has its own ACK ([IRN] 5.2); others do (IBTA
    // 9.7.5.1).
    if (!this.isIrn) {
      // Any response shows that the responder is alive; it restarts the timeout for later requests (IBTA o9-85).
      this.settleTo(nowPs, past)
      if (packet.opcode !== READ_RESPONSE_MIDDLE) this.onMsn(packet)
    }
    this.reads.onExecuted(nowPs, past, false)
  }

  onBadResponse(_nowPs: number, wqe: SendWqe, status: Status): void {
    this.retire()
    this.doom(wqe, status)
  }

  onRetriesExceeded(): void {
    this.giveUp()
  }

  onWhole(): void {
    this.host.onWhole()
  }

  /** A response was processed. */
  onResponses(): void {
    this.retire()
    this.refresh()
  }

  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    if (this.isFailed) this.giveUp()
  }

  override firstPsnOf(psn: number): number {
    // Completed or flushed WQEs have no message any more.
    return this.queue.holds(psn) ? this.queue.ofPsn(psn).firstPsn : psn
  }

  override lsnOf(psn: number): number {
    return this.queue.lsnOf(psn)
  }

  protected override fill(_nowPs: number, psn: number, out: VerbsPacket): number {
    const { queue } = this
    const wqe = queue.ofPsn(psn)
    if (!this.mayLeave(wqe)) return 0
    fillRequest(out, wqe, psn - wqe.firstPsn, this)
    out.lsn = queue.lsnIn(wqe, psn) >>> 0
    // A READ or atomic is acknowledged by its responses, or has requested an ACK already.
    if (!out.isAckRequested && wqe.responses === 0) out.isAckRequested = this.isLastForNow(wqe, psn + 1)
    if (out.isAckRequested) out.flags |= ACK_REQUEST
    if (wqe.responses > 0) {
      this.hasReads = true
      this.reads.onIssued(wqe)
    }
    return this.schemes.wireBytes(out)
  }

  protected override skip(nowPs: number, psn: number, isAgain: boolean, out: VerbsPacket): void {
    if (this.isClosed) return
    if (isAgain) this.passOver(nowPs, psn, out)
    this.refresh()
  }

  protected override onAcknowledged(): void {}

  protected override onRnr(nowPs: number, psn: number, waitPs: number): void {
    // A duplicate NAK, or a NAK for a duplicate: the wait for this PSN has begun.
    if (this.isRnrWaiting && psn === this.una) return
    if (psn < this.una || !this.queue.holds(psn)) return
    this.rnrNaks++
    if (psn > this.una) this.rnrLeft = this.mostRnrRetries
    const isOver = this.rnrLeft-- === 0
    super.onRnr(nowPs, psn, waitPs)
    if (isOver) this.doom(this.queue.ofPsn(psn), RNR_RETRY_EXCEEDED)
  }

  protected override refresh(): void {
    if (this.isProcessing) return
    const { nxt } = this
    this.isMute = this.queue.isEmpty || this.isRefused
    if (this.isMute) this.timers.clear(ACK_TIMER)
    this.openEnd = !this.isMute && this.hasNew(nxt) ? nxt + 1 : nxt
    super.refresh()
  }

  /** Ends a refused or failed request once it is the oldest incomplete one. */
  private checkHead(): void {
    const { queue } = this
    if (queue.isEmpty) return
    const wqe = queue.at(queue.head)
    if (wqe.sn === this.doomedSn) this.host.onSendFailed(wqe, this.doomedStatus)
    // A refused request starts like any other: not while the send queue drains.
    else if (wqe.isRefused && this.host.mayBegin) this.host.onSendFailed(wqe, LOCAL_PROTECTION_ERROR)
    // All responses are here, yet requests before the refused one are incomplete: the other end's numbers are
    // inconsistent.
    else if (this.isRefused && this.reads.done === this.reads.issued) this.giveUp()
  }

  private giveUp(): void {
    const { queue } = this
    if (!queue.isEmpty) this.host.onSendFailed(queue.at(queue.head), RETRY_EXCEEDED)
  }

  /** All unacknowledged requests are refused and are not sent any more. */
  private get isRefused(): boolean {
    const { doomedSn } = this
    return doomedSn >= 0 && this.una >= this.queue.at(doomedSn).firstPsn
  }

  /** Marks a request as failed: neither it nor later ones are sent from now on. */
  private doom(wqe: SendWqe, status: Status): void {
    if (this.doomedSn < 0 || wqe.sn < this.doomedSn) {
      this.doomedSn = wqe.sn
      this.doomedStatus = status
      this.nextRetirePsn = 0
    }
    this.checkHead()
  }

  /** False: the request has failed, or fails now because the key of its local memory was invalidated (IBTA 10.6). */
  private mayLeave(wqe: SendWqe): boolean {
    if (this.doomedSn >= 0 && wqe.sn >= this.doomedSn) return false
    const { region } = wqe
    if (region === null || region.isValid || wqe.lengthBytes === 0) return true
    this.doom(wqe, LOCAL_PROTECTION_ERROR)
    return false
  }

  /** Whether the packet at `psn` may be sent, apart from the windows of recovery and congestion control. */
  private hasNew(psn: number): boolean {
    if (psn >= this.queue.endPsn || psn - this.una >= this.capPackets) return false
    const wqe = this.queue.ofPsn(psn)
    if (this.doomedSn >= 0 && wqe.sn >= this.doomedSn) return false
    return psn === wqe.firstPsn ? this.mayBegin(wqe, psn) : this.mayGoOn(wqe)
  }

  private mayBegin(wqe: SendWqe, psn: number): boolean {
    const { reads } = this
    if (wqe.isRefused) return false
    // Retransmissions are allowed in any state of the queue pair.
    if (psn >= this.highest && !this.host.mayBegin) return false
    if (wqe.isFenced && reads.done < wqe.readSn) return false
    if (wqe.responses > 0 && wqe.readSn - reads.done >= this.readsOut) return false
    // RoCE: a READ takes as many PSNs on the wire as it has responses; half of the range may be outstanding.
    if (!this.isIrn && wqe.firstWirePsn + wqe.wirePackets - this.queue.firstWirePsn > PSNS_MAX) return false
    // [IRN] B.5: a SEND with invalidate must not overtake a WRITE to the region.
    if (this.isIrn && wqe.operation === OP_SEND_INVALIDATE && (this.una < psn || reads.done < wqe.readSn)) return false
    // The message at the end of the credit is a probe, later ones wait ([IRN] B.3).
    return !consumesReceive(wqe.operation) || wqe.receiveSn <= this.creditEnd
  }

  /** The probe of a SEND is its first packet, that of a WRITE with immediate the whole message. */
  private mayGoOn(wqe: SendWqe): boolean {
    const { operation } = wqe
    return !consumesReceive(operation) || operation === OP_WRITE_IMMEDIATE || wqe.receiveSn < this.creditEnd
  }

  /** Whether no further packet may be sent until this one is acknowledged. */
  private isLastForNow(wqe: SendWqe, nextPsn: number): boolean {
    if (consumesReceive(wqe.operation) && wqe.receiveSn >= this.creditEnd) return true
    return nextPsn - this.una >= this.capPackets || this.isClosedAt(nextPsn)
  }

  private onMsn(packet: Readonly<VerbsPacket>): void {
    const { queue } = this
    const msn = unwrapPsn(packet.msn, this.msn)
    if (msn < this.msn || msn > queue.tail) return
    const { syndrome } = packet
    if (msn === this.msn && syndrome === this.creditSyndrome) return
    this.msn = msn
    this.creditSyndrome = syndrome
    if (syndrome >= SYNDROME_RNR || msn < queue.head) return
    if (syndrome === SYNDROME_ACK_UNLIMITED) this.creditEnd = Infinity
    else {
      const taken = msn < queue.tail ? queue.at(msn).receiveSn : queue.nextReceiveSn
      const end = taken + CREDITS[syndrome]!
      if (end > this.creditEnd) this.creditEnd = end
    }
  }

  /** Completes acknowledged requests in order. */
  private retire(): void {
    if (this.una < this.nextRetirePsn) return
    const { queue, reads, isIrn } = this
    this.nextRetirePsn = 0
    while (!queue.isEmpty) {
      const wqe = queue.at(queue.head)
      if (wqe.sn === this.doomedSn) break
      // IRN completes by the MSN ([IRN] 5.3.3), which never runs ahead of the PSN; RoCE by the PSN.
      const pastPsn = wqe.firstPsn + wqe.packets
      if (this.una < pastPsn && this.doomedSn < 0 && !wqe.isRefused) this.nextRetirePsn = pastPsn
      if ((isIrn && this.msn <= wqe.sn) || this.una < pastPsn) break
      if (isAnswered(wqe.operation) && reads.done <= wqe.readSn) break
      queue.head++
      this.host.onSendDone(wqe)
    }
    this.checkHead()
  }

  /** Handles a NAK that refuses the request at `psn`. */
  private onRefused(nowPs: number, psn: number, status: Status): void {
    const { queue, reads } = this
    const wqe = queue.holds(psn) ? queue.ofPsn(psn) : null
    if (wqe !== null && (psn >= this.una || (isAnswered(wqe.operation) && reads.done <= wqe.readSn)))
      this.doom(wqe, status)
    // All its responses are here, and their ACK was lost.
    else if (psn < this.una) reads.repeatAck(nowPs)
  }
}
