/**
 * The page of a report as a whole, in a browser: of more than a thousand flows with hostile names it stays as wide as a
 * telephone, prints on a few sheets, takes few tab stops, and no name reorders or pushes aside what stands beside it.
 */
import { describe, expect, test } from 'vitest'
import { BROWSER } from './browser.ts'
import { ReportBench } from './report-bench.ts'
import type { ReportPage } from './report-page.ts'

const OVERRIDE = '\u202E'
const LONG_TAG = `long-${'0123456789'.repeat(300)}`
const SCENARIO = {
  name: `turned ${OVERRIDE}gpj.exe ${'name'.repeat(750)}`,
  topology: {
    kind: 'leaf-spine',
    leaves: 2,
    spines: 2,
    hostsPerLeaf: 8,
    hostRate: '25Gbps',
    fabricRate: '100Gbps',
  },
  congestion: 'dcqcn',
  workload: [
    { kind: 'poisson', load: 0.4, sizes: { kind: 'fixed', size: '8KB' }, tag: LONG_TAG },
    { kind: 'incast', senders: 6, receiver: 0, total: '600KB', tag: `${OVERRIDE}turned` },
    { kind: 'incast', senders: 6, receiver: 1, total: '600KB', tag: 'crowd' },
  ],
  faults: [{ kind: 'bernoulli', probability: 3e-4 }],
  qp: { ackTimeout: '200us' },
  switch: { buffer: { kind: 'shared-buffer', size: '1MB', alpha: '1/16' } },
  measure: { generate: '500us' },
  observe: [
    { kind: 'queue-depth', interval: '10us', ports: 'all' },
    { kind: 'link-use', interval: '20us' },
    { kind: 'rates', interval: '20us' },
    'pause-intervals',
    'drops',
  ],
}

if (BROWSER === undefined) console.warn('reports in a browser: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('the page of a report', () => {
  const bench = new ReportBench({ 'hostile.json': JSON.stringify(SCENARIO) }, (at) => {
    at.run('run', 'hostile.json', '--out', 'a', '--autopsy', '--report', '--quiet')
  })

  test('is as wide as the screen, also as a telephone has it, whatever the names', async () => {
    for (const width of [1280, 400]) {
      const report = await bench.open('a/report.html', { width })
      expect(await report.read('document.documentElement.scrollWidth')).toBe(width)
    }
  })

  test('has the network before all figures, on a telephone with the port that has most of what was observed', async () => {
    const report = await bench.open('a/report.html', { width: 400 })
    const view = `(() => {
      const root = document.querySelector('#network')
      const link = [...root.querySelectorAll('path[data-port]')].find(
        (each) => each.dataset.port === root.querySelector('tr[data-port]').dataset.port,
      )
      const [own, box] = [link, link.closest('.scroll')].map((one) => one.getBoundingClientRect())
      return [own.right > box.left && own.left < box.right, document.querySelector('#figures').getBoundingClientRect().top > own.top]
    })()`
    expect(await report.read(view)).toEqual([true, true])
  })

  test('has no mark of direction, and long names without their middle; a flow opens with the whole', async () => {
    const report = await bench.open('a/report.html')
    const text = await report.read<string>(`document.body.innerText`)
    expect(text).toMatch(/turned \\u202egpj\.exe name/)
    expect(text).not.toMatch(/\p{Bidi_Control}/u)
    expect(text).not.toContain('0123456789'.repeat(6))
    const [head = ''] = await report.texts('h1')
    expect(head).toHaveLength(200)
    expect(await report.read(`document.querySelector('.flows td.text').title`)).toBe(LONG_TAG)
    await report.page.click('.flows tbody button')
    expect(await report.texts('.flows .facts dd')).toContain(LONG_TAG)
  })

  test('prints on a few sheets, light, with the first rows and how many are left out, and nothing to press', async () => {
    const report = await bench.open('a/report.html', { scheme: 'dark' })
    const flows = Number((await report.texts('.flows .count[role]'))[0]!.replace(/,| flows/g, ''))
    expect(flows).toBeGreaterThan(1000)
    const sheets = Buffer.from(await report.page.pdf({ format: 'a4' }))
      .toString('latin1')
      .match(/\/Type \/Page\b/g)
    expect(sheets!.length).toBeLessThanOrEqual(8)
    await report.page.emulateMediaType('print')
    const shown = (selector: string): Promise<number> =>
      report.read(`[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).length`)
    expect(await shown('.flows tbody tr')).toBe(25)
    expect(await report.texts('.flows .on-paper')).toEqual([expect.stringContaining((flows - 25).toLocaleString('en'))])
    expect(await shown('button:not(.open):not(thead *), input, .controls select')).toBe(0)
    expect(await report.read(`getComputedStyle(document.body).backgroundColor`)).toBe('rgb(255, 255, 255)')
  })

  test('has one tab stop for each figure and table, beside lists of choices, and arrow keys go through their controls', async () => {
    const report = await bench.open('a/report.html')
    const stops = (root: string): Promise<number> =>
      report.read(
        `[...document.querySelectorAll('${root} :is(a[href], button, input, [tabindex])')].filter((one) => one.tabIndex >= 0 && one.checkVisibility()).length`,
      )
    expect(await stops('body')).toBeLessThanOrEqual(50)
    const figure = '#figure-queue-depth'
    expect(await stops(figure)).toBe(1)
    const names = await report.texts(`${figure} .series button`)
    await report.read(`document.querySelector('${figure} .series button').focus()`)
    await report.page.keyboard.press('ArrowRight')
    expect(await report.read(`document.activeElement.textContent`)).toBe(names[1])
    expect(await stops(figure)).toBe(1)
    expect(await report.violations()).toEqual([])
  })

  test('each link and button has a name of its own, or leads to one target', async () => {
    const report = await bench.open('a/report.html')
    const named = await report.read<[string, string][]>(
      `[...document.querySelectorAll('a[href], main button')].map((one) => [one.getAttribute('aria-label') ?? one.textContent.trim(), one.getAttribute('href') ?? ''])`,
    )
    const targets = new Map<string, string>()
    for (const [name, target] of named) {
      expect(name).not.toBe('')
      if (target === '') continue
      expect(targets.get(name) ?? target).toBe(target)
      targets.set(name, target)
    }
    const downloads = named.map(([name]) => name).filter((name) => name.startsWith('Download as CSV'))
    expect(new Set(downloads).size).toBe(downloads.length)
    expect(downloads.length).toBeGreaterThan(2)
  })
  const TIMES = `[...document.querySelectorAll('#figures .chart .time')].map((one) => one.textContent).filter(Boolean)`
  const instants = async (report: ReportPage): Promise<number[]> =>
    (await report.read<string[]>(TIMES)).map((text) => Number(/^at ([\d.,]+) us$/.exec(text)?.[1]?.replace(',', '')))

  test('shows in all figures over time the instant that the pointer or a key chooses in one', async () => {
    const report = await bench.open('a/report.html')
    const charts = await report.read<number>(`document.querySelectorAll('#figures .chart').length`)
    expect(charts).toBeGreaterThan(3)
    const lines = (): Promise<number> => report.read(`document.querySelectorAll('.instant').length`)
    const expectAlike = async (): Promise<number> => {
      const found = await instants(report)
      expect(found).toHaveLength(charts)
      for (const one of found) expect(Math.abs(one - found[0]!)).toBeLessThan(0.02 * found[0]!)
      return found[0]!
    }
    const expectNone = async (): Promise<void> => {
      expect(await instants(report)).toEqual([])
      expect(await lines()).toBe(0)
    }
    const pointAt = async (selector: string, share: number): Promise<void> => {
      await report.read(
        `document.querySelector('${selector}').scrollIntoView({ block: 'center', behavior: 'instant' })`,
      )
      const box = (await (await report.page.$(selector))!.boundingBox())!
      await report.page.mouse.move(box.x + share * box.width, box.y + box.height / 2)
    }
    await pointAt('#figure-pause-timeline svg', 0.5)
    const instant = await expectAlike()
    expect(await lines()).toBe(1)
    await pointAt('h2', 0.5)
    await expectNone()
    const axis = `document.querySelector('#figure-queue-depth [role=slider]')`
    await pointAt('#figure-queue-depth .u-over', instant / Number(await report.read(`${axis}.ariaValueMax`)))
    expect(await expectAlike()).toBeCloseTo(instant, -1)
    expect(await lines()).toBe(1)
    await pointAt('h2', 0.5)
    await report.read(`document.querySelector('#figure-link-use [role=slider]').focus()`)
    for (let i = 0; i < 30; i++) await report.page.keyboard.press('ArrowRight')
    await expectAlike()
    const said = `document.querySelector('#figure-link-use [role=slider]').getAttribute('aria-valuetext')`
    expect(await report.read(said)).toMatch(/^at [\d.,]+ us: host \d/)
    await report.page.keyboard.press('Escape')
    await expectNone()
  })

  test('lets ports and queue pairs beyond the first eight be added to a chart, and taken away', async () => {
    const report = await bench.open('a/report.html')
    const names = (figure: string): Promise<string[]> => report.texts(`${figure} .series button`)
    for (const figure of ['#figure-queue-depth', '#figure-link-use', '#figure-rates']) {
      const first = await names(figure)
      expect(first).toHaveLength(8)
      const options = await report.texts(`${figure} select option`)
      expect(options.length).toBeLessThanOrEqual(121)
      expect(first).not.toContain(options[2])
      await report.page.select(`${figure} select`, '1')
      expect(await names(figure)).toEqual([...first, options[2]])
      await report.page.select(`${figure} select`, 'none')
      expect(await names(figure)).toEqual(first)
    }
    expect(await report.texts('#figure-rates .note')).toEqual([expect.stringMatching(/; 120 others can be added/)])
  })
})
