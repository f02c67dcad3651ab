import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { compareFlows, compareResults, type Comparison, type FlowTime, type FlowTimes } from './compare.ts'
import { exampleResult } from './example.test-data.ts'
import { type Column, createTable } from './table.ts'

const flow = (source: number, completionPs: number, more: Partial<FlowTime> = {}): FlowTime => ({
  source,
  destination: 9,
  startPs: 0,
  sizeBytes: 1000,
  completionPs,
  ...more,
})

/** A side with these flows; those that lack a tag or class make it a side without. */
function side(flows: readonly FlowTime[], name = ''): FlowTimes {
  const numbers = (['source', 'destination', 'startPs', 'sizeBytes', 'completionPs', 'trafficClass'] as const)
    .filter((column) => flows.every((one) => one[column] !== undefined))
    .map((column): Column => ({ name: column, type: 'number', data: Float64Array.from(flows, (one) => one[column]!) }))
  const hasTag = flows.every(({ tag }) => tag !== undefined)
  const tags: Column[] = hasTag ? [{ name: 'tag', type: 'text', data: flows.map(({ tag }) => tag!) }] : []
  return { name, flows: createTable(name, [...numbers, ...tags]) }
}

const ratiosOf = ({ pairs }: Comparison): number[] => [...pairs.ratios]

test('flows are paired by what they are, in whatever order they come', () => {
  const a = [flow(1, 100), flow(2, 200), flow(3, 400), flow(4, 10)]
  const b = [flow(3, 400), flow(2, 220), flow(1, 50), flow(5, 10)]
  const comparison = compareFlows(side(a, 'a'), side(b, 'b'))
  expect(ratiosOf(comparison)).toEqual([0.5, 1.1, 1])
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
  const comparison = compareFlows(side(a, 'a'), side(b, 'b'))
  expect(ratiosOf(comparison)).toEqual([1, 2])
  expect(comparison.onlyInA).toBe(1)
  expect(comparison.onlyInB).toBe(0)
})

test('tags tell flows apart only when both sides have them', () => {
  const tagged = [flow(1, 100, { tag: 'x' })]
  const other = [flow(1, 100, { tag: 'y' })]
  const bare = [flow(1, 100)]
  expect(ratiosOf(compareFlows(side(tagged), side(other)))).toEqual([])
  expect(ratiosOf(compareFlows(side(tagged), side(bare)))).toEqual([1])
})

test('each tag says how many flows its means leave out, a tag that one side did not finish too', () => {
  const a = [flow(1, 100, { tag: 'x' }), flow(2, 100, { tag: 'y' }), flow(3, 100, { tag: 'x' })]
  const b = [flow(1, 200, { tag: 'x' }), flow(2, NaN, { tag: 'y' }), flow(3, NaN, { tag: 'x' })]
  const { tags } = compareFlows(side(a, 'a'), side(b, 'b'))
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
  const [a, b] = [side(loops(100, 300)), side(loops(300, 100).toReversed())]
  expect(ratiosOf(compareFlows(a, b, new Set(['loop'])))).toEqual([3, 3, 1 / 3, 1 / 3])
})

test('flows that start when others are finished are paired by their order', () => {
  const loop = (startPs: number, completionPs: number) => flow(1, completionPs, { startPs, tag: 'loop' })
  const open = (startPs: number, completionPs: number) => flow(1, completionPs, { startPs, tag: 'open' })
  // B's second message starts when A's third does, and is still the second.
  const a = side([loop(0, 10), loop(10, 10), loop(20, 10), open(0, 5), open(7, 5)])
  const b = side([loop(0, 20), loop(20, 30), open(0, 5), open(8, 5)])
  const comparison = compareFlows(a, b, new Set(['loop']))
  expect(ratiosOf(comparison)).toEqual([2, 3, 1])
  expect(comparison.pairedByOrder).toBe(2)
  expect([comparison.onlyInA, comparison.onlyInB]).toEqual([2, 1])
  expect(compareFlows(a, b)).toMatchObject({ pairedByOrder: 0, onlyInA: 2, onlyInB: 1 })
})

test('every flow is counted exactly once', () => {
  const anyFlow = fc.record({ source: fc.nat(2), completionPs: fc.constantFrom(NaN, 1, 2) })
  const anyFlows = fc.array(anyFlow.map(({ source, completionPs }) => flow(source, completionPs)))
  fc.assert(
    fc.property(anyFlows, anyFlows, (a, b) => {
      const c = compareFlows(side(a, 'a'), side(b, 'b'))
      const both = c.pairs.rowsA.length + c.unfinishedInA + c.unfinishedInB + c.unfinishedInBoth
      expect(both + c.onlyInA).toBe(a.length)
      expect(both + c.onlyInB).toBe(b.length)
    }),
  )
})

test('a result compared with itself does not deviate', () => {
  const comparison = compareResults(exampleResult(), exampleResult())
  expect(ratiosOf(comparison)).toEqual([1, 1, 1])
  expect(comparison.unfinishedInBoth).toBe(2)
  expect(comparison.deviation).toEqual({ median: 0, p90: 0, p99: NaN, max: 0 })
  expect(comparison.counters).toContainEqual({ name: 'drops: buffer full', a: 5, b: 5 })
  expect(comparison.counters.every((pair) => pair.a === pair.b)).toBe(true)
})

/** Pairs and counts by a map of texts, the obvious way. */
function naive(a: readonly FlowTime[], b: readonly FlowTime[], closed: ReadonlySet<string>): unknown {
  const keyOf = (one: FlowTime): string =>
    JSON.stringify({ ...one, completionPs: 0, startPs: closed.has(one.tag!) ? 'any' : one.startPs })
  const rows = new Map<string, number[]>()
  b.forEach((one, row) => rows.set(keyOf(one), [...(rows.get(keyOf(one)) ?? []), row]))
  const found = a.map((one) => rows.get(keyOf(one))?.shift())
  const isOpen = (row: number): boolean =>
    Number.isNaN(a[row]!.completionPs) || Number.isNaN(b[found[row]!]!.completionPs)
  const rowsA = [...a.keys()].filter((row) => found[row] !== undefined)
  const tags = [...new Set(rowsA.map((row) => a[row]!.tag!))].map((tag) => {
    const own = rowsA.filter((row) => a[row]!.tag === tag)
    return { tag, pairs: own.filter((row) => !isOpen(row)).length, unfinished: own.filter(isOpen).length }
  })
  const paired = rowsA.filter((row) => !isOpen(row))
  return {
    pairs: { rowsA: Uint32Array.from(paired), rowsB: Uint32Array.from(paired, (row) => found[row]!) },
    onlyInA: a.length - rowsA.length,
    onlyInB: b.length - rowsA.length,
    pairedByOrder: paired.filter((row) => closed.has(a[row]!.tag!)).length,
    tags: tags.length < 2 ? [] : tags,
  }
}

test('flows are paired as a map of their keys pairs them', () => {
  const anyFlow = fc.record({
    source: fc.nat(1),
    destination: fc.nat(1),
    startPs: fc.nat(3),
    sizeBytes: fc.constantFrom(1, 2),
    trafficClass: fc.nat(1),
    tag: fc.constantFrom('', 'loop', 'open'),
    completionPs: fc.constantFrom(NaN, 1, 2),
  })
  const closed = new Set(['loop'])
  fc.assert(
    fc.property(fc.array(anyFlow, { minLength: 1 }), fc.array(anyFlow, { minLength: 1 }), (a, b) => {
      expect(compareFlows(side(a), side(b), closed)).toMatchObject(naive(a, b, closed) as object)
    }),
  )
})

test('a table of completion times from elsewhere is compared like a result', () => {
  const [one, two] = [flow(0, 2_000_000, { destination: 1, startPs: 1_000_000 }), flow(1, 5_000_000)]
  const others = [{ ...one, completionPs: 1_000_000 }, two, flow(7, 1)]
  const reference = { ...side([one, two]), ends: 'nodes' as const }
  expect(compareFlows(reference, side(others))).toMatchObject({ ends: 'nodes', onlyInB: 1 })
  expect(ratiosOf(compareFlows(reference, side(others)))).toEqual([0.5, 1])
})
