/**
 * docs/reproduction.md says of each claim what the experiments' own pages say, no more and no less, and of how many seeds
 * where these are fewer than ten. docs/claims.json lists
 * claims that must have a row, by paper and in this order; one that no page measures has the test that holds it, or the
 * reason why it is not measured, written there:
 *     {"id": "...", "statement": "...", "paper": "what the paper says"}                   a page's row, or rows "id [...]"
 *     ... "test": ["src/wire/aeth.test.ts", "T-GBN-6: ..."]                            the file and the test's whole name
 *     ... "notMeasured": "why"
 * `UPDATE_DIGESTS=1 npm test -- tests/docs` writes the tables anew.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { read, ROOT } from './pages.ts'

const PAGE = 'docs/reproduction.md'
const FOLDER = 'docs/experiments'
const HEAD = ['| claim | paper | measured | verdict | from |', '|---|---|---|---|---|']

/** Papers, and how the ids of their claims begin. */
const PAPERS = { S0: 'gbn.', S1: 'srv.', S2: 'rce.', S3: 'irn.', S4: 'ldcp.' } as const

interface Listed {
  readonly id: string
  readonly statement: string
  readonly paper: string
  readonly test?: readonly [file: string, name: string]
  readonly notMeasured?: string
}
const listed = JSON.parse(read('docs/claims.json')) as readonly Listed[]

interface Row {
  /** Of the claim, without what tells two rows of one claim apart. */
  readonly id: string
  readonly text: string
}

/** Pages of runs of full size: what was cut short is not held against a paper. */
const pages = readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `${name}/${name}.md`)
  .filter((page) => readdirSync(path.join(ROOT, FOLDER, path.dirname(page))).includes(path.basename(page)))
  .filter((page) => read(`${FOLDER}/${page}`).includes('--size full'))

/** Seeds in each of which an order has to hold; a row from fewer says how many there were. */
const SEEDS = 10

/** How many seeds the command of a page names: a list or a range. */
function seedCountOf(text: string): number {
  const seeds = /--seeds ([\d,.]+)`/.exec(text)?.[1] ?? ''
  const [, first, last] = /^(\d+)\.\.(\d+)$/.exec(seeds) ?? []
  return last === undefined ? seeds.split(',').length : Number(last) - Number(first) + 1
}

/** Rows of "What of the paper holds". */
function rowsOf(page: string): Row[] {
  const text = read(`${FOLDER}/${page}`)
  const table = /## What of the paper holds\n\n([\s\S]*?)\n\n/.exec(text)?.[1] ?? ''
  const name = path.basename(page, '.md')
  const count = seedCountOf(text)
  const few = count < SEEDS ? `, ${count} ${count === 1 ? 'seed' : 'seeds'}` : ''
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.slice(2, -2).split(' | '))
    .map(([claim = '', , paper, measured, verdict]) => ({
      id: claim.replace(/ \[.*/, ''),
      text: `| ${claim} | ${paper} | ${measured} | ${verdict} | [${name}](experiments/${page})${few} |`,
    }))
}

const measured = pages.flatMap(rowsOf)

/** The rows of one claim of the list; none where nothing is said of it. */
function rowsFor({ id, paper, test: held, notMeasured }: Listed): string[] {
  const rows = measured.filter((row) => row.id === id).map((row) => row.text)
  if (held !== undefined) {
    const [file, name] = held
    rows.push(`| ${id} | ${paper} | ${name} | holds in a test | [${path.basename(file)}](../${file}) |`)
  }
  if (notMeasured !== undefined) rows.push(`| ${id} | ${paper} | - | not measured: ${notMeasured} | - |`)
  return rows
}

/** All rows of a paper: those of the list in its order, then what the pages say beyond it. */
function rowsOfPaper(prefix: string): string[] {
  const claims = listed.filter(({ id }) => id.startsWith(prefix))
  const known = new Set(claims.map(({ id }) => id))
  const beyond = measured.filter(({ id }) => id.startsWith(prefix) && !known.has(id)).map((row) => row.text)
  return [...claims.flatMap(rowsFor), ...beyond]
}

test('a list and a range of seeds are counted', () => {
  const commandOf = (seeds: string): string => `\`rocelab reproduce irn --size full --seeds ${seeds}\`, rocelab`
  expect(['1,2,3', '1..100', '7'].map((seeds) => seedCountOf(commandOf(seeds)))).toEqual([3, 100, 1])
  for (const page of pages) expect(seedCountOf(read(`${FOLDER}/${page}`)), page).toBeGreaterThan(2)
})

describe('the list of claims', () => {
  test('names each once, and every one has rows on a page, or a test, or a reason why not', () => {
    expect(listed.length).toBeGreaterThan(20)
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length)
    for (const claim of listed) {
      const homes = [
        measured.some(({ id }) => id === claim.id),
        claim.test !== undefined,
        claim.notMeasured !== undefined,
      ]
      expect(homes.filter(Boolean), claim.id).toHaveLength(1)
    }
  })

  test('names tests that are there', () => {
    const missing = listed.filter(({ test: held }) => held !== undefined && !read(held[0]).includes(`'${held[1]}'`))
    expect(missing.map(({ id }) => id)).toEqual([])
  })
})

test('every claim that an experiment of full size decided stands in docs/reproduction.md', () => {
  expect(pages.length).toBeGreaterThan(3)
  let text = read(PAGE)
  let rowCount = 0
  for (const [paper, prefix] of Object.entries(PAPERS)) {
    const rows = rowsOfPaper(prefix)
    rowCount += rows.length
    const table = new RegExp(`(\n## ${paper}: [^\n]*\n\n)((?:\\|.*\n)*)`)
    if (process.env['UPDATE_DIGESTS'] !== undefined) {
      text = text.replace(table, (_, heading: string) => `${heading}${[...HEAD, ...rows].join('\n')}\n`)
    }
    const shown = table.exec(text)?.[2]?.split('\n').slice(2, -1) ?? []
    expect(shown, paper).toEqual(rows)
  }
  expect(rowCount).toBeGreaterThan(50)
  expect(text).not.toContain('undefined')
  // No paper's rows are left out for the name of their claims.
  const prefixes = Object.values(PAPERS)
  expect(measured.filter(({ id }) => !prefixes.some((prefix) => id.startsWith(prefix)))).toEqual([])
  if (process.env['UPDATE_DIGESTS'] !== undefined) writeFileSync(path.join(ROOT, PAGE), text)
})
