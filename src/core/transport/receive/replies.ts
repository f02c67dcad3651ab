/**
 * HOT. Replies: pending packets of the receiver half of a QP and their transmission: CNPs, RTT responses, READ
 * requests, and one ACK or NAK at a time, the latest. The subclass decides what to reply.
 * Source: [IGBN] II-A, IBTA 9.7.
 */
import { assert } from '../../base/assert.ts'
import { DOUBLES } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import type { HeldAck } from './held-ack.ts'
import { Hops } from '../hops.ts'
import { PSN_MASK } from '../psn.ts'
import { Reader } from './reader.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import type { ReceiverRecovery } from '../recovery/recovery.ts'
import {
  ACK,
  CNP,
  ECE,
  NAK,
  NOT_ECT,
  READ_REQUEST,
  RETRANSMITTED,
  RNR_NAK,
  RTT_RESPONSE,
  SACK,
  type Segment,
} from '../segment.ts'
import { HELD_ACK_TIMER, type Timers } from '../timers.ts'
import { PLAIN } from '../plain.ts'

/** Bits of `owes`: packets due. */
const OWES_REPLY = 1
export const OWES_CNP = 2
export const OWES_RTT = 4
const OWES_HELD_ACK = 8
export const OWES_READ = 16
const OWES_ANY_REPLY = OWES_REPLY | OWES_HELD_ACK

/** Kinds of ACKs and NAKs. */
export const SEND_ACK = 1
export const SEND_NAK = 2
export const SEND_REFUSAL = 3
const SEND_READ = 4
export const SEND_SACK = 5

const doubles = DOUBLES

/**
 * Doubles of its record, a cache line. SENT_PS and DELAY_PS: transmission start and network delay of the packet to
 * acknowledge.
 */
export const SENT_PS = 0
export const DELAY_PS = 1
/** Delivered payload: three doubles. */
export const DELIVERED = 2
export const LAST_CNP_PS = 5
/** Time of the RTT request to respond to. */
export const PROBE_PS = 6
/** End of the wait that an RNR NAK imposes on the sender. */
export const RNR_UNTIL_PS = 7
export const RECORD = 8

export abstract class Replies<S extends Segment = Segment> {
  // Fields used for every packet come first, so that they share cache lines.
  protected readonly recovery: ReceiverRecovery
  /** Offset of its record, in doubles. */
  protected readonly at: number
  /** Bits of packets due; 0: none. */
  owes = 0
  /** null: this half does not request its data. */
  protected readonly reader: Reader | null
  /** Telemetry of the latest packet; null: not returned. */
  protected readonly hops: Hops | null
  protected readonly heldAck: HeldAck | null
  private replyKind = 0
  private replyPsn = 0
  protected replySackPsn = 0
  /** Syndrome of the NAK that refuses a packet. */
  protected refusal = 0
  /** RETRANSMITTED, size and path of the packet acknowledged. */
  protected replyFlags = 0
  /** ECE when a mark is to be echoed. */
  protected echo = 0
  /** Flag of an ACK that echoes a mark, or 0 where ACKs carry no echo. */
  protected readonly echoBit: number
  private replyBytes = 0
  naksSent = 0
  rnrNaksSent = 0
  cnpsSent = 0
  readonly timers: Timers

  constructor(options: ReceiverOptions) {
    if (PLAIN) {
      const { echoesHops, heldAck, isReader } = options
      assert(!echoesHops && heldAck === null && !isReader, 'the plain program has no telemetry, held ACKs or READs')
    }
    this.recovery = options.recovery
    this.timers = options.timers
    this.hops = options.echoesHops ? new Hops() : null
    this.heldAck = options.heldAck
    this.reader = options.isReader ? new Reader(options) : null
    this.echoBit = options.echoInAck ? ECE : 0
    this.at = options.timers.memory.takeRecord(2 * RECORD) >> 1
  }

  /** Credit code for ACKs: the Receive WQEs that are available. */
  protected abstract creditCode(nowPs: number): number

  get nextSendPs(): number {
    return this.owes !== 0 ? 0 : NEVER_PS
  }

  get nextTimeoutPs(): number {
    return this.timers.nextPs
  }

  /** Nothing is due now, and no timer is set. */
  get isSilent(): boolean {
    return this.owes === 0 && this.timers.nextPs === NEVER_PS
  }

  /** PSN of a NAK that is due, or -1. */
  protected get owedNakPsn(): number {
    const isNak = (this.owes & OWES_REPLY) !== 0 && (this.replyKind === SEND_NAK || this.replyKind === SEND_REFUSAL)
    return isNak ? this.replyPsn : -1
  }

  /** Drops an ACK that is due. */
  protected dropAck(): void {
    if ((this.owes & OWES_REPLY) !== 0 && this.replyKind === SEND_ACK) this.owes &= ~OWES_REPLY
  }

  /** Something is due that may be sent now. */
  get hasReply(): boolean {
    return (this.owes & ~OWES_ANY_REPLY) !== 0 || ((this.owes & OWES_ANY_REPLY) !== 0 && this.mayReply())
  }

  pollTransmit(nowPs: number, out: S): boolean {
    out.ecn = NOT_ECT
    out.flags = 0
    out.payloadBytes = 0
    out.syndrome = 0
    out.sentPs = doubles[this.at | SENT_PS]!
    out.delayPs = doubles[this.at | DELAY_PS]!
    if (!PLAIN && this.hops !== null) out.hops.take(this.hops)
    if ((this.owes & OWES_CNP) !== 0) {
      this.owes &= ~OWES_CNP
      this.cnpsSent++
      out.kind = CNP
      out.psn = 0
      return true
    }
    if (!PLAIN && (this.owes & OWES_RTT) !== 0) {
      this.owes &= ~OWES_RTT
      out.kind = RTT_RESPONSE
      out.psn = 0
      out.sentPs = doubles[this.at | PROBE_PS]!
      out.delayPs = 0
      return true
    }
    if ((this.owes & OWES_ANY_REPLY) === 0 || (!PLAIN && !this.mayReply())) return this.takeReadRequest(nowPs, out)
    if (!PLAIN && (this.owes & OWES_HELD_ACK) !== 0) {
      this.owes &= ~OWES_HELD_ACK
      this.heldAck!.fill(out)
      out.kind = ACK
      out.syndrome = this.creditCode(nowPs)
      return true
    }
    switch (this.replyKind) {
      case SEND_ACK:
      case SEND_SACK:
        out.kind = ACK
        out.syndrome = this.creditCode(nowPs)
        this.echoInto(out)
        if (this.replyKind === SEND_ACK) break
        out.sackPsn = this.replySackPsn & PSN_MASK
        out.flags |= SACK
        break
      case SEND_NAK:
        out.kind = NAK
        out.syndrome = SYNDROME_PSN_ERROR
        out.sackPsn = this.replySackPsn & PSN_MASK
        this.naksSent++
        this.echoInto(out)
        break
      case SEND_REFUSAL:
        out.kind = this.refusal < SYNDROME_PSN_ERROR ? RNR_NAK : NAK
        out.syndrome = this.refusal
        if (out.kind === RNR_NAK) this.rnrNaksSent++
        break
      case SEND_READ:
        out.kind = READ_REQUEST
        out.payloadBytes = this.replyBytes
        out.flags = RETRANSMITTED
        this.reader!.arm(nowPs, this.recovery.epsn)
        break
    }
    out.psn = this.replyPsn & PSN_MASK
    this.owes &= ~OWES_REPLY
    return true
  }

  /** Whether an ACK or NAK may be sent now; subclasses hold it back behind other packets. */
  protected mayReply(): boolean {
    return true
  }

  protected replyWith(kind: number, psn: number): void {
    this.replyKind = kind
    this.replyPsn = psn
    this.owes |= OWES_REPLY
  }

  /** Whether the ACK of `psn` is delayed; an older one with another echo goes first. */
  protected holdsAck(nowPs: number, psn: number, mayWait: boolean): boolean {
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

  /** Makes the held ACK due: it precedes any other reply. */
  protected releaseAck(): void {
    if (this.heldAck === null) return
    this.heldAck.release()
    if (this.heldAck.isDue) this.owes |= OWES_HELD_ACK
    this.timers.clear(HELD_ACK_TIMER)
  }

  private echoInto(out: Segment): void {
    out.flags = this.echo | this.replyFlags
    this.echo = 0
  }

  /** Repeats the cumulative ACK. The time since the last packet does not count as round trip. */
  protected acknowledgeAgain(nowPs: number): void {
    doubles[this.at | SENT_PS] = nowPs - doubles[this.at | DELAY_PS]!
    this.replyWith(SEND_ACK, this.recovery.epsn - 1)
  }

  /** Requests the READ that contains `psn` again: all of it if its first request was lost, else from `psn` on. */
  protected requestAgain(psn: number): void {
    this.replyWith(SEND_READ, psn)
    this.replyBytes = this.reader!.firstBytes
  }

  private takeReadRequest(nowPs: number, out: Segment): boolean {
    const { reader } = this
    if (reader === null || !reader.hasRequests) return false
    out.kind = READ_REQUEST
    out.psn = reader.requestPsn & PSN_MASK
    out.payloadBytes = reader.takeRequest(nowPs, this.recovery.epsn)
    if (!reader.hasRequests) this.owes &= ~OWES_READ
    return true
  }
}
