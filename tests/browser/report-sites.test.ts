/**
 * Reports of sweeps and reproductions in a browser: they open from the disk under their policy, can be read by everyone,
 * sort and give their tables, print, and lead from page to page.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { numbersOf, readCsv, textsOf } from '../../src/core/results/index.ts'
import { ROOT } from '../cli/program.ts'
import { BROWSER } from './browser.ts'
import { manyPoints } from './many-points.ts'
import { ReportBench } from './report-bench.ts'

const SCENARIO = `name: rack <b>"one"</b>
topology: {kind: star, hosts: 6, linkRate: 25Gbps}
workload:
  - {kind: incast, senders: 4, receiver: 0, total: 400KB, tag: "<script>crowd</script>"}
  - {kind: incast, senders: 2, receiver: 5, total: 40KB, tag: few}
`
const EXPERIMENTS = path.join(ROOT, 'docs', 'experiments')

if (BROWSER === undefined) console.warn('reports in a browser: skipped, there is no Chromium on this machine')

describe.skipIf(BROWSER === undefined)('reports of sweeps and reproductions', () => {
  const bench = new ReportBench({ 'rack.yaml': SCENARIO }, (at) => {
    const axes = ['--param', 'congestion=none,dcqcn', '--param', 'switch.buffer.alpha=1/64,1/8,1/2']
    at.run('sweep', 'rack.yaml', ...axes, '--seeds', '3', '--baseline', 'congestion=none', '--out', 'sweep', '--quiet')
    at.run('report', 'sweep', '--out', 'sweep.html')
    at.run('report', path.join(EXPERIMENTS, 'irn'), '--out', 'irn.html')
    at.run('report', EXPERIMENTS, '--out', 'site')
  })

  describe('a sweep', () => {
    test.each(['light', 'dark'] as const)('has nothing that axe objects to, %s, wide and narrow', async (scheme) => {
      const wide = await bench.open('sweep.html', { scheme })
      await wide.read(`document.querySelector('details').open = true`)
      expect(await wide.violations()).toEqual([])
      const narrow = await bench.open('sweep.html', { scheme, width: 390 })
      expect(await narrow.violations()).toEqual([])
      expect(await narrow.read(`document.documentElement.scrollWidth`)).toBe(390)
    })

    test('begins with what was varied and how it ended, then best and worst, with names as they are', async () => {
      const page = await bench.open('sweep.html')
      expect(await page.texts('.lead')).toEqual([
        'rack <b>"one"</b> with congestion (none, dcqcn) and switch.buffer.alpha (1/64, 1/8, 1/2): 6 combinations with 3 seeds each; all 18 runs ended.',
      ])
      expect((await page.texts('.ranks dt'))[0]).toBe('highest slowdown')
      expect(await page.texts('figcaption')).toContain('highest slowdown, <script>crowd</script>')
      expect(await page.dangling()).toEqual([])
      expect(await page.texts('.source code')).toContain(
        'rocelab sweep rack.yaml --param congestion=none,dcqcn --param switch.buffer.alpha=1/64,1/8,1/2 --seeds 1,2,3 --baseline congestion=none --out sweep-again',
      )
    })

    test('sorts its points by pointer and by key, and gives them as a file in that order', async () => {
      const page = await bench.open('sweep.html')
      const alphas = (): Promise<string[]> => page.texts('.points tbody td:nth-child(2)')
      await page.page.click('.points th:nth-child(2) button')
      expect(await alphas()).toEqual(['1/64', '1/64', '1/8', '1/8', '1/2', '1/2'])
      await page.read(`document.querySelector('.points th:nth-child(2) button').focus()`)
      await page.page.keyboard.press('Enter')
      expect(await alphas()).toEqual(['1/2', '1/2', '1/8', '1/8', '1/64', '1/64'])
      const sorted = `[...document.querySelectorAll('.points th')].map((head) => head.getAttribute('aria-sort'))`
      expect((await page.read<(string | null)[]>(sorted)).slice(0, 3)).toEqual([null, 'descending', null])
      const { name, text } = await page.downloaded(bench.browser, '.points .csv')
      expect(name).toBe('points-of-rack-b-one-b-.csv')
      const table = readCsv('points', text)
      expect(textsOf(table, 'switch.buffer.alpha')).toEqual(['1/2', '1/2', '1/8', '1/8', '1/64', '1/64'])
      const [means, lows] = [numbersOf(table, 'slowdownMean'), numbersOf(table, 'slowdownMeanLow')]
      expect(Array.from(means).every((mean, row) => mean >= lows[row]!)).toBe(true)
      expect(textsOf(table, 'digests').every((each) => /^1:[0-9a-f]{16} 2:\w+ 3:\w+$/.test(each))).toBe(true)
    })

    test('prints, and reads without a script', async () => {
      const page = await bench.open('sweep.html')
      expect(await page.printed()).toBe('%PDF-')
      const plain = await bench.open('sweep.html', { hasScript: false })
      expect(await plain.texts('.points tbody tr')).toHaveLength(6)
      expect(await plain.texts('.points th button')).toEqual([])
    })

    test('of 5,000 points takes less than 8 MB and says what figures leave out', async () => {
      mkdirSync(bench.file('many'))
      writeFileSync(
        bench.file('many', 'sweep.json'),
        manyPoints(readFileSync(bench.file('sweep', 'sweep.json'), 'utf8')),
      )
      bench.run('report', 'many', '--out', 'many.html')
      expect(statSync(bench.file('many.html')).size).toBeLessThan(8e6)
      const page = await bench.open('many.html')
      expect((await page.texts('#figures .note'))[0]).toContain('room for 480 of 5000 combinations')
      expect(await page.texts('.points .count[role]')).toEqual(['5,000 combinations'])
      await page.page.click('.points th:nth-child(4) button')
      expect(await page.texts('.points tbody tr')).toHaveLength(50)
      await page.page.click('.points > button.plain')
      expect(await page.texts('.points tbody tr')).toHaveLength(100)
    })
  })

  describe('a reproduction', () => {
    test.each(['light', 'dark'] as const)('has nothing that axe objects to, %s, wide and narrow', async (scheme) => {
      const wide = await bench.open('irn.html', { scheme })
      expect(await wide.violations()).toEqual([])
      const narrow = await bench.open('irn.html', { scheme, width: 390 })
      expect(await narrow.violations()).toEqual([])
      expect(await narrow.read(`document.documentElement.scrollWidth`)).toBe(390)
    })

    test.each(['clos-ecmp', 'irn-loads', 'paths'])('%s has nothing that axe objects to', async (name) => {
      // A head without words; figures as they were stored; expectations of our own.
      expect(await (await bench.open(`site/${name}.html`)).violations()).toEqual([])
    })

    test('begins with what did not come out, counted, with the numbers of the paper and ours', async () => {
      const page = await bench.open('irn.html')
      expect((await page.texts('.lead'))[0]).toMatch(
        /^32 claims of \[IRN\] .* in 132 comparisons: 3 not reproduced, 11 partly, 15 reproduced and 3 input\.$/,
      )
      expect((await page.texts('#verdict .oddities .badge')).slice(0, 4)).toEqual([
        'not reproduced',
        'not reproduced',
        'not reproduced',
        'partly',
      ])
      expect((await page.texts('#verdict .oddities li'))[1]).toContain('paper: 1.2 ms, here: 2.12 ms (one run).')
      const verdicts = await page.texts('.claims tbody .badge')
      expect(verdicts).toHaveLength(132)
      const order = ['not reproduced', 'undecided', 'reproduced', 'input']
      expect([...new Set(verdicts)]).toEqual(order)
      expect(await page.dangling()).toEqual([])
      expect((await page.texts('.source code'))[0]).toBe('rocelab reproduce irn --size full --seeds 1')
    })

    test('sorts claims and tables by pointer and by key, and gives them as files', async () => {
      const page = await bench.open('irn.html')
      await page.read(`document.querySelector('.claims th:nth-child(1) button').focus()`)
      await page.page.keyboard.press('Enter')
      expect((await page.texts('.claims tbody .badge'))[0]).toBe('input')
      expect(await page.read(`document.querySelector('.claims th').getAttribute('aria-sort')`)).toBe('descending')
      const [table] = ['#tables .texts:nth-of-type(2)']
      await page.page.click(`${table} th:nth-child(3) button`)
      expect(await page.texts(`${table} tbody td:nth-child(3)`)).toEqual([
        '2.12 (1.20)',
        '1.11 (1.00)',
        '0.899 (0.900)',
      ])
      const { name, text } = await page.downloaded(bench.browser, '#claims > button.plain')
      expect(name).toBe('irn-claims.csv')
      const claims = readCsv('claims', text)
      expect(claims.columns.map((column) => column.name)).toEqual([
        'verdict',
        'claim',
        'statement',
        'paper',
        'here',
        'why',
      ])
      expect(claims.rowCount).toBe(132)
      expect(textsOf(claims, 'verdict')[0]).toBe('input')
    })

    test('shows the paper and ours in one figure, and each number in its band', async () => {
      const page = await bench.open('irn.html')
      expect((await page.texts('#figures figure:nth-of-type(2) svg'))[0]).toContain('paper')
      expect((await page.texts('#figure-overview .mark.bad title'))[0]).toBe(
        'irn.fig1.range [no control, 99% FCT]: paper 3.32 x, here 1.88 to 2.49 x, not reproduced',
      )
      expect(await page.read(`document.querySelectorAll('.claims svg.range .band').length`)).toBeGreaterThan(100)
    })

    test('prints, and reads without a script', async () => {
      const page = await bench.open('irn.html')
      expect(await page.printed()).toBe('%PDF-')
      const plain = await bench.open('irn.html', { hasScript: false })
      expect(await plain.texts('.claims tbody tr')).toHaveLength(132)
    })

    test('with hostile texts and figures shows the texts as they are, and leaves out the figures', async () => {
      const hostile = '<img src=x onerror=alert(1)></script>'
      cpSync(path.join(EXPERIMENTS, 'clos-ecmp'), bench.file('bad'), { recursive: true })
      for (const ending of ['.json', '.csv', '-claims.csv']) {
        const text = readFileSync(bench.file('bad', `clos-ecmp${ending}`), 'utf8')
        writeFileSync(
          bench.file('bad', `evil${ending}`),
          text.replaceAll('PFC', hostile).replaceAll('clos-ecmp', 'evil'),
        )
        writeFileSync(bench.file('bad', `clos-ecmp${ending}`), '')
      }
      for (const name of readdirSync(bench.file('bad')).filter((each) => each.endsWith('.svg'))) {
        const svg = readFileSync(bench.file('bad', name), 'utf8').replace('</svg>', '<script>alert(1)</script></svg>')
        writeFileSync(bench.file('bad', name.replace('clos-ecmp', 'evil')), svg)
      }
      mkdirSync(bench.file('evil'))
      for (const name of readdirSync(bench.file('bad')).filter((each) => each.startsWith('evil'))) {
        cpSync(bench.file('bad', name), bench.file('evil', name))
      }
      bench.run('report', 'evil', '--out', 'evil.html')
      const page = await bench.open('evil.html')
      expect((await page.texts('main')).join()).toContain(hostile)
      expect(await page.read(`document.querySelectorAll('img, body > script:not([type])').length`)).toBe(1)
      expect((await page.texts('#figures .note'))[0]).toBe(
        'Not shown, since they hold more than this program draws: evil-utilisation.',
      )
      expect((await page.texts('#verdict .note'))[0]).toContain('this program has no such experiment')
    })
  })

  describe('a site', () => {
    test.each(['light', 'dark'] as const)('has an index that axe does not object to, %s', async (scheme) => {
      const page = await bench.open('site/index.html', { scheme })
      expect(await page.violations()).toEqual([])
      expect((await page.texts('.lead'))[0]).toMatch(
        /^\d+ claims of 5 papers were run: \d+ not reproduced, \d+ partly, /,
      )
    })

    test('counts the claims of each paper as the page of docs does, where both are of runs', async () => {
      const page = await bench.open('site/index.html')
      const cells = await page.texts('table[data-csv="papers"] tbody td, table[data-csv="papers"] thead th')
      const heads = cells.slice(0, 7)
      const irn = cells.slice(cells.indexOf('IRN'), cells.indexOf('IRN') + 7)
      const states = readFileSync(path.join(ROOT, 'docs', 'reproduction.md'), 'utf8')
      const ofDocs = (state: string): string =>
        new RegExp(`^\\| ${state} \\| \\d+ \\| \\d+ \\| \\d+ \\| (\\d+) `, 'm').exec(states)?.[1] ?? ''
      for (const state of ['not reproduced', 'partly', 'undecided', 'reproduced']) {
        expect([state, irn[heads.indexOf(state)]]).toEqual([state, ofDocs(state)])
      }
    })

    test('has a page for each experiment, reached by relative links, at the place of each claim', async () => {
      const page = await bench.open('site/index.html')
      const links = await page.read<string[]>(
        `[...document.querySelectorAll('a')].map((a) => a.getAttribute('href')).filter((href) => !href.startsWith('#'))`,
      )
      const pages = new Set(links.map((link) => link.replace(/#.*/, '')))
      const folders = readdirSync(EXPERIMENTS).filter((name) => !name.endsWith('.md'))
      expect([...pages].toSorted()).toEqual(folders.map((name) => `${name}.html`).toSorted())
      for (const link of links) {
        const [name = '', id = 'main'] = link.split('#')
        expect(existsSync(bench.file('site', name)), link).toBe(true)
        expect(readFileSync(bench.file('site', name), 'utf8').includes(`id="${id}"`), link).toBe(true)
      }
      await page.page.click('#failed .oddities a')
      await page.page.waitForSelector('.claims')
      expect(await page.texts('.up a')).toEqual(['All reproductions'])
    })

    test('has pages that open without a complaint and do not run over a narrow screen', async () => {
      for (const name of readdirSync(bench.file('site'))) {
        const page = await bench.open(path.join('site', name), { width: 390 })
        expect([name, page.complaints]).toEqual([name, []])
        expect([name, await page.read(`document.documentElement.scrollWidth`)]).toEqual([name, 390])
        expect([name, await page.dangling()]).toEqual([name, []])
      }
    }, 120_000)
  })
})
