/**
 * Reports of results that differ in the seed alone: one entry in distributions and bars, means in the verdict.
 */
import { describe, expect, test } from 'vitest'
import { BROWSER } from './browser.ts'
import { ReportBench } from './report-bench.ts'

const SCENARIO = `name: mix
topology: {kind: star, hosts: 5, linkRate: 25Gbps}
congestion: dcqcn
workload:
  - {kind: poisson, load: 0.5, sizes: {kind: fixed, size: 100KB}, tag: large}
  - {kind: poisson, load: 0.1, sizes: {kind: fixed, size: 5KB}, tag: small}
measure: {generate: 1ms}
observe: [{kind: queue-depth, interval: 20us}]
`

if (BROWSER === undefined) console.warn('seeds in reports: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('a report of several seeds', () => {
  const bench = new ReportBench({ 'mix.yaml': SCENARIO }, (at) => {
    for (const seed of ['1', '2', '3']) at.run('run', 'mix.yaml', '--seed', seed, '--out', `mix-s${seed}`, '--quiet')
    at.run('run', 'mix.yaml', '--set', 'congestion=none', '--out', 'none', '--quiet')
    at.run('report', 'mix-s1', 'mix-s2', 'mix-s3', '--out', 'seeds.html')
    at.run('report', 'mix-s1', 'none', 'mix-s2', 'mix-s3', '--out', 'both.html')
  })

  test('of one group the verdict is one sentence and the means with their intervals', async () => {
    const report = await bench.open('seeds.html')
    expect(await report.texts('.lead')).toEqual([expect.stringMatching(/^In each of 3 seeds \d+ to \d+ flows, /)])
    const ranges = await report.texts('.numbers .range')
    expect(ranges).toHaveLength(5)
    for (const range of ranges) expect(range).toMatch(/^95 %: .+ to .+$/)
    expect((await report.texts('.numbers small'))[0]).toBe('mean of 3 seeds')
  })

  test('beside another result the group is one column and one entry of each legend', async () => {
    const report = await bench.open('both.html')
    expect(await report.texts('.compared thead th')).toEqual(['mix, 3 seeds', 'none'])
    expect(await report.texts('.compared .range')).toHaveLength(5)
    const legend = await report.texts(
      '#figure-slowdown-by-size-p99 [data-legend], #figure-goodput-by-tag [data-legend]',
    )
    expect(new Set(legend)).toEqual(new Set(['mix, 3 seeds', 'none']))
    expect(await report.read(`document.querySelectorAll('#figure-slowdown-tail [data-mark="area"]').length`)).toBe(2)
    // An entry of the legend leaves its line and its band alone.
    await report.page.click('#figure-slowdown-tail [data-legend="none, large"]')
    const faded = await report.read<string[]>(
      `[...document.querySelectorAll('#figure-slowdown-tail [data-series].faded')].map((one) => one.dataset.mark)`,
    )
    expect(faded).toContain('area')
  })

  test.each(['light', 'dark'] as const)('axe has no objection, %s', async (scheme) => {
    const report = await bench.open('both.html', { scheme })
    expect(await report.violations()).toEqual([])
    expect(await report.dangling()).toEqual([])
  })
})
