/**
 * A few cases of the order that verbs promise, quick enough to be run for every mutant. All of them are in
 * tests/verbs/order.test.ts.
 */
import { expect, test } from 'vitest'
import { planCase } from '../verbs/order-case.ts'
import { runOrderCase } from '../verbs/order-checker.ts'

const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1)

test.each(SEEDS)('what is posted in order is done in order, seed %i', (seed) => {
  expect(runOrderCase(planCase(seed)).problems).toEqual([])
})
