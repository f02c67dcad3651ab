import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { textsOf } from '../../../results/index.ts'
import type { Point } from '../../core/old/plan.ts'
import { irnIncastVariants } from './variants.ts'

const { plan } = irnIncastVariants
const pointOf = (name: string, side: string): Point =>
  plan.points('small', 1).find(({ condition }) => condition === `${name} | ${side} | none`)!

test('bytes and senders are the same with one connection per sender and with eight', () => {
  const [one, eight] = ['1 a sender', '8 a sender'].map((name) => run(pointOf(name, 'roce | PFC early').scenario))
  expect([one!.flows.rowCount, eight!.flows.rowCount]).toEqual([30, 240])
  for (const result of [one!, eight!]) {
    expect(result.counters.payloadBytesDelivered).toBe(6e6)
    expect(new Set(textsOf(result.flows, 'status'))).toEqual(new Set(['finished']))
  }
})

test.each([
  ['10 Gb/s', 10e9],
  ['100 Gb/s', 100e9],
  ['4 a sender', 40e9],
])('%s: nothing is lost with PFC, and the response takes little longer than at line rate', (name, rateBps) => {
  const point = pointOf(name, 'irn | PFC early')
  const measures = plan.measure(run(point.scenario), point)
  expect(measures['idealPs']).toBeCloseTo((6e6 * 8e12) / rateBps, -3)
  expect(measures['requestPs']! / measures['idealPs']!).toBeGreaterThan(1.05)
  expect(measures['requestPs']! / measures['idealPs']!).toBeLessThan(1.15)
  expect([measures['drops'], measures['unfinishedFlows']]).toEqual([0, 0])
  expect(measures['pauseFrames']).toBeGreaterThan(0)
})
