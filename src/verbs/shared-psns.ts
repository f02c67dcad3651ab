/**
 * HOT. Shared PSNs: RoCE numbers requests and READ responses in one row, a queue pair in two. On the wire a READ takes as
 * many PSNs as it has responses, and each response bears one of them; a request that asks for the rest of a READ bears the
 * PSN of the first response that is missing. Both ends know the requests, so that each can tell one from the other.
 * Here PSNs of the two spaces become those of the wire, and back. Units: PSNs, 24 bits on the wire, unbounded inside.
 * Source: IBTA 9.7.2, 9.7.5.1.
 */
import { PSN_MASK, unwrapPsn } from '../transport/psn.ts'
import { ACK, READ_REQUEST } from '../transport/segment.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  isAtomic,
  isReadResponse,
  READ_ACK,
  READ_REQUEST_OPCODE,
} from '../wire/opcodes.ts'
import type { VerbsPacket } from './packet.ts'
import type { Requester } from './requester/requester.ts'
import type { Responder } from './responder/responder.ts'

export class SharedPsns {
  private readonly requester: Requester
  private readonly responder: Responder

  constructor(requester: Requester, responder: Responder) {
    this.requester = requester
    this.responder = responder
  }

  /** A packet of ours, as it leaves. */
  toWire(packet: VerbsPacket): void {
    const { kind, opcode } = packet
    if (opcode === ACKNOWLEDGE) {
      const psn = unwrapPsn(packet.psn, this.responder.epsn)
      // An ACK names the last request, and of a READ that is its last response.
      packet.psn = (kind === ACK ? this.wireOfTheirs(psn + 1) - 1 : this.wireOfTheirs(psn)) & PSN_MASK
      packet.sackPsn = packet.psn
    } else if (opcode === READ_ACK || kind === READ_REQUEST) {
      const wire = this.wireOfResponseToUs(unwrapPsn(packet.psn, this.requester.reads.expectedPsn))
      packet.psn = wire & PSN_MASK
    } else if (isResponse(packet)) {
      const { responses } = this.responder
      const psn = unwrapPsn(packet.psn, responses.nxt)
      const slot = responses.slotWith(psn)
      packet.psn = (this.wireOfTheirs(slot.psn) + psn - slot.firstResponse) & PSN_MASK
    } else {
      const { queue, nxt } = this.requester
      const psn = unwrapPsn(packet.psn, nxt)
      const wqe = queue.ofPsn(psn)
      packet.psn = (wqe.firstWirePsn + psn - wqe.firstPsn) & PSN_MASK
    }
  }

  /** A packet of theirs, before it is heard. False: it can be for nobody. */
  fromWire(packet: VerbsPacket): boolean {
    const { opcode } = packet
    if (opcode === ACKNOWLEDGE) {
      packet.psn = this.answeredPsn(packet) & PSN_MASK
      packet.sackPsn = packet.psn
      return true
    }
    if (isResponse(packet)) {
      const { queue } = this.requester
      const wire = unwrapPsn(packet.psn, queue.firstWirePsn)
      const wqe = queue.ofWirePsn(wire)
      if (wqe === null || wqe.responses === 0) return false
      packet.psn = (wqe.firstResponse + wire - wqe.firstWirePsn) & PSN_MASK
      return true
    }
    if (opcode === READ_ACK) return this.toResponse(packet)
    const { epsn } = this.responder
    const ahead = unwrapPsn(packet.psn, this.wireOfTheirs(epsn)) - this.wireOfTheirs(epsn)
    // READs that are missing may take more PSNs than those before it; it is ahead in any case.
    if (ahead < 0 && (opcode === READ_REQUEST_OPCODE || isAtomic(opcode)) && this.toResponse(packet)) {
      packet.kind = READ_REQUEST
      return true
    }
    packet.psn = (epsn + ahead) & PSN_MASK
    return true
  }

  /** Of an answer to our requests: the request's own PSN. */
  private answeredPsn(packet: Readonly<VerbsPacket>): number {
    const { queue } = this.requester
    const wire = unwrapPsn(packet.psn, queue.firstWirePsn)
    const wqe = queue.ofWirePsn(wire)
    if (wqe !== null) return wqe.firstPsn + (wqe.responses > 0 ? 0 : wire - wqe.firstWirePsn)
    if (wire >= queue.endWirePsn) return queue.endPsn + wire - queue.endWirePsn
    // Of what is done.
    const head = queue.isEmpty ? queue.endPsn : queue.at(queue.head).firstPsn
    return head + wire - queue.firstWirePsn
  }

  /** Gives a packet that means a response of ours its PSN; false: of no READ that we know. */
  private toResponse(packet: VerbsPacket): boolean {
    const { responses } = this.responder
    for (let sn = responses.executed - 1; sn >= 0; sn--) {
      const slot = responses.slotOf(sn)
      if (slot.sn !== sn) return false
      const first = this.wireOfTheirs(slot.psn)
      const wire = unwrapPsn(packet.psn, first)
      if (wire < first) continue
      if (wire >= first + slot.responses) return false
      packet.psn = (slot.firstResponse + wire - first) & PSN_MASK
      return true
    }
    return false
  }

  /** Of a response to a READ of ours. */
  private wireOfResponseToUs(psn: number): number {
    const { queue, reads } = this.requester
    for (let sn = queue.head; sn < queue.tail; sn++) {
      const wqe = queue.at(sn)
      if (wqe.responses === 0 || psn >= wqe.firstResponse + wqe.responses) continue
      if (psn < wqe.firstResponse) break
      return wqe.firstWirePsn + psn - wqe.firstResponse
    }
    // Of a READ that is done.
    return reads.takenWirePsn + psn - (reads.expectedPsn - 1)
  }

  /** Of their request `psn`, or the next one: so many more as the READs before it have responses beyond the first. */
  private wireOfTheirs(psn: number): number {
    const { responses } = this.responder
    let wire = psn + responses.furtherPsns
    for (let sn = responses.executed - 1; sn >= 0; sn--) {
      const slot = responses.slotOf(sn)
      if (slot.sn !== sn || slot.psn < psn) break
      wire -= slot.responses - 1
    }
    return wire
  }
}

function isResponse({ opcode }: Readonly<VerbsPacket>): boolean {
  return isReadResponse(opcode) || opcode === ATOMIC_ACKNOWLEDGE
}
