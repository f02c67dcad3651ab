import { expect, test } from 'vitest'
import { claimsInEachSeed } from './each-seed.ts'
import { exact } from './findings.ts'
import { Runs } from './runs.ts'

/** "More than 5", of the mean. */
function judged(values: readonly number[]) {
  const runs = new Runs(values.map((value, i) => ({ at: {}, seed: i + 1, digest: `${i}`, measures: { value } })))
  return claimsInEachSeed(runs, (some) => {
    const { mean } = some.mean('value')
    return [exact('x', { statement: '', paper: '', holds: mean > 5, measured: `${mean}`, reason: 'Above 5.' })]
  })[0]!
}

test('a claim has to hold in every seed that was run', () => {
  const ten = [6, 7, 8, 9, 6, 7, 8, 9, 6, 9]
  expect(judged(ten)).toMatchObject({ verdict: 'reproduced', seeds: { held: 10, of: 10 } })
  expect(judged([...ten, 1])).toMatchObject({ verdict: 'not reproduced', seeds: { held: 10, of: 11 } })
})

test('a mean that holds is not enough, and one that fails fails', () => {
  expect(judged([6, 7, 8, 9, 4, 7, 8, 9, 6, 9])).toMatchObject({ measured: '7.3', verdict: 'not reproduced' })
  expect(judged([1, 2, 9])).toMatchObject({ measured: '4', verdict: 'not reproduced', seeds: { held: 1, of: 3 } })
})
