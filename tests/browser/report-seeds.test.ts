/**
 * Reports of results that differ in the seed alone: one entry in distributions and bars, means in the verdict.
 */
import path from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, rocelab } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { ReportPage } from './report-page.ts'

const SCENARIO = `name: mix
topology: {kind: star, hosts: 5, linkRate: 25Gbps}
congestion: dcqcn
workload:
  - {kind: poisson, load: 0.5, sizes: {kind: fixed, size: 100KB}, tag: large}
  - {kind: poisson, load: 0.1, sizes: {kind: fixed, size: 5KB}, tag: small}
measure: {generate: 1ms}
observe: [{kind: queue-depth, interval: 20us}]
`

let at: ReturnType<typeof createFolder>
let browser: Browser

if (BROWSER === undefined) console.warn('seeds in reports: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('a report of several seeds', () => {
  beforeAll(async () => {
    at = createFolder({ 'mix.yaml': SCENARIO })
    for (const seed of ['1', '2', '3']) made('run', 'mix.yaml', '--seed', seed, '--out', `mix-s${seed}`, '--quiet')
    made('run', 'mix.yaml', '--set', 'congestion=none', '--out', 'none', '--quiet')
    made('report', 'mix-s1', 'mix-s2', 'mix-s3', '--out', 'seeds.html')
    made('report', 'mix-s1', 'none', 'mix-s2', 'mix-s3', '--out', 'both.html')
    browser = await puppeteer.launch({ executablePath: BROWSER!, args: ['--no-sandbox'], headless: true })
  })
  afterAll(async () => {
    await browser?.close()
    at?.clear()
  })

  function made(...args: string[]): void {
    const { code, stderr } = rocelab(at.folder, ...args)
    if (code !== 0) throw new Error(stderr)
  }
  const open = (name: string, scheme: 'light' | 'dark' = 'light'): Promise<ReportPage> =>
    ReportPage.open(browser, path.join(at.folder, name), { scheme })

  test('of one group the verdict is one sentence and the means with their intervals', async () => {
    const report = await open('seeds.html')
    expect(await report.texts('.lead')).toEqual([expect.stringMatching(/^In each of 3 seeds \d+ to \d+ flows, /)])
    const ranges = await report.texts('.numbers .range')
    expect(ranges).toHaveLength(5)
    for (const range of ranges) expect(range).toMatch(/^95 %: .+ to .+$/)
    expect((await report.texts('.numbers small'))[0]).toBe('mean of 3 seeds')
    expect(report.complaints).toEqual([])
  })

  test('beside another result the group is one column and one entry of each legend', async () => {
    const report = await open('both.html')
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
    expect(report.complaints).toEqual([])
  })

  test.each(['light', 'dark'] as const)('axe has no objection, %s', async (scheme) => {
    const report = await open('both.html', scheme)
    expect(await report.violations()).toEqual([])
    expect(await report.dangling()).toEqual([])
  })
})
