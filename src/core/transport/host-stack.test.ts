import { expect, test } from 'vitest'
import { US } from '../base/params.ts'
import { createRandomStreams } from '../base/random.ts'
import { ExponentialDelay } from './host-delay/exponential.ts'
import { HostStack } from './host-stack.ts'

const random = () => createRandomStreams(7).stream('stack/0')

test('without jitter every packet takes the same time, up and down, and nothing is drawn', () => {
  const stream = random()
  const stack = new HostStack(new ExponentialDelay(5 * US, 0), stream)
  expect([stack.upPs(0), stack.upPs(US), stack.downPs(US), stack.aroundPs(2 * US)]).toEqual(
    [5, 6, 6, 12].map((us) => us * US),
  )
  expect(stream.uint32()).toBe(random().uint32())
})

test('with jitter no packet overtakes another of its direction', () => {
  const stack = new HostStack(new ExponentialDelay(US, 20 * US), random())
  let last = 0
  let waited = 0
  for (let nowPs = 0; nowPs < 1000 * US; nowPs += US) {
    const duePs = stack.upPs(nowPs)
    expect(duePs).toBeGreaterThanOrEqual(Math.max(last, nowPs + US))
    expect(Number.isInteger(duePs)).toBe(true)
    if (duePs === last) waited++
    last = duePs
  }
  // Most wait for an earlier packet with a longer delay.
  expect(waited).toBeGreaterThan(500)
})

test('far apart, packets take the least time and an exponential rest of that mean', () => {
  const stack = new HostStack(new ExponentialDelay(3 * US, 10 * US), random())
  const rests = Array.from({ length: 20_000 }, (_, i) => stack.downPs(i * 1000 * US) - i * 1000 * US - 3 * US)
  const mean = rests.reduce((a, b) => a + b, 0) / rests.length
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(0)
  expect(mean / (10 * US)).toBeCloseTo(1, 1)
  // e^-1 of them are above the mean.
  expect(rests.filter((rest) => rest > 10 * US).length / rests.length).toBeCloseTo(0.368, 1.5)
})
