/** The scores of docs/mutation.md are of files that are there, and add up; of the rooms that it lists in full none is left out. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isThere, quotedIn, read, ROOT } from './pages.ts'

const PAGE = read('docs/mutation.md')
/** Rooms whose files are scored or listed as not scored. */
const LISTED = ['cli', 'results', 'fabric', 'scenario']

interface Row {
  readonly name: string
  readonly mutants: number
  readonly killed: number
  readonly left: number
  readonly score: string
}

const rows: readonly Row[] = PAGE.split('\n').flatMap((line) => {
  const [, name = '', ...cells] = line
    .replaceAll('**', '')
    .split('|')
    .map((cell) => cell.trim())
  const [mutants, killed, left] = cells.map(Number)
  if (!/^\d+\.\d %$/.test(cells[3] ?? '')) return []
  return [{ name, mutants: mutants!, killed: killed!, left: left!, score: cells[3]! }]
})
const scored = rows.filter(({ name }) => name !== 'all')

/** "cli/main" and its like, of the lists of what is not scored. */
const unscored = LISTED.flatMap((room) => {
  const list = new RegExp(`^- of \`${room}/\`: (.*)$`, 'm').exec(PAGE)?.[1] ?? ''
  return quotedIn(list).map((name) => `${room}/${name}`)
})

const isSource = (name: string): boolean => name.endsWith('.ts') && !/\.test|(^|\/)index\.ts$/.test(name)

test('every file that has a score, or none, is there', () => {
  expect(scored.length).toBeGreaterThan(90)
  const names = [...scored.map(({ name }) => name), ...unscored]
  expect(names.filter((name) => !isThere(`src/${name}.ts`))).toEqual([])
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

test('what is left and the scores follow from what was killed', () => {
  const wrong = rows.filter(({ mutants, killed, left, score }) => {
    return left !== mutants - killed || score !== `${((100 * killed) / mutants).toFixed(1)} %`
  })
  expect(wrong).toEqual([])
})

test('the sum is that of transport and verbs', () => {
  const sum = (of: (row: Row) => number): number =>
    scored.filter(({ name }) => /^(transport|verbs)\//.test(name)).reduce((total, row) => total + of(row), 0)
  const all = rows.find(({ name }) => name === 'all')
  expect([all?.mutants, all?.killed]).toEqual([sum(({ mutants }) => mutants), sum(({ killed }) => killed)])
})

test.each(LISTED)('every file of %s is scored, or listed as not', (room) => {
  const known = new Set([...scored.map(({ name }) => name), ...unscored])
  const files = readdirSync(path.join(ROOT, 'src', room), { recursive: true, encoding: 'utf8' }).filter(isSource)
  expect(files.map((name) => `${room}/${name.replace(/\.ts$/, '')}`).filter((name) => !known.has(name))).toEqual([])
})
