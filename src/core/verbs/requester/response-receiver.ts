/**
 * HOT. Response receiver: the requester's half that takes READ responses and atomic acknowledgements and places their
 * data. Responses are a packet space of their own; the receiver of the recovery tracks which have arrived, which are
 * missing and when to request them again.
 * Units: unbounded PSNs of the responses; picoseconds. Invariant: `done` <= `due` <= `issued`.
 * Source: IBTA 9.4.4, 9.4.5, 9.7.6.1; [IRN] 5.2, 5.4. Deviations: docs/models/verbs.md.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { unwrapPsn } from '../../transport/psn.ts'
import { Receiver, REFUSED_SILENTLY } from '../../transport/receive/receiver.ts'
import { ACK, DATA, NAK, READ_REQUEST, SACK } from '../../transport/segment.ts'
import { SYNDROME_ACK_UNLIMITED, SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  READ_ACK,
  READ_NACK,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
} from '../../wire/opcodes.ts'
import type { ConnectionValues } from '../connection/values.ts'
import { OP_READ } from '../queues/operation.ts'
import type { VerbsPacket } from '../packet.ts'
import { fillRequest, requestTerms } from './request-packet.ts'
import type { Schemes } from '../schemes.ts'
import type { SendWqe } from '../queues/send-queue.ts'
import { BAD_RESPONSE, LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR, SUCCESS, type Status } from '../queues/status.ts'

/** The requester, as seen by its response receiver. */
export interface ReadHost {
  /** A response to this request arrived, in order or not: the request and all before it were executed. */
  onResponse(nowPs: number, wqe: SendWqe, packet: Readonly<VerbsPacket>): void
  /** The response was processed, accepted or not: more requests may complete or start. */
  onResponses(): void
  /** One or more READs or atomics have all their responses. */
  onWhole(): void
  /** The response does not fit its request, or its memory is not accessible. */
  onBadResponse(nowPs: number, wqe: SendWqe, status: Status): void
  /** The retry limit is reached without a response. */
  onRetriesExceeded(nowPs: number): void
}

export class ResponseReceiver extends Receiver<VerbsPacket> {
  issued = 0
  /** Requests known to have been executed, so that their responses are due. */
  private due = 0
  /** Response bytes received, modulo 2^32 ([LDCP] 3.1). */
  private lsn = DOUBLE_ZERO
  /** RoCE: PSN on the wire of the last response accepted. */
  takenWirePsn = 0
  private readonly host: ReadHost
  private readonly values: ConnectionValues
  private readonly ring: (SendWqe | null)[]
  private readonly isInOrder: boolean
  /** Responses are acknowledged, and their sender has its own timeout. */
  private readonly isAcknowledged: boolean
  /** The missing response already requested again because an ACK or NAK of a later request arrived before it. */
  private gapPsn = -1

  constructor(host: ReadHost, values: ConnectionValues, schemes: Schemes) {
    const options = schemes.receiverOptions('responses')
    super(options)
    this.host = host
    this.values = values
    this.isInOrder = schemes.isInOrder
    this.isAcknowledged = options.naksReads
    this.ring = Array.from({ length: values.readsOut }, () => null)
    this.reader!.startAt(this.recovery.epsn)
  }

  /** READs and atomics with all their responses: the readSn of the oldest that lacks some. */
  get done(): number {
    return this.deliveredMessages
  }

  /** A request leaves, for the first time or again. */
  onIssued(wqe: SendWqe): void {
    if (wqe.readSn < this.issued) return
    this.issued = wqe.readSn + 1
    this.ring[wqe.readSn % this.ring.length] = wqe
  }

  /**
   * Requests below `psn` were executed: their responses are due. `isReported`: an ACK or NAK of a later request showed
   * it.
   */
  onExecuted(nowPs: number, psn: number, isReported: boolean): void {
    while (this.due < this.issued && this.request(this.due).firstPsn < psn) {
      this.reader!.expect(nowPs, this.recovery.epsn, this.request(this.due++).responses * this.values.mtuBytes)
    }
    const { epsn } = this.recovery
    if (!this.isInOrder || !isReported || this.done === this.due || this.gapPsn === epsn) return
    // The ACK or NAK left after the responses and arrived before them: they are lost (IBTA 9.7.5.1.4). Requested once
    // per gap; after that the timeout applies.
    this.gapPsn = epsn
    this.requestAgain(epsn)
  }

  /** Repeats the current acknowledgement. */
  repeatAck(nowPs: number): void {
    if (this.isAcknowledged) this.acknowledgeAgain(nowPs)
  }

  override onSegment(nowPs: number, packet: VerbsPacket): void {
    const isTaken = packet.kind === DATA && !this.isFailed
    const wqe = isTaken ? this.find(unwrapPsn(packet.psn, this.recovery.epsn)) : null
    if (wqe !== null) this.host.onResponse(nowPs, wqe, packet)
    super.onSegment(nowPs, packet)
    if (isTaken) this.host.onResponses()
  }

  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    if (this.isFailed) this.host.onRetriesExceeded(nowPs)
  }

  override pollTransmit(nowPs: number, out: VerbsPacket): boolean {
    if (!super.pollTransmit(nowPs, out)) return false
    out.destinationQp = this.values.remoteQp
    out.msn = 0
    out.lsn = this.lsn
    if (out.kind === ACK) {
      out.opcode = READ_ACK
      // Most ACKs report no packet beyond the cumulative PSN.
      if ((out.flags & SACK) === 0) out.sackPsn = out.psn
      out.syndrome = SYNDROME_ACK_UNLIMITED
    } else if (out.kind === NAK) {
      out.opcode = READ_NACK
      out.syndrome = SYNDROME_PSN_ERROR
    } else if (out.kind === READ_REQUEST) {
      const psn = unwrapPsn(out.psn, this.recovery.epsn)
      const wqe = this.find(psn)!
      const { flags } = out
      // A repeated READ request asks for the rest.
      fillRequest(out, wqe, psn - wqe.firstResponse, requestTerms(this.values))
      out.kind = READ_REQUEST
      out.flags = flags
    }
    return true
  }

  protected override complete(nowPs: number, messages: number, sends: number): void {
    super.complete(nowPs, messages, sends)
    this.host.onWhole()
  }

  protected override refusalOf(nowPs: number, psn: number, packet: VerbsPacket): number {
    const { recovery } = this
    if (psn < recovery.epsn || recovery.holds(psn)) return 0
    const wqe = this.find(psn)
    if (wqe === null) return REFUSED_SILENTLY
    if (psn > recovery.epsn && !recovery.isReordering) return 0
    const status = this.judge(wqe, psn - wqe.firstResponse, packet)
    if (status === SUCCESS) return 0
    this.host.onBadResponse(nowPs, wqe, status)
    return REFUSED_SILENTLY
  }

  protected override onTaken(nowPs: number, psn: number, packet: VerbsPacket): void {
    const wqe = this.find(psn)!
    const { region, address } = wqe
    this.takenWirePsn = wqe.firstWirePsn + psn - wqe.firstResponse
    this.lsn = (packet.lsn + packet.payloadBytes) >>> 0
    // The value of an atomic is in a header, not in the payload.
    if (wqe.operation !== OP_READ) this.delivered.add(nowPs, wqe.lengthBytes)
    if (region === null) return
    if (wqe.operation !== OP_READ) region.setWord(address, packet.swapHigh, packet.swapLow)
    else if (packet.hasPayload) {
      const { mtuBytes } = this.values
      region.write(address + (psn - wqe.firstResponse) * mtuBytes, packet.payload, packet.payloadBytes)
    }
  }

  /**
   * A responder with its own timeout retransmits by itself and only needs an ACK. Otherwise the READ is requested
   * again, and the responses of later ones follow.
   */
  protected override onLateResponse(nowPs: number): void {
    const { epsn } = this.recovery
    this.gapPsn = -1
    if (!this.isAcknowledged) this.requestAgain(epsn)
    else {
      this.acknowledgeAgain(nowPs)
      this.reader!.arm(nowPs, epsn)
    }
  }

  private request(sn: number): SendWqe {
    return this.ring[sn % this.ring.length]!
  }

  /** The outstanding request of a response PSN, or null. Searches from the oldest, the likeliest. */
  private find(psn: number): SendWqe | null {
    for (let sn = this.done; sn < this.issued; sn++) {
      const wqe = this.request(sn)
      if (psn < wqe.firstResponse) return null
      if (psn < wqe.firstResponse + wqe.responses) return wqe
    }
    return null
  }

  private judge(wqe: SendWqe, index: number, packet: Readonly<VerbsPacket>): Status {
    const { region, responses, lengthBytes } = wqe
    const isRead = wqe.operation === OP_READ
    const { mtuBytes } = this.values
    const expected = !isRead ? 0 : index === responses - 1 ? lengthBytes - index * mtuBytes : mtuBytes
    if (!isResponse(packet.opcode, isRead, index, responses)) return BAD_RESPONSE
    if (isRead && packet.payloadBytes !== expected) return LOCAL_LENGTH_ERROR
    // The rights were checked at posting; the key may have been invalidated since (IBTA 10.6).
    return region !== null && !region.isValid && lengthBytes > 0 ? LOCAL_PROTECTION_ERROR : SUCCESS
  }
}

/**
 * Whether the opcode fits its position among the responses (IBTA 9.7.6.1). The rest of a READ that was requested again
 * may start with a first or an only response.
 */
function isResponse(opcode: number, isRead: boolean, index: number, responses: number): boolean {
  if (!isRead) return opcode === ATOMIC_ACKNOWLEDGE
  if (index === responses - 1) return opcode === READ_RESPONSE_ONLY || (opcode === READ_RESPONSE_LAST && index > 0)
  return opcode === READ_RESPONSE_FIRST || (opcode === READ_RESPONSE_MIDDLE && index > 0)
}
