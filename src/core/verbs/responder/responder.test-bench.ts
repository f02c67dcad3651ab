/** A responder whose requester is the test. */
import { assert } from '../../base/assert.ts'
import { US } from '../../base/params.ts'
import type { ReceiverOptions } from '../../transport/receive/receiver-options.ts'
import {
  RNR_WAIT_US,
  SYNDROME_PSN_ERROR as OUT_OF_ORDER,
  SYNDROME_REMOTE_ACCESS as NO_ACCESS,
  SYNDROME_RNR as NOT_READY,
} from '../../wire/aeth.ts'
import {
  ACKNOWLEDGE,
  FETCH_ADD,
  FORMAT_IRN,
  FORMAT_ROCE,
  READ_REQUEST_OPCODE as READ,
  WRITE_FIRST,
} from '../../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE } from '../access.ts'
import { decodePacket, encodePacket } from '../codec.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from '../connection/values.ts'
import { Device } from '../device.ts'
import type { MemoryRegion } from '../memory-region.ts'
import { VerbsPacket } from '../packet.ts'
import { ReceiveQueue } from '../queues/receive-queue.ts'
import { Responder } from './responder.ts'
import { plainSchemes } from '../plain-schemes.ts'
import type { Schemes } from '../schemes.ts'

export const MTU = 1024
const TIMER_CODE = 1

export class Bench {
  nowPs = 0
  readonly device = new Device({ draw: () => 1 })
  readonly domain = this.device.allocateDomain()
  readonly region = this.device.register(
    this.domain,
    LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC,
    new Uint8Array(8 * MTU),
  )
  readonly receives = new ReceiveQueue(8)
  readonly responder: Responder
  readonly failures: string[] = []
  /** Number of calls that reported complete messages. */
  wholes = 0
  /** Messages that completed a Receive WQE: PSN of the last packet, and bytes. */
  readonly completions: string[] = []
  private readonly format: number

  /** @param options of the receiver, in addition to those of the mode */
  constructor(given: Partial<ConnectionValues> = {}, options: Partial<ReceiverOptions> = {}) {
    const { device, domain, receives } = this
    const defaults = { ...CONNECTION_DEFAULTS, hasCredits: false, rnrTimerCode: TIMER_CODE }
    const values = { ...defaults, remoteQp: 2, mtuBytes: MTU, ...given }
    let orders = 0
    const plain = plainSchemes(values, { draw: () => ++orders })
    const receiverOptions: Schemes['receiverOptions'] = (kind) => ({ ...plain.receiverOptions(kind), ...options })
    this.format = values.mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE
    this.responder = new Responder(
      {
        domain,
        receives,
        shared: null,
        isShared: false,
        regionOf: (key: number): MemoryRegion | null => device.regionOf(key),
        onWhole: () => void this.wholes++,
        onReceived: ({ psn, lengthBytes }) => {
          this.completions.push(`${psn}:${lengthBytes}`)
          receives.drop()
        },
        // Fails as a queue pair does.
        onResponderFailed: (status, event) => {
          this.failures.push(`${status} ${event}`)
          this.responder.close()
          this.responder.responses.close()
        },
      },
      values,
      { ...plain, receiverOptions },
    )
  }

  postReceive(lengthBytes = MTU): void {
    this.receives.post({ id: 1, region: this.region, address: this.region.address, lengthBytes })
  }

  /** A packet arrives, decoded from the wire. */
  takes(opcode: number, psn: number, fields: Partial<VerbsPacket> = {}): void {
    const { key, address } = this.region
    const isAnswered = opcode === READ || opcode === FETCH_ADD
    const payloadBytes = isAnswered ? 0 : MTU
    // Where responses are not acknowledged, a READ or atomic requests no ACK.
    const isAckRequested = this.format === FORMAT_IRN || !isAnswered
    const lengthBytes = opcode === WRITE_FIRST ? 2 * MTU : MTU
    const given = { opcode, psn, key, virtualAddress: address, payloadBytes, isAckRequested, lengthBytes }
    const bytes = new Uint8Array(2 * MTU)
    const packet = new VerbsPacket(MTU)
    const length = encodePacket(Object.assign(new VerbsPacket(MTU), given, fields), this.format, bytes)
    assert(decodePacket(bytes, length, this.format, packet), 'an encoded packet cannot be decoded')
    if (fields.ecn !== undefined) packet.ecn = fields.ecn
    this.responder.onSegment(this.nowPs, packet)
  }

  /** A packet arrives; returns the ACK or NAK that it triggers. */
  hear(opcode: number, psn: number, fields: Partial<VerbsPacket> = {}): string[] {
    this.takes(opcode, psn, fields)
    return this.said()
  }

  /**
   * ACKs and NAKs that are due, as "syndrome psn msn" in hexadecimal, decimal, decimal; after a NAK the PSN it names.
   */
  said(): string[] {
    const said: string[] = []
    const out = Object.assign(new VerbsPacket(MTU), { sackPsn: 77 })
    while (said.length < 9 && this.responder.hasReply && this.responder.pollTransmit(this.nowPs, out)) {
      assert(out.opcode === ACKNOWLEDGE && out.destinationQp === 2, 'an ACK or NAK has another opcode or destination')
      const named = this.format === FORMAT_ROCE || out.sackPsn === out.psn ? '' : ` (${out.sackPsn})`
      said.push(`${out.syndrome.toString(16)} ${out.psn} ${out.msn}${named}`)
    }
    return said
  }

  /** PSNs of the responses that leave now. */
  responses(most = 20): number[] {
    const psns: number[] = []
    const out = new VerbsPacket(MTU)
    while (psns.length < most && this.responder.responses.pollTransmit(this.nowPs, out)) psns.push(out.psn)
    return psns
  }
}

export const ACK = '1f'
export const NAK = OUT_OF_ORDER.toString(16)
export const REFUSED = NO_ACCESS.toString(16)
export const RNR = (NOT_READY | TIMER_CODE).toString(16)
export const WAIT_PS = RNR_WAIT_US[TIMER_CODE]! * US
