/** Pages of reproductions: order, words, links and escapes. */
import { describe, expect, test } from 'vitest'
import type { CheckVerdict, ReportedCheck, ReportedReproduction } from '../../reported-reproduction.ts'
import { claimOverview } from './claim-overview.ts'
import { rangeMarkup } from './claim-range.ts'
import { claimsSection, verdictSection, verdictSentence } from './claims-section.ts'
import { reproductionReport } from './reproduction-report.ts'
import { siteIndex } from './site-index.ts'
import { paragraph } from './text-table.ts'

const ASSETS = { style: 'p{}', styleHash: 'abc', script: '1', scriptHash: 'def' }
const check = (verdict: CheckVerdict, more: Partial<ReportedCheck> = {}): ReportedCheck => {
  return { check: '', statement: `it is ${verdict}`, paper: '2', measured: '3', verdict, reason: 'because', ...more }
}
const REPORT: ReportedReproduction = {
  name: 'x',
  folder: 'docs/x',
  title: 'A <i>title</i>',
  source: '[IRN] Figure 1',
  help: ['It runs `rocelab`.'],
  size: 'full',
  seeds: '1, 2',
  version: '1.0.0',
  command: 'rocelab reproduce x --size full --seeds 1,2',
  isOurs: false,
  claims: [
    { id: 'good', state: 'reproduced', checks: [check('reproduced')] },
    { id: 'open', state: 'undecided', checks: [check('undecided')] },
    { id: 'part', state: 'partly', checks: [check('reproduced', { check: 'a' }), check('undecided', { check: 'b' })] },
    { id: 'bad', state: 'not reproduced', checks: [check('not reproduced', { seeds: { held: 1, of: 4 } })] },
  ],
  tables: [{ title: 'T', columns: [{ head: 'n', align: 'right' }], rows: [['1'], ['<b>']] }],
  figures: [],
  remarks: [],
  runsCsv: 'condition,seed,digest,meanFctPs\none,1,00ff,1000\ntwo,1,00fe,\n',
  storedWhy: '',
}
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

test('the sentence counts claims and comparisons, those that did not come out first', () => {
  expect(verdictSentence(REPORT)).toBe(
    '4 claims of [IRN] Figure 1, in 5 comparisons: 1 not reproduced, 1 partly, 1 undecided and 1 reproduced.',
  )
  const small = { ...REPORT, size: 'small', isOurs: true, claims: REPORT.claims.slice(0, 1) } as const
  expect(verdictSentence(small)).toBe(
    '1 expectation: 1 reproduced. These are runs of small size, which decide less than those of full size.',
  )
})

test('the verdict lists what did not come out, each by its worst comparison, with a link to its row', () => {
  const { html } = verdictSection(REPORT)
  const items = [...html.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = '']) => textOf(item))
  expect(items).toEqual([
    'not reproduced it is not reproduced paper: 2 , here: 3 . bad',
    'partly it is undecided paper: 2 , here: 3 ; 1 of 2 comparisons hold, this one does not. part',
  ])
  const rows = claimsSection(REPORT).html
  for (const [, id = ''] of html.matchAll(/href="#([^"]*)"/g)) expect(rows).toContain(`id="${id}"`)
})

test('the table has every comparison, in this order, with the seeds in which it holds', () => {
  const { html } = claimsSection(REPORT)
  const verdicts = [...html.matchAll(/<b class="badge \w+">([^<]*)</g)].map(([, verdict]) => verdict)
  expect(verdicts).toEqual(['not reproduced', 'undecided', 'undecided', 'reproduced', 'reproduced'])
  expect(textOf(html)).toContain('3 ; holds in 1 of 4 seeds')
})

test('nothing failed is said, and an experiment without claims says that', () => {
  const good = { ...REPORT, claims: REPORT.claims.slice(0, 2) }
  expect(textOf(verdictSection(good).html)).toContain('no claim came out otherwise than in the paper')
  expect(textOf(verdictSection({ ...REPORT, claims: [] }).html)).toContain('not held against any claim')
})

describe('a page', () => {
  test('escapes every text, and has the policy of all reports', () => {
    const html = reproductionReport(REPORT, ASSETS)
    expect(html).toContain('<h1>A &lt;i&gt;title&lt;/i&gt;</h1>')
    expect(html).toContain('&lt;b&gt;')
    expect(html).not.toContain('<i>')
    expect(html).toContain(
      'default-src &#39;none&#39;; script-src &#39;sha256-def&#39;; style-src &#39;sha256-abc&#39;',
    )
    expect(html).not.toMatch(/(?:href|src)="(?!#)/)
  })

  test('has the command, the runs, and a link to its site if it has one', () => {
    const html = reproductionReport(REPORT, ASSETS, { href: 'index.html', text: 'All' })
    expect(textOf(html)).toContain('This makes it again: rocelab reproduce x --size full --seeds 1,2')
    expect(html).toContain('<a href="index.html">All</a>')
    expect(textOf(html)).toContain('one 1 00ff 1.00 ns two 1 00fe -')
  })

  test('leaves out figures that hold more than shapes, and says why others are stored', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
    const figures = [{ name: 'x-evil', title: 'Evil', svg, hasPaper: false }]
    const html = reproductionReport({ ...REPORT, figures, storedWhy: 'it is old' }, ASSETS)
    expect(textOf(html)).toContain('Not shown, since they hold more than this program draws: x-evil.')
    expect(textOf(html)).toContain('not drawn from the runs: it is old.')
    expect(html).not.toContain('<script>1</script></svg>')
  })
})

test('the index counts by paper, and leads to the rows of claims', () => {
  const claims = REPORT.claims.map((claim) => ({ claim, file: 'x.html' }))
  const site = {
    folders: ['docs/all'],
    pages: [{ file: 'x.html', report: REPORT }],
    papers: [{ name: 'IRN', isOurs: false, claims }],
  }
  const html = siteIndex(site, ASSETS)
  expect(textOf(html)).toContain(
    '4 claims of 1 paper were run: 1 not reproduced, 1 partly, 1 undecided and 1 reproduced.',
  )
  expect(textOf(html)).toContain('IRN: 1 not reproduced and 1 partly')
  expect(html).toContain('href="x.html#claim-bad"')
  expect(textOf(html)).toContain('rocelab report docs/all --out DIRECTORY')
})

describe('the overview', () => {
  const range = (mean: number, bandLow = 1, bandHigh = 3): Partial<ReportedCheck> => {
    return { range: { mean, low: mean, high: mean, bandLow, bandHigh } }
  }
  const claimsWith = (...checks: ReportedCheck[]): Pick<ReportedReproduction, 'claims' | 'isOurs'> => {
    return { claims: [{ id: 'a<b>', state: 'partly', checks }], isOurs: false }
  }
  /** Pixels of the marks, and their tones. */
  const marksOf = (html: string): [string, number][] =>
    [...html.matchAll(/class="mark (\w+)" transform="translate\(([\d.]+),/g)].map(([, tone = '', x]) => [
      tone,
      Number(x),
    ])

  test('places numbers by their bands, those far out at the edge, and leaves out directions', () => {
    const checks = [
      check('reproduced', range(2)),
      check('undecided', range(3)),
      check('not reproduced', range(900)),
      check('not reproduced', range(0, 1, Infinity)),
      check('not reproduced'),
    ]
    const { html } = claimOverview(claimsWith(...checks))
    const marks = marksOf(html)
    expect(marks.map(([tone]) => tone)).toEqual(['good', 'open', 'bad'])
    const [middle = 0, end = 0, edge = 0] = marks.map(([, x]) => x)
    // The edge is three half bands from the middle.
    expect(edge - middle).toBeCloseTo(3 * (end - middle), 0)
    expect(html).toContain('a&lt;b&gt;')
    expect(html).not.toContain('a<b>')
  })

  test('is not there for a single number', () => {
    expect(claimOverview(claimsWith(check('reproduced', range(2)))).html).toBe('')
  })
})

test('paragraphs keep code and lose addresses', () => {
  expect(paragraph('See [the page](../a.md#b), or run `x <y>`.').html.trim()).toBe(
    '<p class="prose">See the page, or run <code>x &lt;y&gt;</code>.</p>',
  )
})

describe('the strip of a claim', () => {
  /** Left end and width of the band, ends of our interval. */
  const partsOf = (mean: number, low: number, high: number, bandLow: number, bandHigh: number): number[] => {
    const { html } = rangeMarkup({ mean, low, high, bandLow, bandHigh })
    const [, x, width] = /class="band" x="([\d.]+)" width="([\d.]+)"/.exec(html) ?? []
    const [, x1, x2] = /class="ours" x1="([\d.]+)" x2="([\d.]+)"/.exec(html) ?? []
    return [x, width, x1, x2].map(Number)
  }

  test('shows our interval left of a band that it does not reach', () => {
    const [bandPx, , lowPx, highPx] = partsOf(2, 1, 3, 4, 5)
    expect(lowPx).toBeLessThan(highPx!)
    expect(highPx).toBeLessThan(bandPx!)
  })

  test('a band without an end reaches the edge, and one run is a dot', () => {
    const [bandPx, widthPx, lowPx, highPx] = partsOf(2, NaN, NaN, 1, Infinity)
    expect(bandPx! + widthPx!).toBe(150)
    expect(lowPx).toBe(highPx)
    expect(lowPx).toBeGreaterThan(bandPx!)
  })

  test('is not there without a number', () => {
    expect(rangeMarkup({ mean: NaN, low: NaN, high: NaN, bandLow: 0, bandHigh: 1 }).html).toBe('')
  })
})
