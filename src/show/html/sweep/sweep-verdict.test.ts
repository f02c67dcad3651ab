/** The verdict on a sweep: how it ended, and which combination was best and worst. */
import { describe, expect, test } from 'vitest'
import type { Interval } from '../../../core/results/index.ts'
import type { PlottedRow } from '../../figure/sweep-figures.ts'
import type { ReportedSweep } from '../../reported-sweep.ts'
import { sweepSentence, sweepVerdict } from './sweep-verdict.ts'

const around = (mean: number, half: number): Interval => ({ mean, low: mean - half, high: mean + half, count: 3 })

/** A sweep over three congestion controls with these values. */
function sweepOf(
  goodputs: readonly Interval[],
  row: Partial<PlottedRow> = {},
  more: Partial<ReportedSweep> = {},
): ReportedSweep {
  const values = ['none', 'dcqcn', 'timely'].slice(0, goodputs.length)
  const rows = goodputs.map((goodputBps, i): PlottedRow => {
    return { values: { congestion: values[i]! }, seeds: 3, stopped: 0, metrics: { goodputBps }, ratios: {}, ...row }
  })
  return {
    sweep: { name: 'rack', axes: [{ path: 'congestion', values }], seedCount: 3, rows, baseline: '' },
    folder: 'out',
    version: '1.0.0',
    seeds: [1, 2, 3],
    isPartial: false,
    limit: '10.0 ms',
    failed: [],
    digests: [],
    options: [],
    ...more,
  }
}

/** Text of the page without its tags. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

describe('the sentence', () => {
  test('counts combinations, seeds and runs where all ended', () => {
    expect(sweepSentence(sweepOf([around(1e9, 1), around(2e9, 1)]))).toBe(
      'rack with congestion (none, dcqcn): 2 combinations with 3 seeds each; all 6 runs ended.',
    )
  })

  test('says of those that did not end why', () => {
    const failed = [{ values: { congestion: 'none' }, seed: 2, message: 'rocelab: no' }]
    expect(sweepSentence(sweepOf([around(1e9, 1), around(2e9, 1)], { seeds: 1, stopped: 1 }, { failed }))).toBe(
      'rack with congestion (none, dcqcn): 2 combinations with 3 seeds each; of 6 runs 2 ended, 2 were stopped at the limit of 10.0 ms, 1 failed and 1 was not made.',
    )
  })

  test('gives the ends of long lists of values', () => {
    const sweep = sweepOf([around(1e9, 1)])
    const axes = [{ path: 'load', values: ['1', '2', '3', '4', '5', '6', '7'] }]
    expect(sweepSentence({ ...sweep, sweep: { ...sweep.sweep, axes } })).toContain('load (7 values from 1 to 7)')
  })
})

describe('the ranks', () => {
  test('of goodput the highest is best, and separate intervals are said to be so', () => {
    const text = textOf(sweepVerdict(sweepOf([around(4e9, 1e8), around(9e9, 1e8), around(6e9, 1e8)])).html)
    expect(text).toContain('goodput 9.00 Gbps ± 1.1 % best: dcqcn 4.00 Gbps ± 2.5 % worst: none')
    expect(text).toContain('their 95 % intervals do not overlap')
  })

  test('intervals that overlap are said to do so, and ties are counted', () => {
    const text = textOf(sweepVerdict(sweepOf([around(4e9, 4e9), around(5e9, 4e9), around(5e9, 4e9)])).html)
    expect(text).toContain('best: dcqcn and 1 more')
    expect(text).toContain('their 95 % intervals overlap')
  })

  test('a value that is the same everywhere has neither best nor worst', () => {
    const text = textOf(sweepVerdict(sweepOf([around(4e9, 0), around(4e9, 0)])).html)
    expect(text).toContain('the same at all 2 combinations')
    expect(text).not.toContain('worst')
  })
})

describe('the limits', () => {
  test('a sweep without any says so', () => {
    expect(textOf(sweepVerdict(sweepOf([around(1e9, 1)])).html)).toContain('Every run ended as planned')
  })

  test('failures come first, with their text escaped', () => {
    const failed = [{ values: { congestion: '<b>' }, seed: 2, message: 'rocelab: no <script>' }]
    const { html } = sweepVerdict(sweepOf([around(1e9, 1), around(2e9, 1)], {}, { failed, isPartial: true }))
    expect(html).toContain('congestion=&lt;b&gt;, seed 2 failed: no &lt;script&gt;')
    expect(html).not.toContain('<script>')
    const text = textOf(html)
    expect(text.indexOf('failed')).toBeLessThan(text.indexOf('was interrupted'))
  })

  test('unfinished flows, empty combinations and single seeds are named', () => {
    const metrics = { unfinished: around(4, 0) }
    const one = sweepOf([around(1e9, 1), around(2e9, 1)], { seeds: 0, metrics }, { seeds: [1] })
    const text = textOf(sweepVerdict(one).html)
    expect(text).toContain('2 combinations without any run that ended, first none')
    expect(text).toContain('Flows did not finish at 2 combinations, most at none: 4 a run')
    expect(text).toContain('One seed gives no interval')
  })
})
