/** States of claims with several checks. */
import { expect, test } from 'vitest'
import { claimState } from './claim-state.ts'
import type { Verdict } from '../findings.ts'

test.each<[Verdict[], string]>([
  [['reproduced', 'reproduced', 'input'], 'reproduced'],
  [['reproduced', 'undecided'], 'partly'],
  [['reproduced', 'not reproduced'], 'partly'],
  [['undecided', 'not reproduced'], 'not reproduced'],
  [['undecided', 'undecided'], 'undecided'],
  [['input', 'input'], 'input'],
  [['not judged'], 'not judged'],
  [['direction only', 'not judged'], 'direction only'],
  [['direction only', 'other direction'], 'partly'],
  [['other direction', 'direction undecided'], 'other direction'],
  [['direction undecided'], 'direction undecided'],
])('%j together are %s', (verdicts, state) => {
  expect(claimState(verdicts)).toBe(state)
})
