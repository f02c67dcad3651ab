/**
 * The pages of the reproduction say of each claim what the experiments' pages say, no more and no less.
 * `UPDATE_DIGESTS=1 npm test -- tests/docs/reproduction` writes the table of the first page, the papers' pages and the rows.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { experiments } from '../../src/experiments/index.ts'
import { read, ROOT } from './pages.ts'
import { HOMES, lines, listed, PAPERS, paperPage, rows, rowsCsv, stateTable, STATES } from './reproduction.ts'

const FIRST = 'docs/reproduction.md'
const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined

/** The file as it is, and as it should be. */
function kept(file: string, text: string): string {
  if (isUpdate) writeFileSync(path.join(ROOT, file), text)
  return read(file)
}

describe('the list of claims', () => {
  test('has all 488 claims of the five papers, each once', () => {
    expect(listed).toHaveLength(488)
    expect(new Set(listed.map(({ id }) => id)).size).toBe(488)
    const ofPaper = PAPERS.map(({ prefix }) => listed.filter(({ id }) => id.startsWith(prefix)).length)
    expect(ofPaper).toEqual([71, 92, 106, 158, 61])
  })

  test('gives every claim one home: rows in a page, a test, or the reason why there is none', () => {
    const wrong = lines
      .map(({ claim, rows: own }) => ({
        id: claim.id,
        homes: [...(own.length > 0 ? ['rows'] : []), ...HOMES.filter((home) => claim[home] !== undefined)],
      }))
      .filter(({ homes }) => homes.length !== 1)
    expect(wrong).toEqual([])
  })

  test('knows every claim that a page has rows of', () => {
    const known = new Set(listed.map(({ id }) => id))
    expect([...new Set(rows.map(({ claim }) => claim))].filter((id) => !known.has(id))).toEqual([])
  })

  test('names tests that are there, and repeated claims that are there and repeat nothing themselves', () => {
    const missing = listed.filter(({ test: held }) => held !== undefined && !read(held[0]).includes(held[1]))
    expect(missing.map(({ id }) => id)).toEqual([])
    const originals = new Map(listed.map((claim) => [claim.id, claim]))
    const lost = listed.filter(
      ({ repeats }) => repeats !== undefined && (originals.get(repeats) ?? { repeats }).repeats !== undefined,
    )
    expect(lost.map(({ id }) => id)).toEqual([])
  })

  test('names how each claim is judged, and its rows are judged so', () => {
    const judges = new Map(listed.map(({ id, judge }) => [id, judge]))
    const wrong = rows.filter(({ claim, reason, isEarlier }) => {
      const judge = judges.get(claim)
      if (isEarlier) return false
      return (
        (judge === 'sign' && reason.includes('in every seed')) ||
        (judge === 'every seed' && reason.includes('95 % interval'))
      )
    })
    expect(wrong.map(({ claim, check }) => `${claim} [${check}]`)).toEqual([])
  })

  test('gives no reason of priority or effort', () => {
    const excuses = listed.filter(({ notMeasured = '' }) =>
      /(low|third|second) priority|too (long|dear|expensive|much) to|no time (for it|left)|not worth/i.test(
        notMeasured,
      ),
    )
    expect(excuses.map(({ id }) => id)).toEqual([])
  })
})

describe('the folders of docs/experiments', () => {
  const folders = readdirSync(path.join(ROOT, 'docs/experiments'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
  const names = experiments.map(({ name }) => name)

  test('each belong to an experiment, and each experiment has one, with its page in the list', () => {
    expect(folders.map((folder) => folder.replace(/-small$/, '')).filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => !folders.includes(name))).toEqual([])
    const list = read('docs/experiments/README.md')
    const pageOf = (folder: string): string => `${folder}/${folder.replace(/-small$/, '')}.md`
    expect(folders.map(pageOf).filter((page) => !list.includes(`(${page})`))).toEqual([])
    expect(folders.map(pageOf).filter((page) => !existsSync(path.join(ROOT, 'docs/experiments', page)))).toEqual([])
  })

  test('are counted where their experiment is there, and no others', () => {
    const counted = new Set(rows.map(({ experiment }) => experiment))
    expect([...counted].filter((name) => !names.includes(name))).toEqual([])
    const stored = new Set(
      read('docs/reproduction/rows.csv')
        .split('\n')
        .slice(1, -1)
        .flatMap((line) => names.filter((name) => line.includes(`,${name},`))),
    )
    expect([...stored].toSorted()).toEqual([...counted].toSorted())
  })
})

test('no page has a placeholder of a title, and a template among the tests of claims has its words', () => {
  const placeholder = /%[a-zA-Z]/
  expect(placeholder.test('%i packets') && !placeholder.test('50 % on')).toBe(true)
  const pages = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  expect(pages.length).toBeGreaterThan(100)
  expect(pages.filter((page) => placeholder.test(read(`docs/${page}`)))).toEqual([])
  const raw = listed.filter(({ test: held }) => held !== undefined && placeholder.test(held[2] ?? held[1]))
  expect(raw.map(({ id }) => id)).toEqual([])
})

test('a claim is counted once, by its state, and all states together are all claims', () => {
  const counts = STATES.map((state) => lines.filter((line) => line.state === state).length)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(488)
  const last = stateTable().split('\n').at(-1)!
  expect(last).toMatch(/^\| all \|.*\| 488 \|$/)
})

test('the first page has the count, and is read in three minutes', () => {
  const shown = /<!-- states -->\n([\s\S]*?)\n?<!-- end -->/
  const text = read(FIRST).replace(shown, () => `<!-- states -->\n${stateTable()}\n<!-- end -->`)
  expect(kept(FIRST, text)).toBe(text)
  expect(shown.exec(text)?.[1]).toBe(stateTable())
  const words = text
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .split(/[\s|]+/)
    .filter((word) => /[A-Za-z0-9]/.test(word))
  expect(words.length).toBeLessThanOrEqual(700)
})

test.each(PAPERS.map((paper) => [paper.name, paper] as const))(
  'the page of %s has a line for each claim',
  (_, paper) => {
    expect(kept(`docs/reproduction/${paper.page}.md`, paperPage(paper))).toBe(paperPage(paper))
  },
)

test('every check of every claim stands in the rows', () => {
  expect(rows.length).toBeGreaterThan(500)
  expect(kept('docs/reproduction/rows.csv', rowsCsv())).toBe(rowsCsv())
})
