/**
 * docs/queue-pairs.md is held against the code: what it names as `src/ROOM/FILE.ts: NAME` is there.
 */
import { expect, test } from 'vitest'
import { defines, isThere, quotedIn, read } from './pages.ts'

const PAGE = read('docs/queue-pairs.md')
/** `src/core/fabric/nic/nic.ts: onTimer`, `src/lab/run/traffic.ts: #finish`. */
const FORM = /^(src\/[\w/-]+\.ts): (#?[a-zA-Z]\w*)$/

/** Cases with the text of their sections. */
const cases = PAGE.split(/^## /m)
  .slice(1)
  .map((section) => ({ name: section.slice(0, section.indexOf('\n')), text: section }))

const namesIn = (text: string): string[] => quotedIn(text).filter((quoted) => quoted.startsWith('src/'))

/** Names in a text that the code does not define, or defines in another form. */
function missingIn(text: string): string[] {
  return namesIn(text).filter((quoted) => {
    const [, file = '', name = ''] = FORM.exec(quoted) ?? []
    return file === '' || !isThere(file) || !defines(read(file), name)
  })
}

test('ten cases are described', () => {
  expect(cases.length).toBe(10)
})

test.each(cases)('$name: every function that is named is there', ({ text }) => {
  expect(missingIn(text)).toEqual([])
  expect(namesIn(text).length).toBeGreaterThan(3)
})

test('a name that is gone would be seen', () => {
  const [named] = namesIn(cases[0]!.text)
  expect(missingIn(`\`${named}\``)).toEqual([])
  expect(missingIn(`\`${named}Anew\``)).toEqual([`${named}Anew`])
  expect(missingIn('`src/core/fabric/nic/nic.ts: conceive`')).toEqual(['src/core/fabric/nic/nic.ts: conceive'])
  expect(missingIn('`src/core/fabric/stitch.ts: receive`')).toEqual(['src/core/fabric/stitch.ts: receive'])
  expect(missingIn('`src/core/fabric/nic/nic.ts` `receive()`')).toEqual(['src/core/fabric/nic/nic.ts'])
})
