/** Limits on requests: credits, fences, outstanding READs, byte windows, and queues shared by several queue pairs. */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import {
  CONNECTION_DEFAULTS,
  CompletionQueue,
  Device,
  LOCAL_WRITE,
  OP_READ,
  OP_SEND,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type QueuePair,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import { ReceiveQueue } from '../../src/core/verbs/queues/receive-queue.ts'
import { READ_ACK, READ_REQUEST_OPCODE } from '../../src/core/wire/index.ts'
import { VerbsPair, type VerbsPairOptions } from '../support/verbs-pair.ts'

/** PSNs of A's packets, in order. */
function listen(pair: VerbsPair): number[] {
  const sent: number[] = []
  pair.toB.rule(({ packet }) => sent.push(packet.psn))
  return sent
}

function receive(pair: VerbsPair, ...ids: number[]): void {
  for (const id of ids) {
    const region = pair.b.memory(8192)
    pair.b.receive({ id, region, address: region.address, lengthBytes: 8192 })
  }
}

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  const pairOf = (o: VerbsPairOptions = {}) => new VerbsPair({ ...o, values: { mode, ...o.values } })

  test('a SEND beyond the credit goes as a probe, and none after it', () => {
    const pair = pairOf()
    const sent = listen(pair)
    receive(pair, 0, 1)
    for (let id = 0; id < 6; id++) pair.a.post({ id, operation: OP_SEND, lengthBytes: 100 })
    pair.run(20 * US)
    // At first no credit is known: one probe. Then one WQE is left: one SEND, and the next as a probe.
    expect(sent).toEqual([0, 1, 2])
    expect(pair.b.pair.responder.rnrNaksSent).toBe(1)
    receive(pair, 2, 3, 4, 5)
    pair.run()
    expect(pair.a.log).toEqual(['0:0', '1:0', '2:0', '3:0', '4:0', '5:0'])
    expect(pair.a.pair.requester.rnrNaks).toBe(1)
  })

  test('without credits all leave at once', () => {
    const pair = pairOf({ values: { hasCredits: false } })
    const sent = listen(pair)
    receive(pair, 0, 1, 2)
    for (let id = 0; id < 3; id++) pair.a.post({ id, operation: OP_SEND, lengthBytes: 100 })
    pair.run(US)
    expect(sent).toEqual([0, 1, 2])
  })

  test('the probe of a long SEND is its first packet, that of a WRITE with immediate the whole message', () => {
    const long = pairOf()
    const sent = listen(long)
    receive(long, 0)
    long.a.post({ id: 0, operation: OP_SEND, lengthBytes: 4000 })
    long.run(US)
    expect(sent).toEqual([0])
    long.run()
    expect([sent, long.a.log]).toEqual([[0, 1, 2, 3], ['0:0']])
    const immediate = pairOf()
    const written = listen(immediate)
    const to = immediate.b.memory(4000)
    receive(immediate, 0)
    const target = { remoteAddress: to.address, remoteKey: to.key }
    immediate.a.post({ id: 0, operation: OP_WRITE_IMMEDIATE, lengthBytes: 4000, ...target })
    immediate.run(US)
    expect(written).toEqual([0, 1, 2, 3])
  })

  test('a fence waits for the READs before it, and for nothing else', () => {
    const pair = pairOf()
    const from = pair.b.memory(20_000)
    const remote = { remoteAddress: from.address, remoteKey: from.key }
    const times: Record<number, number> = {}
    pair.toB.rule(({ packet, startPs }) => {
      if (packet.opcode === READ_REQUEST_OPCODE || packet.payloadBytes > 0) times[packet.payloadBytes] ??= startPs
    })
    pair.a.post({ id: 0, operation: OP_READ, lengthBytes: 20_000, ...remote })
    pair.a.post({ id: 1, operation: OP_WRITE, lengthBytes: 11, ...remote })
    pair.a.post({ id: 2, operation: OP_WRITE, lengthBytes: 12, ...remote, isFenced: true })
    pair.run()
    expect(times[11]).toBeLessThan(US)
    // One round trip, with 20 packets on the link meanwhile.
    expect(times[12]).toBeGreaterThan(2 * US + 19 * 1024 * 200)
  })

  test('no more READs are outstanding than agreed', () => {
    const pair = pairOf({ values: { readsOut: 3 } })
    const from = pair.b.memory(8)
    let asked = 0
    let most = 0
    pair.toB.rule(({ packet }) => {
      if (packet.opcode !== READ_REQUEST_OPCODE) return
      asked++
      most = Math.max(most, asked - pair.a.pair.requester.reads.done)
    })
    for (let id = 0; id < 20; id++) {
      pair.a.post({ id, operation: OP_READ, lengthBytes: 8, remoteAddress: from.address, remoteKey: from.key })
    }
    pair.run()
    expect([pair.a.done.length, asked, most]).toEqual([20, 20, 3])
  })

  test('unsignalled requests complete in order without a CQE', () => {
    const pair = pairOf({ sendDepth: 3 })
    const to = pair.b.memory(8)
    const target = { lengthBytes: 8, remoteAddress: to.address, remoteKey: to.key }
    for (const id of [0, 1, 2]) pair.a.post({ id, operation: OP_WRITE, ...target, isUnsignalled: id !== 1 })
    expect(pair.a.pair.postSend(0, { id: 3, operation: OP_WRITE })).toBe('full')
    pair.run()
    expect([pair.a.log, pair.a.pair.outstanding]).toEqual([['1:0'], 0])
  })
})

test('IRN: a SEND with invalidate leaves when everything before it is acknowledged', () => {
  const pair = new VerbsPair({ values: { mode: 'irn', initialCredits: 4 } })
  const sent: string[] = []
  pair.toB.rule((passage) => {
    const { packet, startPs, count } = passage
    sent.push(`${packet.psn} at ${Math.floor(startPs / US)}`)
    if (count === 0) passage.copies = 0
  })
  receive(pair, 0)
  const victim = pair.b.memory(2048)
  pair.a.post({ id: 0, operation: OP_WRITE, lengthBytes: 2048, remoteAddress: victim.address, remoteKey: victim.key })
  pair.a.post({ id: 1, operation: OP_SEND_INVALIDATE, lengthBytes: 8, invalidateKey: victim.key })
  pair.run()
  expect(sent).toEqual(['0 at 0', '1 at 0', '0 at 2', '2 at 4'])
  expect([pair.a.log, victim.isValid]).toEqual([['0:0', '1:0'], false])
})

describe('byte sequence numbers ([LDCP] 3.1)', () => {
  const values = { lsnWindowBytes: 3000, mode: 'roce' as const }

  test('no more than the window is outstanding, in requests and responses each', () => {
    const pair = new VerbsPair({ values })
    const remote = pair.b.memory(50_000)
    const flights = [0, 0]
    const most = [0, 0]
    const count = (at: number, bytes: number) => {
      flights[at]! += bytes
      most[at] = Math.max(most[at]!, flights[at]!)
    }
    pair.toB.rule(({ packet }) => {
      if (packet.opcode === READ_ACK) count(1, -1024)
      else count(0, packet.payloadBytes)
    })
    pair.toA.rule(({ packet }) => {
      if (packet.payloadBytes > 0) count(1, packet.payloadBytes)
      else count(0, -1024)
    })
    const target = { remoteAddress: remote.address, remoteKey: remote.key }
    pair.a.post({ id: 0, operation: OP_WRITE, lengthBytes: 20 * 1024, ...target })
    pair.a.post({ id: 1, operation: OP_READ, lengthBytes: 20 * 1024, ...target })
    pair.run()
    expect(pair.a.log).toEqual(['0:0', '1:0'])
    // Whole packets: the third begins below 3000 bytes.
    expect(most).toEqual([3072, 3072])
  })

  test('WRITEs, SENDs and READ requests share one sequence of bytes without a gap, READ responses have their own', () => {
    const pair = new VerbsPair({ values: { ...values, lsnWindowBytes: 100_000 } })
    const remote = pair.b.memory(50_000)
    pair.b.receive({ id: 0, region: null, address: 0, lengthBytes: 0 })
    const requests: [psn: number, lsn: number, bytes: number][] = []
    const responses: number[] = []
    pair.toB.rule(({ packet }) => {
      if (packet.opcode !== READ_ACK) requests.push([packet.psn, packet.lsn, packet.payloadBytes])
    })
    pair.toA.rule(({ packet }) => {
      if (packet.payloadBytes > 0) responses.push(packet.lsn)
    })
    const target = { remoteAddress: remote.address, remoteKey: remote.key }
    pair.a.post({ id: 0, operation: OP_WRITE, lengthBytes: 1500, ...target })
    pair.a.post({ id: 1, operation: OP_READ, lengthBytes: 3000, ...target })
    pair.a.post({ id: 2, operation: OP_WRITE, lengthBytes: 2048, ...target })
    pair.a.post({ id: 3, operation: OP_READ, lengthBytes: 2000, ...target })
    pair.a.post({ id: 4, operation: OP_SEND, lengthBytes: 0 })
    pair.run()
    // PSNs skip the responses, byte sequence numbers do not.
    expect(requests).toEqual([
      [0, 0, 1024],
      [1, 1024, 476],
      [2, 1500, 0],
      [5, 1500, 1024],
      [6, 2524, 1024],
      [7, 3548, 0],
      [9, 3548, 0],
    ])
    expect(responses).toEqual([0, 1024, 2048, 3000, 4024])
  })

  test('lost READ-ACKs do not close the window for good', () => {
    const pair = new VerbsPair({ values })
    const remote = pair.b.memory(50_000)
    pair.toB.rule((passage) => {
      if (passage.packet.opcode === READ_ACK && passage.count % 4 > 0) passage.copies = 0
    })
    const target = { remoteAddress: remote.address, remoteKey: remote.key }
    for (const id of [0, 1, 2]) pair.a.post({ id, operation: OP_READ, lengthBytes: 16 * 1024, ...target })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual(['0:0', '1:0', '2:0'])
  })
})

/** Two queue pairs at one device take from one queue; each peer sends to its own. */
test('a shared receive queue serves several queue pairs in order of need, and reports when it runs low', () => {
  let orders = 0
  const order = { draw: () => ++orders }
  const [near, far] = [new Device(order), new Device(order, 0x2000_0000)]
  const domain = far.allocateDomain()
  const shared = far.createSharedReceiveQueue(domain, 8)
  const region = far.register(domain, LOCAL_WRITE, new Uint8Array(800))
  const completions = new CompletionQueue(32)
  const queues = { sendCompletions: completions, receiveCompletions: completions }
  const links = [0, 1].map((): readonly [QueuePair, QueuePair] => {
    const own = near.createQueuePair({ domain: near.allocateDomain(), ...queues })
    const other = far.createQueuePair({ domain, ...queues, shared })
    for (const [pair, peer] of [
      [own, other],
      [other, own],
    ] as const) {
      pair.modify(0, 'init')
      pair.modify(0, 'ready to receive', { ...CONNECTION_DEFAULTS, mode: 'irn', remoteQp: peer.number })
      pair.modify(0, 'ready to send')
    }
    return [own, other]
  })
  for (let id = 0; id < 6; id++) shared.post({ id, region, address: region.address + 100 * id, lengthBytes: 100 })
  shared.setLimit(3)
  const packet = new VerbsPacket(1024)
  const lows: boolean[] = []
  for (const side of [0, 1, 1, 0]) {
    const [from, to] = links[side]!
    from.postSend(0, { id: 0, operation: OP_SEND, lengthBytes: 50 })
    expect(from.pollTransmit(0, packet)).toBe(true)
    to.onSegment(0, packet)
    expect(to.pollTransmit(0, packet)).toBe(true)
    // No credit is advertised, as others may take the WQEs.
    expect(packet.syndrome).toBe(0x1f)
    from.onSegment(0, packet)
    lows.push(shared.isLow)
  }
  expect(links.map(([, to]) => to.receives.head)).toEqual([2, 2])
  expect([shared.count, lows]).toEqual([2, [false, false, false, true]])
  expect(completions.count).toBe(8)
})

test('a shared receive queue that is low already reports so when armed, once per arming', () => {
  const device = new Device({ draw: () => 1 })
  const shared = device.createSharedReceiveQueue(device.allocateDomain(), 8)
  const lows = [0, 1, 2].map((posted) => {
    for (let id = 0; id < posted; id++) shared.post({ id, region: null, address: 0, lengthBytes: 0 })
    shared.setLimit(3)
    return shared.isLow
  })
  expect([lows, shared.count]).toEqual([[true, true, false], 3])
  const queue = new ReceiveQueue(8)
  expect([shared.moveTo(queue), shared.isLow]).toEqual([true, true])
  shared.isLow = false
  expect([shared.moveTo(queue), shared.isLow]).toEqual([true, false])
})
