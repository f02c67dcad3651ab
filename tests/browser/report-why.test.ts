/**
 * Why a run is slow, in a browser: the page of a run with a slow host, a link that loses packets and an incast names them,
 * opens the life of a flow, shows the network over time, and gives the timeline as a trace.
 */
import { describe, expect, test } from 'vitest'
import { BROWSER } from './browser.ts'
import { ReportBench } from './report-bench.ts'
import type { ReportPage } from './report-page.ts'

const SCENARIO = `name: troubles
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 6, hostRate: 10Gbps, fabricRate: 100Gbps}
congestion: none
qp: {ackTimeout: 1ms}
switch: {buffer: {kind: shared-buffer, size: 800KB, alpha: 1/8}}
workload:
  - kind: trace
    flows:
      - 0 7 1MB 0us
      - 1 8 1MB 0us
      - 3 11 200KB 0us
      - 4 11 200KB 0us
      - 5 11 200KB 0us
      - 6 11 200KB 0us
      - 9 11 200KB 0us
      - 10 11 200KB 0us
changes: [{path: nic.receive, value: "{kind: pipeline, packetTime: 3us, buffer: 64KB, missPenalty: 0ns}", at: 0ps, nodes: host 7}]
faults: [{kind: bernoulli, probability: 0.02, links: "leaf 1>host 8"}]
observe: [drops, pause-intervals, {kind: queue-depth, interval: 5us, ports: all}]
`

let report: ReportPage

if (BROWSER === undefined) console.warn('reports in a browser: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('a report of a run with an autopsy', () => {
  const bench = new ReportBench({ 'troubles.yaml': SCENARIO }, (at) => {
    at.run('run', 'troubles.yaml', '--out', 'why', '--autopsy', '--report', '--quiet')
    at.run('run', 'troubles.yaml', '--out', 'plain', '--report', '--quiet')
  })
  const open = async (run: string, scheme: 'light' | 'dark' = 'light'): Promise<void> => {
    report = await bench.open(`${run}/report.html`, { scheme })
  }

  test('its verdict names the slow host, the lossy link and the incast', async () => {
    await open('why')
    const ids = await report.read(`[...document.querySelectorAll('#verdict li')].map((one) => one.id)`)
    expect((ids as string[]).slice(0, 3).toSorted()).toEqual([
      'finding-0-incast',
      'finding-0-lossy-link',
      'finding-0-slow-receiver',
    ])
  })

  test.each(['light', 'dark'] as const)('axe objects to nothing, %s, with a flow open', async (scheme) => {
    await open('why', scheme)
    await report.page.click('.flows tbody button')
    expect(await report.violations()).toEqual([])
    expect(await report.dangling()).toEqual([])
  })

  test('origins of pauses and ports stand in tables, parts in a figure', async () => {
    await open('why')
    expect(await report.texts('#why caption')).toEqual([
      'Where flows were held, troubles',
      'Where completing packets waited, troubles',
    ])
    expect(await report.texts('#why tbody th')).toContain('host 7')
    expect(await report.texts('#figure-parts-by-slowdown [data-legend]')).toContain('paused in the network')
  })

  test('an origin and a port in these tables open in the picture of the network', async () => {
    await open('why')
    const press = (name: string): Promise<unknown> =>
      report.read(
        `[...document.querySelectorAll('#why th button')].find((one) => one.textContent === '${name}').click()`,
      )
    await press('host 7')
    expect(await report.read(`document.querySelectorAll('.network g.chosen').length`)).toBe(1)
    await press('spine 1 port 2')
    await press('leaf 1 port 6 to host 11')
    expect(await report.texts('.network .detail h3')).toEqual(['leaf 1 port 6'])
    expect(await report.read(`document.querySelectorAll('.picture path.chosen').length`)).toBe(1)
  })

  test('a flow opens with the parts of its time, which add up, and the ports of its last packet', async () => {
    await open('why')
    await report.page.click('.flows tbody button')
    const shares = await report.texts('.life td.share')
    const sum = shares.reduce((total, share) => total + Number.parseFloat(share), 0)
    expect(sum).toBeGreaterThan(99.5)
    expect(sum).toBeLessThan(100.5)
    const widths = await report.read<number[]>(
      `[...document.querySelectorAll('.strip rect')].map((bar) => Number(bar.getAttribute('width')))`,
    )
    expect(widths).toHaveLength(shares.length)
    expect(widths.reduce((total, width) => total + width, 0)).toBeCloseTo(1000, 3)
    const ports = await report.texts('.life table:last-of-type tbody th')
    expect(ports.some((port) => port.startsWith('host '))).toBe(true)
    expect(ports.some((port) => port.startsWith('leaf 1 port '))).toBe(true)
  })

  test('the slider colours the network by an instant, and says which; Play moves it', async () => {
    await open('why')
    const colours = (): Promise<string> =>
      report.read(
        `[...document.querySelectorAll('.picture [data-port]')].map((link) => link.getAttribute('class')).join()`,
      )
    const whole = await colours()
    const slide = (to: string): Promise<unknown> =>
      report.read(
        `(() => { const slider = document.querySelector('.time input'); slider.value = '${to}'; slider.dispatchEvent(new Event('input')) })()`,
      )
    await slide('5')
    const early = await colours()
    expect(early).not.toBe(whole)
    expect(await report.texts('.time output')).toEqual([expect.stringMatching(/^[\d.]+ us to [\d.]+ us$/)])
    await slide('200')
    expect(await report.texts('.time output')).toEqual(['whole run'])
    expect(await colours()).toBe(whole)
    await report.page.click('.time .play')
    await report.page.waitForFunction(`Number(document.querySelector('.time input').value) >= 3`, { timeout: 5000 })
    await report.page.click('.time .play')
    expect(await report.texts('.time .play')).toEqual(['Play'])
  })

  test('the timeline downloads as a trace with flows, pauses, queues and drops', async () => {
    await open('why')
    const { name, text } = await report.downloaded(bench.browser, 'button.trace')
    expect(name).toBe('troubles-trace.json')
    const { traceEvents } = JSON.parse(text) as {
      traceEvents: { ph: string; name: string; args?: { name?: string } }[]
    }
    expect(traceEvents.filter(({ ph, name: event }) => ph === 'X' && event.startsWith('flow '))).toHaveLength(8)
    const processes = traceEvents.filter((event) => event.name === 'process_name').map(({ args }) => args?.name)
    expect(processes).toEqual(expect.arrayContaining(['host 0', 'paused by PFC', 'queues', 'drops']))
  })

  test('a run without an autopsy says how to get one', async () => {
    await open('plain')
    expect(await report.texts('#why .note code')).toEqual(['rocelab run plain/scenario.yaml --autopsy --report'])
    const [found = ''] = await report.texts('[id^="finding-"][id$="-host-paused-switch"]')
    expect(found).toMatch(/\bhost 7\b/i)
  })
})
