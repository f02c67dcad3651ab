/** Two ends that exchange requests, responses, ACKs and NAKs with the PSNs of RoCE's wire. */
import { assert } from '../base/assert.ts'
import { ACK, DATA, READ_REQUEST } from '../transport/segment.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE } from './access.ts'
import { Completion, CompletionQueue } from './queues/completion-queue.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from './connection/values.ts'
import { Device } from './device.ts'
import type { Operation } from './queues/operation.ts'
import { VerbsPacket } from './packet.ts'
import type { Requester } from './requester/requester.ts'
import type { Responder } from './responder/responder.ts'
import { SharedPsns } from './shared-psns.ts'

export const MTU = 64
const ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC

/** One end of a connection. The test moves the packets of its halves. */
export class End {
  readonly device = new Device({ draw: () => ++this.orders })
  readonly domain = this.device.allocateDomain()
  /** Without bytes. */
  readonly region = this.device.register(this.domain, ALL, null, 100 * MTU)
  readonly completions = new CompletionQueue(1024)
  readonly pair = this.device.createQueuePair({
    domain: this.domain,
    sendCompletions: this.completions,
    receiveCompletions: this.completions,
    sendDepth: 16,
    receiveDepth: 1,
  })
  readonly requester: Requester
  readonly responder: Responder
  readonly psns: SharedPsns
  private orders = 0

  constructor(values: Partial<ConnectionValues>) {
    this.pair.modify(0, 'init')
    this.pair.modify(0, 'ready to receive', { ...CONNECTION_DEFAULTS, mtuBytes: MTU, remoteQp: 1, ...values })
    this.pair.modify(0, 'ready to send')
    this.requester = this.pair.requester
    this.responder = this.pair.responder
    this.psns = new SharedPsns(this.requester, this.responder)
  }

  get done(): number {
    const completion = new Completion()
    let done = 0
    while (this.completions.poll(completion)) {
      assert(completion.status === 0, 'a request has failed')
      done++
    }
    return done
  }
}

/** A requester and a responder, with their first request PSNs. */
export class Connection {
  nowPs = 0
  readonly near: End
  readonly far: End

  constructor(firstPsn = 10, values: Partial<ConnectionValues> = {}) {
    this.near = new End({ sendPsn: firstPsn, receivePsn: 7000, ...values })
    this.far = new End({ sendPsn: 7000, receivePsn: firstPsn, ...values })
  }

  post(operation: Operation, packets = 1): void {
    const { address, key } = this.far.region
    const work = { id: 1, operation, lengthBytes: packets * MTU, remoteAddress: address, remoteKey: key }
    assert(this.near.pair.postSend(this.nowPs, work) === 'posted', 'a request is not accepted')
  }

  /** All requests leave and arrive, up to `count`; returns their PSNs on the wire. */
  requests(most = 50): number[] {
    const packet = new VerbsPacket(MTU)
    const wire: number[] = []
    while (wire.length < most && this.near.requester.pollTransmit(this.nowPs, packet)) {
      wire.push(this.cross(this.near, packet))
      this.far.responder.onSegment(this.nowPs, packet)
    }
    return wire
  }

  /** Likewise responses; those with a PSN in `lost` are lost. */
  responses(most = 50, ...lost: number[]): number[] {
    const packet = new VerbsPacket(MTU)
    const wire: number[] = []
    while (wire.length < most && this.far.responder.responses.pollTransmit(this.nowPs, packet)) {
      const isLost = lost.includes(this.cross(this.far, packet))
      wire.push(this.wirePsn)
      if (!isLost) this.near.requester.reads.onSegment(this.nowPs, packet)
    }
    return wire
  }

  /** Likewise ACKs and NAKs of requests, as "ACK 5". */
  answers(): string[] {
    const packet = new VerbsPacket(MTU)
    const said: string[] = []
    const { responder } = this.far
    while (responder.hasReply && responder.pollTransmit(this.nowPs, packet)) {
      said.push(`${packet.kind === ACK ? 'ACK' : 'NAK'} ${this.cross(this.far, packet)}`)
      this.near.requester.onSegment(this.nowPs, packet)
    }
    return said
  }

  /** Likewise READ-ACKs; "READ 5" requests responses from PSN 5 on. */
  readAnswers(): string[] {
    const packet = new VerbsPacket(MTU)
    const said: string[] = []
    const { reads } = this.near.requester
    while (reads.hasReply && reads.pollTransmit(this.nowPs, packet)) {
      const isAck = packet.kind === ACK
      said.push(`${isAck ? 'ACK' : 'READ'} ${this.cross(this.near, packet)}`)
      const { responses } = this.far.responder
      if (isAck) responses.onSegment(this.nowPs, packet)
      else responses.sendAgainFrom(this.nowPs, packet.psn, packet)
    }
    return said
  }

  private wirePsn = 0

  /** Moves a packet to the other end and returns its PSN on the wire. Its meaning must be the same at both ends. */
  private cross(from: End, packet: VerbsPacket): number {
    const { psn, kind } = packet
    from.psns.toWire(packet)
    this.wirePsn = packet.psn
    const to = from === this.near ? this.far : this.near
    // No bit on the wire marks a retransmission.
    if (kind === READ_REQUEST) packet.kind = DATA
    assert(to.psns.fromWire(packet), 'a packet belongs to no request')
    assert(packet.psn === psn && packet.kind === kind, 'a packet has another meaning at the other end')
    return this.wirePsn
  }
}
