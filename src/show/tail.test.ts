import { expect, test } from 'vitest'
import { exampleResult } from '../core/results/example.test-data.ts'
import {
  createTable,
  interval95,
  knownMetric,
  type Result,
  runJson,
  saysSomething,
  sum,
  summarize,
  sweepTailNote,
} from '../core/results/index.ts'
import { summaryText } from './summary-text.ts'
import { keyNumbers } from './verdict/key-numbers.ts'

/** Flows of one size whose slowdowns are 1, 2, 3 and so on; of the last ones no byte arrives. */
function ranOf(finished: number, unfinished = 0): Result {
  const count = finished + unfinished
  const column = (name: string, of: (row: number) => number) =>
    ({ name, type: 'number', data: Float64Array.from({ length: count }, (_, row) => of(row)) }) as const
  const flows = createTable('flows', [
    ...['flow', 'source', 'destination', 'startPs'].map((name) => column(name, (row) => (name === 'flow' ? row : 0))),
    column('sizeBytes', () => 1000),
    column('receivedPs', (row) => (row < finished ? (row + 1) * 1e6 : NaN)),
    column('acknowledgedPs', (row) => (row < finished ? (row + 1) * 1e6 : NaN)),
    column('idealPs', () => 1e6),
    column('idealAcknowledgedPs', () => 1e6),
    column('trafficClass', () => 3),
    column('receivedBytes', (row) => (row < finished ? 1000 : 0)),
    column('measured', () => 1),
    { name: 'tag', type: 'text', data: Array.from({ length: count }, () => '') },
    { name: 'operation', type: 'text', data: Array.from({ length: count }, () => 'write') },
    {
      name: 'status',
      type: 'text',
      data: Array.from({ length: count }, (_, row) => (row < finished ? 'finished' : 'sending')),
    },
  ])
  return { ...exampleResult(), flows }
}

const textOf = (result: Result): string => summaryText(result, summarize(result))

/** Counts of flows beside a 99th percentile in a text that are too few for it. */
const tooFew = (text: string): number[] =>
  [...text.matchAll(/p99 of ([0-9,]+) flow/g)]
    .map(([, count]) => Number(count!.replace(',', '')))
    .filter((n) => n < 100)

test('of 99 flows the slowest is printed, of 100 the 99th percentile', () => {
  const [few, enough] = [ranOf(99), ranOf(100)]
  expect(textOf(few)).toContain('slowest of 99 flows 99.0')
  expect(textOf(few)).not.toContain('p99')
  expect(textOf(enough)).toContain('p99 of 100 flows 99.0')
  expect(textOf(enough)).not.toMatch(/slowest|p99\.9/)
  expect(textOf(ranOf(1000))).toMatch(/p99 of 1,000 flows 990 us, p99\.9 999 us/)
})

test('JSON has null for quantiles of too few flows, and always the largest', () => {
  const spreadOf = (count: number) => {
    const result = ranOf(count)
    return runJson(result, summarize(result)).slowdown
  }
  expect(spreadOf(19)).toMatchObject({ p50: 10, p95: null, p99: null, p999: null, max: 19 })
  expect(spreadOf(20)).toMatchObject({ p95: expect.closeTo(19.05, 9) as number, p99: null, max: 20 })
  expect(spreadOf(99)).toMatchObject({ p99: null, p999: null, max: 99 })
  expect(spreadOf(100)).toMatchObject({ p99: expect.closeTo(99.01, 9) as number, p999: null, max: 100 })
  expect(spreadOf(1000)).toMatchObject({ p999: expect.closeTo(999.001, 9) as number, max: 1000 })
})

test('flows that did not finish are counted beside the number, and are not among the hundred', () => {
  const result = ranOf(99, 3)
  expect(textOf(result)).toContain('slowest of 99 flows 99.0 (3 did not finish)')
  const numbers = keyNumbers([{ result, summary: summarize(result), facts: null }])
  expect(numbers.map(({ name }) => name)).toContain('highest slowdown')
  expect(numbers[3]!.note).toContain('of 99 flows, 3 did not finish')
})

test('a sweep says of how many flows its tails are', () => {
  const rowOf = (flows: number, unfinished: number, seeds: number) => ({
    metrics: {
      flows: interval95([flows]),
      unfinished: interval95([unfinished]),
      completionP99Ps: interval95(seeds === 0 ? [] : [1]),
      completionMaxPs: interval95([1]),
    },
  })
  expect(sweepTailNote([rowOf(1204, 0, 1)])).toBe('p99 of 1,204 flows')
  expect(sweepTailNote([rowOf(1204, 0, 1), rowOf(19, 3, 0)])).toBe(
    'slowest of 19 to 1,204 flows, 0 to 3 did not finish',
  )
})

test('the slowest replaces a 99th percentile that a row does not have', () => {
  const rowOf = (p99: readonly number[]) => ({
    metrics: { slowdownP99: interval95(p99), slowdownMax: interval95([4, 5]), 'completionP99Ps[a]': interval95([1]) },
  })
  const [whole, part, none] = [rowOf([3, 4]), rowOf([3]), rowOf([])]
  const shown = (rows: readonly ReturnType<typeof rowOf>[]) => [
    knownMetric('slowdownP99', rows),
    ...(['slowdownP99', 'slowdownMax', 'completionP99Ps[a]'] as const).map((name) => saysSomething(name, rows)),
  ]
  expect(shown([whole, whole])).toEqual(['slowdownP99', true, false, true])
  expect(shown([whole, part])).toEqual(['slowdownMax', false, true, true])
  expect(shown([none, none])).toEqual(['slowdownMax', false, true, true])
})

test('a 99th percentile of 99 flows is caught', () => {
  expect(tooFew('p99 of 99 flows 3.20')).toEqual([99])
  const texts = [1, 19, 99, 100, 101, 1000].map((count) => textOf(ranOf(count)))
  expect(texts.flatMap(tooFew)).toEqual([])
  expect(sum(texts.map((text) => text.match(/(p99|slowest) of/g)!.length))).toBe(12)
})
