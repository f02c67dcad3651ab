import { describe, expect, test } from 'vitest'
import { interval95 } from '../results/index.ts'
import { claimOf, intervalText, verdictOf } from './findings.ts'

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
