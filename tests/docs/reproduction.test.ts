/**
 * docs/reproduction.md says of each claim what the experiments' own pages say, no more and no less.
 * `UPDATE_DIGESTS=1 npm test -- tests/docs` writes its table anew.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { read, ROOT } from './pages.ts'

const PAGE = 'docs/reproduction.md'
const FOLDER = 'docs/experiments'
const HEAD = ['| experiment | claim | paper | measured | verdict |', '|---|---|---|---|---|']

/** Pages of runs of full size: what was cut short is not held against a paper. */
const pages = readdirSync(path.join(ROOT, FOLDER), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `${name}/${name}.md`)
  .filter((page) => readdirSync(path.join(ROOT, FOLDER, path.dirname(page))).includes(path.basename(page)))
  .filter((page) => read(`${FOLDER}/${page}`).includes('--size full'))

/** Cells of the rows of "What of the paper holds". */
function claimsOf(page: string): string[][] {
  const table = /## What of the paper holds\n\n([\s\S]*?)\n\n/.exec(read(`${FOLDER}/${page}`))?.[1] ?? ''
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.slice(2, -2).split(' | '))
}

const rowsOf = (page: string): string[] =>
  claimsOf(page).map(([claim, , paper, measured, verdict]) => {
    const name = path.basename(page, '.md')
    return `| [${name}](experiments/${page}) | ${claim} | ${paper} | ${measured} | ${verdict} |`
  })

test('every claim that an experiment of full size decided stands in docs/reproduction.md', () => {
  const rows = pages.flatMap(rowsOf)
  expect(pages.length).toBeGreaterThan(2)
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.every((row) => !row.includes('undefined'))).toBe(true)
  const text = read(PAGE)
  if (process.env['UPDATE_DIGESTS'] !== undefined) {
    const written = text.replace(/\| experiment \|[\s\S]*?\n\n/, `${[...HEAD, ...rows].join('\n')}\n\n`)
    writeFileSync(path.join(ROOT, PAGE), written)
    return
  }
  const shown = text.split('\n').filter((line) => line.startsWith('| ['))
  expect(shown).toEqual(rows)
})
