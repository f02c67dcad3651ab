/** Every case of the suite has a planted fault that makes it fail. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { failsWith, wrong } from '../support/planted.ts'

const folder = import.meta.dirname
const page = readFileSync(path.join(folder, '../../docs/models/conformance.md'), 'utf8')

test('each case of the page but those that are not applicable has one', () => {
  const rows = [...page.matchAll(/^\| ([A-Z]\d+) \| (.*) \|$/gm)]
  expect(rows).toHaveLength(56)
  const cases = rows.filter(([, , text]) => !text!.includes('not applicable')).map(([, id]) => id)
  const sources = readdirSync(folder).filter((name) => name.endsWith('.test.ts') && name !== 'planted.test.ts')
  const texts = sources.map((name) => readFileSync(path.join(folder, name), 'utf8'))
  const planted = texts.flatMap((text) => [...text.matchAll(/failsWith\(\s*'([A-Z]\d+)'/g)].map(([, id]) => id))
  expect([...new Set(planted)].toSorted()).toEqual(cases.toSorted())
})

class Doubler {
  of(n: number): number {
    return 2 * n
  }
}
const checkDoubler = (): void => expect(new Doubler().of(4)).toBe(8)
failsWith(
  'itself',
  'a sum one too large',
  wrong(Doubler.prototype, 'of', (_self, right, n) => Number(right(n)) + 1),
  checkDoubler,
)

test('a fault is taken out again, and a method that is not there is none', () => {
  checkDoubler()
  expect(wrong(Doubler.prototype, 'off', () => 0)).toThrow('no method off')
})
