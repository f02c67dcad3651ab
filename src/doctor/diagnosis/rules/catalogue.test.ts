/**
 * Rules and the catalogue of findings: each rule is there, in the same order, and known by its name in small letters.
 */
import { expect, test } from 'vitest'
import { FINDING_KINDS } from '../../../core/findings/index.ts'
import { RULES } from './index.ts'

test('the catalogue has all kinds of all rules, in the order of the rules', () => {
  const ids = [...new Set(RULES.flatMap(({ kinds }) => kinds.map(({ rule }) => rule.toLowerCase())))]
  expect(ids.length).toBeGreaterThan(50)
  const known = FINDING_KINDS.map(({ id }) => id)
  expect(known.filter((id) => ids.includes(id))).toEqual(ids)
})
