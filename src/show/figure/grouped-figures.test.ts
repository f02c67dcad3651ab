import { expect, test } from 'vitest'
import { figureOf, flowsOf, legendOf, subtitleOf } from './result-figures.test-drawing.ts'
import { resultFigures } from './index.ts'

type Flow = Parameters<typeof flowsOf>[1][number]

/** 400 flows of sizes 1, 2, ... 400 KB; each is as slow as its size in 20 KB, from 1 on. */
const BY_SIZE: readonly Flow[] = Array.from({ length: 400 }, (_, i) => ({
  sizeBytes: 1000 * (i + 1),
  slowdown: 1 + Math.floor(i / 20),
}))

/** Points of each line as values of the log axis, from its first and its last tick. */
function valuesOf(svg: string): number[][] {
  const group = /aria-label="y-axis tick label"[^>]*>(.*?)<\/g>/.exec(svg)![1]!
  const ticks = [...group.matchAll(/translate\([-\d.]+,([-\d.]+)\)">([^<]+)</g)].map(([, px, label]) => ({
    px: Number(px),
    log: Math.log(Number(label)),
  }))
  const [first, last] = [ticks[0]!, ticks.at(-1)!]
  const slope = (last.log - first.log) / (last.px - first.px)
  return [...svg.matchAll(/<g aria-label="line"[^>]*><path d="([^"]*)"/g)].map(([, path]) =>
    [...path!.matchAll(/,([-\d.]+)/g)].map(
      ([, px]) => Math.round(100 * Math.exp(first.log + (Number(px) - first.px) * slope)) / 100,
    ),
  )
}

const tickLabels = (svg: string): string[] => {
  const group = /aria-label="x-axis tick label"[^>]*>(.*?)<\/g>/.exec(svg)![1]!
  return [...group.matchAll(/>([^<]+)</g)].map(([, label]) => label!)
}

test('slowdown by size: p50, p95 and p99 of bins of equally many flows', () => {
  const svg = figureOf('slowdown-by-size', [flowsOf('a', BY_SIZE)], { by: 'size' })
  expect(subtitleOf(svg)).toBe('4 bins of 100 flows each; 400 measured flows, all finished')
  expect(tickLabels(svg)).toEqual(['1.00 KB', '100 KB', '200 KB', '300 KB', '400 KB'])
  expect(legendOf(svg)).toEqual(['p50', 'p95', 'p99'])
  const [p50, p95, p99] = valuesOf(svg)
  // Each bin has five slowdowns, 20 flows each: the middle one, and the highest for both others.
  const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 0))
  expect(p50).toEqual(close([3, 8, 13, 18]))
  expect(p95).toEqual(close([5, 10, 15, 20]))
  expect(p99).toEqual(p95)
})

test('flows of one size are in one bin, however many they are', () => {
  const sizes = [...Array.from({ length: 250 }, () => 1000), ...Array.from({ length: 240 }, (_, i) => 2000 + i)]
  const svg = figureOf(
    'slowdown-by-size',
    [
      flowsOf(
        'a',
        sizes.map((sizeBytes) => ({ sizeBytes, slowdown: 2 })),
      ),
    ],
    { by: 'size' },
  )
  expect(subtitleOf(svg)).toMatch(/^3 bins of 117 to 250 flows each/)
  expect(valuesOf(svg)[0]).toHaveLength(3)
})

test('flows that are too few for a bin of their own go to the one before', () => {
  const sizes = Array.from({ length: 200 }, (_, i) => (i >= 99 && i < 180 ? 99_000 : 1000 * i))
  const flows = sizes.map((sizeBytes) => ({ sizeBytes, slowdown: 2 }))
  expect(subtitleOf(figureOf('slowdown-by-size', [flowsOf('a', flows)], { by: 'size' }))).toMatch(
    /^one bin of 200 flows/,
  )
})

test('several results are compared quantile by quantile, over the same bins', () => {
  const slow = BY_SIZE.map(({ sizeBytes, slowdown }) => ({ sizeBytes, slowdown: 2 * slowdown }))
  const results = [flowsOf('fast', BY_SIZE), flowsOf('slow', slow)]
  expect(resultFigures(results, { by: 'size' }).map(({ name }) => name)).toEqual([
    'slowdown-by-size-p50',
    'slowdown-by-size-p95',
    'slowdown-by-size-p99',
  ])
  const svg = figureOf('slowdown-by-size-p95', results, { by: 'size' })
  expect(legendOf(svg)).toEqual(['fast', 'slow'])
  const [fast, twice] = valuesOf(svg)
  expect(fast).toHaveLength(4)
  expect(twice!.map((value, i) => value / fast![i]!)).toEqual([2, 2, 2, 2].map((ratio) => expect.closeTo(ratio, 1)))
  expect(svg).toContain('>p95 slowdown</text>')
})

test('a quantile that is an unfinished flow is marked at the top and not left out', () => {
  // A fifth of the largest flows never finished: p50 is known, p95 and p99 are not.
  const flows = BY_SIZE.map((flow, i) => (i >= 380 ? { ...flow, slowdown: NaN } : flow))
  const svg = figureOf('slowdown-by-size', [flowsOf('a', flows)], { by: 'size' })
  expect(valuesOf(svg).map((line) => line.length)).toEqual([4, 3, 3])
  const hollow = [...svg.matchAll(/<g aria-label="dot"[^>]* fill="white"[^>]*>(.*?)<\/g>/g)].map(([, marks]) =>
    [...marks!.matchAll(/translate\([\d.]+,([\d.]+)\)|cy="([\d.]+)"/g)].map(([, path, circle]) => path ?? circle),
  )
  // At the upper end of the axis.
  expect(hollow.flat()).toEqual(['10', '10'])
  expect(legendOf(svg).at(-1)).toBe('hollow, at the top: the quantile is an unfinished flow')
  expect(subtitleOf(svg)).toContain('20 of 400 measured flows did not finish')
})

test('the first tag of a figure has its axis where all its flows are unfinished, and the axis begins at 1', () => {
  const flows = [
    { sizeBytes: 1, slowdown: NaN, tag: 'lost' },
    { sizeBytes: 1, slowdown: 30, tag: 'slow' },
  ]
  const svg = figureOf('slowdown-by-tag', [flowsOf('a', flows)], { by: 'tag' })
  // Grid lines in both groups; labels left of the first.
  expect([...svg.matchAll(/stroke-opacity="0\.14" transform="translate/g)]).toHaveLength(2)
  expect(svg).toMatch(/tick label"[^>]*><g [^>]*transform="translate\(1,0\)"><text [^>]*>1<\/text>/)
})

test('slowdown by tag: a dot for each quantile, or each result, of each tag', () => {
  const flows = [...BY_SIZE.map((flow) => ({ ...flow, tag: 'big' })), { sizeBytes: 1, slowdown: 7, tag: 'small' }]
  const one = figureOf('slowdown-by-tag', [flowsOf('a', flows)], { by: 'tag' })
  expect(legendOf(one)).toEqual(['p50', 'p95', 'p99'])
  const values = [...one.matchAll(/<text y="0.32em" transform="[^"]*">(\d+\.\d+)<\/text>/g)].map(([, text]) => text)
  expect(values).toEqual(['10.5', '19.0', '20.0', '7.00'])
  for (const tag of ['big', 'small']) expect(one).toContain(`>${tag}</text>`)
  const lost = Array.from({ length: 100 }, () => ({ sizeBytes: 1, slowdown: NaN, tag: 'small' }))
  const both = [flowsOf('a', flows), flowsOf('b', lost)]
  const svg = figureOf('slowdown-by-tag-p99', both, { by: 'tag' })
  expect(subtitleOf(svg)).toContain('b 100 of 100')
  expect(subtitleOf(svg)).toContain('percentiles in the summary leave them out')
  expect(subtitleOf(svg)).toContain('a quantile that is an unfinished flow has no dot')
  expect([...svg.matchAll(/>unfinished<\/text>/g)]).toHaveLength(1)
})

test('a quantile of too few flows is not drawn, and the figure says so', () => {
  const few = Array.from({ length: 99 }, (_, i) => ({
    sizeBytes: 1000 * (i + 1),
    slowdown: 2 + i,
    tag: i < 19 ? 'a' : 'b',
  }))
  const bySize = figureOf('slowdown-by-size', [flowsOf('one', few)], { by: 'size' })
  expect(legendOf(bySize)).toEqual(['p50', 'p95'])
  expect(subtitleOf(bySize)).toContain('a p99 of fewer than 100 flows is not drawn')
  const byTag = figureOf('slowdown-by-tag', [flowsOf('one', few)], { by: 'tag' })
  expect(legendOf(byTag)).toEqual(['p50', 'p95'])
  // The medians of both, and the p95 of the 80.
  expect([...byTag.matchAll(/<text y="0.32em" transform="[^"]*">\d+\.\d+<\/text>/g)]).toHaveLength(3)
  expect(byTag).toContain('>only 19 flows</text>')
  expect(subtitleOf(byTag)).toContain('a p95 of fewer than 20 flows and a p99 of fewer than 100 flows is not drawn')
  const names = resultFigures([flowsOf('one', few), flowsOf('two', few)], { by: 'tag' }).map(({ name }) => name)
  expect(names).toEqual(['slowdown-by-tag-p50', 'slowdown-by-tag-p95'])
})
