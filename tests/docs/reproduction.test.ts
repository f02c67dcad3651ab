/**
 * Tables, claims and figures of the experiments, the rows of all claims and the count of the reproduction are what the
 * program makes of the stored runs, and the pages made from them have each of their numbers. After a change of the program
 * `UPDATE_DIGESTS=1 npm test -- tests/docs/reproduction` writes them.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { LISTED } from '../../src/papers/core/listed-claims.ts'
import { PAPERS, STATES } from '../../src/papers/core/pages/reproduction.ts'
import { experiments } from '../../src/papers/index.ts'
import { isThere, linksOf, read, ROOT } from './pages.ts'
import { checks, folders, kept, lines, pagesMade, stored } from './stored-docs.ts'

const FIRST = 'docs/reproduction.md'
const HOMES = ['test', 'notMeasured', 'contradictory', 'repeats', 'pending'] as const

if (process.env['UPDATE_DIGESTS'] !== undefined) {
  for (const { path: file, text } of kept) writeFileSync(path.join(ROOT, 'docs', file), text)
}

describe('the list of claims', () => {
  test('has all 488 claims of the five papers, each once', () => {
    expect(LISTED).toHaveLength(488)
    expect(new Set(LISTED.map(({ id }) => id)).size).toBe(488)
    const ofPaper = PAPERS.map(({ prefix }) => LISTED.filter(({ id }) => id.startsWith(prefix)).length)
    expect(ofPaper).toEqual([71, 92, 106, 158, 61])
  })

  test('gives every claim one home: checks of an experiment, a test, or the reason why there is none', () => {
    const wrong = lines
      .map(({ claim, checks: own }) => ({
        id: claim.id,
        homes: [...(own.length > 0 ? ['checks'] : []), ...HOMES.filter((home) => claim[home] !== undefined)],
      }))
      .filter(({ homes }) => homes.length !== 1)
    expect(wrong).toEqual([])
  })

  test('knows every claim that an experiment checks', () => {
    const known = new Set(LISTED.map(({ id }) => id))
    expect([...new Set(checks.map(({ id }) => id))].filter((id) => !known.has(id))).toEqual([])
  })

  test('names tests that are there, and repeated claims that are there and repeat nothing themselves', () => {
    const missing = LISTED.filter(({ test: held }) => held !== undefined && !read(held[0]!).includes(held[1]!))
    expect(missing.map(({ id }) => id)).toEqual([])
    const originals = new Map(LISTED.map((claim) => [claim.id, claim]))
    const lost = LISTED.filter(
      ({ repeats }) => repeats !== undefined && (originals.get(repeats) ?? { repeats }).repeats !== undefined,
    )
    expect(lost.map(({ id }) => id)).toEqual([])
  })

  test('names how each claim is judged, and its checks are judged so', () => {
    const judges = new Map(LISTED.map(({ id, judge }) => [id, judge]))
    const wrong = checks.filter(({ id, reason, isEarlier }) => {
      const judge = judges.get(id)
      if (isEarlier) return false
      return (
        (judge === 'sign' && reason.includes('in every seed')) ||
        (judge === 'every seed' && reason.includes('95 % interval'))
      )
    })
    expect(wrong.map(({ id, check }) => `${id} [${check}]`)).toEqual([])
  })

  test('gives no reason of priority or effort', () => {
    const excuses = LISTED.filter(({ notMeasured = '' }) =>
      /(low|third|second) priority|too (long|dear|expensive|much) to|no time (for it|left)|not worth/i.test(
        notMeasured,
      ),
    )
    expect(excuses.map(({ id }) => id)).toEqual([])
  })
})

describe('the folders of docs/experiments', () => {
  const names = experiments.map(({ name }) => name)

  test('are one for each experiment', () => {
    expect(folders.toSorted()).toEqual(names.toSorted())
  })

  test.each(kept.map(({ path: file, text }) => [file, text] as const))('%s is what the program makes', (file, text) => {
    expect(existsSync(path.join(ROOT, 'docs', file)) ? read(`docs/${file}`) : '').toBe(text)
  })

  test('have no file that the program does not make, and the rows', () => {
    const known = new Set([...kept, ...pagesMade].map(({ path: file }) => file))
    const files = folders.flatMap((folder) =>
      readdirSync(path.join(ROOT, 'docs/experiments', folder)).map((file) => `experiments/${folder}/${file}`),
    )
    const others = files.filter((file) => !known.has(file) && !folders.some((name) => file.endsWith(`/${name}.csv`)))
    // Figures and claims of an earlier reading of the paper are not drawn anew.
    expect(others.filter((file) => !/irn-(loads|scale)\//.test(file))).toEqual([])
  })
})

describe('the pages of the site', () => {
  const paths = new Set([...kept, ...pagesMade].map(({ path: file }) => file))

  test('are one for each experiment and each paper', () => {
    const papers = PAPERS.map(({ page }) => `reproduction/${page}.md`)
    const expected = [...folders.map((name) => `experiments/${name}/${name}.md`), ...papers]
    expect(pagesMade.map(({ path: file }) => file).toSorted()).toEqual(expected.toSorted())
  })

  test.each(pagesMade.map(({ path: file, text }) => [file, text] as const))(
    '%s links to what is there',
    (file, text) => {
      const targets = linksOf(text).map((target) => path.join(path.dirname(file), target.replace(/#.*/, '')))
      expect(targets.length).toBeGreaterThan(2)
      expect(targets.filter((target) => !paths.has(target) && !isThere(path.join('docs', target)))).toEqual([])
    },
  )

  test.each(stored)('$folder has its tables, figures, claims and remarks', ({ folder, info, claims }) => {
    const page = pagesMade.find(({ path: file }) => file === `experiments/${folder}/${folder}.md`)!.text
    const cells = new Set(page.split('\n').flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim())))
    const rows = info.tables.filter((table) => page.includes(`## ${table.title}\n`)).flatMap((table) => table.rows)
    expect(info.tables.filter((table) => !page.includes(table.title))).toEqual([])
    expect(rows.flat().filter((cell) => cell !== '' && !cells.has(cell.replaceAll('|', '\\|')))).toEqual([])
    expect(info.figures.filter(({ name }) => !page.includes(`(${folder}-${name}.svg)`))).toEqual([])
    expect(claims.filter(({ id }) => !cells.has(id))).toEqual([])
    expect(info.remarks.filter((remark) => !page.includes(remark))).toEqual([])
  })
})

test('no page has a placeholder of a title, and a template among the tests of claims has its words', () => {
  const placeholder = /%[a-zA-Z]/
  expect(placeholder.test('%i packets') && !placeholder.test('50 % on')).toBe(true)
  const pages = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  expect(pages.length).toBeGreaterThan(80)
  expect(pagesMade.filter(({ text }) => placeholder.test(text)).map(({ path: file }) => file)).toEqual([])
  // Programs in C have formats of their own.
  const textOf = (page: string): string => read(`docs/${page}`).replaceAll(/^```(?:c|diff) [^]*?^```/gm, '')
  expect(pages.filter((page) => placeholder.test(textOf(page)))).toEqual([])
  const raw = LISTED.filter(({ test: held }) => held !== undefined && placeholder.test(held[2] ?? held[1]!))
  expect(raw.map(({ id }) => id)).toEqual([])
})

test('a claim is counted once, by its state, and all states together are all claims', () => {
  const counts = STATES.map((state) => lines.filter((line) => line.state === state).length)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(488)
})

test('the first page is read in three minutes', () => {
  const words = read(FIRST)
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .split(/[\s|]+/)
    .filter((word) => /[A-Za-z0-9]/.test(word))
  expect(words.length).toBeLessThanOrEqual(700)
})
