/** Links between pages lead somewhere: to a file, and in a page to a section. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, isThere, linksOf, PAGES, read } from './pages.ts'

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** Links of a page to sections that are not there. */
function deadIn(page: string, markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([\w./-]*)#([\w-]+)\)/g)].flatMap(([, file = '', anchor = '']) => {
    const target = file === '' ? markdown : read(path.join(path.dirname(page), file))
    const headings = blocksOf(target).flatMap((block) =>
      [...block.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text),
    )
    return headings.map(anchorOf).includes(anchor) ? [] : [`${file}#${anchor}`]
  })
}

test.each(PAGES)('%s links to files that are there', (page) => {
  const targets = linksOf(read(page)).map((target) => path.join(path.dirname(page), target.replace(/#.*/, '')))
  expect(targets.filter((target) => !isThere(target))).toEqual([])
})

test.each(PAGES)('%s links to sections that are there', (page) => {
  expect(deadIn(page, read(page))).toEqual([])
})

test('a section that is gone would be seen', () => {
  expect(deadIn('README.md', '[a](#one-two)\n\n## One: two\n')).toEqual([])
  expect(deadIn('README.md', '[a](#one)\n\n## One: two\n')).toEqual(['#one'])
  expect(deadIn('README.md', '[a](STYLE.md#shape) [b](STYLE.md#shapes)')).toEqual(['STYLE.md#shapes'])
})
