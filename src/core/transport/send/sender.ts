/**
 * HOT. Sender half of a QP: cuts messages into packets and tracks their acknowledgement, on a packet space.
 * Units: packets are numbered by unbounded PSNs from 0; sizes bytes; times picoseconds.
 * Source: [IGBN] II-A, [IRN] 3.2, IBTA 9.7.
 */
import { ReadResponder } from './read-responder.ts'
import { dataFrameBytes, type FrameSizes } from '../endpoint.ts'
import { flagsOf, OutgoingMessages } from './outgoing-messages.ts'
import { NAK, NOT_ECT, type Segment, shortBits } from '../segment.ts'
import type { SenderOptions } from './sender-options.ts'
import { SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import { PSN_MASK } from '../psn.ts'

/**
 * RequestNak: the NAK of a READ responder for a request that arrived before a missing one. It is sent once per
 * missing request, on the data's direction, as the responder is their sender. Source: IBTA 9.7.5.1.2 (PSN sequence
 * error); the requester goes back to the request it names (reader.ts).
 */
class RequestNak {
  /** First PSN of the request last found missing, unbounded; -1: none. */
  private missingPsn = -1
  private isOwed = false

  /** Reports the request that begins with `psn` as missing. */
  miss(psn: number): void {
    this.isOwed ||= this.missingPsn !== psn
    this.missingPsn = psn
  }

  /** Fills `out` with the NAK that is due, or returns false. */
  take(nowPs: number, out: Segment): boolean {
    if (!this.isOwed) return false
    this.isOwed = false
    out.kind = NAK
    out.psn = out.sackPsn = this.missingPsn & PSN_MASK
    out.payloadBytes = 0
    out.flags = 0
    out.ecn = NOT_ECT
    out.syndrome = SYNDROME_PSN_ERROR
    out.sentPs = nowPs
    out.delayPs = 0
    return true
  }
}

export class Sender extends ReadResponder {
  private readonly messages: OutgoingMessages
  private readonly frames: FrameSizes
  private readonly requestNak = new RequestNak()

  constructor(options: SenderOptions) {
    super(options)
    this.frames = options.frames
    this.messages = new OutgoingMessages(this.una)
  }

  /** Messages acknowledged to their last byte, in order. */
  get acknowledgedMessages(): number {
    return this.messages.acknowledged
  }

  /** The message that contains an unbounded PSN, and how many came before it; null: it is not known any more. */
  messageAt(psn: number): ReturnType<OutgoingMessages['lookUp']> {
    return this.messages.lookUp(psn)
  }

  /** Posts a message behind the ones before it. */
  post(nowPs: number, sizeBytes: number, operation: 'write' | 'send' | 'read'): void {
    this.extend(nowPs, this.messages.post(sizeBytes, this.payloadBytes, operation), operation)
    this.refresh()
  }

  protected override fill(_nowPs: number, psn: number, out: Segment): number {
    const message = this.messages.of(psn)
    const offset = psn - message.firstPsn
    const payloadBytes =
      offset === message.packets - 1 ? message.sizeBytes - offset * this.payloadBytes : this.payloadBytes
    const flags = flagsOf(message, offset, this.ackInterval) | shortBits(payloadBytes, this.payloadBytes)
    out.payloadBytes = payloadBytes
    out.flags = flags
    out.syndrome = message.sends
    return dataFrameBytes(this.frames, payloadBytes, flags) + this.frames.gapBytes
  }

  /** The receiver has these messages complete, known without an ACK (READ, or a QP without ACKs). */
  settle(nowPs: number, messages: number): void {
    const past = this.isClosed ? 0 : this.messages.settle(messages)
    if (past === 0) return
    this.settleTo(nowPs, past)
    this.refresh()
  }

  override takeRequestNak(nowPs: number, out: Segment): boolean {
    return this.requestNak.take(nowPs, out)
  }

  override firstPsnOf(psn: number): number {
    return this.messages.of(psn).firstPsn
  }

  override lsnOf(psn: number): number {
    return this.messages.lsnOf(psn, this.payloadBytes)
  }

  protected override onAcknowledged(psn: number): void {
    this.messages.acknowledge(psn)
  }

  /** A READ request for data that are not posted: the next ones, or some behind a request that is missing. */
  protected override onNewRead(nowPs: number, psn: number, segment: Segment): void {
    if (psn === this.end) this.post(nowPs, segment.payloadBytes, 'read')
    else this.requestNak.miss(this.end)
  }
}
