/** Request WQEs in posting order, and the numbers that each gets when it is posted. */
import { expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import {
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type Operation,
} from './operation.ts'
import { PSNS_MAX, SendQueue, type SendWqe } from './send-queue.ts'

const queueOf = (isShared = false, capacity = 8): SendQueue =>
  new SendQueue({ capacity, mtuBytes: 100, firstPsn: 1000, firstResponse: 500, isShared })

/** Posts requests of these lengths and returns their WQEs. */
function posted(queue: SendQueue, ...works: readonly (readonly [Operation, number])[]): SendWqe[] {
  return works.map(([operation, lengthBytes], i) => {
    queue.post({ id: i, operation, lengthBytes }, false)
    return queue.at(queue.tail - 1)
  })
}

const WORKS = [
  [OP_WRITE, 250],
  [OP_READ, 350],
  [OP_SEND, 0],
  [OP_FETCH_ADD, 777],
  [OP_WRITE_IMMEDIATE, 100],
  [OP_READ, 0],
] as const

test('each request has its numbers from posting on', () => {
  const queue = queueOf()
  const wqes = posted(queue, ...WORKS)
  const each = <T>(of: (wqe: SendWqe) => T): T[] => wqes.map((wqe) => of(wqe))
  // A READ takes one request PSN, and on the wire of RoCE those of its responses.
  expect(each(({ firstPsn }) => firstPsn)).toEqual([1000, 1003, 1004, 1005, 1006, 1007])
  expect(each(({ packets }) => packets)).toEqual([3, 1, 1, 1, 1, 1])
  expect(each(({ firstWirePsn }) => firstWirePsn)).toEqual([1000, 1003, 1007, 1008, 1009, 1010])
  expect(each(({ wirePackets }) => wirePackets)).toEqual([3, 4, 1, 1, 1, 1])
  expect([queue.endPsn, queue.endWirePsn]).toEqual([1008, 1011])
  expect(each(({ sn }) => sn)).toEqual([0, 1, 2, 3, 4, 5])
  expect(each(({ responses }) => responses)).toEqual([0, 4, 0, 1, 0, 1])
  expect(each(({ firstResponse }) => firstResponse)).toEqual([500, 500, 504, 504, 505, 505])
  // Counts of earlier requests that need a Receive WQE, and of earlier READs and atomics.
  expect(each(({ receiveSn }) => receiveSn)).toEqual([0, 0, 0, 1, 1, 2])
  expect(each(({ readSn }) => readSn)).toEqual([0, 0, 1, 1, 2, 2])
  // Bytes of requests (+ 0, as a double may begin as -0): a READ and an atomic carry none; an atomic's length is always
  // 8.
  expect(each(({ firstLsn }) => firstLsn + 0)).toEqual([0, 250, 250, 250, 250, 350])
  expect(each(({ lengthBytes }) => lengthBytes)).toEqual([250, 350, 0, 8, 100, 0])
})

test('fields left out have their defaults', () => {
  const queue = queueOf()
  queue.post({ id: 5, operation: OP_SEND_IMMEDIATE, isUnsignalled: true, isFenced: true, isSolicited: true }, true)
  expect(queue.at(0)).toMatchObject({ isUnsignalled: true, isFenced: true, isSolicited: true, isRefused: true })
  for (let sn = 1; sn < 8; sn++) queue.post({ id: 6, operation: OP_SEND }, false)
  expect(queue.isFull).toBe(true)
  queue.head++
  // In the entry of the first.
  queue.post({ id: 7, operation: OP_SEND }, false)
  const nothing = { isUnsignalled: false, isFenced: false, isSolicited: false, isRefused: false, region: null }
  for (const sn of [1, 8]) expect(queue.at(sn)).toMatchObject({ ...nothing, lengthBytes: 0, remoteKey: 0 })
  expect(() => queue.post({ id: 9, operation: OP_SEND }, false)).toThrow('the send queue is full')
})

test('only WQEs in the queue can be accessed', () => {
  const queue = queueOf()
  expect([queue.isEmpty, queue.holds(1000)]).toEqual([true, false])
  posted(queue, ...WORKS)
  queue.head = 2
  expect(queue.isEmpty).toBe(false)
  for (const sn of [1, 6]) expect(() => queue.at(sn)).toThrow('no such Request WQE')
  expect([queue.at(2).sn, queue.at(5).sn]).toEqual([2, 5])
  expect([1003, 1004, 1007, 1008].map((psn) => queue.holds(psn))).toEqual([false, true, true, false])
})

test('a PSN leads to its request, wherever the last search ended, and so does one on the wire', () => {
  const random = createRandomStreams(7).stream('psns')
  const queue = queueOf(true, 6)
  const all: Pick<SendWqe, 'sn' | 'firstPsn' | 'packets' | 'firstWirePsn' | 'responses' | 'firstLsn'>[] = []
  for (let step = 0; step < 2000; step++) {
    const [operation, lengthBytes] = WORKS[random.below(WORKS.length)]!
    if (!queue.isFull && random.below(2) === 0) {
      const [wqe] = posted(queue, [operation, lengthBytes])
      const { sn, firstPsn, packets, firstWirePsn, responses, firstLsn } = wqe!
      all.push({ sn, firstPsn, packets, firstWirePsn, responses, firstLsn })
    } else if (!queue.isEmpty && random.below(4) === 0) queue.head++
    if (queue.isEmpty) continue
    const from = queue.at(queue.head).firstPsn
    const psn = from + random.below(queue.endPsn - from)
    // The naive twin searches all of them.
    const expected = all.find((each) => psn >= each.firstPsn && psn < each.firstPsn + each.packets)!
    expect(queue.ofPsn(psn).sn).toBe(expected.sn)
    const before = expected.responses === 0 ? (psn - expected.firstPsn) * 100 : 0
    expect(queue.lsnOf(psn) + 0).toBe(expected.firstLsn + before + 0)
    const wirePsn = all[queue.head]!.firstWirePsn + random.below(queue.endWirePsn - all[queue.head]!.firstWirePsn)
    const onWire = all.findLast((each) => each.firstWirePsn <= wirePsn)!
    expect(queue.ofWirePsn(wirePsn)?.sn).toBe(onWire.sn)
  }
  expect(all.length).toBeGreaterThan(200)
  expect(queue.head).toBeGreaterThan(100)
})

test('the byte sequence number after the last request counts the bytes of all', () => {
  const queue = queueOf()
  posted(queue, ...WORKS)
  expect([queue.lsnOf(1006), queue.lsnOf(1007), queue.lsnOf(1008)]).toEqual([250, 350, 350])
})

test('a PSN on the wire of a complete or unposted request finds none', () => {
  const queue = queueOf(true)
  expect([queue.firstWirePsn, queue.ofWirePsn(1000)]).toEqual([1000, null])
  posted(queue, ...WORKS)
  queue.head = 2
  expect(queue.firstWirePsn).toBe(1007)
  expect([1006, 1007, 1010, 1011].map((psn) => queue.ofWirePsn(psn)?.sn)).toEqual([undefined, 2, 5, undefined])
})

test('a READ has at most half of the PSN range in responses, where they take PSNs of requests on the wire', () => {
  const most = PSNS_MAX * 100
  const isTooLong = (isShared: boolean, operation: Operation, lengthBytes?: number): boolean =>
    queueOf(isShared).isTooLong({ id: 1, operation, ...(lengthBytes === undefined ? {} : { lengthBytes }) })
  expect([isTooLong(true, OP_READ, most), isTooLong(true, OP_READ, most + 1)]).toEqual([false, true])
  expect([isTooLong(false, OP_READ, most + 1), isTooLong(true, OP_WRITE, most + 1), isTooLong(true, OP_READ)]).toEqual([
    false,
    false,
    false,
  ])
})

test('operands of atomics are stored in two halves', () => {
  const queue = queueOf()
  queue.post({ id: 0, operation: OP_FETCH_ADD, compare: 0x1_8000_0002n, swap: 0xffff_ffff_0000_0003n }, false)
  expect(queue.at(0)).toMatchObject({ compareHigh: 1, compareLow: 0x8000_0002, swapHigh: 0xffff_ffff, swapLow: 3 })
})
