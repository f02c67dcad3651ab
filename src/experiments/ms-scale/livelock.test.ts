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

test('the report has a text, a page, a figure and the measures, and is reproducible', async () => {
  const report = await reportHere(livelock, 'small', [1])
  expect(report.files.map((file) => file.path)).toEqual([
    'livelock.md',
    'livelock.json',
    'livelock-goodput.svg',
    'livelock-claims.csv',
    'livelock.csv',
  ])
  expect(report.text).toContain('rce.livelock.gb0.send')
  expect(report.files[0]?.text).toContain('| rce.livelock.link-full |')
  expect(report.files[0]?.text).toContain('rocelab reproduce livelock --size small --seeds 1')
  expect(report.files[4]?.text.split('\n')).toHaveLength(8)
  expect(await reportHere(livelock, 'small', [1])).toEqual(report)
})
