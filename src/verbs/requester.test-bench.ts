/** A requester whose other side is the test: what it sends, and what it makes of what it is told. */
import { US } from '../base/params.ts'
import { SYNDROME_ACK_UNLIMITED } from '../wire/aeth.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from './connection-values.ts'
import type { MemoryRegion } from './memory-region.ts'
import type { Operation } from './operation.ts'
import { VerbsPacket } from './packet.ts'
import { Requester, type RequesterHost } from './requester.ts'
import { SendQueue, type SendWqe } from './send-queue.ts'
import type { Status } from './status.ts'

export const MTU = 1024
export const TIMEOUT = 100 * US

/** Work requests are numbered from 0. */
export class Bench implements RequesterHost {
  nowPs = 0
  mayBegin = true
  readonly done: number[] = []
  /** "id:status". */
  readonly failed: string[] = []
  readonly requester: Requester
  private readonly queue: SendQueue
  private readonly mtuBytes: number

  constructor(given: Partial<ConnectionValues> = {}) {
    const values = { ...CONNECTION_DEFAULTS, remoteQp: 2, ackTimeoutPs: TIMEOUT, ...given }
    const { mode, mtuBytes, sendPsn: firstPsn } = values
    this.mtuBytes = mtuBytes
    this.queue = new SendQueue({ capacity: 16, mtuBytes, firstPsn, isIrn: mode === 'irn' })
    this.requester = new Requester(this, this.queue, values)
  }

  onSendDone(wqe: SendWqe): void {
    this.done.push(wqe.id)
  }

  onSendFailed(wqe: SendWqe, status: Status): void {
    this.failed.push(`${wqe.id}:${status}`)
  }

  /** A work request of so many full packets. */
  post(operation: Operation, packets = 1, region: MemoryRegion | null = null): void {
    const address = region === null ? 0 : region.address
    const lengthBytes = packets * this.mtuBytes
    this.queue.post({ id: this.queue.tail, operation, lengthBytes, region, address }, false)
  }

  /** PSNs that leave now, at most so many; "!" behind those that ask for an answer. */
  sends(most = 20): string {
    const packet = new VerbsPacket(MTU)
    const sent: string[] = []
    const { requester, nowPs } = this
    while (sent.length < most && requester.nextSendPs(nowPs) <= nowPs && requester.poll(nowPs, packet)) {
      sent.push(`${packet.psn}${packet.isAckRequested ? '!' : ''}`)
    }
    return sent.join(' ')
  }

  /** Likewise, without the marks. */
  psns(most?: number): number[] {
    const sent = this.sends(most)
    return sent === '' ? [] : sent.split(' ').map((psn) => parseInt(psn, 10))
  }

  /** An ACK of that PSN: `msn` messages are there. */
  ack(psn: number, msn: number, fields: Partial<VerbsPacket> = {}): void {
    this.nak(SYNDROME_ACK_UNLIMITED, psn, msn, fields)
  }

  nak(syndrome: number, psn: number, msn: number, fields: Partial<VerbsPacket> = {}): void {
    this.requester.onAnswer(this.nowPs, Object.assign(new VerbsPacket(MTU), { syndrome, psn, msn }, fields))
  }

  /** A READ response, full unless told. */
  response(opcode: number, psn: number, msn: number, payloadBytes = MTU): void {
    const fields = { opcode, psn, msn, payloadBytes, syndrome: SYNDROME_ACK_UNLIMITED }
    this.requester.onResponse(this.nowPs, Object.assign(new VerbsPacket(MTU), fields))
  }

  /** Waits for a timeout, and what is then sent again. */
  timeout(): number[] {
    const { requester } = this
    // IRN may put off the deadline (S3 3.1).
    for (const before = requester.space.timeouts; requester.space.timeouts === before;) {
      this.nowPs = requester.space.deadlinePs
      requester.onTimeout(this.nowPs)
    }
    return this.failed.length > 0 ? [] : this.psns()
  }
}
