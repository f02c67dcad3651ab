import { expect, test } from 'vitest'
import { fc } from '../../tests/support/properties.ts'
import { compareFlows, compareResults, type FlowTime, flowTimesOfTable } from './compare.ts'
import { exampleResult } from './example.ts'
import { createTable } from './table.ts'

const flow = (source: number, completionPs: number, more: Partial<FlowTime> = {}): FlowTime => ({
  source,
  destination: 9,
  startPs: 0,
  sizeBytes: 1000,
  completionPs,
  ...more,
})

test('flows are paired by what they are, in whatever order they come', () => {
  const a = [flow(1, 100), flow(2, 200), flow(3, 400), flow(4, 10)]
  const b = [flow(3, 400), flow(2, 220), flow(1, 50), flow(5, 10)]
  const comparison = compareFlows({ name: 'a', flows: a }, { name: 'b', flows: b })
  expect(comparison.pairs.map((pair) => pair.ratio)).toEqual([0.5, 1.1, 1])
  expect(comparison.onlyInA).toBe(1)
  expect(comparison.onlyInB).toBe(1)
  expect(comparison.ratio.median).toBe(1)
  expect(comparison.deviation.max).toBe(0.5)
  expect(comparison.worst?.flow.source).toBe(1)
  expect(comparison.meanCompletionRatio).toBeCloseTo(670 / 700, 15)
})

test('equal flows are paired first with first, second with second', () => {
  const a = [flow(1, 100), flow(1, 200), flow(1, 300)]
  const b = [flow(1, 100), flow(1, 400)]
  const comparison = compareFlows({ name: 'a', flows: a }, { name: 'b', flows: b })
  expect(comparison.pairs.map((pair) => pair.ratio)).toEqual([1, 2])
  expect(comparison.onlyInA).toBe(1)
  expect(comparison.onlyInB).toBe(0)
})

test('tags tell flows apart only when both sides have them', () => {
  const tagged = [flow(1, 100, { tag: 'x' })]
  const other = [flow(1, 100, { tag: 'y' })]
  const bare = [flow(1, 100)]
  expect(compareFlows({ name: '', flows: tagged }, { name: '', flows: other }).pairs).toHaveLength(0)
  expect(compareFlows({ name: '', flows: tagged }, { name: '', flows: bare }).pairs).toHaveLength(1)
})

test('each tag says how many flows its means leave out, a tag that one side did not finish too', () => {
  const a = [flow(1, 100, { tag: 'x' }), flow(2, 100, { tag: 'y' }), flow(3, 100, { tag: 'x' })]
  const b = [flow(1, 200, { tag: 'x' }), flow(2, NaN, { tag: 'y' }), flow(3, NaN, { tag: 'x' })]
  const { tags } = compareFlows({ name: 'a', flows: a }, { name: 'b', flows: b })
  expect(tags).toMatchObject([
    { tag: 'x', pairs: 1, unfinished: 1, meanCompletionRatio: 2 },
    { tag: 'y', pairs: 0, unfinished: 1, meanCompletionRatio: NaN },
  ])
})

test('classes tell flows apart, also those that are paired by their order', () => {
  const loops = (first: number, second: number): FlowTime[] =>
    [3, 0].flatMap((trafficClass, k) =>
      [0, 1].map((n) => flow(1, k === 0 ? first : second, { trafficClass, tag: 'loop', startPs: n * first })),
    )
  const [a, b] = [
    { name: 'a', flows: loops(100, 300) },
    { name: 'b', flows: loops(300, 100).toReversed() },
  ]
  const { pairs } = compareFlows(a, b, new Set(['loop']))
  expect(pairs.map(({ ratio }) => ratio)).toEqual([3, 3, 1 / 3, 1 / 3])
})

test('flows that start when others are finished are paired by their order', () => {
  const loop = (startPs: number, completionPs: number) => flow(1, completionPs, { startPs, tag: 'loop' })
  const open = (startPs: number, completionPs: number) => flow(1, completionPs, { startPs, tag: 'open' })
  // B's second message starts when A's third does, and is still the second.
  const a = { name: 'a', flows: [loop(0, 10), loop(10, 10), loop(20, 10), open(0, 5), open(7, 5)] }
  const b = { name: 'b', flows: [loop(0, 20), loop(20, 30), open(0, 5), open(8, 5)] }
  const comparison = compareFlows(a, b, new Set(['loop']))
  expect(comparison.pairs.map((pair) => pair.ratio)).toEqual([2, 3, 1])
  expect(comparison.pairedByOrder).toBe(2)
  expect([comparison.onlyInA, comparison.onlyInB]).toEqual([2, 1])
  expect(compareFlows(a, b)).toMatchObject({ pairedByOrder: 0, onlyInA: 2, onlyInB: 1 })
})

test('every flow is counted exactly once', () => {
  const anyFlow = fc.record({ source: fc.nat(2), completionPs: fc.constantFrom(NaN, 1, 2) })
  const anyFlows = fc.array(anyFlow.map(({ source, completionPs }) => flow(source, completionPs)))
  fc.assert(
    fc.property(anyFlows, anyFlows, (a, b) => {
      const c = compareFlows({ name: 'a', flows: a }, { name: 'b', flows: b })
      const both = c.pairs.length + c.unfinishedInA + c.unfinishedInB + c.unfinishedInBoth
      expect(both + c.onlyInA).toBe(a.length)
      expect(both + c.onlyInB).toBe(b.length)
    }),
  )
})

test('a result compared with itself does not deviate', () => {
  const comparison = compareResults(exampleResult(), exampleResult())
  expect(comparison.pairs).toHaveLength(3)
  expect(comparison.unfinishedInBoth).toBe(2)
  expect(comparison.deviation).toEqual({ median: 0, p90: 0, p99: 0, max: 0 })
  expect(comparison.counters).toContainEqual({ name: 'drops: buffer full', a: 5, b: 5 })
  expect(comparison.counters.every((pair) => pair.a === pair.b)).toBe(true)
})

test('a table of completion times from elsewhere is compared like a result', () => {
  const column = (name: string, ...data: number[]) =>
    ({ name, type: 'integer', data: Float64Array.from(data) }) as const
  const reference = createTable('reference', [
    column('source', 0, 1),
    column('destination', 1, 2),
    column('startPs', 1_000_000, 1_500_000),
    column('sizeBytes', 1000, 2000),
    column('completionPs', 2_000_000, 5_000_000),
  ])
  const times = flowTimesOfTable(reference)
  const comparison = compareFlows(times, {
    name: 'example',
    flows: compareResults(exampleResult(), exampleResult()).pairs.map((pair) => pair.flow),
  })
  expect(comparison.pairs.map((pair) => pair.ratio)).toEqual([1, 0.8])
  expect(comparison.onlyInB).toBe(1)
})
