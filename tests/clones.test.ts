/** The step `clones` of `npm run check` finds code that stands twice, and leaves alone what does not count. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findClones } from '../scripts/clones.mjs'

/** The clones in a project that has these files, paths below src/. */
function clonesIn(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'rocelab-clones-test-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(root, 'src', name)
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    return findClones(root, ['src'])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Statements of `tokenCount` tokens, five to a line and the rest on the last; those of another name have nothing in common. */
function block(tokenCount: number, name = 'a'): string {
  const lines = Array.from({ length: Math.floor(tokenCount / 5) }, (_, i) => `${name}${i} = b${i} + ${i}`)
  const rest = ['', 'z\n', '!z\n', 'z = 1\n', 'z = !y\n'][tokenCount % 5]!
  return `${lines.join('\n')}\n${rest}`
}

/** Two files that have only this text in common: from line 2 in one, from line 3 in the other. */
const twice = (text: string) => ({
  'one.ts': `let one\n${text}class One {}\n${block(60, 'one')}`,
  'two/two.ts': `export const second = 2\nlet more\n${text}if (more) throw second\n${block(60, 'two')}`,
})

test('a block of 60 tokens in two files is found, with its lines, and one of 40 is not', () => {
  expect(clonesIn(twice(block(60)))).toEqual(['src/one.ts:2-13 = src/two/two.ts:3-14, 60 tokens'])
  expect(clonesIn(twice(block(40)))).toEqual([])
})

test('51 tokens are too many, 50 are not', () => {
  expect(clonesIn(twice(block(51)))).toEqual(['src/one.ts:2-12 = src/two/two.ts:3-13, 51 tokens'])
  expect(clonesIn(twice(block(50)))).toEqual([])
})

test('a block that stands twice in one file is found', () => {
  const text = `let one\n${block(60)}while (two) three()\n${block(60)}class Four {}\n`
  expect(clonesIn({ 'one.ts': text })).toEqual(['src/one.ts:2-13 = src/one.ts:15-26, 60 tokens'])
})

test('one other name or number in the middle leaves two blocks that are short enough', () => {
  const { 'one.ts': one, ...rest } = twice(block(60))
  expect(clonesIn({ 'one.ts': one.replace('b5 + 5', 'b5 + 6'), ...rest })).toEqual([])
  expect(clonesIn({ 'one.ts': one.replace('b5 + 5', 'c5 + 5'), ...rest })).toEqual([])
})

test('layout and comments hide nothing', () => {
  const { 'one.ts': one, ...rest } = twice(block(60))
  const commented = one.replaceAll(' + ', ' /* plus */ +\n  ')
  expect(clonesIn({ 'one.ts': commented, ...rest })).toEqual(['src/one.ts:2-25 = src/two/two.ts:3-14, 60 tokens'])
})

const names = Array.from({ length: 40 }, (_, i) => `name${i}`)
const parameters = names.map((name) => `${name}: number`).join(', ')

test.each([
  ['imports', `import { ${names.join(', ')} } from './names.ts'\n`],
  ['exports from another file', `export { ${names.join(', ')} } from './names.ts'\n`],
  ['parameters of a function', `function f(${parameters}) {}\n`],
  ['parameters of a constructor', `class A { constructor(${parameters}) {} }\n`],
  ['parameters of a method', `const a = { f(${parameters}) {} }\n`],
  ['parameters of an inner function', `const f = () => (${parameters}) => 0\n`],
  ['parameters in a type', `type F = (${parameters}) => void\n`],
  ['parameters with a default', `function f({ ${names.join(', ')} } = all) {}\n`],
])('%s do not count', (_what, text) => {
  expect(clonesIn(twice(text))).toEqual([])
})

test('arguments and exports of the file itself count', () => {
  const found = 'src/one.ts:2-2 = src/two/two.ts:3-3'
  expect(clonesIn(twice(`f(${names.join(', ')})\n`))).toEqual([`${found}, 82 tokens`])
  expect(clonesIn(twice(`export { ${names.join(', ')} }\n`))).toEqual([`${found}, 82 tokens`])
})

test('a block is found behind signatures of every kind', () => {
  const text = `class A { [key: string]: number\n set x(value: number) { f((y) => y, z => z) }\n}\n${block(60)}`
  const { 'one.ts': one } = twice(text)
  const { 'two/two.ts': two } = twice(block(60))
  expect(clonesIn({ 'one.ts': one, 'two/two.ts': two })).toEqual(['src/one.ts:5-16 = src/two/two.ts:3-14, 60 tokens'])
})

test('tests, and what serves them, may repeat', () => {
  const { 'one.ts': one, 'two/two.ts': two } = twice(block(60))
  expect(clonesIn({ 'one.ts': one, 'two.test.ts': two, 'two.test-bench.ts': two })).toEqual([])
})

test('a folder without sources is a mistake and not a pass', () => {
  expect(() => clonesIn({ 'one.test.ts': block(60) })).toThrow('jscpd failed')
})
