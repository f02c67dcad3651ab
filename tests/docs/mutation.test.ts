/** The scores of docs/mutation-scores.csv are of files that are there, and their sum is that of docs/mutation.md. */
import { expect, test } from 'vitest'
import { numbersOf, readCsv, textsOf } from '../../src/core/results/index.ts'
import { exactCount } from '../../src/core/base/format.ts'
import { isThere, read } from './pages.ts'

const scores = readCsv('scores', read('docs/mutation-scores.csv'))
const files = textsOf(scores, 'file')
const [mutants, killed] = [numbersOf(scores, 'mutants'), numbersOf(scores, 'killed')]

test('every file that has a score is there, once', () => {
  expect(files.length).toBeGreaterThan(90)
  expect(files.filter((name) => !isThere(`src/${name}.ts`))).toEqual([])
  expect(files.filter((name, i) => files.indexOf(name) !== i)).toEqual([])
  expect(files.filter((_, i) => killed[i]! > mutants[i]!)).toEqual([])
})

test('the page has the sum over transport and verbs', () => {
  const sum = (of: Float64Array): number =>
    of.reduce((total, value, i) => total + (/^core\/(transport|verbs)\//.test(files[i]!) ? value : 0), 0)
  const share = `${((100 * sum(killed)) / sum(mutants)).toFixed(1)} %`
  expect(read('docs/mutation.md')).toContain(
    `${exactCount(sum(killed))} of ${exactCount(sum(mutants))} mutants were killed, ${share}`,
  )
})
