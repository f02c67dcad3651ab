/**
 * Console blocks of the pages show what the program prints, and pictures what it draws. After a change that means to move numbers:
 * `UPDATE_DIGESTS=1 npm test -- tests/docs` writes them anew.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Commands } from '../support/commands.ts'
import { partOf, partsOf, rerun, UNTYPED } from './console.ts'
import { PAGES, read, ROOT, stepCountOf } from './pages.ts'
import { isRecipe } from './recipe.ts'

const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined
const pages = PAGES.filter((page) => stepCountOf(read(page)) > 0 && !isRecipe(read(page)))

const commands = new Commands()
afterAll(() => commands.stop())

test('there are commands in the pages', () => {
  expect(pages).toContain('README.md')
  expect(stepCountOf(read('README.md'))).toBeGreaterThan(4)
})

test.each(pages)('%s shows what its commands print', async (page) => {
  const { page: shown, program, markdown, figures } = await rerun(page, ROOT, commands)
  if (isUpdate) {
    writeFileSync(path.join(ROOT, page), markdown)
    for (const { path: file, drawn } of figures) {
      mkdirSync(path.dirname(path.join(ROOT, file)), { recursive: true })
      writeFileSync(path.join(ROOT, file), drawn)
    }
  }
  expect(program).toEqual(isUpdate ? program : shown)
  for (const { path: file, shown: old, drawn } of isUpdate ? [] : figures) expect(old === drawn, file).toBe(true)
})

test('the first page is typed from top to bottom, but for commands with a reason', () => {
  const readme = read('README.md')
  const typed = partsOf(readme).flatMap((part) => part.typed)
  expect(typed).toContain('npm start -- plot blocked')
  expect(typed).toContain('npm start -- locate probes')
  expect(typed.length).toBeGreaterThan(25)
  for (const command of Object.keys(UNTYPED)) expect(readme).toContain(`\`${command}\``)
})

test('no two blocks of README and guides make a result of the same name, so that all can be typed in one folder', () => {
  const names = pages
    .filter((page) => page === 'README.md' || page.startsWith('docs/guides/'))
    .flatMap((page) =>
      [...read(page).matchAll(/^\$ npm start -- (?:run|sweep) .*--out (\S+)/gm)].map(([, name]) => ({ page, name })),
    )
  const again = names.filter(({ name }, i) => names.findIndex((one) => one.name === name) < i)
  expect(again).toEqual([])
  expect(names.length).toBeGreaterThan(20)
})

test('a number that moved, and a line that is gone, would be seen', () => {
  const lines = ['seed   1', 'drops  3', 'end']
  expect(partOf(lines, ['...', 'drops  2', '...'])).toEqual(['...', 'drops  3', '...'])
  expect(() => partOf(lines, ['...', 'pauses  2'])).toThrow('no line that begins with "pauses"')
  expect(partOf(lines, ['seed   1'])).toEqual(lines)
})
