/** A response receiver whose responder is the test. */
import { US } from '../../base/params.ts'
import { ACK, NAK } from '../../transport/segment.ts'
import { READ_RESPONSE_FIRST, READ_RESPONSE_ONLY } from '../../wire/opcodes.ts'
import { LOCAL_WRITE } from '../access.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from '../connection/values.ts'
import { Device } from '../device.ts'
import { OP_FETCH_ADD, OP_READ } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'
import { MTU, responseOf } from './requester.test-bench.ts'
import { type ReadHost, ResponseReceiver } from './response-receiver.ts'
import { plainSchemes } from '../plain-schemes.ts'
import { SendQueue, type SendWqe } from '../queues/send-queue.ts'
import type { Status } from '../queues/status.ts'

export const TIMEOUT = 50 * US

/** Requests of these sizes, atomics where the size is "word"; the issued ones have left. Memory is of 4 packets. */
export class Bench implements ReadHost {
  /** Number of calls that reported READs or atomics with all their responses. */
  wholes = 0
  nowPs = 0
  readonly device = new Device({ draw: () => 1 })
  readonly region = this.device.register(this.device.allocateDomain(), LOCAL_WRITE, new Uint8Array(4 * MTU))
  readonly queue: SendQueue
  readonly responses: ResponseReceiver
  /** Ids of the requests that got a response. */
  readonly answered: number[] = []
  /** "id:status". */
  readonly bad: string[] = []
  looks = 0
  silences = 0

  constructor(sizes: readonly (number | 'word')[], given: Partial<ConnectionValues> = {}, issued = sizes.length) {
    const values = { ...CONNECTION_DEFAULTS, remoteQp: 2, ackTimeoutPs: TIMEOUT, ...given }
    let orders = 0
    this.responses = new ResponseReceiver(this, values, plainSchemes(values, { draw: () => ++orders }))
    const { mtuBytes, sendPsn } = values
    const isShared = values.mode === 'roce'
    this.queue = new SendQueue({ capacity: 16, mtuBytes, firstPsn: sendPsn, firstResponse: sendPsn, isShared })
    const memory = { region: this.region, address: this.region.address, remoteAddress: 5000, remoteKey: 33 }
    sizes.forEach((size, id) => {
      if (size === 'word') this.queue.post({ id, operation: OP_FETCH_ADD, ...memory }, false)
      else this.queue.post({ id, operation: OP_READ, lengthBytes: size, ...memory }, false)
      if (id < issued) this.responses.onIssued(this.queue.at(id))
    })
  }

  onResponse(_nowPs: number, wqe: SendWqe): void {
    this.answered.push(wqe.id)
  }

  onWhole(): void {
    this.wholes++
  }

  onResponses(): void {
    this.looks++
  }

  onBadResponse(_nowPs: number, wqe: SendWqe, status: Status): void {
    this.bad.push(`${wqe.id}:${status}`)
  }

  onRetriesExceeded(): void {
    this.silences++
  }

  /**
   * A response of that many bytes; by its size the first of several, or the only one. Returns the packets it triggers.
   */
  hear(psn: number, payloadBytes: number, fields: Partial<VerbsPacket> = {}): string[] {
    const opcode = fields.opcode ?? (payloadBytes === MTU ? READ_RESPONSE_FIRST : READ_RESPONSE_ONLY)
    this.responses.onSegment(this.nowPs, responseOf(opcode, psn, { payloadBytes, ...fields }))
    return this.said()
  }

  said(): string[] {
    const said: string[] = []
    const out = new VerbsPacket(MTU)
    while (this.responses.hasReply && this.poll(out)) {
      const { kind, psn, sackPsn } = out
      said.push(kind === ACK ? `ACK ${psn}` : kind === NAK ? `NAK ${psn} ${sackPsn}` : `READ ${psn}`)
    }
    return said
  }

  poll(out: VerbsPacket): boolean {
    return this.responses.pollTransmit(this.nowPs, out)
  }

  /** Waits for the deadline; returns the packets sent then. */
  expire(): string[] {
    this.nowPs = this.responses.nextTimeoutPs
    this.responses.onTimeout(this.nowPs)
    return this.said()
  }
}
