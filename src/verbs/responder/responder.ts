/**
 * HOT. Responder half of a queue pair: checks requests, places their data, answers them, completes Receive WQEs.
 * In order or not at all, or as they come: then data goes to its place at once, and what a last packet stands for happens
 * when all before it have come ([IRN] 5.3, B). Which packets are there and what is said of them is the receiver's, of any
 * recovery.
 * Numbers are unbounded inside and 24 bits on the wire.
 * Invariants: CQEs, atomics and READs happen in the order of their PSNs. A packet that is refused leaves no trace.
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
import { OP_RECEIVE, OP_RECEIVE_WRITE } from '../work/operation.ts'
import type { VerbsPacket } from '../packet.ts'
import { type PrematureCompletion, PrematureCompletions } from '../work/premature-completions.ts'
import { type ResponseHost, ResponseSender } from './response-sender.ts'
import type { Schemes } from '../schemes.ts'
import { LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR, type Status } from '../work/status.ts'

/** The queue pair, as its responder half needs it. */
export interface ResponderHost extends InboundHost {
  /** A message is whole, or more of them. */
  onWhole(): void
  /** The Receive WQE at the head of the queue is done. */
  onReceived(completion: Readonly<PrematureCompletion>): void
  /** The responder gives up, and with it the queue pair; `status`: of the Receive WQE at the head, if it is at fault. */
  onResponderFailed(status: Status | null, event: AsyncEventKind): void
}

/** Beside what every receiver owes: a NAK that ends nothing. */
const OWES_DENIAL = 32

export class Responder extends Receiver<VerbsPacket> implements ResponseHost {
  /** Packets ahead of a hole that could not be used yet, and were dropped without a word ([IRN] B.4). */
  earlyDrops = 0
  readonly responses: ResponseSender
  private readonly host: ResponderHost
  private readonly values: ConnectionValues
  private readonly isInOrder: boolean
  private readonly isIrn: boolean
  private readonly check: InboundCheck
  private readonly premature: PrematureCompletions
  private acknowledgedLsn = DOUBLE_ZERO
  private forgottenPsn = 0
  /** Syndrome of the NAK that ends everything, or 0; it goes when all before it has been answered. */
  private fatal = 0
  private fatalStatus: Status | null = null
  /** PSN of the request whose responses should leave again and may not any more. */
  private denialPsn = 0

  constructor(host: ResponderHost, values: ConnectionValues, schemes: Schemes) {
    super(schemes.receiverOptions('requests'))
    this.host = host
    this.values = values
    this.isInOrder = schemes.isInOrder
    this.isIrn = values.mode === 'irn'
    this.premature = new PrematureCompletions(host.receives.capacity)
    this.responses = new ResponseSender(this, values, schemes)
    this.check = new InboundCheck(host, values, this.responses)
  }

  get epsn(): number {
    return this.recovery.epsn
  }

  /** Up to here it had everything once, though it may want some of it again (go-back-0). */
  get reachedPsn(): number {
    return Math.max(this.epsn, this.forgottenPsn)
  }

  /** It has this request packet, ahead of a hole. */
  holds(psn: number): boolean {
    return this.recovery.holds(psn)
  }

  get msn(): number {
    return this.deliveredMessages
  }

  /** Receive WQEs that no message has used up, as a credit code; a shared queue gives no credit (IBTA 9.7.7.2). */
  get creditSyndrome(): number {
    const { host, values } = this
    if (host.isShared || !values.hasCredits) return SYNDROME_ACK_UNLIMITED
    return creditCode(host.receives.tail - host.receives.head)
  }

  onDenied(nowPs: number, psn: number, isAgain: boolean): void {
    if (isAgain) {
      this.denialPsn = psn
      this.owes |= OWES_DENIAL
    } else this.giveUp(nowPs, psn, SYNDROME_REMOTE_ACCESS, null)
  }

  onSilence(): void {
    this.host.onResponderFailed(null, 'fatal')
  }

  override pollTransmit(nowPs: number, out: VerbsPacket): boolean {
    const isDenial = (this.owes & OWES_DENIAL) !== 0
    if (isDenial) this.fillDenial(nowPs, out)
    else if (!super.pollTransmit(nowPs, out)) return false
    const { kind } = out
    if (kind !== ACK && kind !== NAK && kind !== RNR_NAK) return true
    out.opcode = ACKNOWLEDGE
    out.destinationQp = this.values.remoteQp
    out.msn = this.msn & 0xffffff
    out.lsn = this.acknowledgedLsn
    const isPsnError = kind === NAK && out.syndrome === SYNDROME_PSN_ERROR
    // All others name no packet.
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
      // Responses are the answer of a request, again too.
      if (!this.isIrn && isAnsweredOpcode(packet.opcode)) this.responses.replay(nowPs, psn, packet)
      return 0
    }
    if (ahead > 0 && (recovery.isReordering === 0 || recovery.holds(psn))) return 0
    const verdict = this.check.judge(packet, ahead)
    if (verdict === 0) return 0
    // Not now and not ever: an error NAK ahead of a hole would come at the wrong time ([IRN] B.3, B.4).
    if (ahead > 0) this.earlyDrops++
    else if (verdict === SYNDROME_RNR) return SYNDROME_RNR | this.values.rnrTimerCode
    else {
      // Too short or not to be written: the fault of the Receive WQE, which says so itself (IBTA 9.9.3).
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
    // What would have been said of those before it is said by its responses.
    if (!this.isIrn && isAnsweredOpcode(packet.opcode)) this.dropAck()
    this.happen(nowPs)
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

  /** The NAK that ends everything waits until all before it is done; in RoCE every answer waits for the responses before it. */
  protected override mayReply(): boolean {
    if (this.isInOrder) return this.responses.hasLeft
    return this.fatal === 0 || this.responses.isIdle
  }

  /** A NAK that waits for responses outlives the ACK of a copy, and one that ends everything all others. */
  protected override replyWith(answer: number, psn: number): void {
    if (this.fatal !== 0 || (this.isInOrder && this.owedNakPsn === this.recovery.epsn)) return
    super.replyWith(answer, psn)
  }

  /** Everything of a packet that was found good, but what has to wait for its turn. */
  private commit(nowPs: number, psn: number, packet: Readonly<VerbsPacket>): void {
    const { opcode } = packet
    const { check } = this
    if (isAnsweredOpcode(opcode)) {
      this.responses.store(nowPs, check.readSn, psn, packet, check.region)
      return
    }
    if (packet.hasPayload && check.region !== null) {
      check.region.write(check.address, packet.payload, packet.payloadBytes)
    }
    if (!check.hasCompletion) return
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

  /** What was waiting for the packets that are there now, in the order of their PSNs. */
  private happen(nowPs: number): void {
    const { responses, premature, host } = this
    for (;;) {
      const readPsn = responses.nextPsn
      const completionPsn = premature.psnOf(host.receives.head)
      if (readPsn < completionPsn) {
        if (readPsn >= this.epsn) return
        if (!responses.execute(nowPs)) {
          // Its region went away between its arrival and its turn.
          this.giveUp(nowPs, readPsn, SYNDROME_REMOTE_ACCESS, null)
          return
        }
      } else {
        if (completionPsn >= this.epsn) return
        const completion = premature.slot(host.receives.head)
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

function isAnsweredOpcode(opcode: number): boolean {
  return opcode === READ_REQUEST_OPCODE || isAtomic(opcode)
}

/** What the application is told of a NAK that ends everything. */
function eventOf(syndrome: number): AsyncEventKind {
  if (syndrome === SYNDROME_REMOTE_ACCESS) return 'access error'
  return syndrome === SYNDROME_REMOTE_OPERATION ? 'fatal' : 'request error'
}
