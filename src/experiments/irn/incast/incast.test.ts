import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { irnIncast } from './incast.ts'

test('nothing is lost with PFC, IRN resends losses without it, and every request completes', () => {
  const points = irnIncast.plan.points('small', 1).filter(({ condition }) => condition.startsWith('30 senders'))
  expect(points).toHaveLength(9)
  const measured = points.map((point) => ({
    values: irnIncast.plan.measure(run(point.scenario), point),
    isPausing: point.condition.includes('PFC early'),
  }))
  for (const { values } of measured) {
    expect(values['unfinishedFlows']).toBe(0)
    expect(values['requestPs']).toBeGreaterThan(values['idealPs']!)
  }
  const [pausing, dropping] = [true, false].map((is) => measured.filter(({ isPausing }) => isPausing === is))
  expect(pausing!.map(({ values }) => [values['drops'], values['retransmissions']])).toEqual(pausing!.map(() => [0, 0]))
  expect(pausing).toHaveLength(6)
  expect(dropping!.filter(({ values }) => values['drops']! > 0)).toHaveLength(3)
})
