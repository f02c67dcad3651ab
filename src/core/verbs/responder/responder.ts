/**
 * HOT. Responder half of a queue pair: checks requests, places their data, sends ACKs and NAKs, completes Receive WQEs.
 * With a reordering recovery, data is placed on arrival, and completions, READs and atomics wait until all earlier
 * packets have arrived ([IRN] 5.3, B). The receiver of the recovery tracks which packets have arrived and what to
 * acknowledge.
 * Numbers are unbounded inside and 24 bits on the wire.
 * Invariants: CQEs, atomics and READs happen in PSN order. A refused packet changes no state.
 * Source: IBTA 9.7; [IRN] 5 and appendix B. Deviations: docs/models/verbs.md.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { PSN_MASK } from '../../transport/psn.ts'
import { Receiver, REFUSED_SILENTLY } from '../../transport/receive/receiver.ts'
import { ACK, NAK, NOT_ECT, RNR_NAK, SACK } from '../../transport/segment.ts'
import {
  creditCode,
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_PSN_ERROR,
  SYNDROME_REMOTE_ACCESS,
  SYNDROME_REMOTE_OPERATION,
  SYNDROME_RNR,
} from '../../wire/aeth.ts'
import { ACKNOWLEDGE, isAtomic, isSend, READ_REQUEST_OPCODE } from '../../wire/opcodes.ts'
import type { AsyncEventKind } from '../async-event.ts'
import type { ConnectionValues } from '../connection/values.ts'
import { InboundCheck, type InboundHost } from './inbound-check.ts'
import { OP_RECEIVE, OP_RECEIVE_WRITE } from '../queues/operation.ts'
import type { VerbsPacket } from '../packet.ts'
import { type PrematureCompletion, PrematureCompletions } from '../queues/premature-completions.ts'
import { type ResponseHost, ResponseSender } from './response-sender.ts'
import type { ReceiveQueue } from '../queues/receive-queue.ts'
import type { Schemes } from '../schemes.ts'
import { WatchedResponseSender } from './watched-response-sender.ts'
import { LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR, type Status } from '../queues/status.ts'

/** The queue pair, as seen by its responder half. */
export interface ResponderHost extends InboundHost {
  /** One or more messages are complete. */
  onWhole(): void
  /** The Receive WQE at the head of the queue is complete. */
  onReceived(completion: Readonly<PrematureCompletion>): void
  /** The queue pair enters the error state; `status` is that of the Receive WQE at the head, if it is at fault. */
  onResponderFailed(status: Status | null, event: AsyncEventKind): void
}

/** Owed in addition to the base class: a NAK that does not end the connection. */
const OWES_DENIAL = 32

export class Responder extends Receiver<VerbsPacket> implements ResponseHost {
  /** Packets ahead of a hole that were unusable so far and were dropped silently ([IRN] B.4). */
  earlyDrops = 0
  readonly responses: ResponseSender
  private readonly host: ResponderHost
  private readonly rnrTimerCode: number
  private readonly isInOrder: boolean
  private readonly isIrn: boolean
  /** ACKs tell how many Receive WQEs are unused. */
  private readonly hasCredits: boolean
  private readonly receives: ReceiveQueue
  private readonly remoteQp: number
  private readonly check: InboundCheck
  private readonly premature: PrematureCompletions
  private acknowledgedLsn = DOUBLE_ZERO
  /** A request is stored that is executed, or completes a Receive WQE, once all before it have arrived. */
  private hasStored = false
  private forgottenPsn = 0
  /**
   * Syndrome of the NAK that ends the connection, or 0. It leaves when all earlier requests have their ACKs and
   * responses.
   */
  private fatal = 0
  private fatalStatus: Status | null = null
  /** PSN of the request whose responses were requested again and may not leave any more. */
  private denialPsn = 0

  constructor(host: ResponderHost, values: ConnectionValues, schemes: Schemes) {
    super(schemes.receiverOptions('requests'))
    this.host = host
    this.rnrTimerCode = values.rnrTimerCode
    this.isInOrder = schemes.isInOrder
    this.isIrn = values.mode === 'irn'
    // A shared queue gives no credit (IBTA 9.7.7.2).
    this.hasCredits = !host.isShared && values.hasCredits
    this.receives = host.receives
    this.remoteQp = values.remoteQp
    this.premature = new PrematureCompletions(this.receives.capacity)
    this.responses = new (schemes.isWatched ? WatchedResponseSender : ResponseSender)(this, values, schemes)
    this.check = new InboundCheck(host, values, this.responses)
  }

  get epsn(): number {
    return this.recovery.epsn
  }

  /** Highest PSN expected so far; go-back-0 may have stepped back from it since. */
  get reachedPsn(): number {
    return Math.max(this.epsn, this.forgottenPsn)
  }

  /** Whether this request packet arrived ahead of a hole. */
  holds(psn: number): boolean {
    return this.recovery.holds(psn)
  }

  get msn(): number {
    return this.deliveredMessages
  }

  /** Unused Receive WQEs as a credit code. */
  get creditSyndrome(): number {
    const { receives } = this
    return this.hasCredits ? creditCode(receives.tail - receives.head) : SYNDROME_ACK_UNLIMITED
  }

  onDenied(nowPs: number, psn: number, isAgain: boolean): void {
    if (isAgain) {
      this.denialPsn = psn
      this.owes |= OWES_DENIAL
    } else this.giveUp(nowPs, psn, SYNDROME_REMOTE_ACCESS, null)
  }

  onRetriesExceeded(): void {
    this.host.onResponderFailed(null, 'fatal')
  }

  override pollTransmit(nowPs: number, out: VerbsPacket): boolean {
    const isDenial = (this.owes & OWES_DENIAL) !== 0
    if (isDenial) this.fillDenial(nowPs, out)
    else if (!super.pollTransmit(nowPs, out)) return false
    const { kind } = out
    if (kind !== ACK && kind !== NAK && kind !== RNR_NAK) return true
    out.opcode = ACKNOWLEDGE
    out.destinationQp = this.remoteQp
    out.msn = this.msn & 0xffffff
    out.lsn = this.acknowledgedLsn
    const isPsnError = kind === NAK && out.syndrome === SYNDROME_PSN_ERROR
    // All others report no packet beyond the cumulative PSN.
    if (!isPsnError && (out.flags & SACK) === 0) out.sackPsn = out.psn
    if (kind !== NAK || isPsnError) return true
    this.naksSent++
    if (!isDenial) this.host.onResponderFailed(this.fatalStatus, eventOf(this.fatal))
    return true
  }

  protected override refusalOf(nowPs: number, psn: number, packet: VerbsPacket): number {
    if (this.fatal !== 0) return REFUSED_SILENTLY
    const { recovery } = this
    const ahead = psn - recovery.epsn
    if (ahead < 0) {
      // A duplicate READ or atomic request is answered by its responses.
      if (!this.isIrn && isReadOrAtomic(packet.opcode)) this.responses.replay(nowPs, psn, packet)
      return 0
    }
    if (ahead > 0 && (!recovery.isReordering || recovery.holds(psn))) return 0
    const verdict = this.check.judge(packet, ahead)
    if (verdict === 0) return 0
    // Dropped silently: an error NAK ahead of a hole would arrive too early ([IRN] B.3, B.4).
    if (ahead > 0) this.earlyDrops++
    else if (verdict === SYNDROME_RNR) return SYNDROME_RNR | this.rnrTimerCode
    else {
      // Memory that is too short or not writable is the fault of the Receive WQE, which completes with that status
      // (IBTA 9.9.3).
      let status: Status | null = null
      if (this.check.isTooLong) status = LOCAL_LENGTH_ERROR
      else if (verdict === SYNDROME_REMOTE_OPERATION) status = LOCAL_PROTECTION_ERROR
      this.giveUp(nowPs, psn, verdict, status)
    }
    return REFUSED_SILENTLY
  }

  protected override onTaken(nowPs: number, psn: number, packet: VerbsPacket): void {
    this.commit(nowPs, psn, packet)
    this.check.onAccepted(packet)
    this.acknowledgedLsn = (packet.lsn + packet.payloadBytes) >>> 0
    // The responses also acknowledge all earlier requests.
    if (!this.isIrn && isReadOrAtomic(packet.opcode)) this.dropAck()
    if (this.hasStored) this.executeReady(nowPs)
  }

  protected override complete(nowPs: number, messages: number, sends: number): void {
    super.complete(nowPs, messages, sends)
    this.host.onWhole()
  }

  protected override creditCode(): number {
    return this.creditSyndrome
  }

  protected override forget(packets: number): void {
    super.forget(packets)
    this.forgottenPsn = Math.max(this.forgottenPsn, this.epsn + packets)
    this.check.forget(packets)
  }

  /**
   * The NAK that ends the connection waits until all earlier work is done; in RoCE every ACK and NAK waits for the
   * responses before it.
   */
  protected override mayReply(): boolean {
    if (this.isInOrder) return this.responses.hasLeft
    return this.fatal === 0 || this.responses.isIdle
  }

  /**
   * A NAK that waits for responses is not replaced by the ACK of a duplicate, and the one that ends the connection not
   * by any other.
   */
  protected override replyWith(answer: number, psn: number): void {
    if (this.fatal !== 0 || (this.isInOrder && this.owedNakPsn === this.recovery.epsn)) return
    super.replyWith(answer, psn)
  }

  /** Executes the part of a valid packet that need not wait for earlier packets. */
  private commit(nowPs: number, psn: number, packet: Readonly<VerbsPacket>): void {
    const { opcode } = packet
    const { check } = this
    if (isReadOrAtomic(opcode)) {
      this.hasStored = true
      this.responses.store(nowPs, check.readSn, psn, packet, check.region)
      return
    }
    if (packet.hasPayload && check.region !== null) {
      check.region.write(check.address, packet.payload, packet.payloadBytes)
    }
    if (!check.hasCompletion) return
    this.hasStored = true
    const slot = this.premature.slot(check.receiveSn)
    slot.sn = check.receiveSn
    slot.psn = psn
    slot.operation = isSend(opcode) ? OP_RECEIVE : OP_RECEIVE_WRITE
    slot.lengthBytes = check.messageBytes
    slot.hasImmediate = check.hasImmediate
    slot.immediate = packet.immediate
    slot.invalidateKey = check.hasInvalidate ? packet.invalidateKey : -1
    slot.isSolicited = packet.isSolicited
  }

  /** Executes, in PSN order, what no longer waits for earlier packets. */
  private executeReady(nowPs: number): void {
    const { responses, premature, host, receives } = this
    for (;;) {
      const readPsn = responses.nextPsn
      const completionPsn = premature.psnOf(receives.head)
      if (readPsn < completionPsn) {
        if (readPsn >= this.epsn) return
        if (!responses.execute(nowPs)) {
          // Its region was invalidated after its arrival.
          this.giveUp(nowPs, readPsn, SYNDROME_REMOTE_ACCESS, null)
          return
        }
      } else {
        if (completionPsn >= this.epsn) {
          this.hasStored = completionPsn !== Infinity
          return
        }
        const completion = premature.slot(receives.head)
        completion.sn = -1
        host.onReceived(completion)
      }
    }
  }

  private giveUp(nowPs: number, psn: number, syndrome: number, status: Status | null): void {
    this.refuse(nowPs, psn, syndrome)
    this.fatal = syndrome
    this.fatalStatus = status
  }

  private fillDenial(nowPs: number, out: VerbsPacket): void {
    this.owes &= ~OWES_DENIAL
    out.kind = NAK
    out.syndrome = SYNDROME_REMOTE_ACCESS
    out.psn = this.denialPsn & PSN_MASK
    out.payloadBytes = 0
    out.flags = 0
    out.ecn = NOT_ECT
    out.sentPs = nowPs
    out.delayPs = 0
  }
}

function isReadOrAtomic(opcode: number): boolean {
  return opcode === READ_REQUEST_OPCODE || isAtomic(opcode)
}

/** Asynchronous event that goes with the NAK that ends the connection. */
function eventOf(syndrome: number): AsyncEventKind {
  if (syndrome === SYNDROME_REMOTE_ACCESS) return 'access error'
  return syndrome === SYNDROME_REMOTE_OPERATION ? 'fatal' : 'request error'
}
