/** A requester in RoCE mode: READ responses in order, the byte window, and ACK requests. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../../base/params.ts'
import { SYNDROME_PSN_ERROR as OUT_OF_ORDER, SYNDROME_RNR as NOT_READY } from '../../wire/aeth.ts'
import {
  READ_RESPONSE_FIRST as FIRST,
  READ_RESPONSE_LAST as LAST,
  READ_RESPONSE_MIDDLE as MIDDLE,
  READ_RESPONSE_ONLY as ONLY,
} from '../../wire/opcodes.ts'
import { OP_READ, OP_SEND, OP_WRITE } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'
import { Bench, MTU, TIMEOUT } from './requester.test-bench.ts'
import { RETRY_EXCEEDED } from '../queues/status.ts'

test('a NAK rewinds to its PSN and completes everything before it', () => {
  const bench = new Bench()
  for (let id = 0; id < 4; id++) bench.post(OP_WRITE)
  bench.sends()
  bench.nak(OUT_OF_ORDER, 2, 2)
  expect([bench.done, bench.psns(), bench.requester.retransmissions]).toEqual([[0, 1], [2, 3], 2])
})

test('an ACK without progress restarts the timer (IBTA o9-85)', () => {
  const bench = new Bench()
  bench.post(OP_WRITE, 3)
  bench.sends()
  bench.ack(0, 0)
  bench.nowPs = 30 * US
  bench.ack(0, 0)
  expect(bench.requester.nextTimeoutPs).toBe(30 * US + TIMEOUT)
})

describe('a gap in READ responses', () => {
  test('is requested at once, once, and again after a timeout', () => {
    const bench = new Bench()
    bench.post(OP_READ, 4)
    expect(bench.psns()).toEqual([0])
    bench.response(FIRST, 0, 0)
    bench.nowPs = 10 * US
    bench.response(MIDDLE, 2, 0)
    expect(bench.said()).toEqual(['READ 1'])
    bench.nowPs = 20 * US
    bench.response(LAST, 3, 1)
    expect(bench.said()).toEqual([])
    expect([bench.lateResponse(), bench.nowPs, bench.requester.reads.timeouts]).toEqual([
      ['READ 1'],
      10 * US + TIMEOUT,
      1,
    ])
    for (const psn of [1, 2]) bench.response(MIDDLE, psn, 0)
    bench.response(LAST, 3, 1)
    expect([bench.done, bench.requester.msn, bench.said()]).toEqual([[0], 1, []])
  })

  test('of several is requested each time, and again once part of the rest has arrived', () => {
    const bench = new Bench()
    bench.post(OP_READ, 5)
    bench.sends()
    bench.response(MIDDLE, 1, 0)
    expect(bench.said()).toEqual(['READ 0'])
    bench.response(FIRST, 0, 0)
    bench.response(MIDDLE, 2, 0)
    expect(bench.said()).toEqual(['READ 1'])
    bench.response(FIRST, 1, 0)
    bench.response(LAST, 4, 1)
    expect(bench.said()).toEqual(['READ 2'])
  })

  test('after a WRITE shows that the WRITE is complete', () => {
    const bench = new Bench()
    bench.post(OP_WRITE)
    bench.post(OP_READ, 2)
    expect(bench.psns()).toEqual([0, 1])
    bench.response(LAST, 1, 2)
    expect([bench.done, bench.said()]).toEqual([[0], ['READ 0']])
  })

  test('is also shown by the ACK of a later WRITE, which need not come again (IBTA 9.7.5.1.4)', () => {
    const bench = new Bench()
    bench.post(OP_READ, 2)
    bench.post(OP_WRITE)
    expect(bench.psns()).toEqual([0, 1])
    bench.ack(1, 2)
    expect([bench.done, bench.said(), bench.psns()]).toEqual([[], ['READ 0'], []])
    bench.ack(1, 2)
    expect(bench.said()).toEqual([])
    bench.response(FIRST, 0, 2)
    bench.response(LAST, 1, 2)
    expect(bench.done).toEqual([0, 1])
  })

  test('is shown anew by an ACK when part of it has arrived, and by a timeout', () => {
    const bench = new Bench()
    bench.post(OP_READ, 3)
    bench.post(OP_WRITE)
    bench.sends()
    const heard = (): string[] => {
      bench.ack(1, 2)
      return bench.said()
    }
    expect([heard(), heard()]).toEqual([['READ 0'], []])
    bench.response(FIRST, 0, 1)
    expect([heard(), heard()]).toEqual([['READ 1'], []])
    expect([bench.lateResponse(), heard(), heard()]).toEqual([['READ 1'], ['READ 1'], []])
  })

  test('is not shown by the ACK of an earlier request, or of a complete one', () => {
    const bench = new Bench()
    for (const operation of [OP_WRITE, OP_READ, OP_WRITE] as const) bench.post(operation)
    bench.sends()
    bench.ack(0, 1)
    expect(bench.said()).toEqual([])
    bench.response(ONLY, 0, 2)
    bench.ack(2, 3)
    expect([bench.said(), bench.done]).toEqual([[], [0, 1, 2]])
  })
})

describe('an RNR NAK after a READ whose responses are missing', () => {
  test('shows that the READ was executed, and makes the requester wait', () => {
    const bench = new Bench({ initialCredits: 1 })
    bench.post(OP_READ)
    bench.post(OP_SEND)
    expect(bench.psns()).toEqual([0, 1])
    bench.nak(NOT_READY + 1, 1, 1)
    expect([bench.said(), bench.psns(), bench.requester.rnrNaks]).toEqual([['READ 0'], [], 1])
    bench.wait(bench.requester)
    expect([bench.psns(), bench.nowPs]).toEqual([[1], 10 * US])
    bench.response(ONLY, 0, 1)
    bench.ack(1, 2)
    expect(bench.done).toEqual([0, 1])
  })
})

describe('READ responses', () => {
  test('acknowledge their request with the first, so that it is not sent again', () => {
    const bench = new Bench()
    bench.post(OP_READ, 3)
    bench.sends()
    expect(bench.requester.nextTimeoutPs).toBe(TIMEOUT)
    bench.nowPs = 40 * US
    bench.response(FIRST, 0, 1)
    const { requester } = bench
    expect([requester.una, requester.nextTimeoutPs, bench.done]).toEqual([1, NEVER_PS, []])
    expect([bench.lateResponse(), bench.nowPs, bench.psns()]).toEqual([['READ 1'], 40 * US + TIMEOUT, []])
  })

  test('that precede their request are ignored, though they have the next PSN', () => {
    const bench = new Bench()
    bench.post(OP_WRITE)
    bench.post(OP_READ)
    expect(bench.psns(1)).toEqual([0])
    bench.response(ONLY, 0, 2)
    expect([bench.done, bench.requester.msn, bench.psns()]).toEqual([[], 0, [1]])
  })

  test('carry the MSN, except middle ones and those of complete READs', () => {
    const bench = new Bench()
    bench.post(OP_READ, 3)
    for (let id = 1; id < 5; id++) bench.post(OP_WRITE)
    bench.sends()
    const heard = (
      [
        [FIRST, 0, 1],
        [MIDDLE, 1, 2],
        [FIRST, 0, 3],
        [LAST, 2, 4],
        [LAST, 2, 5],
      ] as const
    ).map(([opcode, psn, msn]) => {
      bench.response(opcode, psn, msn)
      return bench.requester.msn
    })
    expect(heard).toEqual([1, 1, 3, 4, 4])
  })

  test('show that the responder is alive, new or not', () => {
    const bench = new Bench({ retryLimit: 1 })
    bench.post(OP_READ, 4)
    bench.sends()
    bench.response(FIRST, 0, 0)
    for (const [opcode, psn] of [
      [MIDDLE, 1],
      [FIRST, 0],
      [LAST, 3],
    ] as const) {
      expect([bench.lateResponse().length, bench.failed]).toEqual([1, []])
      bench.response(opcode, psn, 0)
    }
    expect(bench.said()).toEqual(['READ 2'])
    expect(bench.lateResponse()).toEqual(['READ 2'])
    bench.lateResponse()
    expect(bench.failed).toEqual([`0:${RETRY_EXCEEDED}`])
  })

  test('that were not requested trigger nothing', () => {
    const bench = new Bench()
    bench.post(OP_WRITE, 3)
    bench.sends()
    bench.response(ONLY, 1, 0)
    expect([bench.psns(), bench.said(), bench.requester.una]).toEqual([[], [], 0])
  })
})

describe('an ACK is requested by', () => {
  const rare = { ackInterval: 100 }

  test('the last packet of a message', () => {
    const bench = new Bench({ ...rare, initialCredits: 2 })
    bench.post(OP_WRITE, 3)
    bench.post(OP_SEND, 3)
    expect(bench.sends()).toBe('0 1 2! 3 4 5!')
  })

  test('the last packet that the cap allows', () => {
    const bench = new Bench({ ...rare, capPackets: 3 })
    bench.post(OP_WRITE, 8)
    expect(bench.sends()).toBe('0 1 2!')
    bench.ack(2, 0)
    expect(bench.sends()).toBe('3 4 5!')
  })

  test('the last packet that the byte window allows', () => {
    const bench = new Bench({ ...rare, lsnWindowBytes: 2 * MTU })
    bench.post(OP_WRITE, 8)
    expect(bench.sends()).toBe('0 1!')
    bench.ack(1, 0)
    expect(bench.sends()).toBe('2 3!')
  })

  test('no READ, which its responses acknowledge', () => {
    const bench = new Bench({ ...rare, capPackets: 1 })
    bench.post(OP_READ)
    expect(bench.sends()).toBe('0')
  })

  test('the probe of a long SEND', () => {
    const bench = new Bench(rare)
    bench.post(OP_SEND, 3)
    expect(bench.sends()).toBe('0!')
  })
})

describe('the byte window ([LDCP] 3.1)', () => {
  test('does not wait for missing READ responses', () => {
    const bench = new Bench({ lsnWindowBytes: 2 * MTU })
    bench.post(OP_READ, 2)
    bench.post(OP_WRITE, 6)
    expect(bench.psns()).toEqual([0, 1])
    bench.ack(1, 1)
    expect([bench.said(), bench.psns()]).toEqual([['READ 0'], [2, 3]])
    // A late older ACK opens nothing.
    bench.ack(1, 1)
    bench.ack(2, 1)
    expect(bench.psns()).toEqual([4])
  })

  test('is moved by a READ response, which acknowledges the packets before it', () => {
    const bench = new Bench({ lsnWindowBytes: 4 * MTU - 1 })
    bench.post(OP_WRITE, 2)
    bench.post(OP_READ)
    bench.post(OP_WRITE, 6)
    expect(bench.psns()).toEqual([0, 1, 2, 3])
    bench.response(ONLY, 0, 2)
    expect(bench.psns()).toEqual([4, 5, 6])
  })
})

describe('a congestion window that counts bytes ([LDCP] 3.1)', () => {
  const benchWith = (windowPackets: number, bytesCounted: number): Bench => {
    const bench = new Bench()
    Object.assign(bench.requester.congestion, { windowPackets, bytesCounted })
    return bench
  }

  test('a READ request is in no window, a short packet counts as its payload', () => {
    const bench = benchWith(2, 1)
    const work = (): void => {
      bench.post(OP_WRITE, 0.5)
      bench.post(OP_READ, 3)
      bench.post(OP_WRITE, 1.5)
      bench.post(OP_WRITE)
    }
    work()
    expect(bench.psns()).toEqual([0, 1, 2, 3])
    // Half a packet of the window is free: not enough for the next one.
    bench.ack(0, 1)
    expect(bench.psns()).toEqual([])
    bench.ack(2, 1)
    expect(bench.psns()).toEqual([4])
  })

  test('in packets the same requests stop at the second', () => {
    const bench = benchWith(2, 0)
    bench.post(OP_WRITE, 0.5)
    bench.post(OP_READ, 3)
    bench.post(OP_WRITE, 1.5)
    expect(bench.psns()).toEqual([0, 1])
  })

  test('requests sent again obey it too', () => {
    const bench = benchWith(2, 1)
    bench.post(OP_WRITE, 4)
    expect(bench.psns()).toEqual([0, 1])
    expect(bench.timeout()).toEqual([0, 1])
    bench.ack(0, 0)
    expect(bench.psns()).toEqual([2])
  })
})

test('packets carry the number of their first byte, modulo 2^32', () => {
  const mtuBytes = 2 ** 30
  const bench = new Bench({ mtuBytes })
  bench.post(OP_WRITE, 3)
  bench.post(OP_READ)
  bench.post(OP_WRITE, 3)
  const packet = new VerbsPacket(0)
  const lsns: number[] = []
  while (bench.requester.pollTransmit(0, packet)) lsns.push(packet.lsn / mtuBytes)
  expect(lsns).toEqual([0, 1, 2, 3, 3, 0, 1])
})
