/**
 * Queue pairs over time in reports: figures of round trips, marks and CNPs, and the charts that a flow opens with.
 */
import path from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, rocelab } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { ReportPage } from './report-page.ts'

const SCENARIO = `name: crowd
topology: {kind: star, hosts: 5, linkRate: 100Gbps, linkDelay: 1us}
congestion: dcqcn
workload: [{kind: incast, senders: 4, receiver: 4, sizeEach: 400KB, repetitions: 2}]
observe: [{kind: rates, interval: 5us}]
`

let at: ReturnType<typeof createFolder>
let browser: Browser

if (BROWSER === undefined) console.warn('queue pairs in reports: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('queue pairs over time', () => {
  beforeAll(async () => {
    at = createFolder({ 'crowd.yaml': SCENARIO })
    made('run', 'crowd.yaml', '--out', 'cnp', '--quiet')
    made('run', 'crowd.yaml', '--out', 'echo', '--set', 'congestion=dctcp', '--set', 'qp.ecnEcho=ack', '--quiet')
    made('report', 'cnp', '--out', 'cnp.html')
    made('report', 'cnp', 'echo', '--out', 'both.html')
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
  const opened = async (report: ReportPage): Promise<string[]> => {
    await report.read(`document.querySelector('.flows tbody button').click()`)
    return report.texts('.flows .detail .charts h4')
  }

  test('figures show round trips, and marks or CNPs where there are any', async () => {
    const one = await open('cnp.html')
    const names = `[...document.querySelectorAll('#figures figure')].map((one) => one.dataset.name).filter((name) => name.startsWith('rates'))`
    expect(await one.read(names)).toEqual(['rates', 'rates-rtt', 'rates-cnps'])
    const both = await open('both.html')
    expect(await both.read(names)).toEqual(['rates', 'rates-window', 'rates-rtt', 'rates-marks', 'rates-cnps'])
    const series = (name: string): Promise<string[]> => both.texts(`#figure-${name} .series button`)
    for (const text of await series('rates-marks')) expect(text).toMatch(/^echo: /)
    for (const text of await series('rates-cnps')) expect(text).toMatch(/^cnp: /)
    expect((await series('rates-rtt')).map((text) => text.split(':')[0])).toEqual([
      'cnp',
      'cnp',
      'cnp',
      'cnp',
      'echo',
      'echo',
      'echo',
      'echo',
    ])
    expect([...one.complaints, ...both.complaints]).toEqual([])
  })

  test('a flow opens with a chart for each measure of the queue pairs between its hosts', async () => {
    const report = await open('cnp.html')
    expect(await opened(report)).toEqual(['Sending rates over time', 'Round trips over time', 'CNPs over time'])
    const canvases = `document.querySelectorAll('.flows .detail canvas').length`
    await expect.poll(() => report.read(canvases)).toBe(3)
    expect(new Set(await report.texts('.flows .detail .series button'))).toHaveLength(2)
    expect(report.complaints).toEqual([])
  })

  test('flows of a control with a window and echoed marks show both', async () => {
    const report = await open('both.html')
    await report.read(`document.querySelectorAll('.flows')[1].querySelector('tbody button').click()`)
    expect(await report.texts('.flows .detail .charts h4')).toEqual([
      'Sending rates over time',
      'Windows over time',
      'Round trips over time',
      'Marks that ACKs echo over time',
    ])
  })

  test.each(['light', 'dark'] as const)('axe has no objection to an open flow, %s', async (scheme) => {
    const report = await open('cnp.html', scheme)
    await opened(report)
    expect(await report.violations()).toEqual([])
  })
})
