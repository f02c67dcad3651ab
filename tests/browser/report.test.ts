/**
 * Reports in a browser: a page opens from the disk under its policy, can be read by everyone, and answers to pointer and
 * keyboard.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readCsv, textsOf } from '../../src/core/results/index.ts'
import { createFolder, rocelab } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { manyFlows } from './many-flows.ts'

const SCENARIO = `name: mixed
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 25Gbps}
congestion: dcqcn
workload:
  - {kind: incast, senders: 6, receiver: 0, total: 3MB, tag: crowd}
  - {kind: poisson, load: 0.3, sizes: {kind: fixed, size: 20KB}, tag: few}
faults: [{kind: bernoulli, probability: 1e-3}]
qp: {ackTimeout: 200us}
measure: {generate: 400us}
observe:
  - {kind: queue-depth, interval: 5us, ports: all}
  - {kind: link-use, interval: 10us}
  - {kind: rates, interval: 5us}
  - pause-intervals
  - drops
`
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let at: ReturnType<typeof createFolder>
let browser: Browser
let page: Page
let complaints: string[]
let addresses: string[]

if (BROWSER === undefined) console.warn('reports in a browser: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('a report', () => {
  beforeAll(async () => {
    at = createFolder({ 'mixed.yaml': SCENARIO })
    made('run', 'mixed.yaml', '--out', 'a', '--report', '--quiet')
    made('run', 'mixed.yaml', '--out', 'b', '--set', 'congestion=none', '--quiet')
    made('report', 'a', 'b', '--out', 'both.html')
    browser = await puppeteer.launch({
      executablePath: BROWSER!,
      args: ['--no-sandbox', '--force-prefers-reduced-motion'],
      headless: true,
    })
  })
  afterAll(async () => {
    await browser?.close()
    at?.clear()
  })
  afterEach(() => {
    const foreign = addresses.filter((address) => !/^(file|blob|data):/.test(address))
    if (complaints.length > 0 || foreign.length > 0)
      throw new Error(`the browser complains or asks for more: ${[...complaints, ...foreign].join('; ')}`)
  })

  function made(...args: string[]): void {
    const { code, stderr } = rocelab(at.folder, ...args)
    if (code !== 0) throw new Error(stderr)
  }

  /** Opens a page of the folder and notes all that the browser complains of and asks for. */
  async function open(name: string, scheme: 'light' | 'dark' = 'light', hasScript = true): Promise<void> {
    page = await browser.newPage()
    complaints = []
    addresses = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('request', (request) => addresses.push(request.url()))
    await page.setJavaScriptEnabled(hasScript)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(pathToFileURL(path.join(at.folder, name)).href, { waitUntil: 'load' })
  }
  const read = async <T>(expression: string): Promise<T> => (await page.evaluate(expression)) as T
  const textsAt = (selector: string): Promise<string[]> =>
    read(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent)`)

  test.each(['light', 'dark'] as const)(
    'has nothing that axe objects to, %s, with a port and a flow open',
    async (scheme) => {
      await open('both.html', scheme)
      await read(`document.querySelector('.network tr button').click()`)
      await read(`document.querySelector('.flows tbody button').click()`)
      expect(await textsAt('.network .detail h3')).toHaveLength(1)
      expect(await textsAt('.flows .detail')).not.toEqual([''])
      await read(axe)
      const found = await read<string[]>(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      )
      expect(found).toEqual([])
    },
  )

  test('begins with what ran, five numbers and what is odd, each with a link to a place on the page', async () => {
    await open('a/report.html')
    expect((await textsAt('.lead'))[0]).toMatch(
      /^\d+ flows, .* ran over a leaf-spine network of 8 hosts.*: all finished/,
    )
    expect(await textsAt('.numbers dt')).toHaveLength(5)
    const odd = (await textsAt('.oddities li')).join('\n')
    expect(odd).toMatch(/packets? w\w+ dropped: link loss/)
    expect(odd).toContain('used over 95 % of the link')
    const dangling = await read<string[]>(
      `[...document.querySelectorAll('a[href^="#"]')].map((a) => a.hash).filter((hash) => document.querySelector(hash) === null)`,
    )
    expect(dangling).toEqual([])
  })

  test('an entry of a legend leaves its series alone, and all again, by pointer and by key', async () => {
    await open('a/report.html')
    const figure = '#figure-completion-tail'
    const faded = (): Promise<number> => read(`document.querySelectorAll('${figure} [data-series].faded').length`)
    await page.click(`${figure} [data-legend="crowd"]`)
    expect(await faded()).toBeGreaterThan(0)
    const alone = await read<string[]>(
      `[...document.querySelectorAll('${figure} [data-series]:not(.faded)')].map((mark) => mark.dataset.series)`,
    )
    expect(new Set(alone)).toEqual(new Set(['crowd']))
    await read(`document.querySelector('${figure} [data-legend="crowd"]').focus()`)
    await page.keyboard.press('Enter')
    expect(await faded()).toBe(0)
    await page.click('#figure-queue-depth .series button')
    const pressed = `[...document.querySelectorAll('#figure-queue-depth .series button')].map((one) => one.getAttribute('aria-pressed'))`
    expect((await read<string[]>(pressed)).filter((value) => value === 'true')).toHaveLength(1)
    expect(await textsAt('#figure-queue-depth .series .faded')).toHaveLength((await read<string[]>(pressed)).length - 1)
  })

  test('the pointer shows values in pictures and in charts, and charts zoom', async () => {
    await open('a/report.html')
    const over = async (selector: string, share: number): Promise<void> => {
      await read(`document.querySelector('${selector}').scrollIntoView({ block: 'center', behavior: 'instant' })`)
      const box = (await (await page.$(selector))!.boundingBox())!
      await page.mouse.move(box.x + box.width * share, box.y + box.height / 2)
    }
    await over('#figure-completion-tail svg', 0.6)
    expect((await textsAt('#figure-completion-tail .tip p'))[0]).toMatch(/^[\d.]+ · completion time \(us\)$/)
    const spoken = (selector: string): Promise<string[]> =>
      read(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText)`)
    expect((await spoken('#figure-completion-tail .tip p')).slice(1)).toEqual([expect.stringMatching(/^few: [\d.]+$/)])
    await over('#figure-queue-depth .u-over', 0.5)
    const values = await spoken('#figure-queue-depth .series button')
    expect(values.length).toBeGreaterThan(1)
    expect(values.filter((text) => !/^\w+ \d+ port \d+: [\d.]+$/.test(text))).toEqual([])
    const timeAt = async (): Promise<number> => {
      await over('#figure-queue-depth .u-over', 0.02)
      const [text = ''] = await textsAt('#figure-queue-depth .time')
      return Number(/^at ([\d.]+) ms$/.exec(text)?.[1])
    }
    const before = await timeAt()
    await page.click('#figure-queue-depth .zoom button:nth-child(2)')
    await expect.poll(timeAt).toBeGreaterThan(1.5 * before)
  })

  test('flows are sorted by any head and filtered by tag, and the file has the rows that are left', async () => {
    await open('a/report.html')
    const heads = await textsAt('.flows thead button')
    const column = heads.indexOf('slowdown') + 1
    const slowdowns = async (): Promise<number[]> =>
      (await textsAt(`.flows tbody td:nth-child(${column})`)).map((text) => (text === '-' ? Infinity : Number(text)))
    const first = await slowdowns()
    expect(first.length).toBeGreaterThan(20)
    expect(first).toEqual(first.toSorted((a, b) => b - a))
    await page.click(`.flows thead th:nth-child(${column}) button`)
    const second = await slowdowns()
    expect(second).toEqual(second.toSorted((a, b) => a - b))
    await page.select('.flows select', 'crowd')
    expect(await textsAt('.flows .count[role]')).toEqual(['6 flows'])

    const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-download-'))
    const session = await browser.target().createCDPSession()
    await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
    await page.click('.flows .csv')
    await expect.poll(() => readdirSync(folder), { timeout: 5000 }).toEqual(['flows-of-mixed.csv'])
    const table = readCsv('flows', readFileSync(path.join(folder, 'flows-of-mixed.csv'), 'utf8'))
    expect(textsOf(table, 'tag')).toEqual(Array.from({ length: 6 }, () => 'crowd'))
    rmSync(folder, { recursive: true })
  })

  test('a link of the network opens its port, and a measure colours the links', async () => {
    await open('a/report.html')
    await read(`document.querySelector('.picture').scrollIntoView({ block: 'center', behavior: 'instant' })`)
    const [x, y] = await read<[number, number]>(
      `(() => { const link = document.querySelector('[data-port="0:1"]'); const half = link.getPointAtLength(link.getTotalLength() / 2).matrixTransform(link.getScreenCTM()); return [half.x, half.y] })()`,
    )
    await page.mouse.click(x, y)
    expect(await textsAt('.network .detail h3')).toEqual(['host 0'])
    const colours = `[...document.querySelectorAll('.picture .link')].map((one) => one.getAttribute('class')).join()`
    const before = await read<string>(colours)
    await page.select('.network .legend select', 'use')
    expect(await read<string>(colours)).not.toBe(before)
  })

  test('prints, with pictures in place of charts, and reads without a script', async () => {
    await open('a/report.html')
    expect(
      Buffer.from(await page.pdf())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
    const shown = `getComputedStyle(document.querySelector('#figure-queue-depth .scroll')).display`
    expect(await read<string>(shown)).toBe('none')
    await page.emulateMediaType('print')
    expect(await read<string>(shown)).toBe('block')
    await open('a/report.html', 'light', false)
    expect(await read<string>(shown)).toBe('block')
    expect(await textsAt('.flows tbody tr')).toHaveLength(25)
  })

  test('100,000 flows take less than 8 MB', async () => {
    const html = manyFlows(100_000)
    expect(html.length).toBeLessThan(8e6)
    writeFileSync(path.join(at.folder, 'many.html'), html)
    await open('many.html')
    expect(await textsAt('.flows .note:not(.on-paper)')).toEqual([
      expect.stringContaining('holds 6,000 of 100,000 flows'),
    ])
  })
})
