/**
 * HOT. Sender half of a QP: messages cut into packets, and what comes back for them, on a packet space.
 * Units: packets are numbered by unbounded PSNs from 0; sizes bytes; times picoseconds.
 * Source: S0 II-A, S3 3.2, IBTA 9.7.
 */
import { RNR_WAIT_US } from '../wire/aeth.ts'
import { dataFrameBytes, type Endpoint, type FrameSizes } from './endpoint.ts'
import { flagsOf, OutgoingMessages } from './outgoing-messages.ts'
import { PacketSpace } from './packet-space.ts'
import { PSN_MASK, unwrapPsn } from './psn.ts'
import { RequestNak } from './request-nak.ts'
import {
  ACK,
  CNM,
  CNP,
  DATA,
  ECT_0,
  NAK,
  NOT_ECT,
  READ_REQUEST,
  RETRANSMITTED,
  RNR_NAK,
  RTT_RESPONSE,
  shortBits,
  type Segment,
} from './segment.ts'
import type { SenderOptions } from './sender-options.ts'

export class Sender extends PacketSpace implements Endpoint {
  private readonly messages: OutgoingMessages
  private readonly payloadBytes: number
  packetsSent = 0
  /** Codepoint of data packets. */
  private readonly ecn: number
  private readonly frames: FrameSizes
  retransmissions = 0
  readonly requestNak = new RequestNak()
  /** Messages of switches heard. */
  cnms = 0

  constructor(options: SenderOptions) {
    super(options)
    this.frames = options.frames
    this.payloadBytes = options.frames.payloadBytes
    this.ecn = options.ectCapable ? ECT_0 : NOT_ECT
    this.messages = new OutgoingMessages(this.una)
  }

  override get end(): number {
    return this.messages.end
  }

  /** Messages acknowledged to their last byte, in order. */
  get acknowledgedMessages(): number {
    return this.messages.acknowledged
  }

  /** Posts a message; it follows the ones before it. */
  post(nowPs: number, sizeBytes: number, operation: 'write' | 'send' | 'read'): void {
    if (this.isIdle) this.congestion.onStart(nowPs)
    this.messages.post(sizeBytes, this.payloadBytes, operation)
    // A QP that was silent may start at once; pacing does not reach back into its silence.
    this.pacing.notBefore(nowPs)
    this.recovery.onPost(nowPs, operation)
    this.refresh()
  }

  pollTransmit(nowPs: number, out: Segment): boolean {
    if (nowPs < this.nextSendPs) return false
    const recovery = this.recovery
    // What is missing goes first, once its data are fetched again; new packets go meanwhile.
    let isPending = recovery.pendingPsn >= 0 && recovery.pendingPs <= nowPs
    if (isPending && recovery.isNewFirst !== 0) isPending = !this.maySendNew()
    const psn = isPending ? recovery.pendingPsn : this.nxt
    const message = this.messages.of(psn)
    const offset = psn - message.firstPsn
    const isLast = offset === message.packets - 1
    const payloadBytes = isLast ? message.sizeBytes - offset * this.payloadBytes : this.payloadBytes
    let flags = flagsOf(message, offset, this.ackInterval) | shortBits(payloadBytes, this.payloadBytes)
    if (psn < this.highest) {
      flags |= RETRANSMITTED
      this.retransmissions++
    } else this.highest = psn + 1
    out.kind = DATA
    out.psn = psn & PSN_MASK
    out.payloadBytes = payloadBytes
    out.flags = flags
    out.ecn = psn < this.congestion.incapableBelow && (flags & this.congestion.capableFlags) === 0 ? NOT_ECT : this.ecn
    out.sentPs = nowPs
    out.syndrome = message.sends
    if (!isPending) this.nxt = psn + 1
    this.packetsSent++
    const wireBytes = dataFrameBytes(this.frames, payloadBytes, flags) + this.frames.gapBytes
    this.onStarted(nowPs, psn, isLast, wireBytes, out)
    return true
  }

  onSegment(nowPs: number, segment: Segment): void {
    // A QP in error, or done for good, hears nothing more: a late CNP would start timers that nobody stops.
    if (this.isClosed) return
    switch (segment.kind) {
      case ACK:
        this.onAnswer(nowPs, segment, unwrapPsn(segment.psn, this.una) + 1, false)
        break
      case NAK:
        this.onAnswer(nowPs, segment, unwrapPsn(segment.psn, this.una), true)
        break
      case RNR_NAK:
        this.onRnr(nowPs, unwrapPsn(segment.psn, this.una), segment.syndrome)
        break
      case CNP:
        this.congestion.onCnp(nowPs, segment.causePs)
        break
      case CNM:
        this.cnms++
        this.congestion.onCnm(nowPs, segment.syndrome)
        break
      case RTT_RESPONSE:
        this.congestion.onRttResponse(nowPs, segment.sentPs)
        break
      case READ_REQUEST:
        this.onReadRequest(nowPs, unwrapPsn(segment.psn, this.end), segment)
        break
    }
    if (segment.kind !== ACK) this.onRate()
    this.refresh()
  }

  /** The receiver has these messages whole, known without an ACK (READ, or a QP that is never acknowledged). */
  settle(nowPs: number, messages: number): void {
    const past = this.isClosed ? 0 : this.messages.settle(messages)
    if (past === 0) return
    this.una = past > this.una ? past : this.una
    if (this.nxt < this.una) this.nxt = this.una
    this.onProgress()
    if (this.hasAckTimer !== 0) this.restartAckTimer(nowPs)
    this.refresh()
  }

  override firstPsnOf(psn: number): number {
    return this.messages.of(psn).firstPsn
  }

  protected override onAcknowledged(psn: number): void {
    this.messages.acknowledge(psn)
  }

  private onRnr(nowPs: number, psn: number, syndrome: number): void {
    if (psn < this.una || psn >= this.end) return
    this.awaitReceiver(nowPs, psn, RNR_WAIT_US[syndrome & 0x1f]! * 1e6)
  }

  /**
   * A READ request asks for new data (at the end) or again from the first response that is missing. The READs behind that
   * are sent again unasked; their requests, which come too, count only where they had not come before.
   */
  private onReadRequest(nowPs: number, psn: number, segment: Segment): void {
    const hasAcks = this.options.ackInterval > 0
    // Where a timer watches over acknowledged responses their loss is the recovery's business.
    const isRecovering = hasAcks && this.hasAckTimer !== 0
    // A repeated request stands for the ACKs that were lost (S4 3.1: the responder has no timeout of its own).
    const mayAcknowledge = hasAcks && !isRecovering && (segment.flags & RETRANSMITTED) !== 0
    if (mayAcknowledge && psn > this.una && psn <= this.highest) {
      this.acknowledge(psn)
      if (this.nxt < psn) this.nxt = psn
    }
    if (psn === this.end) this.post(nowPs, segment.payloadBytes, 'read')
    else if (psn > this.end) this.requestNak.miss(this.end)
    else if ((segment.flags & RETRANSMITTED) === 0 || isRecovering || psn >= this.nxt || this.una >= this.end) return
    else if (psn >= (hasAcks ? this.firstPsnOf(this.una) : this.una)) {
      // Going back to 0, a reader asks for what it has acknowledged and forgotten.
      const fromPsn = psn < this.una ? this.una : psn
      this.recovery.onNak(nowPs, fromPsn, fromPsn, segment)
      if (hasAcks) this.congestion.onLoss(nowPs)
    }
  }
}
