/**
 * Reports in Firefox, driven over WebDriver BiDi: they open from the disk, can be read by everyone, answer to pointer and
 * keyboard, give their tables, and print.
 *
 * These things cannot be driven there, and are tested in Chromium alone (report.test.ts, report-why.test.ts): a page
 * without its script (ESR has no `emulation.setScriptingEnabled`), the style of paper on the screen, and the colour scheme of one page,
 * which is set for a whole browser here.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inflateSync } from 'node:zlib'
import puppeteer, { type Browser } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readCsv, textsOf } from '../../src/core/results/index.ts'
import { createFolder, rocelab, ROOT } from '../cli/program.ts'
import { FIREFOX } from './browser.ts'
import { ReportPage } from './report-page.ts'

const SCENARIO = `name: mixed
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 25Gbps}
congestion: dcqcn
workload:
  - {kind: incast, senders: 6, receiver: 0, total: 3MB, tag: crowd}
  - {kind: poisson, load: 0.3, sizes: {kind: fixed, size: 20KB}, tag: few}
qp: {ackTimeout: 200us}
measure: {generate: 400us}
observe:
  - {kind: queue-depth, interval: 5us, ports: all}
  - {kind: link-use, interval: 10us}
  - pause-intervals
`

let at: ReturnType<typeof createFolder>
let downloads: string
let browser: Browser
let dark: Browser
let opened: ReportPage[] = []

if (FIREFOX === undefined) console.warn('reports in Firefox: skipped, there is no Firefox on this machine')

function made(...args: string[]): void {
  const { code, stderr } = rocelab(at.folder, ...args)
  if (code !== 0) throw new Error(stderr)
}
const file = (name: string): string => path.join(at.folder, name)

/** A Firefox that prefers a colour scheme and saves files without asking. */
async function launched(scheme: 'light' | 'dark'): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX!,
    headless: true,
    extraPrefsFirefox: {
      'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
    },
  })
}

describe.skipIf(FIREFOX === undefined)('a report in Firefox', () => {
  beforeAll(async () => {
    at = createFolder({ 'mixed.yaml': SCENARIO })
    downloads = mkdtempSync(path.join(tmpdir(), 'rocelab-download-'))
    made('run', 'mixed.yaml', '--autopsy', '--out', 'a', '--report', '--quiet')
    made('sweep', 'mixed.yaml', '--param', 'congestion=none,dcqcn', '--seeds', '2', '--out', 'sweep', '--quiet')
    made('report', 'sweep', '--out', 'sweep.html')
    made('report', path.join(ROOT, 'docs', 'experiments', 'irn'), '--out', 'reproduction.html')
    ;[browser, dark] = await Promise.all([launched('light'), launched('dark')])
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), dark?.close()])
    at?.clear()
    if (downloads !== undefined) rmSync(downloads, { recursive: true, force: true })
  })
  afterEach(async () => {
    const complaints = opened.flatMap((each) => each.complaints)
    for (const { page } of opened) await page.close()
    opened = []
    if (complaints.length > 0) throw new Error(`the browser complains or asks for more: ${complaints.join('; ')}`)
  })

  async function open(name: string, by: Browser = browser): Promise<ReportPage> {
    const page = await ReportPage.open(by, file(name))
    opened.push(page)
    return page
  }

  test.each([
    ['a/report.html', ['light', 'dark']],
    ['sweep.html', ['light', 'dark']],
    // A long page, whose dark colours axe sees in Chromium.
    ['reproduction.html', ['light']],
  ])(
    '%s opens without a complaint, its links lead somewhere, and axe objects to nothing: %j',
    async (name, schemes) => {
      for (const scheme of schemes) {
        const page = await open(name, scheme === 'dark' ? dark : browser)
        expect(await page.read(`matchMedia('(prefers-color-scheme: dark)').matches`)).toBe(scheme === 'dark')
        expect((await page.texts('h1'))[0]).not.toBe('')
        expect(await page.dangling()).toEqual([])
        expect(await page.violations()).toEqual([])
      }
    },
  )

  test('an error of a page is noticed', async () => {
    writeFileSync(file('broken.html'), '<!doctype html><title>x</title><script>console.log(1); missing()</script>')
    const page = await ReportPage.open(browser, file('broken.html'))
    await expect.poll(() => page.complaints.join()).toMatch(/missing/)
    await page.page.close()
  })

  test('an entry of a legend leaves its series alone, by pointer and by key', async () => {
    const { page } = await open('a/report.html')
    const figure = '#figure-completion-tail'
    const faded = async (): Promise<number> =>
      Number(await page.evaluate(`document.querySelectorAll('${figure} [data-series].faded').length`))
    await page.click(`${figure} [data-legend="crowd"]`)
    expect(await faded()).toBeGreaterThan(0)
    await page.evaluate(`document.querySelector('${figure} [data-legend="crowd"]').focus()`)
    await page.keyboard.press('Enter')
    expect(await faded()).toBe(0)
  })

  test('the pointer shows values in charts, which zoom by button, by dragging, and back', async () => {
    const report = await open('a/report.html')
    const { page } = report
    const chart = '#figure-queue-depth .u-over'
    const boxOf = async (): Promise<{ x: number; y: number; width: number; height: number }> => {
      await report.read(`document.querySelector('${chart}').scrollIntoView({ block: 'center', behavior: 'instant' })`)
      return (await (await page.$(chart))!.boundingBox())!
    }
    const timeAt = async (share: number): Promise<number> => {
      const { x, y, width, height } = await boxOf()
      await page.mouse.move(x + width * share, y + height / 2)
      const [text = ''] = await report.texts('#figure-queue-depth .time')
      return Number(/^at ([\d.]+) ms$/.exec(text)?.[1])
    }
    const span = async (): Promise<number> => (await timeAt(0.9)) - (await timeAt(0.1))
    const whole = await span()
    expect(whole).toBeGreaterThan(0)
    await page.click('#figure-queue-depth .zoom button:nth-child(2)')
    await expect.poll(span).toBeLessThan(0.8 * whole)
    await page.click('#figure-queue-depth .zoom button:last-child')
    await expect.poll(span).toBeGreaterThan(0.95 * whole)
    const { x, y, width, height } = await boxOf()
    await page.mouse.move(x + width * 0.3, y + height * 0.1)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.5, y + height * 0.9, { steps: 5 })
    await page.mouse.up()
    await expect.poll(span).toBeLessThan(0.5 * whole)
  })

  test('flows are sorted and filtered, open, and the file has the rows that are left', async () => {
    const report = await open('a/report.html')
    const { page } = report
    const heads = await report.texts('.flows thead button')
    const column = heads.indexOf('slowdown') + 1
    const slowdowns = async (): Promise<number[]> =>
      (await report.texts(`.flows tbody td:nth-child(${column})`)).map(Number)
    const first = await slowdowns()
    expect(first.length).toBeGreaterThan(20)
    expect(first).toEqual(first.toSorted((a, b) => b - a))
    await page.click(`.flows thead th:nth-child(${column}) button`)
    const second = await slowdowns()
    expect(second).toEqual(second.toSorted((a, b) => a - b))
    await page.select('.flows select', 'crowd')
    expect(await report.texts('.flows .count[role]')).toEqual(['6 flows'])
    await page.click('.flows .csv')
    await expect.poll(() => readdirSync(downloads), { timeout: 5000 }).toEqual(['flows-of-mixed.csv'])
    const rows = (): readonly string[] => {
      const table = readCsv('flows', readFileSync(path.join(downloads, 'flows-of-mixed.csv'), 'utf8'))
      return textsOf(table, 'tag')
    }
    await expect.poll(rows).toEqual(Array.from({ length: 6 }, () => 'crowd'))
    await page.click('.flows tbody button')
    expect((await report.texts('.flows .detail')).join()).toMatch(/own bytes/)
  })

  test('a port of the network opens, and a measure colours the links', async () => {
    const report = await open('a/report.html')
    await report.read(`document.querySelector('.picture').scrollIntoView({ block: 'center', behavior: 'instant' })`)
    const [x, y] = await report.read<[number, number]>(
      `(() => { const link = document.querySelector('[data-port="0:1"]'); const half = link.getPointAtLength(link.getTotalLength() / 2).matrixTransform(link.getScreenCTM()); return [half.x, half.y] })()`,
    )
    await report.page.mouse.click(x, y)
    expect(await report.texts('.network .detail h3')).toEqual(['host 0'])
    const colours = `[...document.querySelectorAll('.picture .link')].map((one) => one.getAttribute('class')).join()`
    const before = await report.read<string>(colours)
    await report.page.select('.network .legend select', 'use')
    expect(await report.read<string>(colours)).not.toBe(before)
  })

  test('prints on several pages', async () => {
    const report = await open('a/report.html')
    const pdf = Buffer.from(await report.page.pdf())
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(pageCount(pdf)).toBeGreaterThan(3)
  })
})

/** Pages of a PDF, whose list of pages may be in a compressed stream. */
function pageCount(pdf: Buffer): number {
  const text = pdf.toString('latin1')
  const streams = [...text.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(([, content = '']) => {
    try {
      return inflateSync(Buffer.from(content, 'latin1')).toString('latin1')
    } catch {
      return ''
    }
  })
  const counts = [text, ...streams].flatMap((part) => [...part.matchAll(/\/Type ?\/Pages\b[^>]*?\/Count (\d+)/g)])
  return Math.max(0, ...counts.map(([, count]) => Number(count)))
}
