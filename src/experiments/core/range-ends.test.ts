import { describe, expect, test } from 'vitest'
import { endClaims } from './range-ends.ts'

const one = (mean: number) => ({ mean, low: NaN, high: NaN, count: 1 })
/** The verdicts on a range of 4 to 8 with a tolerance of 1, for numbers that each have these readings. */
const verdictsOf = (...of: readonly (readonly number[])[]): (readonly [string, string])[] =>
  endClaims({
    id: 'a',
    statement: 's',
    paper: '4 to 8',
    low: 4,
    high: 8,
    band: { low: 3, high: 9 },
    tolerance: '1',
    unit: '',
    of: of.map((readings) => readings.map((mean, i) => ({ name: `reading ${i}`, measured: one(mean) }))),
  }).map(({ check, verdict }) => [check, verdict])

describe('a range is met at both of its ends', () => {
  test('when the least of the numbers is near the low end and the most near the high end', () => {
    expect(verdictsOf([4.9], [6], [7.1])).toEqual([
      ['least', 'reproduced'],
      ['most', 'reproduced'],
    ])
  })

  test('and not when all of them stand inside, at one end', () => {
    expect(verdictsOf([3.1], [3.5], [4]).map(([, verdict]) => verdict)).toEqual(['reproduced', 'not reproduced'])
    expect(verdictsOf([8.9], [7.5], [8]).map(([, verdict]) => verdict)).toEqual(['not reproduced', 'reproduced'])
  })

  test('in each reading by itself', () => {
    expect(verdictsOf([4, 4], [8, 5]).map(([, verdict]) => verdict)).toEqual(['reproduced', 'undecided'])
    expect(verdictsOf([4, 8], [8, 4]).map(([, verdict]) => verdict)).toEqual(['reproduced', 'reproduced'])
  })
})
