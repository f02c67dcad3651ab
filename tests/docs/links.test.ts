/** Links between pages lead somewhere. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { isThere, linksOf, PAGES, read } from './pages.ts'

test.each(PAGES)('%s links to files that are there', (page) => {
  const targets = linksOf(read(page)).map((target) => path.join(path.dirname(page), target.replace(/#.*/, '')))
  expect(targets.filter((target) => !isThere(target))).toEqual([])
})
