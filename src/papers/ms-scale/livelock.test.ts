import { expect, test } from 'vitest'
import { livelock } from './livelock.ts'
import { findingsHere, reportHere } from '../core/run-here.test-run.ts'

const SEEDS = [1, 5]

test('go-back-0 has no goodput over a full link, go-back-N makes progress', () => {
  const { outcomes, findings } = findingsHere(livelock, 'small', SEEDS)
  expect(outcomes).toHaveLength(12)
  for (const { at, measures } of outcomes) {
    expect(measures['linkUse'], at['operation'] as string).toBeGreaterThan(0.99)
    expect(measures['dropsPer256'], at['operation'] as string).toBe(1)
    const { least, most } = at['recovery'] === 'go-back-0' ? { least: 0, most: 0 } : { least: 30e9, most: 40e9 }
    expect(measures['goodputBps'], at['operation'] as string).toBeGreaterThanOrEqual(least)
    expect(measures['goodputBps'], at['operation'] as string).toBeLessThanOrEqual(most)
  }
  expect(findings.claims.map((claim) => claim.verdict)).toEqual(findings.claims.map(() => 'reproduced'))
})

test('the phase moves the losses', () => {
  const { outcomes } = findingsHere(livelock, 'small', SEEDS)
  const digests = outcomes.map((outcome) => outcome.digest)
  expect(new Set(digests).size).toBe(digests.length)
})

test('the report is reproducible', async () => {
  expect(await reportHere(livelock, 'small', [1])).toEqual(await reportHere(livelock, 'small', [1]))
})
