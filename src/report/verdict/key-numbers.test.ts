/**
 * Key numbers of one run, and of runs that differ in the seed alone.
 */
import { expect, test } from 'vitest'
import { type Column, createTable, summarize } from '../../results/index.ts'
import { flowsOf } from '../figure/result-figures.test-drawing.ts'
import { keyNumbers } from './key-numbers.ts'

function runOf(...slowdowns: readonly number[]) {
  const { result } = flowsOf(
    'a',
    slowdowns.map((slowdown) => ({ sizeBytes: 1000, slowdown })),
  )
  return { result, summary: summarize(result) }
}
const numberOf = (name: string, runs: Parameters<typeof keyNumbers>[0]) =>
  keyNumbers(runs).find((number) => number.name === name)!

test('one run has its values, without an interval', () => {
  const numbers = keyNumbers([runOf(2, 2, NaN)])
  expect(numbers.map(({ rangeText }) => rangeText)).toEqual(['', '', '', '', ''])
  expect(numbers[0]).toMatchObject({ name: 'flows finished', text: '2 of 3', idleText: '3' })
  expect(numberOf('median completion', [runOf(2)])).toMatchObject({ text: '2.00 us', idleText: '1.00 us' })
})

test('the goodput of an idle network is that of all flows, until the last of them would have ended', () => {
  const { result } = runOf(2, 2, 2)
  const startPs = { name: 'startPs', type: 'number' as const, data: Float64Array.from([0, 1e6, 9e6]) }
  const columns = result.flows.columns.map((column): Column => (column.name === 'startPs' ? startPs : column))
  const run = { ...result, flows: createTable('flows', columns) }
  // 3,000 bytes in 10 us: the last begins at 9 us and takes 1 us.
  expect(numberOf('goodput', [{ result: run, summary: summarize(run) }]).idleText).toBe('2.40 Gbps')
})

test('seeds have means with their intervals, of finished flows as of times', () => {
  const seeds = [runOf(2, 2), runOf(4, 4), runOf(6, 6, 6)]
  const completion = numberOf('median completion', seeds)
  expect(completion.text).toBe('4.00 us')
  // Student's t for two degrees of freedom, times 2 us over the root of three; no time is negative.
  expect(completion.rangeText).toBe('95 %: 0 ps to 8.97 us')
  expect(completion.note).toMatch(/^mean of 3 seeds: /)
  expect(numberOf('99th percentile slowdown', seeds).rangeText).toBe('95 %: 1 to 8.97')
  expect(numberOf('flows finished', seeds)).toMatchObject({ text: '2.333 of 2.333', note: 'mean of 3 seeds' })
})

test('seeds that agree have no interval to show', () => {
  expect(numberOf('median completion', [runOf(2), runOf(2)])).toMatchObject({ text: '2.00 us', rangeText: '' })
})
