import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { keyOf } from '../../core/point.ts'
import { IRN_PFC, irnIncast, irnIncastVariants, ROCE } from './incast.ts'

test('nothing is lost with PFC, IRN resends losses without it, and every request completes', () => {
  const measured = irnIncast
    .points('small', 1)
    .filter(({ at }) => at['senders'] === 30)
    .map((point) => ({ at: point.at, measures: irnIncast.plan.measure(run(point.scenario), point) }))
  expect(measured).toHaveLength(9)
  for (const { at, measures } of measured) {
    expect(measures['unfinishedFlows']).toBe(0)
    expect(measures['requestPs']).toBeGreaterThan(measures['idealPs']!)
    const isLossless = at['pfc'] === 'pfc-early'
    expect([measures['drops'] === 0, measures['retransmissions'] === 0], keyOf(at)).toEqual([isLossless, isLossless])
  }
})

function variant(gbps: number, connections: number, side: typeof ROCE | typeof IRN_PFC) {
  const key = keyOf({ senders: 30, gbps, connections, control: 'none', ...side })
  const point = irnIncastVariants.points('small', 1).find(({ at }) => keyOf(at) === key)!
  const result = run(point.scenario)
  return { result, measures: irnIncastVariants.plan.measure(result, point) }
}

test('bytes and senders are the same with one connection per sender and with eight', () => {
  const [one, eight] = [variant(40, 1, ROCE), variant(40, 8, ROCE)]
  expect([one.result.flows.rowCount, eight.result.flows.rowCount]).toEqual([30, 240])
  for (const { result, measures } of [one, eight]) {
    expect(result.counters.payloadBytesDelivered).toBe(6e6)
    expect(measures['unfinishedFlows']).toBe(0)
  }
})

test.each([
  [10, 1],
  [100, 1],
  [40, 4],
])(
  '%i Gb/s, %i connections: nothing is lost with PFC, and the response takes little longer than at line rate',
  (gbps, connections) => {
    const { measures } = variant(gbps, connections, IRN_PFC)
    expect(measures['idealPs']).toBeCloseTo((6e6 * 8e3) / gbps, -3)
    expect(measures['requestPs']! / measures['idealPs']!).toBeGreaterThan(1.05)
    expect(measures['requestPs']! / measures['idealPs']!).toBeLessThan(1.15)
    expect([measures['drops'], measures['unfinishedFlows']]).toEqual([0, 0])
    expect(measures['pauseFrames']).toBeGreaterThan(0)
  },
)
