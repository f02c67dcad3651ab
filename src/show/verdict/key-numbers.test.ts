/**
 * Key numbers of one run, and of runs that differ in the seed alone.
 */
import { expect, test } from 'vitest'
import { type Column, createTable, summarize } from '../../core/results/index.ts'
import { flowsOf } from '../figure/result-figures.test-drawing.ts'
import type { ReportedRun } from '../reported-run.ts'
import { keyNumbers } from './key-numbers.ts'

const OPEN = {
  networkText: '',
  schemesText: '',
  losslessClasses: [],
  graph: { names: [], tiers: [], hostNodes: [], hostTitles: [], ports: [] },
  hasClosedLoop: false,
}

function runOf(...slowdowns: readonly number[]) {
  const { result } = flowsOf(
    'a',
    slowdowns.map((slowdown) => ({ sizeBytes: 1000, slowdown })),
  )
  return { result, summary: summarize(result), facts: OPEN }
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
  expect(numberOf('goodput', [{ result: run, summary: summarize(run), facts: OPEN }]).idleText).toBe('2.40 Gbps')
})

test('seeds have means with their intervals, of finished flows as of times', () => {
  const seeds = [runOf(2, 2), runOf(4, 4), runOf(6, 6, 6)]
  const completion = numberOf('median completion', seeds)
  expect(completion.text).toBe('4.00 us')
  // Student's t for two degrees of freedom, times 2 us over the root of three; no time is negative.
  expect(completion.rangeText).toBe('95 %: 0 ps to 8.97 us')
  expect(completion.note).toMatch(/^mean of 3 seeds: /)
  expect(numberOf('highest slowdown', seeds).rangeText).toBe('95 %: 1 to 8.97')
  expect(numberOf('flows finished', seeds)).toMatchObject({ text: '2.333 of 2.333', note: 'mean of 3 seeds' })
})

test('seeds that agree have no interval to show', () => {
  expect(numberOf('median completion', [runOf(2), runOf(2)])).toMatchObject({ text: '2.00 us', rangeText: '' })
})

test('a 99th percentile is of 100 flows or more; of fewer the slowest flow is said as what it is', () => {
  const upTo = (count: number) => runOf(...Array.from({ length: count }, (_, i) => i + 1))
  expect(numberOf('99th percentile completion', [upTo(100)])).toMatchObject({ text: '99.0 us', idleText: '1.00 us' })
  expect(numberOf('99th percentile slowdown', [upTo(100)]).text).toBe('99.0')
  expect(numberOf('slowest completion', [upTo(99)])).toMatchObject({ text: '99.0 us', idleText: '1.00 us' })
  expect(numberOf('highest slowdown', [upTo(99)]).text).toBe('99.0')
  // One of the seeds has too few.
  expect(keyNumbers([upTo(100), upTo(99)]).map(({ name }) => name)).toContain('slowest completion')
  expect(keyNumbers([upTo(100)], false).map(({ name }) => name)).toContain('highest slowdown')
})

test('a closed loop has no idle goodput and no idle number of flows: those would be of another run', () => {
  const idle = (facts: ReportedRun['facts']) =>
    keyNumbers([{ ...runOf(2, 2, NaN), facts }]).map(({ name, idleText }) => [name, idleText !== ''] as const)
  const times = ['median completion', 'slowest completion', 'highest slowdown'].map((name) => [name, true] as const)
  expect(idle({ ...OPEN, hasClosedLoop: true })).toEqual([['flows finished', false], ...times, ['goodput', false]])
  expect(idle(null)).toEqual(idle({ ...OPEN, hasClosedLoop: true }))
  expect(idle(OPEN)).toEqual([['flows finished', true], ...times, ['goodput', true]])
  expect(numberOf('flows finished', [{ ...runOf(2, NaN), facts: null }]).text).toBe('1 of 2')
})
