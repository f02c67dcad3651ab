/**
 * docs/queue-pairs.md is held against the code: what it names as `src/ROOM/FILE.ts: NAME` is there.
 */
import { expect, test } from 'vitest'
import { defines, isThere, quotedIn, read } from './pages.ts'

const PAGE = read('docs/queue-pairs.md')
/** `src/fabric/nic/nic.ts: onTimer`, `src/lab/run/traffic.ts: #finish`. */
const FORM = /^(src\/[\w/-]+\.ts): (#?[a-zA-Z]\w*)$/

/** Questions with the text of their answers. */
const answers = PAGE.split(/^## /m)
  .slice(1)
  .map((section) => ({ question: section.slice(0, section.indexOf('\n')), text: section }))

const namesIn = (text: string): string[] => quotedIn(text).filter((quoted) => quoted.startsWith('src/'))

/** Names in a text that the code does not define, or defines in another form. */
function missingIn(text: string): string[] {
  return namesIn(text).filter((quoted) => {
    const [, file = '', name = ''] = FORM.exec(quoted) ?? []
    return file === '' || !isThere(file) || !defines(read(file), name)
  })
}

test('ten questions are answered', () => {
  expect(answers.length).toBe(10)
})

test.each(answers)('$question: every function that is named is there', ({ text }) => {
  expect(missingIn(text)).toEqual([])
  expect(namesIn(text).length).toBeGreaterThan(3)
})

test('a name that is gone would be seen', () => {
  const [named] = namesIn(answers[0]!.text)
  expect(missingIn(`\`${named}\``)).toEqual([])
  expect(missingIn(`\`${named}Anew\``)).toEqual([`${named}Anew`])
  expect(missingIn('`src/fabric/nic/nic.ts: conceive`')).toEqual(['src/fabric/nic/nic.ts: conceive'])
  expect(missingIn('`src/fabric/stitch.ts: receive`')).toEqual(['src/fabric/stitch.ts: receive'])
  expect(missingIn('`src/fabric/nic/nic.ts` `receive()`')).toEqual(['src/fabric/nic/nic.ts'])
})
