/**
 * Figures of results that differ in the seed alone: means over seeds, with intervals.
 */
import { expect, test } from 'vitest'
import { type Column, createTable, type Result } from '../../core/results/index.ts'
import { drawnLines, figureOf, flowsOf, legendOf, subtitleOf } from './result-figures.test-drawing.ts'
import { type NamedResult, resultFigures } from './index.ts'

/** Student's t for one degree of freedom: the interval of two values is their mean, and so often half their distance. */
const T_1 = 12.706204736
const SCENARIO = { name: 'incast', congestion: 'dcqcn' }

function seedOf(label: string, seed: number, slowdowns: readonly number[], more: Partial<Result> = {}): NamedResult {
  const { result } = flowsOf(
    label,
    slowdowns.map((slowdown) => ({ sizeBytes: 1000, slowdown, tag: 'crowd' })),
  )
  return { label, result: { ...result, seed, scenario: { ...SCENARIO, seed }, ...more } }
}
/** Enough for a 99th percentile. */
const hundred = (slowdown: number): number[] => Array.from({ length: 100 }, () => slowdown)
const namesOf = (results: readonly NamedResult[]): string[] => resultFigures(results).map(({ name }) => name)
const rules = (svg: string): number => [...svg.matchAll(/aria-label="rule"[^>]*="p\d\d"/g)].length

test('two seeds and another result are two curves, with a band around that of the seeds', () => {
  const results = [
    seedOf('dcqcn-s1', 1, [2, 4, 8]),
    seedOf('dcqcn-s2', 2, [2.2, 4.4, 8.8]),
    seedOf('none', 1, [3, 6, 9], { scenario: { ...SCENARIO, congestion: 'none', seed: 1 } }),
  ]
  for (const name of ['slowdown', 'slowdown-tail', 'completion', 'completion-tail']) {
    const svg = figureOf(name, results)
    expect(legendOf(svg)).toEqual(['dcqcn, 2 seeds', 'none'])
    expect(svg.match(/aria-label="area"/g)).toHaveLength(1)
    expect(subtitleOf(svg)).toContain('of several seeds the mean and its 95 % interval')
  }
})

test('the curve of seeds has the mean of each rank', () => {
  const apart = [seedOf('a-s1', 1, [10, 20, 30]), seedOf('a-s2', 2, [12, 24, 36])]
  const mean = [seedOf('mean', 1, [11, 22, 33])]
  const pathsOf = (results: readonly NamedResult[]): number[] => {
    const [line] = drawnLines(figureOf('slowdown', results))
    return line!.pieces[0]!.map(({ y }) => Math.round(y * 100) / 100)
  }
  expect(pathsOf(apart)).toEqual(pathsOf(mean))
})

test('a rank that is unfinished in one seed ends the curve, as an unfinished flow does', () => {
  const svg = figureOf('slowdown', [seedOf('a-s1', 1, [2, 4, NaN]), seedOf('a-s2', 2, [2, 4, 6])])
  const shares = drawnLines(svg)[0]!.pieces[0]!.map(({ y }) => y)
  expect(Math.max(...shares)).toBeCloseTo(2 / 3, 2)
})

test('results with the same seed, or one alone, are drawn as ever, without a word of seeds', () => {
  const twice = [seedOf('a', 1, [2, 4]), seedOf('b', 1, [3, 5])]
  for (const results of [twice, twice.slice(0, 1)]) {
    for (const { svg } of [...resultFigures(results), ...resultFigures(results, { by: 'tag' })]) {
      expect(subtitleOf(svg)).not.toContain('seeds')
      expect(svg).not.toContain('aria-label="area"')
    }
  }
  expect(legendOf(figureOf('slowdown', twice))).toEqual(['a', 'b'])
})

test('quantiles by size have the mean and an interval of each; seeds alone have all in one figure', () => {
  const seeds = [seedOf('a-s1', 1, hundred(20)), seedOf('a-s2', 2, hundred(22))]
  const [figure, ...others] = resultFigures(seeds, { by: 'size' })
  expect(others).toEqual([])
  expect(figure!.name).toBe('slowdown-by-size')
  expect(legendOf(figure!.svg)).toEqual(['p50', 'p95', 'p99'])
  expect(rules(figure!.svg)).toBe(3)
  expect(rules(resultFigures(seeds.slice(0, 1), { by: 'size' })[0]!.svg)).toBe(0)
})

test('bars by tag say the mean, and their error bars end at 1', () => {
  const [figure] = resultFigures([seedOf('a-s1', 1, hundred(2)), seedOf('a-s2', 2, hundred(3))], { by: 'tag' })
  // The interval of 2 and 3 would reach below 0.
  expect(2.5 - T_1 * 0.5).toBeLessThan(0)
  const values = [...figure!.svg.matchAll(/>(2\.50)</g)]
  expect(values).toHaveLength(3)
  expect(figure!.svg).not.toContain('NaN')
})

test('a cause of drops that one seed does not have counts as none there', () => {
  const dropped = (label: string, seed: number, drops: Readonly<Record<string, number>>): NamedResult => {
    const named = seedOf(label, seed, [2])
    return { ...named, result: { ...named.result, counters: { ...named.result.counters, drops } } }
  }
  const results = [dropped('a-s1', 1, { 'link loss': 8 }), dropped('a-s2', 2, { 'link loss': 4, 'buffer full': 2 })]
  expect(namesOf(results)).toContain('drops-by-cause')
  const svg = figureOf('drops-by-cause', results)
  expect(svg).toContain('>6.00<')
  expect(svg).toContain('>1.00<')
})

test("Jain's index, its error bars and its axis end at 1, and bars begin at 0", () => {
  const two = (label: string, seed: number, slowdowns: readonly number[]): NamedResult => {
    const { result } = seedOf(label, seed, slowdowns)
    const columns = result.flows.columns.map((column): Column =>
      column.name === 'tag'
        ? { name: 'tag', type: 'text', data: slowdowns.map((_, i) => (i < 2 ? 'a' : 'b')) }
        : column,
    )
    return { label, result: { ...result, flows: createTable('flows', columns) } }
  }
  // One tag is fair in both seeds, the other in one of them: the interval of its mean would reach far above 1.
  const svg = figureOf('fairness-by-tag', [two('a-s1', 1, [2, 2, 2, 2]), two('a-s2', 2, [2, 2, 2, 20])])
  const ticks = [
    ...(/aria-label="y-axis tick label"[^>]*>(.*?)<\/text><\/g>/.exec(svg)?.[1] ?? '').matchAll(/>([\d.]+)/g),
  ]
  const labels = ticks.map(([, label]) => Number(label))
  expect([labels[0], labels.at(-1)]).toEqual([0, 1])
  // The marks of error bars from one end to the other: none is above the tick of 1.
  const ends = [...svg.matchAll(/<line [^>]*y1="([\d.]+)" y2="([\d.]+)"/g)]
    .map(([, from, to]) => [Number(from), Number(to)] as const)
    .filter(([from, to]) => from !== to)
  const [, top] = /translate\([-\d.]+,([\d.]+)\)">1\.0</.exec(svg)!
  expect(ends).toHaveLength(1)
  expect(Math.min(...ends.flat())).toBeCloseTo(Number(top), 1)
})
