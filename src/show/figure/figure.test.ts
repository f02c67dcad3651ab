import { expect, test } from 'vitest'
import { barFigure, cdfFigure, lineFigure, timeFigure } from './index.ts'

const BARS = ['A', 'B <&> "C"'].flatMap((label, g) =>
  ['IRN', 'RoCE with PFC', 'RoCE'].map((series, s) => ({
    label,
    series,
    value: 1 + g + s,
    low: 0.5 + g + s,
    high: 1.5 + g + s,
    ...(g === 0 ? { paper: 1.2 + s } : {}),
  })),
)
const TEXT = { title: 'Title', subtitle: 'what, where', yLabel: 'slowdown' }

const FIGURES: Record<string, () => string> = {
  bars: () => barFigure({ ...TEXT, groups: BARS, showValues: true }),
  'log bars': () => barFigure({ ...TEXT, groups: BARS, yScale: 'log' }),
  lines: () =>
    lineFigure({
      ...TEXT,
      xLabel: 'load',
      lines: [
        { series: 'a', points: [0.1, 0.5, 0.9].map((x) => ({ x, y: x * x, low: x * x * 0.9, high: x * x * 1.1 })) },
        { series: 'a in the paper', of: 'a', isPaper: true, points: [{ x: 0.5, y: 0.3 }] },
      ],
    }),
  cdf: () => cdfFigure({ ...TEXT, xLabel: 'time (us)', curves: [{ series: 'a', values: [1, 2, 2, 4, NaN] }] }),
  time: () => timeFigure({ ...TEXT, lines: [{ series: 'a', timePs: [0, 5e6, 9e6], values: [1, 5, 2] }] }),
  empty: () => lineFigure({ ...TEXT, xLabel: 'x', lines: [] }),
  'no bars': () => barFigure({ ...TEXT, groups: [] }),
}

/** Every opened element is closed, in order; no bare ampersands. Stops at the first fault. */
function checkXml(svg: string): void {
  const open: string[] = []
  for (const [, close, name, self] of svg.matchAll(
    /<(\/?)([a-zA-Z]+)(?:\s+[\w:-]+=(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>/g,
  )) {
    if (self === '/') continue
    if (close !== '/') open.push(name ?? '')
    else if (open.pop() !== name) throw new Error(`</${name}> closes something else`)
  }
  expect(open).toEqual([])
  expect(svg.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[<>]/)
  expect(svg).not.toMatch(/&(?!(amp|lt|gt|quot|#\d+);)/)
}

const countOf = (svg: string, pattern: RegExp): number => [...svg.matchAll(pattern)].length

for (const [name, draw] of Object.entries(FIGURES)) {
  test(`${name}: well-formed, self-contained and the same each time`, () => {
    const svg = draw()
    checkXml(svg)
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="\d+"/)
    expect(svg).not.toMatch(/NaN|Infinity|undefined|<style|<script|href|url\(| id=/)
    expect(svg).toContain('>Title</text>')
    expect(svg).toContain('>slowdown</text>')
    barFigure({ ...TEXT, groups: BARS })
    expect(draw()).toBe(svg)
  })
}

test('every bar stands there, with its error bar, its value and the paper beside it', () => {
  const svg = (FIGURES['bars'] as () => string)()
  // Ground, three legend entries, six bars.
  expect(countOf(svg, /<rect/g)).toBe(1 + 3 + 6)
  // One hollow marker in the legend, three on the bars.
  expect(countOf(svg, /<circle/g)).toBe(1 + 3)
  expect(svg).toContain('B &lt;&amp;&gt;')
  expect(svg).toContain('>RoCE with PFC</text>')
  expect(svg).toContain('>paper</text>')
})

/** The values at the bars and how far down each stands: Plot moves all texts of a mark, and then each. */
const valuesOf = (svg: string): Map<string, number> =>
  new Map(
    svg.split('<g aria-label="text"').flatMap((mark, i) => {
      const dy = Number(/^ transform="translate\([-\d.]+,([-\d.]+)\)"/.exec(mark)?.[1])
      const texts =
        i === 0 ? [] : mark.matchAll(/<text y="0.32em" transform="translate\([-\d.]+,([-\d.]+)\)">([^<]+)</g)
      return Array.from(texts, ([, y, text]) => [text as string, Number(y) + dy] as const)
    }),
  )

test('the value of a bar stands past its end, also below the axis, and clear of what the paper says', () => {
  const groups = [
    { label: 'a', series: 's', value: 10, paper: 9 },
    { label: 'a', series: 's', value: NaN, paper: 10.4 },
    { label: 'b', series: 's', value: 9, paper: 3 },
    { label: 'c', series: 's', value: -6, low: -8, high: -4 },
  ]
  const svg = barFigure({ ...TEXT, groups, showValues: true })
  const at = valuesOf(svg)
  const circles = [...svg.matchAll(/<circle cx="[\d.]+" cy="([\d.]+)"/g)].map(([, y]) => Number(y))
  const [beside, inside] = circles.slice(-2) as [number, number]
  expect([...at.keys()]).toEqual(['10.0', '9.00', '-6.00'])
  // Up is less: the middle of the text is above the marker; the marker inside the bar lifts nothing.
  expect(beside - at.get('10.0')!).toBeGreaterThan(10)
  expect(inside - at.get('9.00')!).toBeGreaterThan(60)
  const zero = Number(/aria-label="rule".*?y1="([\d.]+)" y2="\1"/.exec(svg)?.[1])
  expect(at.get('-6.00')!).toBeGreaterThan(zero + 8)
})

test('bars are as long as their values, from 0 on; on a log axis, which has no 0, values are dots', () => {
  const groups = [90, 99].map((value) => ({ label: `${value}`, series: 's', value }))
  const heights = [...barFigure({ ...TEXT, groups }).matchAll(/<rect x="[\d.]+" [^>]*?height="([\d.]+)"/g)]
  const [first = NaN, second = NaN] = heights.map(([, height]) => Number(height))
  expect(second / first).toBeCloseTo(99 / 90, 3)
  const log = barFigure({ ...TEXT, groups, yScale: 'log' })
  // The ground alone.
  expect(countOf(log, /<rect/g)).toBe(1)
  expect(countOf(log, /<circle cx/g)).toBe(2)
})

test('twelve series have twelve colours', () => {
  const groups = Array.from({ length: 12 }, (_, i) => ({ label: 'a', series: `s${i}`, value: 1 }))
  const colours = [...barFigure({ ...TEXT, groups }).matchAll(/<rect [^>]*fill="(#\w{6})"/g)].map(
    ([, colour]) => colour,
  )
  expect(new Set(colours).size).toBe(12)
})

test('a line goes from left to right, whatever order its points come in', () => {
  const points = [3, 1, 4, 2].map((x) => ({ x, y: x, low: x - 0.5, high: x + 0.5 }))
  const inOrder = points.toSorted((a, b) => a.x - b.x)
  const draw = (some: typeof points) => lineFigure({ ...TEXT, xLabel: 'x', lines: [{ series: 'a', points: some }] })
  expect(draw(points)).toBe(draw(inOrder))
})

test('a bar that is not there leaves its place empty', () => {
  const svg = barFigure({ ...TEXT, groups: [...BARS.slice(0, 5), { label: 'A', series: 'RoCE', value: NaN }] })
  expect(countOf(svg, /<rect/g)).toBe(1 + 3 + 5)
})

test('a figure grows when its labels need more room', () => {
  const groups = Array.from({ length: 30 }, (_, i) => ({ label: `unbreakable-${i}`, series: 'a', value: i }))
  const width = Number(/width="(\d+)"/.exec(barFigure({ ...TEXT, groups }))?.[1])
  expect(width).toBeGreaterThan(30 * 90)
})

test('a time series is drawn in the unit that fits and keeps its only peak', () => {
  const count = 100_000
  const timePs = Float64Array.from({ length: count }, (_, i) => i * 50_000)
  const values = new Float64Array(count).fill(1)
  values[54_321] = 1000
  const svg = timeFigure({ ...TEXT, lines: [{ series: 'a', timePs, values }] })
  expect(svg).toContain('>time (ms)</text>')
  expect(svg).toContain('>1000</text>')
  expect(svg.length).toBeLessThan(60_000)
  // The peak reaches the top of the drawing.
  expect(svg).toMatch(/L[\d.]+,10[L"]/)
})

test('markers of a line and of the paper values beside it have one shape, in the drawing and in the legend', () => {
  const points = [{ x: 1, y: 1 }]
  const lines = [
    { series: 'a', points },
    { series: 'b', points },
    { series: 'b in the paper', of: 'b', isPaper: true, points },
  ]
  const svg = lineFigure({ ...TEXT, xLabel: 'x', lines })
  const [legend = '', drawing = ''] = svg.split('<g transform="translate(0,')
  expect([...legend.matchAll(/<(circle|polygon) /g)].map(([, mark]) => mark)).toEqual(['circle', 'polygon', 'polygon'])
  expect([...drawing.matchAll(/aria-label="dot"[^>]*><(\w+)/g)].map(([, mark]) => mark)).toEqual([
    'circle',
    'path',
    'path',
  ])
  expect(drawing).toMatch(/aria-label="dot" fill="white"/)
})
