import { expect, test } from 'vitest'
import { NO_ORIGIN } from '../pauses/origins.ts'
import { Blame, Weights } from './blame.ts'

function shared(partPs: number, weights: readonly [origin: number, amount: number][], wholePs = 0): [number, number][] {
  const [blame, by] = [new Blame(), new Weights()]
  for (const [origin, amount] of weights) by.add(origin, amount)
  blame.share(0, partPs, by, wholePs)
  return Array.from({ length: blame.count }, (_, i) => [blame.origins[i]!, blame.spansPs[i]!])
}

test('amounts are whole and add up to the part, the rest of rounding goes to the largest', () => {
  expect(
    shared(100, [
      [4, 1],
      [7, 1],
      [5, 4],
    ]),
  ).toEqual([
    [4, 16],
    [7, 16],
    [5, 68],
  ])
})

test('what is known is blamed, also where most is not', () => {
  expect(
    shared(100, [
      [NO_ORIGIN, 90],
      [3, 10],
    ]),
  ).toEqual([[3, 10]])
})

test('of a longer time only its share', () => {
  expect(shared(100, [[3, 10]], 40)).toEqual([[3, 25]])
})

test('nothing is blamed where nothing is known', () => {
  expect(shared(100, [[NO_ORIGIN, 90]])).toEqual([])
})
