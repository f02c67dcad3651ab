import { describe, expect, test } from 'vitest'
import { rangeClaims } from './range-ends.ts'

const one = (mean: number) => ({ mean, low: NaN, high: NaN, count: 1 })
/** The verdicts on the ends of a range of 4 to 8 with a tolerance of 1, for numbers that each have these readings. */
function verdictsOf(...of: readonly (readonly number[])[]): (readonly [string, string])[] {
  const range = { id: 'a', statement: 's', paper: '4 to 8', low: 4, high: 8, band: { low: 3, high: 9 } }
  const cells = of.map((readings, i) => ({
    check: `number ${i}`,
    readings: readings.map((mean, reading) => ({ name: `reading ${reading}`, measured: one(mean) })),
  }))
  const claims = rangeClaims({ ...range, cells })
  expect(claims.slice(0, -2).map(({ check }) => check)).toEqual(cells.map(({ check }) => check))
  return claims.slice(-2).map(({ check, verdict }) => [check, verdict])
}

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
