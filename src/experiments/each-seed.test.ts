import { expect, test } from 'vitest'
import { claimsInEachSeed } from './each-seed.ts'
import type { Outcome } from './experiment.ts'
import { exactClaim } from './findings.ts'
import { overSeeds } from './over-seeds.ts'

const outcomesOf = (values: readonly number[]): Outcome[] =>
  values.map((value, i) => ({ condition: 'a', seed: i + 1, digest: `${i}`, measures: { value } }))

/** "More than 5", of the mean. */
const judged = (values: readonly number[]) =>
  claimsInEachSeed(outcomesOf(values), (outcomes) => {
    const { mean } = overSeeds(outcomes, 'a', (measures) => measures['value']!)
    const holds = mean > 5
    return [exactClaim({ id: 'x', statement: '', paper: '', measured: `${mean}`, holds, reason: 'Above 5.' })]
  })[0]!

test('what ten seeds show one by one is reproduced', () => {
  const ten = [6, 7, 8, 9, 6, 7, 8, 9, 6, 9]
  expect(judged(ten)).toMatchObject({ verdict: 'reproduced', reason: 'Above 5.' })
  // An eleventh does not decide.
  expect(judged([...ten, 1]).verdict).toBe('reproduced')
})

test('the mean of the seeds is not enough', () => {
  expect(judged([6, 7, 8, 9, 4, 7, 8, 9, 6, 9])).toMatchObject({
    measured: '7.3; holds in 9 of 10 seeds',
    verdict: 'not reproduced',
  })
})

test('few seeds decide nothing, but where they show the same', () => {
  expect(judged([6, 7, 8])).toMatchObject({
    verdict: 'undecided',
    reason: 'Above 5. It has to be 10 seeds, and 3 are too few to say.',
  })
  expect(judged([6]).verdict).toBe('undecided')
  expect(judged([6, 6, 6]).verdict).toBe('reproduced')
})

test('what is not seen in all of them together is not looked for in each', () => {
  expect(judged([1, 2, 9])).toMatchObject({ measured: '4', verdict: 'not reproduced', reason: 'Above 5.' })
})
