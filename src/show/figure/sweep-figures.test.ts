import { expect, test } from 'vitest'
import { type Interval, interval95, type MetricName } from '../../core/results/index.ts'
import { type PlottedRow, type PlottedSweep, type SweepAxis, sweepFigures } from './index.ts'

type Values = Readonly<Record<string, string>>
interface Numbers {
  readonly metric?: MetricName
  readonly of: (values: Values) => Interval
  readonly rows?: (row: PlottedRow) => Partial<PlottedRow>
}

/** A sweep over these axes with one metric, three seeds a row. */
function sweepOver(axes: readonly SweepAxis[], { metric = 'slowdownP99', of, rows }: Numbers): PlottedSweep {
  let combinations: Values[] = [{}]
  for (const { path, values } of axes) {
    combinations = combinations.flatMap((each) => values.map((value) => ({ ...each, [path]: value })))
  }
  return {
    name: 'pod',
    axes,
    seedCount: 3,
    baseline: '',
    rows: combinations.map((values) => {
      const row = { values, seeds: 3, stopped: 0, metrics: { [metric]: of(values) }, ratios: {} }
      return { ...row, ...rows?.(row) }
    }),
  }
}

const CONTROLS: SweepAxis = { path: 'congestion', values: ['none', 'dcqcn'] }
const LOADS: SweepAxis = { path: 'workload.0.load', values: ['0.3', '0.5', '0.7'] }
const around = (mean: number): Interval => ({ count: 3, mean, low: mean * 0.9, high: mean * 1.1 })
const one = (sweep: PlottedSweep): string => {
  const figures = sweepFigures(sweep)
  expect(figures).toHaveLength(1)
  return figures[0]?.svg ?? ''
}
const countOf = (svg: string, pattern: RegExp): number => [...svg.matchAll(pattern)].length
/** Lines of data: paths in a mark of lines. */
const linesOf = (svg: string): number => countOf(svg, /<g aria-label="line"/g)
const bandsOf = (svg: string): number => countOf(svg, /<g aria-label="area"/g)

test('a metric stands over the first axis with numbers, a line with its band for each combination of the others', () => {
  const paths: SweepAxis = { path: 'balance', values: ['ecmp', 'spray'] }
  const svg = one(sweepOver([CONTROLS, LOADS, paths], { of: (values) => around(10 * Number(values[LOADS.path])) }))
  expect([linesOf(svg), bandsOf(svg)]).toEqual([4, 4])
  // The first line has circles, and one in the legend; the others have other shapes.
  expect(countOf(svg, /<circle/g)).toBe(3 + 1)
  for (const label of ['none, ecmp', 'dcqcn, spray', 'workload.0.load', 'slowdown p99']) {
    expect(svg).toContain(`>${label}</text>`)
  }
  expect(svg).toContain('mean over 3 seeds with its 95 % interval</text>')
})

test('where no axis has numbers, bars stand in groups of the first', () => {
  const svg = one(sweepOver([CONTROLS, { path: 'qp.window', values: ['off', '1MB'] }], { of: () => around(2) }))
  expect(linesOf(svg)).toBe(0)
  // Ground, two legend entries, four bars.
  expect(countOf(svg, /<rect/g)).toBe(1 + 2 + 4)
  for (const label of ['none', 'dcqcn', 'off', '1MB']) expect(svg).toContain(`>${label}</text>`)
})

test('quantities and fractions are numbers, with the unit on the axis', () => {
  const thresholds: SweepAxis = { path: 'switch.ecn.kmax', values: ['25KB', '0.4MB', '100KB'] }
  const svg = one(sweepOver([thresholds], { of: () => around(2) }))
  expect(svg).toContain('>switch.ecn.kmax (KB)</text>')
  const xs = [...svg.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x))
  // From left to right by value, not by order on the command line.
  expect(xs).toEqual(xs.toSorted((a, b) => a - b))
  expect(new Set(xs).size).toBe(3)
  const alphas: SweepAxis = { path: 'switch.buffer.alpha', values: ['1/64', '1'] }
  const other = one(sweepOver([LOADS, alphas], { of: () => around(2) }))
  expect(other).toContain('>alpha 1/64</text>')
})

test('durations and rates have the unit that fits', () => {
  const ms = sweepOver([LOADS], { metric: 'completionP99Ps', of: () => around(5e9) })
  expect(one(ms)).toContain('>completion p99 (ms)</text>')
  const gbps = sweepOver([LOADS], { metric: 'goodputBps', of: () => around(40e9) })
  expect(one(gbps)).toContain('>goodput (Gb/s)</text>')
  expect(sweepFigures(gbps)[0]?.name).toBe('goodput')
})

test('an interval that reaches below zero is drawn down to zero', () => {
  const svg = one(sweepOver([LOADS], { metric: 'drops', of: () => ({ count: 3, mean: 1, low: -4, high: 6 }) }))
  expect(svg).not.toMatch(/>[-\u2212]\d/)
  expect(bandsOf(svg)).toBe(1)
})

test('a count that is 0 everywhere has no figure, and a metric that no run has neither', () => {
  expect(sweepFigures(sweepOver([LOADS], { metric: 'drops', of: () => interval95([0, 0, 0]) }))).toEqual([])
  expect(sweepFigures(sweepOver([LOADS], { of: () => interval95([]) }))).toEqual([])
})

test('what a mean leaves out stands below the title', () => {
  const rows = ({ values }: PlottedRow): Partial<PlottedRow> =>
    values[LOADS.path] === '0.7' ? { seeds: 1, stopped: 1 } : {}
  const svg = one(sweepOver([LOADS], { of: () => around(2), rows }))
  expect(svg).toContain('; 1 run stopped at the limit, in no mean; 1 run is missing</text>')
  const unfinished = one(sweepOver([LOADS], { of: () => ({ ...around(2), count: 2 }) }))
  expect(unfinished).toContain('; some runs have no number</text>')
})

test('ratios to a baseline have a figure of their own', () => {
  const ratios = { slowdownP99: around(0.5) }
  const sweep = {
    ...sweepOver([LOADS], { of: () => around(2), rows: () => ({ ratios }) }),
    baseline: 'congestion=none',
  }
  const figures = sweepFigures(sweep)
  expect(figures.map(({ name }) => name)).toEqual(['slowdown-p99', 'slowdown-p99-ratio'])
  expect(figures[1]?.svg).toContain('>slowdown p99 / congestion=none</text>')
})

test("Jain's index stands on an axis from 0 to 1, and no interval reaches further", () => {
  const of = (values: Values): Interval => ({
    count: 3,
    mean: values['congestion'] === 'none' ? 0.02 : 0.9,
    low: -0.2,
    high: 1.4,
  })
  for (const axes of [[CONTROLS], [CONTROLS, LOADS]]) {
    const svg = one(sweepOver(axes, { metric: 'tagJainIndex', of }))
    const ticks = [
      ...(/aria-label="y-axis tick label".*?(?=<g aria-label)/.exec(svg)?.[0] ?? '').matchAll(/>([\d.]+)</g),
    ]
    expect([ticks[0]![1], ticks.at(-1)![1]]).toEqual(['0', '1.0'])
    const [, top] = /translate\([-\d.]+,([\d.]+)\)">1\.0</.exec(svg)!
    const band = /<g aria-label="area"[^>]*><path d="([^"]*)"/.exec(svg)?.[1] ?? ''
    const points = [...band.matchAll(/,([-\d.]+)/g)].map(([, y]) => Number(y))
    const bars = [...svg.matchAll(/<line [^>]*y1="([\d.]+)" y2="([\d.]+)"/g)].flatMap(([, a, b]) => [
      Number(a),
      Number(b),
    ])
    const ends = axes.length === 1 ? bars : points
    expect(ends.length).toBeGreaterThan(3)
    expect(Math.min(...ends)).toBeGreaterThanOrEqual(Number(top) - 0.6)
  }
})
