import { expect, test } from 'vitest'
import { US } from '../base/params.ts'
import { mostTimeoutPs, RttEstimator } from './rtt-estimator.ts'

test('samples of 24 and 30 us smooth to 24.75 and 10.5, and the least timeout holds (T-ABL-3)', () => {
  const estimator = new RttEstimator(320 * US, 100 * US)
  expect(estimator.timeoutPs).toBe(320 * US)
  estimator.sample(24 * US)
  expect([estimator.srttPs, estimator.rttVarPs]).toEqual([24 * US, 12 * US])
  estimator.sample(30 * US)
  expect([estimator.srttPs, estimator.rttVarPs]).toEqual([24.75 * US, 10.5 * US])
  expect(estimator.timeoutPs).toBe(100 * US)
})

test('without the least timeout those samples give 66.75 us', () => {
  const estimator = new RttEstimator(320 * US, US)
  estimator.sample(24 * US)
  estimator.sample(30 * US)
  expect(estimator.timeoutPs).toBe(66.75 * US)
})

test('a timeout doubles it, up to 64 times the first, and a sample brings it back', () => {
  const estimator = new RttEstimator(100 * US, 100 * US)
  estimator.backOff()
  expect(estimator.timeoutPs).toBe(200 * US)
  for (let i = 0; i < 20; i++) estimator.backOff()
  expect(estimator.timeoutPs).toBe(6400 * US)
  estimator.sample(50 * US)
  expect(estimator.timeoutPs).toBe(150 * US)
})

test('a shorter round trip varies as much as a longer one (RFC 6298 2.3)', () => {
  const estimator = new RttEstimator(320 * US, US)
  estimator.sample(24 * US)
  estimator.sample(16 * US)
  expect([estimator.srttPs, estimator.rttVarPs]).toEqual([23 * US, 11 * US])
})

test('the longest timeout is 64 times the first or the least, whichever is longer', () => {
  expect([mostTimeoutPs(10 * US, 100 * US), mostTimeoutPs(100 * US, 10 * US)]).toEqual([6400 * US, 6400 * US])
})
