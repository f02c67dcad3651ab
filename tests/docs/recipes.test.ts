/**
 * The recipes work: their code compiles beside the program's, and with it their commands print what the pages show.
 * All are added to one copy of the program, so that they also get along with each other.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Commands } from '../support/commands.ts'
import { rerun } from './console.ts'
import { PAGES, read, ROOT, stepCountOf } from './pages.ts'
import { cook, isRecipe, type Kitchen, patched } from './recipe.ts'

const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined
const recipes = PAGES.filter((page) => isRecipe(read(page)))
const commands = new Commands()
let kitchen: Kitchen

beforeAll(() => {
  kitchen = cook(recipes.map(read))
})
afterAll(() => {
  commands.stop()
  kitchen.clear()
})

test('there is a recipe for each kind of thing that is registered', () => {
  const kinds = [
    'congestion-control',
    'experiment',
    'finding',
    'importer',
    'loss-recovery',
    'metric',
    'topology',
    'workload',
  ]
  expect(recipes).toEqual(kinds.map((kind) => `docs/recipes/${kind}.md`))
  expect(recipes.filter((page) => stepCountOf(read(page)) === 0)).toEqual([])
})

test('their code is sound', () => {
  expect(kitchen.complaints).toBe('')
})

test.each(recipes)('%s shows what its commands print', async (page) => {
  const { page: shown, program, markdown } = await rerun(page, kitchen.root, commands)
  if (isUpdate) writeFileSync(path.join(ROOT, page), markdown)
  expect(program).toEqual(isUpdate ? program : shown)
})

test('a diff that does not fit is reported', () => {
  const list = "import { b } from './b.ts'\nexport const all = [\n  a,\n  b,\n] as const\n"
  const diff =
    "+import { c } from './c.ts'\n-export const all = [...] as const\n+export const all = [..., c] as const\n"
  const after = "import { c } from './c.ts'\nimport { b } from './b.ts'\nexport const all = [a,\n  b, c] as const\n"
  expect(patched(list, diff)).toBe(after)
  expect(() => patched(list, diff.replaceAll('all', 'some'))).toThrow('no line like export const some = [')
})
