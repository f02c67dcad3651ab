import { describe, expect, test } from 'vitest'
import { interval95 } from '../results/index.ts'
import { ABOVE_ONE, claimOf, everySeedClaim, intervalText, meanCountText, verdictOf } from './findings.ts'

describe('a verdict over the band 53 to 67', () => {
  const band = { low: 53, high: 67 }

  test.each([
    [[60, 61, 62], 'reproduced'],
    [[80, 81, 82], 'not reproduced'],
    [[30, 31, 32], 'not reproduced'],
    [[66, 67, 68], 'undecided'],
    [[52, 53, 54], 'undecided'],
    [[50, 60, 70], 'undecided'],
    [[60], 'reproduced'],
    [[68], 'not reproduced'],
    [[], 'not reproduced'],
  ] as const)('of %j is: %s', (values, verdict) => {
    expect(verdictOf(interval95(values), band)).toBe(verdict)
  })
})

test('an exact value holds only when every run has it', () => {
  expect(verdictOf(interval95([0, 0, 0]), { low: 0, high: 0 })).toBe('reproduced')
  expect(verdictOf(interval95([0, 0, 1]), { low: 0, high: 0 })).toBe('undecided')
  expect(verdictOf(interval95([1, 1]), { low: 0, high: 0 })).toBe('not reproduced')
})

test('a text says how many runs an interval is from where there is none', () => {
  expect(intervalText(interval95([1.5]), ' x')).toBe('1.50 x (one run)')
  expect(intervalText(interval95([2, 2, 2]), ' %')).toBe('2.00 % (the same in 3 runs)')
  expect(intervalText(interval95([1, 2, 3]))).toBe('2.00 (-0.484 to 4.48)')
  expect(intervalText(interval95([]))).toBe('-')
})

test('a claim says what would have counted', () => {
  const input = {
    id: 'a',
    statement: 's',
    paper: '60 %',
    measured: interval95([61]),
    unit: ' %',
    tolerance: '7 points',
  }
  const reasonOf = (low: number, high: number): string => claimOf({ ...input, band: { low, high } }).reason
  expect(reasonOf(53, 67)).toBe('Counts as reproduced: 53.0 to 67.0 % (7 points).')
  expect(reasonOf(53, Infinity)).toBe('Counts as reproduced: at least 53.0 % (7 points).')
  expect(reasonOf(-Infinity, 67)).toBe('Counts as reproduced: at most 67.0 % (7 points).')
  expect(reasonOf(0, 0)).toBe('Counts as reproduced: 0 % (7 points).')
})

test('a number from runs that are cut short is held against no number, however far it is from the band or within it', () => {
  const verdict = (value: number, cutShort: typeof ABOVE_ONE | null): string =>
    claimOf({
      id: 'a',
      statement: 's',
      paper: '1.5 x',
      measured: interval95([value]),
      band: { low: 1.4, high: 1.6 },
      tolerance: '0.1',
      cutShort,
    }).verdict
  expect([9, 1.5, 0.5].map((value) => verdict(value, ABOVE_ONE))).toEqual([
    'direction only',
    'direction only',
    'other direction',
  ])
  expect([9, 1.5, 0.5].map((value) => verdict(value, null))).toEqual(['not judged', 'not judged', 'not judged'])
})

describe('what has to hold in every seed', () => {
  const claimed = (values: readonly number[], cutShort?: 'direction' | 'not judged') =>
    everySeedClaim({
      id: 'a',
      statement: 's',
      paper: 'above 1',
      values,
      holds: (value) => value > 1,
      counts: 'above 1',
      unit: ' x',
      cutShort,
    })

  test('is undecided when it held in each of fewer than ten, unless they are all alike', () => {
    expect(claimed([2, 3, 4])).toMatchObject({
      verdict: 'undecided',
      reason:
        'Counts as reproduced: above 1 x in every seed. The seeds have 2.00 to 4.00 x. It has to be 10 seeds, and 3 are too few to say.',
    })
    expect(claimed([2, 3, 4, 5, 2, 3, 4, 5, 2, 3]).verdict).toBe('reproduced')
    expect(claimed([2, 3, 4, 5, 2, 3, 4, 5, 2, 1]).verdict).toBe('not reproduced')
    expect(claimed([2, 3, 4], 'direction').verdict).toBe('direction only')
    expect(claimed([2]).verdict).toBe('undecided')
  })

  test('does not when it fails in one, or is a tie, or is missing there, wherever the mean lies', () => {
    expect(claimed([2, 2, 2])).toMatchObject({
      measured: '2.00 x (the same in 3 runs); holds in 3 of 3 seeds',
      verdict: 'reproduced',
      reason: 'Counts as reproduced: above 1 x in every seed. The seeds have 2.00 to 2.00 x.',
    })
    for (const last of [0.9, 1, NaN]) {
      expect(claimed([9, 9, last])).toMatchObject({
        measured: expect.stringMatching(/; holds in 2 of 3 seeds$/) as string,
        verdict: 'not reproduced',
      })
    }
    expect(claimed([]).verdict).toBe('not reproduced')
  })

  test('is decided by the first ten of many, and shown of all', () => {
    const many = Array.from({ length: 12 }, () => 2)
    expect(claimed([...many, 0.5])).toMatchObject({
      measured: expect.stringMatching(/; holds in 12 of 13 seeds$/) as string,
      verdict: 'reproduced',
      reason: expect.stringContaining('in each of the first 10 seeds') as string,
    })
    expect(claimed([0.5, ...many]).verdict).toBe('not reproduced')
  })

  test('is a direction or nothing where runs are cut short', () => {
    const verdicts = [[2], [0.5], [2, 0.5]].map((values) => claimed(values, 'direction').verdict)
    expect(verdicts).toEqual(['direction only', 'other direction', 'direction undecided'])
    expect(claimed([2], 'not judged').verdict).toBe('not judged')
    expect(claimed([2], 'direction').measured).toBe('2.00 x (one run)')
  })
})

test('a mean of counts that is not nothing does not look like it', () => {
  expect([0, 0.2, 3.3, 12, 1600.4].map(meanCountText)).toEqual(['0', '0.20', '3.3', '12', '1,600'])
})
