/**
 * HOT. Shared PSNs: conversion between the PSNs on the wire, where RoCE numbers requests and READ responses in one
 * sequence, and those of a queue pair's two packet spaces. On the wire a READ takes as many PSNs as it has responses
 * and each response carries one of them; a request for the rest of a READ carries the PSN of the first missing
 * response. Both ends know the requests, so each can tell which space a PSN belongs to.
 * Units: PSNs, 24 bits on the wire, unbounded inside.
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

  /** Converts an outgoing packet. */
  toWire(packet: VerbsPacket): void {
    const { kind, opcode } = packet
    if (opcode === ACKNOWLEDGE) {
      const psn = unwrapPsn(packet.psn, this.responder.epsn)
      // An ACK names the last PSN of the request: for a READ, its last response.
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

  /** Converts a received packet. False: it belongs to no request and is dropped. */
  fromWire(packet: VerbsPacket): boolean {
    const { opcode } = packet
    if (opcode === ACKNOWLEDGE) {
      packet.psn = this.requestPsnOf(packet) & PSN_MASK
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
    // Missing READs may take more PSNs than packets of our count; the packet is ahead of them in any case.
    if (ahead < 0 && (opcode === READ_REQUEST_OPCODE || isAtomic(opcode)) && this.toResponse(packet)) {
      packet.kind = READ_REQUEST
      return true
    }
    packet.psn = (epsn + ahead) & PSN_MASK
    return true
  }

  /** The request PSN that an ACK or NAK of the other end refers to. */
  private requestPsnOf(packet: Readonly<VerbsPacket>): number {
    const { queue } = this.requester
    const wire = unwrapPsn(packet.psn, queue.firstWirePsn)
    const wqe = queue.ofWirePsn(wire)
    if (wqe !== null) return wqe.firstPsn + (wqe.responses > 0 ? 0 : wire - wqe.firstWirePsn)
    if (wire >= queue.endWirePsn) return queue.endPsn + wire - queue.endWirePsn
    // Requests already complete: extrapolates downwards.
    const head = queue.isEmpty ? queue.endPsn : queue.at(queue.head).firstPsn
    return head + wire - queue.firstWirePsn
  }

  /**
   * Gives a packet that refers to one of our responses the PSN of that response; false: no READ in the buffer has it.
   */
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

  /** PSN on the wire of a response to one of our READs. */
  private wireOfResponseToUs(psn: number): number {
    const { queue, reads } = this.requester
    for (let sn = queue.head; sn < queue.tail; sn++) {
      const wqe = queue.at(sn)
      if (wqe.responses === 0 || psn >= wqe.firstResponse + wqe.responses) continue
      if (psn < wqe.firstResponse) break
      return wqe.firstWirePsn + psn - wqe.firstResponse
    }
    // The READ is complete: extrapolates from its last response.
    return reads.takenWirePsn + psn - (reads.expectedPsn - 1)
  }

  /**
   * PSN on the wire of the other end's request `psn`, or of the next one: `psn` plus the responses beyond the first of
   * all READs before it.
   */
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
