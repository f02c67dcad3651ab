/**
 * Why a run is slow, in a browser: the page of a run with a slow host, a link that loses packets and an incast names them,
 * opens the life of a flow, shows the network over time, and gives the timeline as a trace.
 */
import { describe, expect, test } from 'vitest'
import { isPlainSvg } from '../../src/show/html/parts/plain-svg.ts'
import { numbersOf, readCsv, textsOf } from '../../src/core/results/index.ts'
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

/**
 * The contrast of each colour of pictures to the page, by kind and colour: of marks and of words. Without grids, and without
 * what is drawn in the colour of the ground or lets it through.
 */
const CONTRASTS = `(() => {
  const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0)
  const ground = getComputedStyle(document.body).backgroundColor
  const contrast = (colour) => {
    const [low, high] = [light(colour), light(ground)].sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  }
  const found = {}
  for (const one of document.querySelectorAll('figure svg :is(rect, path, circle, polygon, line, text), .timeline :is(rect, text)')) {
    if (one.closest('[data-mark$="grid"]') !== null || one.matches('figure svg > rect:first-child')) continue
    if (['#d8dee4', '#eceff2'].includes(one.getAttribute('stroke') ?? one.parentElement.getAttribute('stroke'))) continue
    const style = getComputedStyle(one)
    for (const name of ['fill', 'stroke']) {
      if (name === 'fill' && one.matches('line')) continue
      const isClear = Number(style[name + 'Opacity']) < 1 || !/^rgb\\(/.test(style[name])
      if (isClear || style[name] === ground) continue
      found[(one.matches('text') ? 'word ' : 'mark ') + style[name]] = contrast(style[name])
    }
  }
  return found
})()`

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

  test('on a dark page every mark and word of figures has a colour that its ground lets see', async () => {
    await open('why', 'dark')
    await report.page.click('.flows tbody button')
    const found = await report.read<Record<string, number>>(CONTRASTS)
    const [marks, words] = ['mark', 'word'].map((kind) => Object.entries(found).filter(([key]) => key.startsWith(kind)))
    expect([marks!.length > 8, words!.length > 0]).toEqual([true, true])
    expect(marks!.filter(([, contrast]) => contrast < 3)).toEqual([])
    expect(words!.filter(([, contrast]) => contrast < 4.5)).toEqual([])
  })

  test('origins of pauses and ports stand in tables, parts in a figure', async () => {
    await open('why')
    expect(await report.texts('#why caption')).toEqual([
      'Where flows were held, troubles',
      'Where completing packets waited, troubles',
    ])
    expect(await report.texts('#why tbody th')).toContain('host 7')
    // No column of theirs is cut off.
    const rooms = `[...document.querySelectorAll('#why .scroll')].map((one) => one.scrollWidth - one.clientWidth)`
    expect(await report.read(rooms)).toEqual([0, 0])
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
    const facts = await report.texts('.network .detail .facts :is(dt, dd)')
    const pausesAt = facts.indexOf('time it pauses leaf 1 port 2')
    expect(Number.parseFloat(facts[pausesAt + 1]!)).toBeGreaterThan(10)
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
    // Each piece of the timeline begins where the one before ends; all of them are the whole width.
    const pieces = await report.read<[number, number][]>(
      `[...document.querySelectorAll('.timeline rect')].map((bar) => ['x', 'width'].map((name) => Number.parseFloat(bar.getAttribute(name))))`,
    )
    expect(pieces.length).toBeGreaterThan(4)
    pieces.forEach(([x], i) => expect(x).toBeCloseTo(i === 0 ? 0 : pieces[i - 1]![0] + pieces[i - 1]![1], 6))
    expect(pieces.at(-1)![0] + pieces.at(-1)![1]).toBeCloseTo(100, 6)
    const titles = await report.texts('.timeline title')
    expect(titles.every((title) => /^[^:]+(: host)?: [\d.]+ \w+, from [\d.]+ \w+ to [\d.]+ \w+$/.test(title))).toBe(
      true,
    )
    const lanes = (await report.texts('.timeline text')).filter((text) => / port \d+(:|$)/.test(text))
    expect(lanes.length).toBeGreaterThan(0)
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

  test('a figure is a file of its own, and so are its values', async () => {
    await open('why')
    const saved = (selector: string): Promise<{ readonly name: string; readonly text: string }> =>
      report.downloaded(bench.browser, selector)
    const picture = await saved('#figure-parts-time [aria-label^="Save as SVG"]')
    expect(picture.name).toBe('troubles-parts-time.svg')
    expect(isPlainSvg(picture.text)).toBe(true)
    expect(picture.text).not.toMatch(/role="button"|tabindex|transparent/)
    const values = await saved('#figure-parts-time [aria-label^="Save as CSV"]')
    const table = readCsv('values', values.text)
    expect(table.columns.map(({ name }) => name)).toEqual(['group', 'label', 'part', 'completion time (us)'])
    // The longest bar is as long as its sum says.
    const [groups, spans] = [textsOf(table, 'group'), numbersOf(table, 'completion time (us)')]
    const sums = [...new Set(groups)].map((group) =>
      spans.reduce((sum, ms, row) => sum + (groups[row] === group ? ms : 0), 0),
    )
    const totals = (await report.texts('#figure-parts-time [data-mark="text"] text')).flatMap((text) => {
      const [, value, unit] = /^([\d.]+) (us|ms)$/.exec(text) ?? []
      return value === undefined ? [] : [Number(value) * (unit === 'ms' ? 1000 : 1)]
    })
    expect(Math.max(...sums) / Math.max(...totals)).toBeCloseTo(1, 2)
    const chart = readCsv('chart', (await saved('#figure-queue-depth [aria-label^="Save as CSV"]')).text)
    expect(chart.columns.map(({ name }) => name)).toEqual(['series', 'time (ms)', 'queue (KB)'])
    await report.page.click('.flows tbody button')
    const life = await saved('.life [aria-label^="Save as CSV"]')
    expect(new Set(textsOf(readCsv('life', life.text), 'where'))).toContain('receiver')
  })

  test('by keyboard, files of figures are one stop on the way', async () => {
    await open('why')
    const stops = `[...document.querySelectorAll('#figures .save')].filter((one) => one.tabIndex >= 0 && one.checkVisibility()).length`
    expect(await report.read(stops)).toBe(0)
    await report.page.click('.saved summary')
    const pairs = await report.read<number[]>(
      `['figure > .files button', '.saved button'].map((selector) => document.querySelectorAll(selector).length)`,
    )
    expect(pairs[0]).toBeGreaterThan(10)
    expect(pairs[1]).toBe(pairs[0])
    expect(await report.read(stops)).toBe(pairs[1])
    const { name } = await report.downloaded(bench.browser, '.saved li:last-child [aria-label^="Save as CSV"]')
    expect(name).toMatch(/^troubles-.*\.csv$/)
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
