/** Every operation, in both modes, over a path with and without faults. */
import { describe, expect, test } from 'vitest'
import {
  FLUSHED,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_RECEIVE,
  OP_RECEIVE_WRITE,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
} from '../../src/core/verbs/index.ts'
import { VerbsPair, type VerbsRule } from '../support/verbs-pair.ts'

const pattern = (length: number, seed: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + seed) & 0xff)

/** Every third packet in each direction is lost once. */
const bad = (): VerbsRule => (passage) => {
  if (passage.count % 7 === 3) passage.copies = 0
  if (passage.count % 11 === 5) passage.latePs = 9e6
  if (passage.count % 13 === 6) passage.copies = 2
}

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  describe.each([false, true])('with faults: %s', (isBad) => {
    const pairOf = () => {
      const pair = new VerbsPair({ values: { mode }, psns: [0xfffffd, 0x123456] })
      if (isBad) {
        pair.toB.rule(bad())
        pair.toA.rule(bad())
      }
      return pair
    }

    test.each([0, 1, 1023, 1024, 1025, 10_000])('a SEND of %i bytes fills the receive buffer', (lengthBytes) => {
      const pair = pairOf()
      const from = pair.a.memory(10_000)
      const to = pair.b.memory(10_000)
      from.bytes!.set(pattern(lengthBytes, 1))
      pair.b.receive({ id: 7, region: to, address: to.address, lengthBytes: 10_000 })
      pair.a.post({ id: 1, operation: OP_SEND, region: from, address: from.address, lengthBytes })
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['1:0'])
      expect(pair.b.received).toMatchObject([{ id: 7, status: 0, operation: OP_RECEIVE, lengthBytes }])
      expect(to.bytes!.subarray(0, lengthBytes)).toEqual(from.bytes!.subarray(0, lengthBytes))
    })

    test('an immediate comes with a SEND, and with a WRITE', () => {
      const pair = pairOf()
      const from = pair.a.memory(5000)
      const to = pair.b.memory(5000)
      from.bytes!.set(pattern(5000, 2))
      pair.b.receive({ id: 1, region: to, address: to.address, lengthBytes: 100 })
      pair.b.receive({ id: 2, region: null, address: 0, lengthBytes: 0 })
      const source = { region: from, address: from.address }
      pair.a.post({ id: 1, operation: OP_SEND_IMMEDIATE, ...source, lengthBytes: 100, immediate: 0xdeadbeef })
      const target = { remoteAddress: to.address + 100, remoteKey: to.key }
      pair.a.post({ id: 2, operation: OP_WRITE_IMMEDIATE, ...source, ...target, lengthBytes: 4900, immediate: 5 })
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['1:0', '2:0'])
      expect(pair.b.received).toMatchObject([
        { id: 1, operation: OP_RECEIVE, hasImmediate: true, immediate: 0xdeadbeef, lengthBytes: 100 },
        { id: 2, operation: OP_RECEIVE_WRITE, hasImmediate: true, immediate: 5, lengthBytes: 4900 },
      ])
      expect(to.bytes!.subarray(100)).toEqual(from.bytes!.subarray(0, 4900))
    })

    test('a SEND with invalidate invalidates a key', () => {
      const pair = pairOf()
      const from = pair.a.memory(3000)
      const to = pair.b.memory(3000)
      const victim = pair.b.memory(3000)
      pair.b.receive({ id: 1, region: to, address: to.address, lengthBytes: 3000 })
      const source = { region: from, address: from.address, lengthBytes: 3000 }
      pair.a.post({ id: 1, operation: OP_WRITE, ...source, remoteAddress: victim.address, remoteKey: victim.key })
      pair.a.post({ id: 2, operation: OP_SEND_INVALIDATE, ...source, invalidateKey: victim.key })
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['1:0', '2:0'])
      expect(pair.b.received).toMatchObject([{ status: 0, invalidatedKey: victim.key }])
      expect(victim.isValid).toBe(false)
      pair.a.post({ id: 3, operation: OP_WRITE, ...source, remoteAddress: victim.address, remoteKey: victim.key })
      pair.run()
      expect(pair.a.log.at(-1)).toBe('3:10')
    })

    test.each([0, 8, 1024, 9000])('a READ of %i bytes returns them', (lengthBytes) => {
      const pair = pairOf()
      const to = pair.a.memory(10_000)
      const from = pair.b.memory(10_000)
      from.bytes!.set(pattern(10_000, 3))
      const target = { region: to, address: to.address, lengthBytes }
      pair.a.post({ id: 1, operation: OP_READ, ...target, remoteAddress: from.address, remoteKey: from.key })
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['1:0'])
      expect(to.bytes!.subarray(0, lengthBytes)).toEqual(from.bytes!.subarray(0, lengthBytes))
    })

    test('atomics execute once each, in order, and return the original value', () => {
      const pair = pairOf()
      const results = pair.a.memory(8 * 40)
      const word = pair.b.memory(8)
      const view = new DataView(word.bytes!.buffer)
      view.setBigUint64(0, 0xffff_ffff_ffff_fff0n, true)
      const remote = { remoteAddress: word.address, remoteKey: word.key }
      for (let id = 0; id < 39; id++) {
        const address = results.address + 8 * id
        pair.a.post({ id, operation: OP_FETCH_ADD, region: results, address, ...remote, swap: 3n })
      }
      const swap = { region: results, address: results.address + 8 * 39, compare: 101n, swap: 1n << 40n }
      pair.a.post({ id: 39, operation: OP_COMPARE_SWAP, ...swap, ...remote })
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(Array.from({ length: 40 }, (_, id) => `${id}:0`))
      const seen = new DataView(results.bytes!.buffer)
      for (let id = 0; id < 40; id++) {
        expect(seen.getBigUint64(8 * id, true)).toBe(BigInt.asUintN(64, 0xffff_ffff_ffff_fff0n + 3n * BigInt(id)))
      }
      expect(view.getBigUint64(0, true)).toBe(1n << 40n)
    })
  })
})

test('a queue pair is a send queue and a receive queue, and each completed work request leaves one CQE', () => {
  const pair = new VerbsPair()
  const memory = pair.b.memory(64)
  const target = { remoteAddress: memory.address, remoteKey: memory.key, lengthBytes: 8 }
  const completed = () => [pair.a.log, pair.a.receiveLog, pair.b.log, pair.b.receiveLog].map((log) => log.length)
  // Both queues of both ends in use: SENDs cross each other, with two WRITEs between those of A.
  for (const id of [0, 1, 2]) pair.b.receive({ id, region: null, address: 0, lengthBytes: 8 })
  pair.a.receive({ id: 9, region: null, address: 0, lengthBytes: 8 })
  for (const id of [10, 12]) pair.a.post({ id, operation: OP_SEND, lengthBytes: 0 })
  for (const id of [11, 13]) pair.a.post({ id, operation: OP_WRITE, ...target })
  pair.b.post({ id: 20, operation: OP_SEND, lengthBytes: 0 })
  expect(completed()).toEqual([0, 0, 0, 0])
  expect(pair.run()).toBe(true)
  expect(completed()).toEqual([4, 1, 1, 2])
  expect([pair.a.log, pair.a.receiveLog]).toEqual([['10:0', '12:0', '11:0', '13:0'], ['9:0']])
  // The unused Receive WQE ends with its queue, and has its CQE then.
  pair.b.pair.modify(pair.nowPs, 'error')
  pair.b.poll()
  expect(pair.b.receiveLog).toEqual(['0:0', '1:0', `2:${FLUSHED}`])
})

test('a SEND uses a Receive WQE; a WRITE and a READ place their bytes without one', () => {
  const pair = new VerbsPair({ values: { hasCredits: false } })
  const [mine, theirs] = [pair.a.memory(64), pair.b.memory(64)]
  theirs.bytes!.fill(7, 8, 16)
  mine.bytes!.fill(5, 0, 8)
  const local = { region: mine, lengthBytes: 8 }
  const remote = (at: number) => ({ remoteAddress: theirs.address + at, remoteKey: theirs.key })
  pair.b.receive({ id: 1, region: null, address: 0, lengthBytes: 0 })
  pair.a.post({ id: 1, operation: OP_WRITE, ...local, address: mine.address, ...remote(0) })
  pair.a.post({ id: 2, operation: OP_READ, ...local, address: mine.address + 8, ...remote(8) })
  expect(pair.run()).toBe(true)
  expect([pair.a.log, pair.b.receiveLog, pair.b.pair.receives.isEmpty]).toEqual([['1:0', '2:0'], [], false])
  expect([theirs.bytes![0], mine.bytes![8]]).toEqual([5, 7])
  pair.a.post({ id: 3, operation: OP_SEND, lengthBytes: 0 })
  expect(pair.run()).toBe(true)
  expect([pair.a.log.at(-1), pair.b.receiveLog, pair.b.pair.receives.isEmpty]).toEqual(['3:0', ['1:0'], true])
})

test('a SEND in the steps of [Survey] Figure 3: both ends prepare, B posts, A posts, then bytes, CQE at B, CQE at A', () => {
  const steps: string[] = []
  const pair = new VerbsPair()
  const from = pair.a.memory(64)
  const to = pair.b.memory(64)
  const note = (step: string, isDone: boolean) => {
    if (isDone && !steps.includes(step)) steps.push(step)
  }
  const look = () => {
    note('the bytes are in the posted buffer', to.bytes![16] === 9)
    note('CQE at B', pair.b.received.length > 0)
    note('CQE at A', pair.a.done.length > 0)
  }
  pair.toB.rule(() => note('A sends', true))
  from.bytes!.fill(9)
  pair.b.receive({ id: 7, region: to, address: to.address + 16, lengthBytes: 32 })
  // Nothing happens for it.
  expect(pair.run()).toBe(true)
  look()
  expect(steps).toEqual([])
  pair.a.post({ id: 1, operation: OP_SEND, region: from, address: from.address, lengthBytes: 32 })
  while (pair.step()) look()
  expect(steps).toEqual(['A sends', 'the bytes are in the posted buffer', 'CQE at B', 'CQE at A'])
  expect([pair.b.receiveLog, pair.a.log]).toEqual([['7:0'], ['1:0']])
  expect([...to.bytes!]).toEqual(Array.from({ length: 64 }, (_, i) => (i >= 16 && i < 48 ? 9 : 0)))
})
