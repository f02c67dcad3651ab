/** A requester whose other end is the test. */
import { assert } from '../../base/assert.ts'
import { NEVER_PS, US } from '../../base/params.ts'
import { ACK, ACK_REQUEST, DATA, FIRST, LAST, NAK, READ_REQUEST, RNR_NAK } from '../../transport/segment.ts'
import { SYNDROME_ACK_UNLIMITED, SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../../wire/aeth.ts'
import { READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE } from '../../wire/opcodes.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from '../connection/values.ts'
import type { MemoryRegion } from '../memory-region.ts'
import type { Operation } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'
import { Requester, type RequesterHost } from './requester.ts'
import { plainSchemes } from '../plain-schemes.ts'
import { SendQueue, type SendWqe } from '../queues/send-queue.ts'
import type { SendWork } from '../queues/work-request.ts'
import type { Status } from '../queues/status.ts'

export const MTU = 1024
export const TIMEOUT = 100 * US

/** A response as received; full by default. */
export function responseOf(opcode: number, psn: number, fields: Partial<VerbsPacket> = {}): VerbsPacket {
  const isFirst = opcode === READ_RESPONSE_FIRST
  const flags = (isFirst ? FIRST : opcode === READ_RESPONSE_MIDDLE ? 0 : LAST) | ACK_REQUEST
  const given = { kind: DATA, flags, opcode, psn, payloadBytes: MTU, syndrome: SYNDROME_ACK_UNLIMITED }
  return Object.assign(new VerbsPacket(MTU), given, fields)
}

/** Work requests are numbered from 0. */
export class Bench implements RequesterHost {
  /** Number of calls that reported READs or atomics with all their responses. */
  wholes = 0
  nowPs = 0
  mayBegin = true
  readonly done: number[] = []
  /** "id:status". */
  readonly failed: string[] = []
  readonly requester: Requester
  readonly queue: SendQueue
  private readonly mtuBytes: number

  constructor(given: Partial<ConnectionValues> = {}) {
    const values = { ...CONNECTION_DEFAULTS, remoteQp: 2, ackTimeoutPs: TIMEOUT, ...given }
    const { mode, mtuBytes, sendPsn: firstPsn } = values
    let orders = 0
    this.mtuBytes = mtuBytes
    const isShared = mode === 'roce'
    this.queue = new SendQueue({ capacity: 16, mtuBytes, firstPsn, firstResponse: firstPsn, isShared })
    this.requester = new Requester(this, this.queue, values, plainSchemes(values, { draw: () => ++orders }))
  }

  onWhole(): void {
    this.wholes++
  }

  onSendDone(wqe: SendWqe): void {
    this.done.push(wqe.id)
  }

  /** Fails as a queue pair does. */
  onSendFailed(wqe: SendWqe, status: Status): void {
    this.failed.push(`${wqe.id}:${status}`)
    this.requester.close()
    this.requester.reads.close()
    this.queue.head = this.queue.tail
  }

  /** A work request of `packets` full packets. */
  post(operation: Operation, packets = 1, region: MemoryRegion | null = null, more: Partial<SendWork> = {}): void {
    const address = region === null ? 0 : region.address
    const lengthBytes = packets * this.mtuBytes
    const work = { id: this.queue.tail, operation, lengthBytes, region, address, ...more }
    this.requester.onPosted(this.nowPs, this.queue.post(work, false))
  }

  /** PSNs that leave now, at most `most`; "!" marks those that request an ACK. */
  sends(most = 20): string {
    const packet = new VerbsPacket(MTU)
    const sent: string[] = []
    const { requester, nowPs } = this
    while (sent.length < most && requester.pollTransmit(nowPs, packet)) {
      const isAsking = (packet.flags & ACK_REQUEST) !== 0
      assert(isAsking === packet.isAckRequested, 'the bit and the flag differ')
      sent.push(`${packet.psn}${isAsking ? '!' : ''}`)
    }
    return sent.join(' ')
  }

  /** Likewise, without the marks. */
  psns(most?: number): number[] {
    const sent = this.sends(most)
    return sent === '' ? [] : sent.split(' ').map((psn) => parseInt(psn, 10))
  }

  /** READ-ACKs and the like: "ACK 3", "NAK 1 2" (missing, arrived), "READ 1" (requests responses from 1 on). */
  said(): string[] {
    const packet = new VerbsPacket(MTU)
    const said: string[] = []
    const { reads } = this.requester
    while (said.length < 9 && reads.hasReply && reads.pollTransmit(this.nowPs, packet)) {
      const { kind, psn, sackPsn } = packet
      if (kind === NAK) said.push(`NAK ${psn} ${sackPsn}`)
      else said.push(`${kind === READ_REQUEST ? 'READ' : 'ACK'} ${psn}`)
    }
    return said
  }

  /** An ACK of that PSN, with that MSN. */
  ack(psn: number, msn: number, fields: Partial<VerbsPacket> = {}): void {
    this.nak(SYNDROME_ACK_UNLIMITED, psn, msn, fields)
  }

  nak(syndrome: number, psn: number, msn: number, fields: Partial<VerbsPacket> = {}): void {
    const kind = syndrome < SYNDROME_RNR ? ACK : syndrome < SYNDROME_PSN_ERROR ? RNR_NAK : NAK
    const packet = Object.assign(new VerbsPacket(MTU), { kind, syndrome, psn, msn }, fields)
    this.requester.onSegment(this.nowPs, packet)
  }

  /** A READ response, full by default. */
  response(opcode: number, psn: number, msn: number, payloadBytes = MTU): void {
    this.requester.reads.onSegment(this.nowPs, responseOf(opcode, psn, { msn, payloadBytes }))
  }

  /** Waits for a timeout; returns the packets sent again. */
  timeout(): number[] {
    const { requester } = this
    // IRN may postpone the deadline ([IRN] 3.1).
    for (const before = requester.timeouts; requester.timeouts === before;) this.wait(requester)
    return this.psns()
  }

  /** Waits for the timeout of responses; returns the packets sent then. */
  lateResponse(): string[] {
    this.wait(this.requester.reads)
    return this.said()
  }

  /** Waits for the deadline of a half. */
  wait(half: Requester | Requester['reads']): void {
    assert(half.nextTimeoutPs < NEVER_PS, 'no deadline is set')
    this.nowPs = half.nextTimeoutPs
    half.onTimeout(this.nowPs)
  }
}
