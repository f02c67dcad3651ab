import { expect, test } from 'vitest'
import type { Result } from './result.ts'
import { completionsOf, runJson, summarize } from './summary.ts'
import { createTable } from './table.ts'
import { exampleResult } from './example.ts'

test('times and slowdowns are of measured finished flows, counters of the whole run', () => {
  const summary = summarize(exampleResult())
  const counts = { total: 5, finished: 3, unfinished: 2, unacknowledged: 0, unposted: 0 }
  expect(summary.flows).toEqual({ ...counts, measured: 4, measuredFinished: 2 })
  expect(summary.unfinishedReasons).toEqual({ 'retry limit': 1, 'still sending at the stop': 1 })
  expect(summary.meanCompletionPs).toBe(3_000_000)
  expect(summary.p50CompletionPs).toBe(3_000_000)
  expect(summary.p99CompletionPs).toBeCloseTo(3_980_000, 3)
  expect(summary.meanSlowdown).toBe(3)
  expect(summary.slowdownsBelowOne).toBe(0)
  expect(summary.drops).toBe(7)
  expect(summary.timeouts).toBe(3)
})

test('the other end point has its own times and its own ideal', () => {
  const { completionPs, slowdown } = completionsOf(exampleResult(), 'sender')
  expect([...completionPs]).toEqual([2_500_000, 4_500_000, 3_000_000, NaN, NaN])
  expect(slowdown[0]).toBeCloseTo(2_500_000 / 1_500_000, 15)
})

test('goodput counts from the first start to the last end, or to the end of the run when a flow is unfinished', () => {
  const result = exampleResult()
  expect(summarize(result).goodputOverPs).toBe(49_000_000)
  expect(summarize(result).goodputBps).toBeCloseTo((400_000 * 8e12) / 49_000_000, 0)
  const finished: Result = { ...result, flows: firstRows(result, 3) }
  expect(summarize(finished).goodputOverPs).toBe(4_500_000)
})

test('a measuring window has a goodput of its own, the whole run has none', () => {
  const result = exampleResult()
  expect(summarize(result).windowGoodputBps).toBeNaN()
  const windowed: Result = { ...result, windowFromPs: 10_000_000, windowToPs: 30_000_000, windowPayloadBytes: 50_000 }
  expect(summarize(windowed).windowGoodputBps).toBeCloseTo(20e9, 0)
  expect(summarize({ ...windowed, windowToPs: 10_000_000 }).windowGoodputBps).toBeNaN()
})

test('a slowdown below one is shown, not clamped', () => {
  const result = exampleResult()
  const columns = result.flows.columns.map((column) =>
    column.name === 'idealPs' && column.type !== 'text' ? { ...column, data: column.data.map((v) => v * 4) } : column,
  )
  const summary = summarize({ ...result, flows: createTable('flows', columns) })
  expect(summary.meanSlowdown).toBe(0.75)
  expect(summary.slowdownsBelowOne).toBe(1)
})

test('the average slowdown is that of short flows, the average and the tail of completion times those of long ones (S3 4.1)', () => {
  const result = exampleResult()
  /** A short flow and a long one, each as late as given. */
  const withDelays = (shortPs: number, longPs: number): ReturnType<typeof summarize> => {
    const data: Readonly<Record<string, readonly number[]>> = {
      startPs: [0, 0],
      idealPs: [1_000_000, 1_000_000_000],
      receivedPs: [1_000_000 + shortPs, 1_000_000_000 + longPs],
    }
    const columns = firstRows(result, 2).columns.map((column) =>
      column.type === 'text' || data[column.name] === undefined
        ? column
        : { ...column, data: Float64Array.from(data[column.name]!) },
    )
    return summarize({ ...result, flows: createTable('flows', columns) })
  }
  const idle = withDelays(0, 0)
  expect([idle.meanSlowdown, idle.meanCompletionPs]).toEqual([1, 500_500_000])
  // Ten times its ideal; the long one with a hundredth more loses as much time.
  const [late, alike] = [withDelays(10_000_000, 0), withDelays(0, 10_000_000)]
  expect([late.meanSlowdown, alike.meanSlowdown]).toEqual([6, 1.005])
  expect(late.meanCompletionPs).toBe(alike.meanCompletionPs)
  expect(late.p99CompletionPs).toBeLessThan(alike.p99CompletionPs!)
})

test('a run without a finished flow has null where there is no number', () => {
  const result = exampleResult()
  const empty: Result = { ...result, flows: firstRows(result, 0) }
  const json = runJson(empty, summarize(empty))
  expect(json.slowdown).toEqual({ mean: null, p50: null, p95: null, p99: null, p999: null })
  expect(json.goodputBps).toBeNull()
  expect(json.cpuSeconds).toBeNull()
  expect(JSON.parse(JSON.stringify(json))).toEqual(json)
})

test('the JSON carries identity, results and cost', () => {
  const result = exampleResult()
  const json = runJson(result, summarize(result), { cpuSeconds: 2, wallSeconds: 3, peakRssBytes: 1e8 })
  expect(json).toMatchObject({
    schemaVersion: 1,
    name: 'example',
    digest: '0123456789abcdef',
    seed: 7,
    partial: false,
    flows: { finished: 3, unfinished: 2, measured: 4, measuredFinished: 2 },
    unfinishedReasons: { 'retry limit': 1, 'still sending at the stop': 1 },
    drops: { 'buffer full': 5, 'link loss': 2 },
    pausedPs: { host: 2_000_000, 'tier 1': 500_000 },
    timeouts: { 'last packet lost': 3 },
    packetHops: 1000,
    packetHopsPerCpuSecond: 500,
    peakRssBytes: 1e8,
  })
})

function firstRows(result: Result, rows: number): Result['flows'] {
  return createTable(
    'flows',
    result.flows.columns.map((column) =>
      column.type === 'text'
        ? { ...column, data: column.data.slice(0, rows) }
        : { ...column, data: column.data.slice(0, rows) },
    ),
  )
}
