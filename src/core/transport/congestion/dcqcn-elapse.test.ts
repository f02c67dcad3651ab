import { describe, expect, test } from 'vitest'
import { US } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import { dcqcn, dcqcnConnectX4, dcqcnHpcc } from './dcqcn.ts'
import { Point } from './dcqcn.test-point.ts'

describe('waits in which nothing but timers happens', () => {
  const WAITS_US = [0.3, 2, 7, 55, 400, 3000]

  test.each([
    ['dcqcn', dcqcn],
    ['dcqcn-connectx4', dcqcnConnectX4],
    ['dcqcn-hpcc', dcqcnHpcc],
  ] as const)('%s passes over all ticks at once as it does one by one', (_name, definition) => {
    const random = createRandomStreams(5).stream('waits')
    let passed = 0
    for (let world = 0; world < 60; world++) {
      const values = { rateInterval: random.below(40) * US + 3 * US, byteCounter: 1e15 }
      const [slow, fast] = [new Point(definition, values), new Point(definition, values)]
      for (let nowPs = 0, i = 0; i < 40; i++) {
        nowPs += Math.round(WAITS_US[random.below(WAITS_US.length)]! * US)
        const before = fast.timers.nextPs
        fast.dcqcn.elapse(nowPs)
        if (fast.timers.nextPs > before) passed++
        for (const point of [slow, fast]) {
          point.until(nowPs)
          if (i % 5 === 0) point.cnp(nowPs)
        }
        const [of, at] = [slow, fast].map(({ dcqcn: { rateBps, targetBps, timerStage, alpha }, timers }) => ({
          rateBps,
          targetBps,
          timerStage,
          alpha,
          deadlines: [2, 3].map((slot) => timers.deadlineOf(slot)),
          next: timers.nextSlot,
        }))
        expect(at).toEqual(of)
      }
    }
    expect(passed).toBeGreaterThan(500)
  })
})
