/**
 * HOT. Wire side of a queue pair: distributes received packets to its halves, and knows what packets on a real wire do not
 * say: when a packet left that is acknowledged, and which half has sent the packets that a CNP is about. A simulated network
 * knows both, and calls the halves themselves.
 * Source: IBTA 9.7; annex A17.9.3 (a CNP names the queue pair only).
 */
import { ACK, ACK_REQUEST, CNP, DATA, NAK, READ_REQUEST } from '../transport/segment.ts'
import { SentTimes } from '../transport/send/sent-times.ts'
import { CNP_OPCODE } from '../wire/bth.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  isAtomic,
  isReadResponse,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
} from '../wire/opcodes.ts'
import type { ConnectionValues } from './connection/values.ts'
import { VerbsPacket } from './packet.ts'
import type { Requester } from './requester/requester.ts'
import type { Responder } from './responder/responder.ts'
import { SharedPsns } from './shared-psns.ts'

/** Bits of the halves that send data. */
const REQUESTS = 1
const RESPONSES = 2
/** An answer for the arrival of no packet. */
const NONE = -1

/** One CNP for all queue pairs: it holds nothing between two. */
const CNP_PACKET = Object.assign(new VerbsPacket(0), { kind: CNP, opcode: CNP_OPCODE })

export class WireSide {
  private readonly requester: Requester
  private readonly responder: Responder
  private readonly remoteQp: number
  /** Null: PSNs on the wire are those of the two packet spaces (IRN). */
  private readonly psns: SharedPsns | null
  private readonly baseRttPs: number
  /** Made with the first packet. */
  private requestTimes: SentTimes | null = null
  private responseTimes: SentTimes | null = null
  /** Halves that have sent since the last CNP, and those that the last one was for. */
  private senders = 0
  private slowed = 0

  constructor(requester: Requester, responder: Responder, values: ConnectionValues, baseRttPs: number) {
    this.requester = requester
    this.responder = responder
    this.remoteQp = values.remoteQp
    this.psns = values.mode === 'roce' ? new SharedPsns(requester, responder) : null
    this.baseRttPs = baseRttPs
  }

  /** A packet of one of the halves leaves: the rest of its fields is filled in. */
  finish(nowPs: number, packet: VerbsPacket): void {
    const { kind, opcode } = packet
    if (kind === CNP) {
      packet.opcode = CNP_OPCODE
      packet.destinationQp = this.remoteQp
      return
    }
    if (kind === DATA) {
      const isResponse = isReadResponse(opcode) || opcode === ATOMIC_ACKNOWLEDGE
      this.senders |= isResponse ? RESPONSES : REQUESTS
      const times = isResponse
        ? (this.responseTimes ??= new SentTimes(this.baseRttPs))
        : (this.requestTimes ??= new SentTimes(this.baseRttPs))
      times.onSent(nowPs, packet)
    }
    this.psns?.toWire(packet)
  }

  /** Takes a packet from the wire. False: it belongs to no request and is dropped. */
  take(nowPs: number, packet: VerbsPacket): boolean {
    const { requester, responder, psns } = this
    const { kind, opcode } = packet
    if (kind === CNP) {
      this.onCnp(nowPs)
      return true
    }
    if (psns !== null && !psns.fromWire(packet)) return false
    if (opcode === ACKNOWLEDGE) {
      this.stamp(nowPs, packet, this.requestTimes)
      requester.onSegment(nowPs, packet)
    } else if (isReadResponse(opcode) || opcode === ATOMIC_ACKNOWLEDGE) {
      packet.kind = DATA
      // Either all responses of a connection are acknowledged or none ([LDCP] 3.1, [IRN] 5.2); no bit on the wire says
      // so.
      packet.flags |= ACK_REQUEST
      requester.reads.onSegment(nowPs, packet)
    } else if (opcode === READ_ACK || opcode === READ_NACK) {
      packet.kind = opcode === READ_ACK ? ACK : NAK
      this.stamp(nowPs, packet, this.responseTimes)
      responder.responses.onSegment(nowPs, packet)
    } else if (packet.kind === READ_REQUEST) responder.responses.sendAgainFrom(nowPs, packet.psn, packet)
    else {
      // RoCE: responses acknowledge a READ or atomic, also where it asks for an ACK. An ACK would outlive a lost response.
      if (psns !== null && (opcode === READ_REQUEST_OPCODE || isAtomic(opcode))) packet.flags &= ~ACK_REQUEST
      responder.onSegment(nowPs, packet)
    }
    return true
  }

  /** A CNP: every half slows down that has sent since the last one, or if none has, those that the last one was for. */
  onCnp(nowPs: number): void {
    if (this.senders !== 0) this.slowed = this.senders
    this.senders = 0
    CNP_PACKET.causePs = nowPs
    if ((this.slowed & REQUESTS) !== 0) this.requester.onSegment(nowPs, CNP_PACKET)
    if ((this.slowed & RESPONSES) !== 0) this.responder.responses.onSegment(nowPs, CNP_PACKET)
  }

  /** Completes an ACK or NAK that carries no time. A NAK of RoCE names the packet that is missing, others what arrived. */
  private stamp(nowPs: number, packet: VerbsPacket, times: SentTimes | null): void {
    if (times === null || !Number.isNaN(packet.sentPs)) return
    const arrivedPsn = this.psns === null ? packet.sackPsn : packet.kind === ACK ? packet.psn : NONE
    times.stamp(nowPs, arrivedPsn, packet)
    packet.causePs = nowPs
  }
}
