/**
 * What the pages show of the program is what it prints. After a change that means to move numbers:
 * `UPDATE_DIGESTS=1 npm test -- tests/docs` writes them anew.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, printed, shownOf, stepsOf } from './console.ts'
import { fencesOf, PAGES, read, ROOT } from './pages.ts'

const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined
const pages = PAGES.filter((page) => fencesOf(read(page)).some(({ language }) => language === 'console'))

test('there are commands in the pages', () => {
  expect(pages).toContain('README.md')
})

test.each(pages)('%s shows what its commands print', (page) => {
  const markdown = read(page)
  const { folder, clear } = folderOf(markdown)
  try {
    let fresh = markdown
    for (const fence of fencesOf(markdown).filter(({ language }) => language === 'console')) {
      const steps = stepsOf(fence)
      expect(steps.length).toBeGreaterThan(0)
      const now = steps.map(({ command, output }) => ({ command, output: shownOf(printed(folder, command), output) }))
      if (isUpdate) fresh = fresh.replace(fence.text, () => textOf(now))
      else expect(now).toEqual(steps)
    }
    if (isUpdate) writeFileSync(path.join(ROOT, page), fresh)
  } finally {
    clear()
  }
})

function textOf(steps: readonly { readonly command: string; readonly output: readonly string[] }[]): string {
  return steps.map(({ command, output }) => [`$ ${command}`, ...output, ''].join('\n')).join('')
}
