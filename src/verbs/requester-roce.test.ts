/** A requester in RoCE mode, answer by answer: READ responses in order, the byte window, and who asks for an answer. */
import { describe, expect, test } from 'vitest'
import { US } from '../base/params.ts'
import { SYNDROME_PSN_ERROR as OUT_OF_ORDER } from '../wire/aeth.ts'
import {
  READ_RESPONSE_FIRST as FIRST,
  READ_RESPONSE_LAST as LAST,
  READ_RESPONSE_MIDDLE as MIDDLE,
  READ_RESPONSE_ONLY as ONLY,
} from '../wire/opcodes.ts'
import { OP_READ, OP_SEND, OP_WRITE } from './operation.ts'
import { Bench, MTU, TIMEOUT } from './requester.test-bench.ts'
import { RETRY_EXCEEDED } from './status.ts'

test('a NAK is gone back to, and what it passes is done', () => {
  const bench = new Bench()
  for (let id = 0; id < 4; id++) bench.post(OP_WRITE)
  bench.sends()
  bench.nak(OUT_OF_ORDER, 2, 2)
  expect([bench.done, bench.psns(), bench.requester.retransmissions]).toEqual([[0, 1], [2, 3], 2])
})

test('an ACK of nothing new starts the timer anew (IBTA o9-85)', () => {
  const bench = new Bench()
  bench.post(OP_WRITE, 3)
  bench.sends()
  bench.ack(0, 0)
  bench.nowPs = 30 * US
  bench.ack(0, 0)
  expect(bench.requester.space.deadlinePs).toBe(30 * US + TIMEOUT)
})

describe('a gap in READ responses', () => {
  test('is asked for at once, once, and again after a timeout', () => {
    const bench = new Bench()
    bench.post(OP_READ, 4)
    expect(bench.psns()).toEqual([0])
    bench.response(FIRST, 0, 0)
    bench.nowPs = 10 * US
    bench.response(MIDDLE, 2, 0)
    expect(bench.psns()).toEqual([1])
    bench.nowPs = 20 * US
    bench.response(LAST, 3, 1)
    expect(bench.psns()).toEqual([])
    // Every answer starts the timer anew (IBTA o9-85).
    expect(bench.requester.space.deadlinePs).toBe(20 * US + TIMEOUT)
    expect(bench.timeout()).toEqual([1])
    bench.response(LAST, 3, 1)
    expect(bench.psns()).toEqual([1])
    for (const psn of [1, 2]) bench.response(MIDDLE, psn, 0)
    bench.response(LAST, 3, 1)
    expect([bench.done, bench.requester.msn, bench.requester.retransmissions]).toEqual([[0], 1, 3])
  })

  test('is one of many: each is asked for, and so is the same once a part of it has come', () => {
    const bench = new Bench()
    bench.post(OP_READ, 5)
    bench.sends()
    bench.response(MIDDLE, 1, 0)
    expect(bench.psns()).toEqual([0])
    bench.response(FIRST, 0, 0)
    bench.response(MIDDLE, 2, 0)
    expect(bench.psns()).toEqual([1])
    bench.response(FIRST, 1, 0)
    bench.response(LAST, 4, 1)
    expect(bench.psns()).toEqual([2])
  })

  test('behind a WRITE shows that the WRITE is done', () => {
    const bench = new Bench()
    bench.post(OP_WRITE)
    bench.post(OP_READ, 2)
    expect(bench.psns()).toEqual([0, 1])
    bench.response(LAST, 2, 2)
    expect([bench.done, bench.psns()]).toEqual([[0], [1]])
  })

  test('shows also by the ACK of a WRITE behind it, which waits for the READ (IBTA 9.7.5.1.4)', () => {
    const bench = new Bench()
    bench.post(OP_READ, 2)
    bench.post(OP_WRITE)
    expect(bench.psns()).toEqual([0, 2])
    bench.ack(2, 2)
    expect([bench.done, bench.psns()]).toEqual([[], [0, 2]])
    bench.ack(2, 2)
    expect(bench.psns()).toEqual([])
    bench.response(FIRST, 0, 2)
    bench.response(LAST, 1, 2)
    bench.ack(2, 2)
    expect(bench.done).toEqual([0, 1])
  })
})

describe('READ responses', () => {
  test('before their request are not heard, though they have the next PSN', () => {
    const bench = new Bench()
    bench.post(OP_WRITE)
    bench.post(OP_READ)
    expect(bench.psns(1)).toEqual([0])
    bench.response(ONLY, 1, 2)
    expect([bench.done, bench.requester.msn, bench.psns()]).toEqual([[], 0, [1]])
  })

  test('tell how many messages there are, but for those in the middle and the old', () => {
    const bench = new Bench()
    bench.post(OP_READ, 3)
    for (let id = 1; id < 4; id++) bench.post(OP_WRITE)
    bench.sends()
    const heard = (
      [
        [FIRST, 0, 1],
        [MIDDLE, 1, 2],
        [FIRST, 0, 3],
        [LAST, 2, 4],
      ] as const
    ).map(([opcode, psn, msn]) => {
      bench.response(opcode, psn, msn)
      return bench.requester.msn
    })
    expect(heard).toEqual([1, 1, 1, 4])
  })

  test('are progress when they are new', () => {
    const bench = new Bench({ retryLimit: 1 })
    bench.post(OP_READ, 4)
    bench.sends()
    for (const psn of [0, 1]) {
      expect([bench.timeout(), bench.failed]).toEqual([[psn], []])
      bench.response(psn === 0 ? FIRST : MIDDLE, psn, 0)
    }
    expect(bench.timeout()).toEqual([2])
    bench.response(LAST, 3, 1)
    bench.timeout()
    expect(bench.failed).toEqual([`0:${RETRY_EXCEEDED}`])
  })

  test('that nobody asked for bring nothing to be sent again', () => {
    const bench = new Bench()
    bench.post(OP_WRITE, 3)
    bench.sends()
    bench.response(ONLY, 1, 0)
    expect([bench.psns(), bench.requester.retransmissions]).toEqual([[], 0])
  })
})

describe('what asks for an answer', () => {
  const rare = { ackInterval: 100 }

  test('is the last packet of a message', () => {
    const bench = new Bench({ ...rare, initialCredits: 2 })
    bench.post(OP_WRITE, 3)
    bench.post(OP_SEND, 3)
    expect(bench.sends()).toBe('0 1 2! 3 4 5!')
  })

  test('and the one behind which the cap has to be waited for', () => {
    const bench = new Bench({ ...rare, capPackets: 3 })
    bench.post(OP_WRITE, 8)
    expect(bench.sends()).toBe('0 1 2!')
    bench.ack(2, 0)
    expect(bench.sends()).toBe('3 4 5!')
  })

  test('and the one behind which the byte window is full', () => {
    const bench = new Bench({ ...rare, lsnWindowBytes: 2 * MTU })
    bench.post(OP_WRITE, 8)
    expect(bench.sends()).toBe('0 1!')
    bench.ack(1, 0, { lsn: 2 * MTU })
    expect(bench.sends()).toBe('2 3!')
  })

  test('and the probe of a long SEND', () => {
    const bench = new Bench(rare)
    bench.post(OP_SEND, 3)
    expect(bench.sends()).toBe('0!')
  })
})

describe('the byte window (S4 3.1)', () => {
  test('is moved by the bytes that an ACK tells, though READ responses before them are missing', () => {
    const bench = new Bench({ lsnWindowBytes: 2 * MTU })
    bench.post(OP_READ, 2)
    bench.post(OP_WRITE, 6)
    expect(bench.psns()).toEqual([0, 2, 3])
    bench.ack(2, 1, { lsn: MTU })
    // From the READ on, and one more than before.
    expect(bench.psns()).toEqual([0, 2, 3, 4])
    bench.ack(3, 1, { lsn: 2 * MTU })
    // An older one that comes late closes nothing.
    bench.ack(2, 1, { lsn: MTU })
    expect(bench.psns()).toEqual([5])
  })

  test('goes on where the 32 bits of a byte number begin again', () => {
    const mtuBytes = 2 ** 28
    const bench = new Bench({ lsnWindowBytes: 2 * mtuBytes, mtuBytes })
    for (const [operation, packets] of [
      [OP_WRITE, 20],
      [OP_READ, 2],
      [OP_WRITE, 6],
    ] as const) {
      bench.post(operation, packets)
    }
    for (let psn = 0; psn < 20; psn += 2) {
      expect(bench.psns()).toEqual([psn, psn + 1])
      bench.ack(psn + 1, psn === 18 ? 1 : 0, { lsn: ((psn + 2) * mtuBytes) >>> 0 })
    }
    expect(bench.psns()).toEqual([20, 22, 23])
    // 21 packets of 256 MiB, less 4 GiB.
    bench.ack(22, 2, { lsn: 5 * mtuBytes })
    expect(bench.psns()).toEqual([20, 22, 23, 24])
  })

  test('is moved by a READ response, which says that the bytes before it are there', () => {
    const bench = new Bench({ lsnWindowBytes: 3 * MTU - 1 })
    bench.post(OP_WRITE, 2)
    bench.post(OP_READ)
    bench.post(OP_WRITE, 6)
    expect(bench.psns()).toEqual([0, 1, 2, 3])
    bench.response(ONLY, 2, 2)
    expect(bench.psns()).toEqual([4, 5])
  })
})
