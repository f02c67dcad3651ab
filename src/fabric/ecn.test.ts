import { describe, expect, test } from 'vitest'
import { createRandomStreams, type RandomStream } from '../base/random.ts'
import { Marker } from './ecn.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))

function markerWith(random: RandomStream, fields: object = {}): Marker {
  return new Marker({
    classes: 0b1000,
    kminBytes: 5000,
    kmaxBytes: 200_000,
    pmax: 0.01,
    atLeast: true,
    random,
    ...fields,
  })
}

describe('the share of marked packets', () => {
  test.each([
    [5001, 0.01],
    [50_000, 0.01],
    [102_500, 0.01],
    [199_999, 0.01],
    [102_500, 0.5],
    [150_000, 1],
  ])('at %i bytes with pmax %f lies within four standard deviations', (queueBytes, pmax) => {
    const marker = markerWith(createRandomStreams(3).stream(`ecn/${queueBytes}/${pmax}`), { pmax })
    const count = 100_000 * BUDGET
    let marked = 0
    for (let i = 0; i < count; i++) if (marker.isMarked(3, queueBytes)) marked++
    const expected = (pmax * (queueBytes - 5000)) / 195_000
    const deviation = Math.sqrt((expected * (1 - expected)) / count)
    expect(Math.abs(marked / count - expected)).toBeLessThan(4 * deviation + 1e-12)
  })
})

describe('the random stream', () => {
  /** Fails when it is asked. */
  const silent: RandomStream = {
    uniform() {
      throw new Error('drawn')
    },
    uint32: () => 0,
    below: () => 0,
    exponential: () => 0,
  }
  test.each([
    [0, false],
    [4999, false],
    [5000, false],
    [200_000, true],
    [1e6, true],
  ])('is left alone where there is no doubt: at %i bytes', (queueBytes, isMarked) => {
    expect(markerWith(silent).isMarked(3, queueBytes)).toBe(isMarked)
  })
  test('is drawn from in between', () => {
    expect(() => markerWith(silent).isMarked(3, 5001)).toThrow('drawn')
  })
})

test('other classes are not marked', () => {
  const marker = markerWith(createRandomStreams(1).stream('ecn'))
  expect([0, 3, 4].map((trafficClass) => marker.isMarked(trafficClass, 1e6))).toEqual([false, true, false])
})

test('a marker without classes marks nothing', () => {
  const marker = markerWith(createRandomStreams(1).stream('ecn'), { classes: 0 })
  expect(marker.isMarked(3, 2 ** 31)).toBe(false)
})

test('T-RED-3: a step marks from its threshold on, and never before', () => {
  const marker = markerWith(createRandomStreams(1).stream('ecn'), { kminBytes: 60_000, kmaxBytes: 60_000 })
  expect([59_999, 60_000, 60_001].map((queueBytes) => marker.isMarked(3, queueBytes))).toEqual([false, true, true])
})
