/** Invalid packets: a queue pair refuses or drops them, and never breaks. */
import { expect, test } from 'vitest'
import {
  CONNECTION_DEFAULTS,
  decodePacket,
  FLUSHED,
  type Mode,
  OP_READ,
  OP_SEND,
  REMOTE_INVALID_REQUEST,
  type QueuePair,
  SUCCESS,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import { unwrapPsn } from '../../src/core/transport/psn.ts'
import { FORMAT_IRN, FORMAT_ROCE } from '../../src/core/wire/index.ts'
import { SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../../src/core/wire/aeth.ts'
import { ACKNOWLEDGE } from '../../src/core/wire/opcodes.ts'
import { VerbsPair } from '../support/verbs-pair.ts'
import { Dice } from '../swarm/dice.ts'
import { planCase, type PlannedRequest } from './order-case.ts'

const CASES = 300
/** Without the WQE sequence numbers: early wrong ones are not detected, and the connection waits forever. */
const FIELDS = ['psn', 'opcode', 'syndrome', 'msn', 'messageOffset', 'sackPsn', 'key'] as const
const LONG_FIELDS = ['virtualAddress', 'lengthBytes', 'payloadBytes'] as const

/** Changes one field of a packet, slightly or entirely. */
function spoil(packet: VerbsPacket, dice: Dice): void {
  if (dice.chance(0.2)) {
    const field = dice.one(LONG_FIELDS)
    packet[field] = field === 'payloadBytes' ? dice.from(0, packet.payload.length) : dice.from(0, 2 ** 31)
    return
  }
  const field = dice.one(FIELDS)
  const most = field === 'opcode' ? 31 : field === 'syndrome' ? 255 : 0xffffff
  packet[field] = dice.chance(0.5) ? (packet[field] + dice.from(-4, 4)) & most : dice.from(0, most)
}

function post(pair: VerbsPair, requests: readonly PlannedRequest[]): number {
  const near = pair.a.memory(65_536)
  const far = pair.b.memory(300_000)
  let receives = 0
  for (const [id, request] of requests.entries()) {
    pair.a.post({
      id,
      operation: request.operation,
      lengthBytes: request.lengthBytes,
      region: near,
      address: near.address,
      remoteAddress: far.address + request.remoteOffset,
      remoteKey: far.key,
      immediate: request.immediate,
      invalidateKey: far.key,
      swap: request.swap,
    })
    pair.b.receive({ id, region: far, address: far.address, lengthBytes: 6000 })
    receives++
  }
  return receives
}

test(`${CASES} connections with a spoiled packet now and then end each request once, in order`, () => {
  let spoiled = 0
  let broken = 0
  let unread = 0
  for (let seed = 1; seed <= CASES; seed++) {
    const dice = new Dice(seed)
    const plan = planCase(seed)
    const values = { ...plan.values, retryLimit: 3, rnrRetryLimit: 3 }
    const pair = new VerbsPair({ values, isHostile: true })
    const chance = dice.log(10, 300) / 1000
    for (const path of [pair.toA, pair.toB]) {
      path.rule(({ packet }) => {
        if (!dice.chance(chance)) return
        spoiled++
        spoil(packet as VerbsPacket, dice)
      })
    }
    const receives = post(pair, plan.requests[0])
    for (let step = 0; step < 200_000 && pair.step(1e13); step++);
    // A request changed into another valid one is executed as such, and the requester waits forever: its application
    // ends it.
    pair.a.pair.modify(pair.nowPs, 'error')
    pair.a.poll()
    const states = [pair.a, pair.b].map((side) => side.pair.state)
    if (states[1] === 'error') broken++
    unread += pair.unread
    // Every request has ended, and none twice.
    const ids = pair.a.done.map(({ id }) => id)
    expect(ids, `seed ${seed}`).toEqual(plan.requests[0].map((_, id) => id))
    const order = pair.a.done.map(({ status }) => status)
    const firstBad = order.findIndex((status) => status !== SUCCESS)
    // Successful ones, at most one failed, and then only flushed ones.
    const rest = firstBad < 0 ? [] : order.slice(firstBad)
    const bad = rest.filter((status) => status !== FLUSHED)
    expect(bad.length, `seed ${seed}: ${order.join(' ')}`).toBeLessThanOrEqual(1)
    expect(rest, `seed ${seed}`).not.toContain(SUCCESS)
    expect(pair.b.received.length, `seed ${seed}`).toBeLessThanOrEqual(receives)
  }
  expect(spoiled).toBeGreaterThan(CASES)
  expect(broken).toBeGreaterThan(CASES / 10)
  expect(unread).toBeGreaterThan(CASES / 10)
})

test(`${CASES} connections make nothing of answers that are forged just above the last PSN that was sent`, () => {
  const forged = new Map<number, number>()
  let heard = 0
  for (let seed = 1; seed <= CASES; seed++) {
    const dice = new Dice(seed)
    const plan = planCase(seed)
    /** First PSN above all that A has sent; on the wire of RoCE a READ request takes those of its responses. */
    const nextOf = ({ a, values }: VerbsPair): number => {
      const { highest, queue } = a.pair.requester
      if (values.mode === 'irn') return highest
      if (!queue.holds(highest)) return queue.endWirePsn
      const wqe = queue.ofPsn(highest)
      return wqe.firstWirePsn + highest - wqe.firstPsn
    }
    const stateOf = ({ a }: VerbsPair): string => {
      const { una, msn, rnrNaks, reads } = a.pair.requester
      return [una, msn, rnrNaks, reads.owes, a.done.length, a.pair.state].join()
    }
    let before = ''
    const pair: VerbsPair = new VerbsPair({
      values: { ...plan.values, retryLimit: 3, rnrRetryLimit: 3 },
      isHostile: true,
      observer: {
        onArrival(side, packet) {
          if (side !== pair.a || packet.opcode !== ACKNOWLEDGE || side.pair.state !== 'ready to send') return
          const next = nextOf(pair)
          const last = unwrapPsn(packet.psn, next) - (packet.syndrome >= SYNDROME_RNR ? 1 : 0)
          before = last >= next ? stateOf(pair) : ''
        },
        onAfter(side) {
          if (side !== pair.a || before === '') return
          expect(stateOf(pair), `seed ${seed}, ${pair.nowPs} ps`).toBe(before)
          before = ''
          heard++
        },
      },
    })
    const chance = dice.log(200, 800) / 1000
    pair.toA.rule(({ packet }) => {
      if (packet.opcode !== ACKNOWLEDGE || !dice.chance(chance)) return
      const distance = dice.from(-2, 2)
      forged.set(distance, (forged.get(distance) ?? 0) + 1)
      const answer = packet as VerbsPacket
      // PSNs up to two away from the last one sent, with the messages and sequence numbers that go with them.
      answer.psn = (nextOf(pair) - 1 + distance) & 0xffffff
      answer.sackPsn = (answer.psn + dice.from(0, 2)) & 0xffffff
      answer.msn = (answer.msn + dice.from(0, 2)) & 0xffffff
      if (dice.chance(0.3)) answer.syndrome = dice.one([SYNDROME_RNR, SYNDROME_PSN_ERROR, SYNDROME_PSN_ERROR + 2])
    })
    post(pair, plan.requests[0])
    for (let step = 0; step < 20_000 && pair.step(1e13); step++);
    pair.a.pair.modify(pair.nowPs, 'error')
    pair.a.poll()
    expect(
      pair.a.done.map(({ id }) => id),
      `seed ${seed}`,
    ).toEqual(plan.requests[0].map((_, id) => id))
  }
  expect([...forged.keys()].toSorted((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2])
  for (const times of forged.values()) expect(times).toBeGreaterThan(CASES / 3)
  // Forged packets are judged as they arrive: PSNs that were unsent then may have been sent by now.
  expect(heard).toBeGreaterThan(CASES / 3)
})

test('any bytes are decoded or dropped, and any packet is accepted, dropped or refused', () => {
  const dice = new Dice(11)
  const packet = new VerbsPacket(1024)
  const fresh = (mode: Mode): QueuePair => new VerbsPair({ values: { mode }, completionDepth: 16 }).b.pair
  const pairs = { roce: fresh('roce'), irn: fresh('irn') }
  let read = 0
  let ended = 0
  for (let k = 0; k < 20_000; k++) {
    // Packets have whole words.
    const length = dice.from(0, 20) * 4 + (dice.chance(0.1) ? dice.from(0, 3) : 0)
    const bytes = Uint8Array.from({ length }, () => dice.from(0, 255))
    if (length > 0 && dice.chance(0.9)) bytes[0] = dice.from(0, 31)
    const mode = dice.one(['roce', 'irn'] as const)
    // Near the expected values, so that some get past the first checks.
    if (length > 11) bytes.set([0, 0, dice.from(0, 3)], 9)
    if (length > 11 && dice.chance(0.9)) bytes.set([bytes[1]! & 0xf0, 0xff, 0xff], 1)
    if (!decodePacket(bytes, length, mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE, packet)) continue
    read++
    const pair = pairs[mode]
    // Packets for others are dropped without decoding.
    if (dice.chance(0.95)) packet.destinationQp = pair.number
    pair.onSegment(0, packet)
    while (pair.hasReply) pair.pollTransmit(0, packet)
    if (pair.state !== 'error') continue
    ended++
    pairs[mode] = fresh(mode)
  }
  expect(read).toBeGreaterThan(4000)
  expect(ended).toBeGreaterThan(100)
})

test.each([
  ['READ', OP_READ, 'readSn'],
  ['SEND', OP_SEND, 'receiveSn'],
] as const)('IRN: a %s in order with a sequence number other than the next is refused', (_name, operation, field) => {
  const pair = new VerbsPair({ values: { mode: 'irn' } })
  const far = pair.b.memory(64)
  pair.toB.rule(({ packet }) => {
    ;(packet as VerbsPacket)[field]++
  })
  for (const id of [0, 1]) pair.b.receive({ id, region: far, address: far.address, lengthBytes: 64 })
  pair.a.post({ id: 1, operation, lengthBytes: 8, remoteAddress: far.address, remoteKey: far.key })
  expect(pair.run()).toBe(true)
  expect(pair.a.log).toEqual([`1:${REMOTE_INVALID_REQUEST}`])
})

test.each(['roce', 'irn'] as const)(
  '%s: a last packet of a longer message without payload is refused (IBTA 9.7.5.1.1)',
  (mode) => {
    const pair = new VerbsPair({ values: { mode } })
    const far = pair.b.memory(4096)
    const { mtuBytes } = CONNECTION_DEFAULTS
    pair.toB.rule(({ packet }) => {
      const sent = packet as VerbsPacket
      if (sent.payloadBytes < mtuBytes) sent.payloadBytes = 0
    })
    pair.b.receive({ id: 0, region: far, address: far.address, lengthBytes: 4096 })
    pair.a.post({ id: 1, operation: OP_SEND, lengthBytes: mtuBytes + 8 })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual([`1:${REMOTE_INVALID_REQUEST}`])
  },
)
