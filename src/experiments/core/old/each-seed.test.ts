import { expect, test } from 'vitest'
import { claimsInEachSeed } from './each-seed.ts'
import type { Outcome } from './plan.ts'
import { exactClaim } from '../findings.ts'
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

test('a claim has to hold in every seed that was run', () => {
  const ten = [6, 7, 8, 9, 6, 7, 8, 9, 6, 9]
  expect(judged(ten)).toMatchObject({ verdict: 'reproduced', reason: 'Above 5.', seeds: { held: 10, of: 10 } })
  expect(judged([...ten, 1])).toMatchObject({ verdict: 'not reproduced', seeds: { held: 10, of: 11 } })
})

test('a mean that holds is not enough', () => {
  expect(judged([6, 7, 8, 9, 4, 7, 8, 9, 6, 9])).toMatchObject({
    measured: '7.3',
    verdict: 'not reproduced',
    reason: 'Above 5. It has to hold in every seed.',
  })
})

test('a claim that fails over all runs keeps its verdict, whatever single seeds show', () => {
  expect(judged([1, 2, 9])).toMatchObject({ measured: '4', verdict: 'not reproduced', reason: 'Above 5.' })
})
