/** Responses in IRN mode, which are acknowledged: READ-ACKs, READ-NACKs and timeouts. */
import { describe, expect, test } from 'vitest'
import { Bench, MTU } from './response-sender.test-bench.ts'

describe('IRN: responses are acknowledged ([IRN] 5.2)', () => {
  const irn = { mode: 'irn' } as const

  test('it is idle when all responses are acknowledged', () => {
    const bench = new Bench(irn)
    expect([bench.responses.isIdle, bench.responses.hasLeft]).toEqual([true, true])
    bench.read(0, 10, 2)
    expect([bench.responses.isIdle, bench.responses.hasLeft]).toEqual([false, false])
    expect([bench.leaves(), bench.responses.isIdle, bench.responses.hasLeft]).toEqual([[100, 101], false, true])
    bench.ack(101)
    expect(bench.responses.isIdle).toBe(true)
  })

  test('after a failure it has nothing left to do', () => {
    const bench = new Bench(irn)
    bench.read(0, 10, 2)
    bench.responses.close()
    expect([bench.responses.isIdle, bench.responses.hasLeft, bench.leaves()]).toEqual([true, true, []])
  })

  test('a READ-NACK triggers the missing response, a duplicate READ-ACK nothing', () => {
    const bench = new Bench(irn)
    bench.read(0, 10, 4)
    bench.leaves()
    bench.ack(100)
    bench.ack(100)
    expect(bench.leaves()).toEqual([])
    bench.nack(101, 102)
    expect([bench.leaves(), bench.responses.retransmissions]).toEqual([[101], 1])
  })

  test('an ACK of a response that has not left is ignored', () => {
    const bench = new Bench(irn)
    bench.read(0, 10, 4)
    expect(bench.leaves(2)).toEqual([100, 101])
    bench.ack(102)
    expect([bench.responses.una, bench.leaves()]).toEqual([100, [102, 103]])
  })

  test('a request that reuses a slot acknowledges all responses of the READ in it', () => {
    const bench = new Bench({ ...irn, readsIn: 2 })
    bench.read(0, 10, 3)
    bench.read(1, 11, 2)
    bench.leaves()
    bench.ack(100)
    expect(bench.responses.una).toBe(101)
    bench.store(2, 12, MTU)
    expect(bench.responses.una).toBe(103)
  })

  test('a request for a free slot acknowledges no outstanding responses', () => {
    const bench = new Bench({ ...irn, readsIn: 2 })
    bench.read(0, 10, 1)
    bench.leaves()
    bench.ack(100)
    bench.read(1, 11, 1)
    bench.leaves()
    const deadlinePs = bench.responses.nextTimeoutPs
    bench.nowPs = deadlinePs - 1
    bench.store(2, 12, MTU)
    expect([bench.responses.nextTimeoutPs, bench.responses.una]).toEqual([deadlinePs, 101])
  })

  describe('timeouts', () => {
    test('are tolerated up to the agreed number in a row; progress restarts the count', () => {
      const bench = new Bench({ ...irn, retryLimit: 1 })
      bench.read(0, 10, 3)
      bench.leaves()
      bench.responses.onTimeout(1)
      expect(bench.responses.timeouts).toBe(0)
      for (const psn of [100, 101]) {
        expect([bench.timeout(), bench.silences]).toEqual([[psn], 0])
        bench.ack(psn)
      }
      expect([bench.timeout(), bench.silences]).toEqual([[102], 0])
      // No progress.
      bench.ack(101)
      expect([bench.timeout(), bench.silences]).toEqual([[], 1])
    })

    test('are tolerated forever without a limit', () => {
      const bench = new Bench({ ...irn, retryLimit: null })
      bench.read(0, 10, 1)
      bench.leaves()
      expect([1, 2, 3].map(() => bench.timeout())).toEqual([[100], [100], [100]])
      expect(bench.silences).toBe(0)
    })
  })
})
