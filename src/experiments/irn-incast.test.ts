import { expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { irnIncast } from './irn-incast.ts'

test('with pauses nothing is lost, without them IRN resends what is, and every request is answered', () => {
  const points = irnIncast.plan.points('small', 1).filter(({ condition }) => condition.startsWith('30 senders'))
  expect(points).toHaveLength(9)
  for (const point of points) {
    const measures = irnIncast.plan.measure(run(point.scenario), point)
    const isPausing = point.condition.includes('PFC at 216 KB')
    expect(measures['unfinishedFlows'], point.condition).toBe(0)
    expect(measures['requestPs']).toBeGreaterThan(measures['idealPs']!)
    if (isPausing) expect([measures['drops'], measures['retransmissions']], point.condition).toEqual([0, 0])
    else expect(measures['drops'], point.condition).toBeGreaterThan(0)
  }
})
