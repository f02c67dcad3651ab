/**
 * HOT. Read tracker: the requester's outstanding READs and atomics, and where their responses go.
 * RoCE: responses share the PSNs of the requests and must come in order. IRN: they have a space of their own, are
 * placed as they come, and each is answered by a READ-ACK or READ-NACK (S3 5.2, 5.4). There the responder runs the
 * timeout that sends them again; a deadline here finds out when it has given up. Units: picoseconds.
 * Invariant: done <= issued; READs are done in order.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { NEVER_PS } from '../base/params.ts'
import { unwrapPsn } from '../transport/psn.ts'
import { BEYOND, EARLY, HELD, IN_ORDER, PACKET, SelectiveRepeatReceiver } from '../transport/selective-repeat/index.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  READ_ACK,
  READ_NACK,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
} from '../wire/opcodes.ts'
import type { ConnectionValues } from './connection-values.ts'
import { OP_READ } from './operation.ts'
import type { VerbsPacket } from './packet.ts'
import type { SendWqe } from './send-queue.ts'
import { BAD_RESPONSE, LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR, type Status } from './status.ts'

export const READ_IGNORED = 0
export const READ_PLACED = 1
/** Not what was asked for, or without a place. */
export const READ_REFUSED = 2
export type ReadVerdict = typeof READ_IGNORED | typeof READ_PLACED | typeof READ_REFUSED

export class ReadTracker {
  /** READs and atomics with all their responses: the readSn of the oldest that lacks some. */
  done = 0
  issued = 0
  /** READ_ACK or READ_NACK that is due, or 0; cumulative PSN and the PSN it answers. */
  reply = 0
  replyPsn = 0
  replySack = 0
  /** Bytes of responses that came, modulo 2^32 (S4 3.1). */
  lsn = DOUBLE_ZERO
  /** IRN: until then a response has to come, unless one came since it was set; or NEVER_PS: none is owed. */
  deadlinePs = NEVER_PS
  timeouts = 0
  /** The WQE whose response was refused, and why: it is not what was asked for, or there is no place for it. */
  refused: SendWqe | null = null
  refusedStatus: Status = LOCAL_LENGTH_ERROR
  private readonly values: ConnectionValues
  /** IRN: responses received. */
  readonly receiver: SelectiveRepeatReceiver | null
  private readonly ring: (SendWqe | null)[]
  /** RoCE: responses of the oldest that have come. */
  private answered = 0
  /** IRN: a new response came just now; when the last one did, or the wait began; timeouts survived without one. */
  private isHeard = false
  private heardPs = DOUBLE_ZERO
  private timeoutsLeft: number

  constructor(values: ConnectionValues) {
    this.values = values
    this.ring = Array.from({ length: values.readsOut }, () => null)
    this.timeoutsLeft = values.retryLimit ?? Infinity
    this.receiver =
      values.mode === 'irn'
        ? new SelectiveRepeatReceiver(
            { bitmapBits: values.selectiveRepeat.bitmapBits, hasMessages: false },
            values.sendPsn,
          )
        : null
  }

  onIssued(wqe: SendWqe): void {
    if (wqe.readSn < this.issued) return
    this.issued = wqe.readSn + 1
    this.ring[wqe.readSn % this.ring.length] = wqe
  }

  /** RoCE: how far an answer with this cumulative PSN may reach: not over a response that has not come. */
  bound(cumulative: number): number {
    if (this.done === this.issued) return cumulative
    const missing = this.missingPsn
    return cumulative < missing ? cumulative : missing
  }

  /** RoCE: a response with that PSN. */
  onSharedResponse(psn: number, packet: Readonly<VerbsPacket>): ReadVerdict {
    if (this.values.lsnWindowBytes !== null) this.noteByte(psn, packet)
    if (this.done === this.issued || psn !== this.missingPsn) return READ_IGNORED
    const wqe = this.at(this.done)
    if (!this.place(wqe, this.answered, packet)) return READ_REFUSED
    if (++this.answered === wqe.responses) {
      this.answered = 0
      this.done++
    }
    return READ_PLACED
  }

  /** IRN: a response of the separate space. */
  onSeparateResponse(packet: Readonly<VerbsPacket>): ReadVerdict {
    const receiver = this.receiver!
    const psn = unwrapPsn(packet.psn, receiver.epsn)
    const place = receiver.place(psn)
    if (place === BEYOND) return READ_IGNORED
    if (place === IN_ORDER || place === EARLY) {
      let sn = this.done
      while (sn < this.issued && psn >= this.at(sn).firstResponse + this.at(sn).responses) sn++
      if (sn === this.issued || psn < this.at(sn).firstResponse) return READ_IGNORED
      if (!this.place(this.at(sn), psn - this.at(sn).firstResponse, packet)) return READ_REFUSED
      receiver.take(psn, PACKET)
      this.isHeard = true
      while (this.done < this.issued && this.endOf(this.done) <= receiver.epsn) this.done++
    }
    this.reply = place === EARLY || place === HELD ? READ_NACK : READ_ACK
    this.replyPsn = receiver.epsn
    this.replySack = psn
    return READ_PLACED
  }

  /** IRN: tells once more what has come. */
  sayAgain(): void {
    this.reply = READ_ACK
    this.replyPsn = this.receiver!.epsn
    this.replySack = this.replyPsn - 1
  }

  /**
   * IRN: keeps the deadline. A request below `acknowledgedPsn` has been executed, so that its responses are due; they
   * are sent again by a responder that gives up, or is gone, without a word (S3 5.2 has no answer to that).
   */
  watch(nowPs: number, acknowledgedPsn: number): void {
    if (this.done === this.issued || acknowledgedPsn <= this.at(this.done).firstPsn) this.deadlinePs = NEVER_PS
    else if (this.deadlinePs === NEVER_PS) this.startTimer(nowPs)
    else if (!this.isHeard) return
    // A response does not move the deadline; the deadline looks when it came.
    this.heardPs = nowPs
    this.timeoutsLeft = this.values.retryLimit ?? Infinity
    this.isHeard = false
  }

  /** The deadline may have passed. False: the responder is taken for dead. */
  onTimeout(nowPs: number): boolean {
    if (nowPs < this.deadlinePs) return true
    this.startTimer(this.heardPs)
    if (nowPs < this.deadlinePs) return true
    this.timeouts++
    this.heardPs = nowPs
    this.startTimer(nowPs)
    return this.timeoutsLeft-- > 0
  }

  /** The responder's longer timeout: it has sent what is missing once more each time that this one is over. */
  private startTimer(fromPs: number): void {
    const { rtoLowPs, rtoHighPs } = this.values.selectiveRepeat
    if (rtoLowPs !== null) this.deadlinePs = fromPs + rtoHighPs
  }

  private get missingPsn(): number {
    return this.at(this.done).firstPsn + this.answered
  }

  private at(sn: number): SendWqe {
    return this.ring[sn % this.ring.length]!
  }

  private endOf(sn: number): number {
    const wqe = this.at(sn)
    return wqe.firstResponse + wqe.responses
  }

  /** Every response is acknowledged for the sake of congestion control, but never refused (S4 3.1). */
  private noteByte(psn: number, packet: Readonly<VerbsPacket>): void {
    if (this.done < this.issued && psn === this.missingPsn) this.lsn = (packet.lsn + packet.payloadBytes) >>> 0
    this.reply = READ_ACK
    this.replyPsn = psn + 1
  }

  private place(wqe: SendWqe, index: number, packet: Readonly<VerbsPacket>): boolean {
    const { region, address } = wqe
    const isRead = wqe.operation === OP_READ
    const { mtuBytes } = this.values
    const expected = !isRead ? 0 : index === wqe.responses - 1 ? wqe.lengthBytes - index * mtuBytes : mtuBytes
    if (!isResponse(packet.opcode, isRead, index, wqe.responses)) return this.refuse(wqe, BAD_RESPONSE)
    if (isRead && packet.payloadBytes !== expected) return this.refuse(wqe, LOCAL_LENGTH_ERROR)
    if (region === null) return true
    // The rights are those of when it was posted; the key may have been taken away since (IBTA 10.6).
    if (!region.isValid && wqe.lengthBytes > 0) return this.refuse(wqe, LOCAL_PROTECTION_ERROR)
    if (!isRead) region.setWord(address, packet.swapHigh, packet.swapLow)
    else if (packet.hasPayload) region.write(address + index * mtuBytes, packet.payload, expected)
    return true
  }

  private refuse(wqe: SendWqe, status: Status): boolean {
    this.refused = wqe
    this.refusedStatus = status
    return false
  }
}

/**
 * The opcode may stand at that place among the responses (IBTA 9.7.6.1). The rest of a READ that was asked for again
 * may begin with a first one, or be an only one.
 */
function isResponse(opcode: number, isRead: boolean, index: number, responses: number): boolean {
  if (!isRead) return opcode === ATOMIC_ACKNOWLEDGE
  if (index === responses - 1) return opcode === READ_RESPONSE_ONLY || (opcode === READ_RESPONSE_LAST && index > 0)
  return opcode === READ_RESPONSE_FIRST || (opcode === READ_RESPONSE_MIDDLE && index > 0)
}
