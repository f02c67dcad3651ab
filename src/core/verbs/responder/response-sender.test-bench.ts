/** A response sender whose requester is the test. */
import { assert } from '../../base/assert.ts'
import { NEVER_PS } from '../../base/params.ts'
import { ACK, NAK } from '../../transport/segment.ts'
import { SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import { READ_REQUEST_OPCODE } from '../../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ } from '../access.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from '../connection/values.ts'
import { Device } from '../device.ts'
import { VerbsPacket } from '../packet.ts'
import { type ResponseHost, ResponseSender } from './response-sender.ts'
import { plainSchemes } from '../plain-schemes.ts'
import type { Schemes } from '../schemes.ts'

export const MTU = 1024

/** Responses out of memory of 8 words; READs have no memory by default. The responses have the PSNs from 100 on. */
export class Bench implements ResponseHost {
  nowPs = 0
  readonly creditSyndrome = 5
  readonly msn = 0x100_0003
  /** PSN of a request that was denied, and "again" where its responses had left before. */
  readonly denials: string[] = []
  silences = 0
  readonly device = new Device({ draw: () => 1 })
  readonly region = this.device.register(
    this.device.allocateDomain(),
    LOCAL_WRITE | REMOTE_READ | REMOTE_ATOMIC,
    Uint8Array.from({ length: 64 }, (_, i) => i),
  )
  readonly responses: ResponseSender

  /** @param ackInterval by default that of the values */
  constructor(given: Partial<ConnectionValues> = {}, ackInterval?: number) {
    let orders = 0
    const values = { ...CONNECTION_DEFAULTS, remoteQp: 2, receivePsn: 100, ...given }
    const plain = plainSchemes(values, { draw: () => ++orders })
    const senderOptions: Schemes['senderOptions'] = (kind) => ({
      ...plain.senderOptions(kind),
      ...(ackInterval === undefined ? {} : { ackInterval }),
    })
    this.responses = new ResponseSender(this, values, { ...plain, senderOptions })
  }

  onDenied(_nowPs: number, psn: number, isAgain: boolean): void {
    this.denials.push(`${psn}${isAgain ? ' again' : ''}`)
  }

  onRetriesExceeded(): void {
    this.silences++
  }

  /** Stores a READ with that read_WQE_SN and length in bytes. */
  store(sn: number, psn: number, lengthBytes: number, isOfMemory = false): void {
    const fields = { opcode: READ_REQUEST_OPCODE, lengthBytes, virtualAddress: this.region.address }
    const packet = Object.assign(new VerbsPacket(MTU), fields)
    this.responses.store(this.nowPs, sn, psn, packet, isOfMemory ? this.region : null)
  }

  execute(): void {
    assert(this.responses.execute(this.nowPs), 'a request is not executed')
  }

  /** Stores and executes a READ of `packets` full packets. */
  read(sn: number, psn: number, packets: number): void {
    this.store(sn, psn, packets * MTU)
    this.execute()
  }

  atomic(opcode: number, sn: number, fields: Partial<VerbsPacket>): void {
    const packet = Object.assign(new VerbsPacket(MTU), { opcode, virtualAddress: this.region.address }, fields)
    this.responses.store(this.nowPs, sn, sn, packet, this.region)
    this.execute()
  }

  /** PSNs that leave now, at most `most`. */
  leaves(most = 20): number[] {
    const packet = new VerbsPacket(MTU)
    const left: number[] = []
    while (left.length < most && this.responses.pollTransmit(this.nowPs, packet)) left.push(packet.psn)
    return left
  }

  /** The request at that PSN arrives again. */
  replay(psn: number): void {
    this.responses.replay(this.nowPs, psn, new VerbsPacket(MTU))
  }

  /** The requester asks for that response and all later ones. */
  asksFrom(response: number): void {
    this.responses.sendAgainFrom(this.nowPs, response, new VerbsPacket(MTU))
  }

  ack(psn: number): void {
    this.responses.onSegment(this.nowPs, Object.assign(new VerbsPacket(MTU), { kind: ACK, psn }))
  }

  nack(psn: number, sackPsn: number): void {
    const fields = { kind: NAK, psn, sackPsn, syndrome: SYNDROME_PSN_ERROR }
    this.responses.onSegment(this.nowPs, Object.assign(new VerbsPacket(MTU), fields))
  }

  /** Waits for a timeout; returns the packets sent again. */
  timeout(): number[] {
    for (const before = this.responses.timeouts; this.responses.timeouts === before;) {
      assert(this.responses.nextTimeoutPs < NEVER_PS, 'no deadline is set')
      this.nowPs = this.responses.nextTimeoutPs
      this.responses.onTimeout(this.nowPs)
    }
    return this.leaves()
  }
}
