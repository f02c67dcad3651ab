import { expect, test } from 'vitest'
import type { Result } from './result.ts'
import { completionsOf } from './completions.ts'
import { runJson, summarize } from './summary.ts'
import { type Column, createTable } from './table.ts'
import { exampleResult } from './example.test-data.ts'

test('times and slowdowns are of measured finished flows, counters of the whole run', () => {
  const summary = summarize(exampleResult())
  const counts = { total: 5, finished: 3, unfinished: 2, unacknowledged: 0, unposted: 0 }
  expect(summary.flows).toEqual({ ...counts, measured: 4, measuredFinished: 2, withoutIdeal: 0 })
  expect(summary.unfinishedReasons).toEqual({ 'retry limit': 1, 'still sending at the stop': 1 })
  expect(summary.meanCompletionPs).toBe(3_000_000)
  expect(summary.p50CompletionPs).toBe(3_000_000)
  expect([summary.p99CompletionPs, summary.maxCompletionPs]).toEqual([NaN, 4_000_000])
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

test('goodput of a run that stalled counts to its last byte, or to the last end of a flow where that came later', () => {
  const stalled = (stalledFromPs: number, completion: Result['completion']): number =>
    summarize({ ...exampleResult(), stalledFromPs, completion }).goodputOverPs
  // Flows start at 1 us; the last one ends at 5.5 us where it is received, and at 6 us where that is known.
  expect(stalled(20_000_000, 'receiver')).toBe(19_000_000)
  expect(stalled(5_500_000, 'receiver')).toBe(4_500_000)
  expect(stalled(5_500_000, 'sender')).toBe(5_000_000)
  expect(stalled(5_999_999, 'sender')).toBe(5_000_000)
  // Nothing was delivered after the first start: the whole run counts.
  expect(stalled(0, 'receiver')).toBe(49_000_000)
  expect(stalled(1_000_000, 'receiver')).toBe(49_000_000)
  expect(stalled(1_000_001, 'receiver')).toBe(4_500_000)
})

/** The example with some values of its flows changed, by column. */
function withFlows(changes: Readonly<Record<string, readonly (number | string)[]>>): Result {
  const result = exampleResult()
  const columns = result.flows.columns.map((column): Column => {
    const data = changes[column.name]
    if (data === undefined) return column
    if (column.type === 'text') return { ...column, data: data.map(String) }
    return { ...column, data: Float64Array.from(data, Number) }
  })
  return { ...result, flows: createTable('flows', columns) }
}

test('a READ ends at its requester, which receives its data, at either end point', () => {
  const result = withFlows({ operation: ['read', 'write', 'write', 'write', 'write'] })
  expect(completionsOf(result, 'sender').completionPs[0]).toBe(2_000_000)
  expect(completionsOf(result, 'sender').slowdown[0]).toBe(2)
  expect(completionsOf(result, 'sender').completionPs[1]).toBe(4_500_000)
  expect(completionsOf(result, 'receiver').completionPs[0]).toBe(2_000_000)
  // Results of before operations have none.
  const columns = result.flows.columns.filter(({ name }) => name !== 'operation')
  const earlier = { ...result, flows: createTable('flows', columns) }
  expect(completionsOf(earlier, 'sender').completionPs[0]).toBe(2_500_000)
})

test('a flow that is whole and whose sender does not know is finished, and unacknowledged', () => {
  const result = withFlows({ status: ['retry limit', 'finished', 'link down', 'retry limit', 'retry limit'] })
  const summary = summarize(result)
  expect(summary.flows).toMatchObject({ finished: 3, unfinished: 2, unacknowledged: 2 })
  expect(summary.unacknowledgedReasons).toEqual({ 'retry limit': 1, 'link down': 1 })
})

test('a flow that is done at the one end and not at the other says at which it is not', () => {
  const result = withFlows({ acknowledgedPs: [NaN, 6_000_000, 5_000_000, NaN, NaN] })
  const summary = summarize({ ...result, completion: 'sender' })
  expect(summary.unfinishedReasons).toMatchObject({ 'not finished at the sender': 1 })
})

test('reasons stand by how often they occur, and those of the same number by name', () => {
  const namesOf = (...status: string[]): string[] =>
    Object.keys(summarize(withFlows({ status, receivedPs: status.map(() => NaN) })).unfinishedReasons)
  expect(namesOf('a', 'b', 'c', 'b', 'c')).toEqual(['b', 'c', 'a'])
  expect(namesOf('c', 'b', 'b', 'c', 'a')).toEqual(['b', 'c', 'a'])
  expect(namesOf('b', 'a', 'a', 'a', 'b')).toEqual(['a', 'b'])
  expect(namesOf('b', 'a', 'b', 'a', 'b')).toEqual(['b', 'a'])
  const { unpostedReasons, flows } = summarize({ ...exampleResult(), unposted: { x: 1, z: 5, y: 5 } })
  expect(Object.entries(unpostedReasons)).toEqual([
    ['y', 5],
    ['z', 5],
    ['x', 1],
  ])
  expect(flows.unposted).toBe(11)
})

test('a run without a flow, or without a time, has no goodput', () => {
  const result = exampleResult()
  const none = summarize({ ...result, flows: firstRows(result, 0) })
  expect([none.goodputOverPs, none.goodputBps]).toEqual([0, NaN])
  expect(runJson(result, none)).toMatchObject({ goodputBps: null, completionPs: { mean: null, p999: null } })
})

test('a measuring window has a goodput of its own, the whole run has none', () => {
  const result = exampleResult()
  expect(summarize(result).windowGoodputBps).toBeNaN()
  const windowed: Result = { ...result, windowFromPs: 10_000_000, windowToPs: 30_000_000, windowPayloadBytes: 50_000 }
  expect(summarize(windowed).windowGoodputBps).toBeCloseTo(20e9, 0)
  expect(summarize({ ...windowed, windowToPs: 10_000_000 }).windowGoodputBps).toBeNaN()
  // From the beginning to before the end, and from later on to the end: both are windows; all of the run is none.
  expect(summarize({ ...windowed, windowFromPs: 0 }).windowGoodputBps).toBeCloseTo((50_000 * 8e12) / 30_000_000, 0)
  expect(summarize({ ...windowed, windowToPs: 50_000_000 }).windowGoodputBps).toBeCloseTo(10e9, 0)
  expect(summarize({ ...windowed, windowFromPs: 0, windowToPs: 50_000_000 }).windowGoodputBps).toBeNaN()
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

test('the average slowdown is that of short flows, the average and the tail of completion times those of long ones ([IRN] 4.1)', () => {
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
  expect(late.maxCompletionPs).toBeLessThan(alike.maxCompletionPs)
})

test('a run without a finished flow has null where there is no number', () => {
  const result = exampleResult()
  const empty: Result = { ...result, flows: firstRows(result, 0) }
  const json = runJson(empty, summarize(empty))
  expect(json.slowdown).toEqual({ mean: null, p50: null, p95: null, p99: null, p999: null, max: null })
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
    flows: { finished: 3, unfinished: 2, measured: 4, measuredFinished: 2, withoutIdeal: 0 },
    unfinishedReasons: { 'retry limit': 1, 'still sending at the stop': 1 },
    completionPs: { mean: 3_000_000, p50: 3_000_000, p99: null, p999: null, max: 4_000_000 },
    drops: { 'buffer full': 5, 'link loss': 2 },
    pausedPs: { host: 2_000_000, 'tier 1': 500_000 },
    timeouts: { 'last packet lost': 3 },
    packetHops: 1000,
    packetHopsPerCpuSecond: 500,
    peakRssBytes: 1e8,
  })
})

test('flows without an ideal time are in no slowdown, and are counted', () => {
  const result = withFlows({ idealPs: [NaN, 1e6, 1e6, 8e7, 8e7], tag: ['a', 'a', 'a', 'b', 'b'] })
  const summary = summarize(result)
  expect(summary.flows).toMatchObject({ measured: 4, measuredFinished: 2, withoutIdeal: 1 })
  expect([summary.meanSlowdown, summary.meanCompletionPs]).toEqual([4, 3_000_000])
  const { tags, flows } = runJson(result, summary)
  expect(flows.withoutIdeal).toBe(1)
  expect(tags['a']).toMatchObject({ flows: 3, finished: 3, measured: 2, measuredFinished: 2, withoutIdeal: 1 })
  expect(tags['b']).toMatchObject({ flows: 2, finished: 0, measured: 2, measuredFinished: 0, withoutIdeal: 0 })
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
