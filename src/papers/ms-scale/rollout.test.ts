import { expect, test } from 'vitest'
import { findingsHere } from '../core/run-here.test-run.ts'
import { rollout, SCOPES, STEPS } from './rollout.ts'

test('each step of the roll-out keeps what PFC covers from loss, and moves losses and pauses up a tier', () => {
  const { outcomes, findings } = findingsHere(rollout, 'small', [3])
  const of = (name: string) => outcomes.find(({ at }) => at['step'] === name && at['control'] === 'none')!.measures
  const [, , without, tor, podset, spine] = STEPS.map(({ name }) => of(name))
  for (const { name, covered } of STEPS)
    expect([name, covered.map((scope) => of(name)[`lost.${scope}`])]).toEqual([name, covered.map(() => 0)])
  for (const scope of SCOPES) expect(without![`lost.${scope}`]).toBeGreaterThan(0)
  expect([tor!['lost.podset']! > 0, tor!['lost.across']! > 0, podset!['lost.across']! > 0]).toEqual([true, true, true])
  // Who is paused: nobody, servers, servers and ToRs, all.
  const paused = [without, tor, podset, spine].map((m) =>
    ['server', 'ToR', 'leaf', 'spine'].filter((tier) => m![`pausedMs.${tier}`]! > 0),
  )
  expect(paused[0]).toEqual([])
  expect(paused[1]).toEqual(['server'])
  expect(paused[2]).not.toContain('spine')
  expect(paused[3]).toEqual(['server', 'ToR', 'leaf', 'spine'])
  expect(findings.claims.map(({ id, verdict }) => [id, verdict])).toEqual([['rce.deploy.steps', 'input']])
})
