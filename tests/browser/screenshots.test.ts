/**
 * Pictures of reports compared with stored ones (tolerance: pictures.ts), and that the comparison can fail. A picture of the
 * README is among them, so that it stays true. After a change that means to alter pages, write them anew and look at them:
 * `UPDATE_DIGESTS=1 npm test -- tests/browser/screenshots`.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, rocelab, ROOT } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { compare, fontsAt, isUpdate, openStudio, store, type Studio, TOLERANCE } from './pictures.ts'
import { type OpenOptions, ReportPage } from './report-page.ts'

interface Picture {
  readonly stored: string
  /** Page of the folder. */
  readonly page: string
  /** The element that is shown; the top of the page unless given. */
  readonly of?: string
  readonly width: number
  /** Height that is shown of the page's top. */
  readonly height?: number
  readonly scheme?: 'light' | 'dark'
  /** Pixels of the picture for one of the page. */
  readonly scale: number
}

const PICTURES: readonly Picture[] = [
  { stored: 'docs/images/report.png', page: 'incast/report.html', width: 1280, height: 1690, scale: 0.7 },
  {
    stored: 'tests/browser/pictures/network-dark.png',
    page: 'incast/report.html',
    of: '#network',
    width: 1280,
    scheme: 'dark',
    scale: 0.5,
  },
  {
    stored: 'tests/browser/pictures/figure-narrow.png',
    page: 'both.html',
    of: '#figure-queue-depth',
    width: 420,
    scale: 1,
  },
  {
    stored: 'tests/browser/pictures/sweep.png',
    page: 'sweep.html',
    width: 1000,
    height: 1400,
    scheme: 'dark',
    scale: 0.5,
  },
  {
    stored: 'tests/browser/pictures/reproduction.png',
    page: 'reproduction.html',
    width: 1000,
    height: 1400,
    scale: 0.5,
  },
]
/** Largest stored picture. */
const BYTES_MAX = 250_000

const SWEPT = `name: rack
topology: {kind: star, hosts: 6, linkRate: 25Gbps}
workload: [{kind: incast, senders: 4, receiver: 0, total: 400KB}]
`

let at: ReturnType<typeof createFolder>
let studio: Studio

const isSet = BROWSER !== undefined && process.platform === 'linux'
if (!isSet) console.warn('pictures of reports: skipped, there is no Chromium, or no fontconfig, on this machine')

function made(...args: string[]): void {
  const { code, stderr } = rocelab(at.folder, ...args)
  if (code !== 0) throw new Error(stderr)
}

async function open({ page, width, height = 900, scheme = 'light', scale }: Picture): Promise<ReportPage> {
  const options: OpenOptions = { scheme, width, height, scale }
  return ReportPage.open(studio.browser, path.join(at.folder, page), options)
}

async function take({ page }: ReportPage, { of }: Picture): Promise<Uint8Array> {
  if (of === undefined) return page.screenshot()
  const element = await page.$(of)
  return element!.screenshot()
}

describe.skipIf(!isSet)('pictures', () => {
  beforeAll(async () => {
    at = createFolder({ 'rack.yaml': SWEPT })
    const incast = path.join(ROOT, 'scenarios', 'incast-pfc.yaml')
    made('run', incast, '--autopsy', '--report', '--out', 'incast', '--quiet')
    made('run', incast, '--set', 'congestion=dcqcn', '--out', 'dcqcn', '--quiet')
    made('report', 'incast', 'dcqcn', '--out', 'both.html')
    made('sweep', 'rack.yaml', '--param', 'workload.0.senders=1,2,3,5', '--seeds', '3', '--out', 'sweep', '--quiet')
    made('report', 'sweep', '--out', 'sweep.html')
    made('report', path.join(ROOT, 'docs', 'experiments', 'irn'), '--out', 'reproduction.html')
    studio = await openStudio()
  })
  afterAll(async () => {
    await studio?.close()
    at?.clear()
  })

  test.each(PICTURES)('$stored is what the page looks like', async (picture) => {
    const page = await open(picture)
    const taken = await take(page, picture)
    if (isUpdate) store(picture.stored, taken)
    const { share, text } = compare(picture.stored, taken)
    expect(share, text).toBeLessThanOrEqual(TOLERANCE)
    expect(statSync(path.join(ROOT, picture.stored)).size).toBeLessThan(BYTES_MAX)
    await page.page.close()
  })

  test('all text is drawn with the font of the page', async () => {
    const page = await open(PICTURES[0]!)
    for (const selector of ['h1', '.lead', '.numbers dd', '#figures svg text', 'table td'])
      expect((await fontsAt(page.page, selector)).join(), selector).toMatch(/^Inter(?: [A-Z]\w+)*$/)
    await page.page.close()
  })

  /** Parts that somebody might break, as an expression in the page, and the picture that has to tell. */
  const damages: readonly (readonly [string, number, string])[] = [
    ['a section is gone', 0, `document.querySelector('#verdict').remove()`],
    ['a list is gone', 0, `document.querySelector('.oddities').remove()`],
    ['the style is gone', 0, `document.querySelector('style').remove()`],
    ['numbers are others', 0, `for (const one of document.querySelectorAll('.numbers dd')) one.textContent = 'NaN'`],
    ['the picture of the network is empty', 1, `document.querySelector('#network svg').replaceChildren()`],
    ['it is light where it should be dark', 1, `document.body.style.background = 'white'`],
    ['the picture of a figure is empty', 3, `document.querySelector('#figures svg').replaceChildren()`],
    [
      'a chart is empty',
      2,
      `for (const one of document.querySelectorAll('#figure-queue-depth canvas')) one.width = one.width`,
    ],
    ['a list is gone, of a reproduction', 4, `document.querySelector('#verdict ul, #verdict ol').remove()`],
  ]
  test.each(damages)('a page is not taken for the stored one where %s', async (_, shown, expression) => {
    const picture = PICTURES[shown]!
    const page = await open(picture)
    expect(compare(picture.stored, await take(page, picture)).share).toBeLessThanOrEqual(TOLERANCE)
    await page.read(`${expression}; undefined`)
    expect(compare(picture.stored, await take(page, picture)).share).toBeGreaterThan(TOLERANCE)
    await page.page.close()
  })
})
