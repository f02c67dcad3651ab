/**
 * The pages of the reproduction say of each claim what the experiments' pages say, no more and no less.
 * `UPDATE_DIGESTS=1 npm test -- tests/docs/reproduction` writes the table of the first page, the papers' pages and the rows.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
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
