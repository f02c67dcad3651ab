import { describe, expect, test } from 'vitest'
import { interval95 } from '../../core/results/index.ts'
import { ABOVE_ONE, bracketClaim, claimOf, intervalText, meanCountText, seedsClaim, verdictOf } from './findings.ts'

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

test('an exact value is reproduced only if every run has it', () => {
  expect(verdictOf(interval95([0, 0, 0]), { low: 0, high: 0 })).toBe('reproduced')
  expect(verdictOf(interval95([0, 0, 1]), { low: 0, high: 0 })).toBe('undecided')
  expect(verdictOf(interval95([1, 1]), { low: 0, high: 0 })).toBe('not reproduced')
})

test('a value without an interval says that it is one run, or the same in all runs', () => {
  expect(intervalText(interval95([1.5]), ' x')).toBe('1.50 x (one run)')
  expect(intervalText(interval95([2, 2, 2]), ' %')).toBe('2.00 % (the same in 3 runs)')
  expect(intervalText(interval95([1, 2, 3]))).toBe('2.00 (-0.484 to 4.48)')
  expect(intervalText(interval95([]))).toBe('-')
})

test('the reason of a claim gives its band and tolerance', () => {
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

test('a number from runs that are cut short is never compared with the band', () => {
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

/** "Above 1", with one value per seed. */
const bySeed = (values: readonly number[], judge: 'mean' | 'every seed', cutShort?: 'direction' | 'not judged') =>
  seedsClaim({ id: 'a', statement: 's', paper: 'above 1', values, band: ABOVE_ONE, judge, unit: ' x', cutShort })

describe('the sign of a difference', () => {
  test('is decided by the interval of the mean; the seeds on the other side are counted', () => {
    expect(bySeed([2, 3, 4, 5, 2, 3, 0.9, 5, 2, 3], 'mean')).toMatchObject({
      verdict: 'reproduced',
      seeds: { held: 9, of: 10 },
      reason: 'Counts as reproduced: above 1.00 x for the mean with its 95 % interval. The seeds have 0.900 to 5.00 x.',
    })
    expect(bySeed([0.5, 3, 0.5, 3], 'mean').verdict).toBe('undecided')
    expect(bySeed([0.5, 0.6, 0.5], 'mean').verdict).toBe('not reproduced')
  })

  test('is not reproduced by a tie, also of a single run', () => {
    expect(bySeed([1, 1, 1], 'mean').verdict).toBe('not reproduced')
    expect(bySeed([1], 'mean').verdict).toBe('not reproduced')
    expect(bySeed([1.1], 'mean')).toMatchObject({ verdict: 'reproduced', measured: '1.10 x (one run)' })
    expect(bySeed([], 'mean').verdict).toBe('not reproduced')
  })
})

describe('a behaviour that has to hold in every seed', () => {
  test('is not reproduced if one seed fails, ties or has no value, wherever the mean lies', () => {
    expect(bySeed([2, 3, 4], 'every seed')).toMatchObject({
      verdict: 'reproduced',
      reason: 'Counts as reproduced: above 1.00 x in every seed. The seeds have 2.00 to 4.00 x.',
    })
    for (const last of [0.9, 1, NaN]) {
      expect(bySeed([9, 9, last], 'every seed')).toMatchObject({
        seeds: { held: 2, of: 3 },
        verdict: 'not reproduced',
      })
    }
    expect(bySeed([], 'every seed').verdict).toBe('not reproduced')
  })

  test('is checked in every seed that was run', () => {
    const many = Array.from({ length: 12 }, () => 2)
    expect(bySeed(many, 'every seed').verdict).toBe('reproduced')
    expect(bySeed([...many, 0.5], 'every seed').verdict).toBe('not reproduced')
  })

  test('gives a direction or no verdict if runs are cut short', () => {
    const verdicts = [[2], [0.5], [2, 0.5]].map((values) => bySeed(values, 'every seed', 'direction').verdict)
    expect(verdicts).toEqual(['direction only', 'other direction', 'direction undecided'])
    expect(bySeed([2], 'every seed', 'not judged').verdict).toBe('not judged')
  })
})

describe('a number that depends on a setting which the paper leaves open', () => {
  const bracket = (lists: readonly (readonly number[])[], paperValues: readonly number[] = [0.5], isOfOneRun = false) =>
    bracketClaim({
      id: 'a',
      statement: 's',
      paper: '0.5',
      readings: lists.map((values, i) => ({ name: `reading ${i + 1}`, measured: interval95(values), values })),
      paperValues,
      isOfOneRun,
      band: { low: 0.4, high: 0.6 },
      tolerance: '20 %',
    })

  test('is decided only if all readings have the same verdict', () => {
    expect(
      bracket([
        [0.45, 0.46, 0.455],
        [0.55, 0.56, 0.555],
      ]).verdict,
    ).toBe('reproduced')
    expect(
      bracket([
        [0.8, 0.81, 0.805],
        [0.9, 0.91, 0.905],
      ]).verdict,
    ).toBe('not reproduced')
    expect(
      bracket([
        [0.5, 0.51, 0.505],
        [0.9, 0.91, 0.905],
      ]).verdict,
    ).toBe('undecided')
  })

  test("is undecided if the paper's value lies between two readings that are both far from it", () => {
    expect(
      bracket([
        [0.1, 0.11, 0.105],
        [0.9, 0.91, 0.905],
      ]),
    ).toMatchObject({
      measured: '0.105 to 0.905',
      verdict: 'undecided',
      reason: expect.stringContaining("The paper's value lies between the readings. Reading 1: 0.105") as string,
    })
  })

  test('shows the number of seeds in which each reading holds', () => {
    expect(
      bracket([
        [0.45, 0.7],
        [0.55, 0.56],
      ]).reason,
    ).toContain('in 1 of 2 seeds')
  })
})

test('a paper value from a single run is undecided if it lies as far from our mean as one of our runs may', () => {
  const judged = (ofOneRun?: number): string =>
    claimOf({
      id: 'a',
      statement: 's',
      paper: '20',
      measured: interval95([10, 12, 14, 16, 18]),
      band: { low: 19, high: 21 },
      tolerance: '1',
      ofOneRun,
    }).verdict
  // The mean is 14 +- 3.9, and one more run lies within 14 +- 9.6.
  expect(judged()).toBe('not reproduced')
  expect(judged(20)).toBe('undecided')
  expect(judged(30)).toBe('not reproduced')
})

test('a small mean of counts does not appear as 0', () => {
  expect([0, 0.2, 3.3, 12, 1600.4].map(meanCountText)).toEqual(['0', '0.20', '3.3', '12', '1,600'])
})
