/**
 * HOT. Responder half of a queue pair: checks requests, places their data, answers them, completes Receive WQEs.
 * RoCE takes packets in order or not at all. IRN takes them as they come: data goes to its place at once, and what a
 * last packet stands for happens when all before it have come (S3 5.3, B).
 * Numbers are unbounded inside and 24 bits on the wire.
 * Invariants: CQEs, atomics and READs happen in the order of their PSNs. A packet that is refused leaves no trace.
 * Source: IBTA 9.7; S3 5 and appendix B. Deviations: docs/models/verbs.md.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { PSN_MASK, unwrapPsn } from '../transport/psn.ts'
import { NOT_ECT } from '../transport/segment.ts'
import {
  BEYOND,
  COMPLETION_END,
  DUPLICATE,
  IN_ORDER,
  HELD,
  MESSAGE_END,
  PACKET,
  type PacketClass,
  SelectiveRepeatReceiver,
} from '../transport/selective-repeat/index.ts'
import {
  creditCode,
  RNR_WAIT_US,
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_PSN_ERROR,
  SYNDROME_REMOTE_ACCESS,
  SYNDROME_REMOTE_OPERATION,
  SYNDROME_RNR,
} from '../wire/aeth.ts'
import { ACKNOWLEDGE, isAtomic, isLast, isSend, isWrite, READ_REQUEST_OPCODE } from '../wire/opcodes.ts'
import type { AsyncEventKind } from './async-event.ts'
import { kindOf } from './codec.ts'
import type { ConnectionValues } from './connection-values.ts'
import { InboundCheck, type InboundHost } from './inbound-check.ts'
import { OP_RECEIVE, OP_RECEIVE_WRITE } from './operation.ts'
import type { VerbsPacket } from './packet.ts'
import { type PrematureCompletion, PrematureCompletions } from './premature-completions.ts'
import { ResponseQueue } from './response-queue.ts'
import { LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR, type Status } from './status.ts'

/** The queue pair, as its responder half needs it. */
export interface ResponderHost extends InboundHost {
  /** The Receive WQE at the head of the queue is done. */
  onReceived(completion: Readonly<PrematureCompletion>): void
  /** The responder gives up, and with it the queue pair; `status`: of the Receive WQE at the head, if it is at fault. */
  onResponderFailed(status: Status | null, event: AsyncEventKind): void
}

const NOTHING = 0
const SAY_ACK = 1
const SAY_NAK = 2
const SAY_RNR = 3

export class Responder {
  naksSent = 0
  rnrNaksSent = 0
  /** Packets ahead of a hole that could not be used yet, and were dropped without a word (S3 B.4). */
  earlyDrops = 0
  readonly responses: ResponseQueue
  /** IRN: the 2-bitmap. */
  readonly received: SelectiveRepeatReceiver | null
  private readonly host: ResponderHost
  private readonly values: ConnectionValues
  private readonly check: InboundCheck
  private readonly premature: PrematureCompletions
  /** RoCE: next PSN expected, and messages whole. */
  private sharedEpsn: number
  private sharedMsn = 0
  private say = NOTHING
  private sayPsn = 0
  private saySack = 0
  private acknowledgedLsn = DOUBLE_ZERO
  /** RoCE: the PSN that was reported missing. */
  private nakPsn = -1
  /** RoCE: while an RNR NAK makes the requester wait. */
  private rnrUntilPs = -Infinity
  /** Syndrome of the NAK that ends everything, or 0; it goes when all before it has been answered. */
  private fatal = 0
  private fatalPsn = 0
  private fatalStatus: Status | null = null
  /** PSN of a NAK that ends nothing, or -1: what should leave again may not any more. */
  private denialPsn = -1

  constructor(host: ResponderHost, values: ConnectionValues) {
    this.host = host
    this.values = values
    this.responses = new ResponseQueue(values)
    this.premature = new PrematureCompletions(host.receives.capacity)
    this.sharedEpsn = values.receivePsn
    this.received =
      values.mode === 'irn'
        ? new SelectiveRepeatReceiver(
            { bitmapBits: values.selectiveRepeat.bitmapBits, hasMessages: true },
            values.receivePsn,
          )
        : null
    this.check = new InboundCheck(host, values, this.responses)
  }

  get epsn(): number {
    return this.received === null ? this.sharedEpsn : this.received.epsn
  }

  get msn(): number {
    return this.received === null ? this.sharedMsn : this.received.msn
  }

  onRequest(nowPs: number, packet: Readonly<VerbsPacket>): void {
    if (this.fatal !== 0) return
    const { received } = this
    const psn = unwrapPsn(packet.psn, this.epsn)
    if (received === null) this.onSharedRequest(nowPs, psn, packet)
    else this.onPlacedRequest(nowPs, received, psn, packet)
  }

  /** ACK, NAK or RNR NAK that is due. In RoCE it waits for the responses before it. */
  pollAnswer(out: VerbsPacket): boolean {
    if (!this.hasAnswer) return false
    if (this.denialPsn >= 0) return this.pollDenial(out)
    if (this.fatal !== 0) return this.pollFatal(out)
    const { say } = this
    this.say = NOTHING
    let syndrome = this.credits()
    if (say === SAY_NAK) {
      syndrome = SYNDROME_PSN_ERROR
      this.naksSent++
    } else if (say === SAY_RNR) {
      syndrome = SYNDROME_RNR | this.values.rnrTimerCode
      this.rnrNaksSent++
    }
    this.answer(out, syndrome, say === SAY_ACK ? this.sayPsn - 1 : this.sayPsn)
    out.sackPsn = this.saySack & PSN_MASK
    return true
  }

  get hasAnswer(): boolean {
    if (this.fatal !== 0 || this.denialPsn >= 0) return this.denialPsn >= 0 || this.responses.isIdle
    return this.say !== NOTHING && (this.received !== null || this.responses.isIdle)
  }

  /** READ response or atomic acknowledgement that may leave now. */
  pollResponse(nowPs: number, out: VerbsPacket): boolean {
    const { responses } = this
    if (responses.poll(nowPs, out)) {
      // AETH: what a first, last or only one says besides.
      out.syndrome = this.credits()
      out.msn = this.msn & 0xffffff
      return true
    }
    const psn = responses.deniedPsn
    if (psn < 0) return false
    responses.deniedPsn = -1
    if (responses.isDeniedAgain) this.denialPsn = psn
    else this.giveUp(psn, SYNDROME_REMOTE_ACCESS, null)
    return false
  }

  /** A response's deadline has passed. */
  onTimeout(nowPs: number): void {
    if (!this.responses.onTimeout(nowPs)) this.host.onResponderFailed(null, 'fatal')
  }

  /** IRN. */
  private onPlacedRequest(
    nowPs: number,
    received: SelectiveRepeatReceiver,
    psn: number,
    packet: Readonly<VerbsPacket>,
  ): void {
    const place = received.place(psn)
    if (place === BEYOND) return
    if (place === DUPLICATE) {
      this.sayAck(received.epsn, psn)
      return
    }
    if (place !== HELD) {
      const verdict = this.check.judge(packet, psn - received.epsn)
      if (verdict !== 0) {
        // Not now and not ever: an error NAK ahead of a hole would come at the wrong time (S3 B.3, B.4).
        if (place === IN_ORDER) this.refuse(nowPs, psn, verdict)
        else this.earlyDrops++
        return
      }
      this.commit(nowPs, psn, packet)
      received.take(psn, classOf(packet.opcode, this.check.hasCompletion))
      if (place === IN_ORDER) {
        this.happen()
        if (this.fatal === 0) this.sayAck(received.epsn, psn)
        return
      }
    }
    this.say = SAY_NAK
    this.sayPsn = received.epsn
    this.saySack = psn
  }

  /** RoCE. */
  private onSharedRequest(nowPs: number, psn: number, packet: Readonly<VerbsPacket>): void {
    const epsn = this.sharedEpsn
    if (psn > epsn) {
      // What follows a packet that was not welcome was sent before the requester knew.
      if (nowPs < this.rnrUntilPs || this.nakPsn === epsn) return
      this.nakPsn = epsn
      this.say = SAY_NAK
      this.sayPsn = epsn
      return
    }
    const { opcode } = packet
    const isRead = opcode === READ_REQUEST_OPCODE || isAtomic(opcode)
    if (psn < epsn) {
      if (isRead) this.responses.replay(psn)
      // A NAK that waits says as much, and more: the packet that it is about will not be refused once more.
      else if (packet.isAckRequested && this.say <= SAY_ACK) this.sayAck(epsn, psn)
      return
    }
    const verdict = this.check.judge(packet, 0)
    if (verdict !== 0) {
      this.refuse(nowPs, psn, verdict)
      return
    }
    this.commit(nowPs, psn, packet)
    this.check.onAccepted(packet)
    this.sharedEpsn += opcode === READ_REQUEST_OPCODE ? this.responses.responsesOf(packet.lengthBytes) : 1
    if (isRead || isLast(opcode)) this.sharedMsn++
    this.acknowledgedLsn = (packet.lsn + packet.payloadBytes) >>> 0
    this.happen()
    // A READ is answered by its responses.
    if (isRead) this.say = NOTHING
    else if (packet.isAckRequested && this.fatal === 0) this.sayAck(this.sharedEpsn, psn)
  }

  /** Everything of a packet that was found good, but what has to wait for its turn. */
  private commit(nowPs: number, psn: number, packet: Readonly<VerbsPacket>): void {
    const { opcode } = packet
    const { check } = this
    if (opcode === READ_REQUEST_OPCODE || isAtomic(opcode)) {
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
  private happen(): void {
    const { responses, premature, host } = this
    for (;;) {
      const readPsn = responses.nextPsn
      const completionPsn = premature.psnOf(host.receives.head)
      if (readPsn < completionPsn) {
        if (readPsn >= this.epsn) return
        if (!responses.execute()) {
          // Its region went away between its arrival and its turn.
          this.giveUp(readPsn, SYNDROME_REMOTE_ACCESS, null)
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

  private refuse(nowPs: number, psn: number, verdict: number): void {
    if (verdict !== SYNDROME_RNR) {
      // Too short or not to be written: the fault of the Receive WQE, which says so itself (IBTA 9.9.3).
      let status: Status | null = null
      if (this.check.isTooLong) status = LOCAL_LENGTH_ERROR
      else if (verdict === SYNDROME_REMOTE_OPERATION) status = LOCAL_PROTECTION_ERROR
      this.giveUp(psn, verdict, status)
      return
    }
    this.say = SAY_RNR
    this.sayPsn = psn
    this.saySack = psn
    this.rnrUntilPs = nowPs + RNR_WAIT_US[this.values.rnrTimerCode]! * 1e6
  }

  private giveUp(psn: number, syndrome: number, status: Status | null): void {
    this.say = NOTHING
    this.fatal = syndrome
    this.fatalPsn = psn
    this.fatalStatus = status
  }

  /** For what had left before: who has it all does not mind, so that nothing ends by it here. */
  private pollDenial(out: VerbsPacket): boolean {
    this.answer(out, SYNDROME_REMOTE_ACCESS, this.denialPsn)
    out.sackPsn = out.psn
    this.naksSent++
    this.denialPsn = -1
    return true
  }

  private pollFatal(out: VerbsPacket): boolean {
    this.answer(out, this.fatal, this.fatalPsn)
    out.sackPsn = out.psn
    this.naksSent++
    this.host.onResponderFailed(this.fatalStatus, eventOf(this.fatal))
    return true
  }

  private sayAck(cumulative: number, sackPsn: number): void {
    this.say = SAY_ACK
    this.sayPsn = cumulative
    this.saySack = sackPsn
  }

  private answer(out: VerbsPacket, syndrome: number, psn: number): void {
    out.opcode = ACKNOWLEDGE
    out.syndrome = syndrome
    out.kind = kindOf(ACKNOWLEDGE, syndrome)
    out.psn = psn & PSN_MASK
    out.msn = this.msn & 0xffffff
    out.lsn = this.acknowledgedLsn
    out.ecn = NOT_ECT
  }

  /** Receive WQEs that no message has used up, as a credit code; a shared queue gives no credit (IBTA 9.7.7.2). */
  private credits(): number {
    const { host, values } = this
    if (host.isShared || !values.hasCredits) return SYNDROME_ACK_UNLIMITED
    return creditCode(host.receives.tail - host.receives.head)
  }
}

/** The two bits (S3 5.3.3). */
function classOf(opcode: number, hasCompletion: boolean): PacketClass {
  if (hasCompletion) return COMPLETION_END
  if (isSend(opcode) || isWrite(opcode)) return isLast(opcode) ? MESSAGE_END : PACKET
  return MESSAGE_END
}

/** What the application is told of a NAK that ends everything. */
function eventOf(syndrome: number): AsyncEventKind {
  if (syndrome === SYNDROME_REMOTE_ACCESS) return 'access error'
  return syndrome === SYNDROME_REMOTE_OPERATION ? 'fatal' : 'request error'
}
