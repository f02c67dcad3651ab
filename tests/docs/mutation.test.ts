/** The scores of docs/mutation.md are of files that are there, and add up. */
import { expect, test } from 'vitest'
import { isThere, read } from './pages.ts'

const PAGE = read('docs/mutation.md')

interface Row {
  readonly name: string
  readonly mutants: number
  readonly killed: number
  readonly score: string
}

const rows: readonly Row[] = PAGE.split('\n').flatMap((line) => {
  const [, name = '', ...cells] = line
    .replaceAll('**', '')
    .split('|')
    .map((cell) => cell.trim())
  const [mutants, killed] = cells.map(Number)
  if (!/^\d+\.\d %$/.test(cells[2] ?? '')) return []
  return [{ name, mutants: mutants!, killed: killed!, score: cells[2]! }]
})
const scored = rows.filter(({ name }) => name !== 'all')

test('every file that has a score is there, once', () => {
  expect(scored.length).toBeGreaterThan(90)
  const names = scored.map(({ name }) => name)
  expect(names.filter((name) => !isThere(`src/${name}.ts`))).toEqual([])
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})

test('the scores follow from the counts', () => {
  const wrong = rows.filter(({ mutants, killed, score }) => score !== `${((100 * killed) / mutants).toFixed(1)} %`)
  expect(wrong).toEqual([])
})

test('the sum is that of transport and verbs', () => {
  const sum = (of: (row: Row) => number): number =>
    scored.filter(({ name }) => /^(transport|verbs)\//.test(name)).reduce((total, row) => total + of(row), 0)
  const all = rows.find(({ name }) => name === 'all')
  expect([all?.mutants, all?.killed]).toEqual([sum(({ mutants }) => mutants), sum(({ killed }) => killed)])
})
