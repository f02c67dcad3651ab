/**
 * Queue pairs over time in reports: figures of round trips, marks and CNPs, and the charts that a flow opens with.
 */
import { describe, expect, test } from 'vitest'
import { BROWSER } from './browser.ts'
import { ReportBench } from './report-bench.ts'
import type { ReportPage } from './report-page.ts'

const SCENARIO = `name: crowd
topology: {kind: star, hosts: 5, linkRate: 100Gbps, linkDelay: 1us}
congestion: dcqcn
workload: [{kind: incast, senders: 4, receiver: 4, sizeEach: 400KB, repetitions: 2}]
observe: [{kind: rates, interval: 5us}]
`

if (BROWSER === undefined) console.warn('queue pairs in reports: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('queue pairs over time', () => {
  const bench = new ReportBench({ 'crowd.yaml': SCENARIO }, (at) => {
    at.run('run', 'crowd.yaml', '--out', 'cnp', '--quiet')
    at.run('run', 'crowd.yaml', '--out', 'echo', '--set', 'congestion=dctcp', '--set', 'qp.ecnEcho=ack', '--quiet')
    at.run('report', 'cnp', '--out', 'cnp.html')
    at.run('report', 'cnp', 'echo', '--out', 'both.html')
  })
  const opened = async (report: ReportPage): Promise<string[]> => {
    await report.read(`document.querySelector('.flows tbody button').click()`)
    return report.texts('.flows .detail .charts h4')
  }

  test('figures show round trips, and marks or CNPs where there are any', async () => {
    const one = await bench.open('cnp.html')
    const names = `[...document.querySelectorAll('#figures figure')].map((one) => one.dataset.name).filter((name) => name.startsWith('rates'))`
    expect(await one.read(names)).toEqual(['rates', 'rates-rtt', 'rates-cnps'])
    const both = await bench.open('both.html')
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
  })

  test('a flow opens with a chart for each measure of the queue pairs between its hosts', async () => {
    const report = await bench.open('cnp.html')
    expect(await opened(report)).toEqual(['Sending rates over time', 'Round trips over time', 'CNPs over time'])
    const canvases = `document.querySelectorAll('.flows .detail canvas').length`
    await expect.poll(() => report.read(canvases)).toBe(3)
    expect(new Set(await report.texts('.flows .detail .series button'))).toHaveLength(2)
  })

  test('flows of a control with a window and echoed marks show both', async () => {
    const report = await bench.open('both.html')
    await report.read(`document.querySelectorAll('.flows')[1].querySelector('tbody button').click()`)
    expect(await report.texts('.flows .detail .charts h4')).toEqual([
      'Sending rates over time',
      'Windows over time',
      'Round trips over time',
      'Marks that ACKs echo over time',
    ])
  })

  test.each(['light', 'dark'] as const)('axe has no objection to an open flow, %s', async (scheme) => {
    const report = await bench.open('cnp.html', { scheme })
    await opened(report)
    expect(await report.violations()).toEqual([])
  })
})
