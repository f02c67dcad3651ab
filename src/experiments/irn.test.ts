import { expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { formatScenario, parseScenario } from '../scenario/index.ts'
import type { Measures, Outcome } from './experiment.ts'
import { irn } from './irn.ts'
import { arm, armName } from './irn-arms.ts'

/** The default case on 16 hosts, for a millisecond and a half. */
function shortRun(condition: string, seed: number): Measures {
  const point = irn.plan.points('full', seed).find((each) => each.condition === condition)!
  const sets = ['topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
  return irn.plan.measure(run(parseScenario(formatScenario(point.scenario), { sets })), point)
}

test('IRN needs no PFC and beats RoCE with it, without congestion control', () => {
  const [alone, withPfc, roce] = [
    arm('irn', 'no PFC', 'none'),
    arm('irn', 'PFC', 'none'),
    arm('roce', 'PFC', 'none'),
  ].map((each) => shortRun(armName(each), 1))
  expect(alone!['drops']).toBeGreaterThan(0)
  expect([withPfc!['drops'], alone!['unfinishedFlows'], withPfc!['unfinishedFlows']]).toEqual([0, 0, 0])
  expect(alone!['meanSlowdown']).toBeLessThan(withPfc!['meanSlowdown']!)
  expect(alone!['meanSlowdown']).toBeLessThan(roce!['meanSlowdown']!)
  expect(alone!['singleP990Ps']).toBeLessThan(roce!['singleP990Ps']!)
})

test('what IRN loses with go-back-N shows in what it sends again', () => {
  const whole = shortRun(armName(arm('irn', 'no PFC', 'none')), 1)
  const back = shortRun(armName(arm('irn with go-back-n', 'no PFC', 'none')), 1)
  expect(back['retransmissions']).toBeGreaterThan(1.5 * whole['retransmissions']!)
})

test('its claims name each arm that was run, and an ordering that fails in one seed is not reproduced', () => {
  const outcomes: Outcome[] = [1, 2].flatMap((seed) =>
    irn.plan.points('full', seed).map(({ condition }) => ({
      condition,
      seed,
      digest: '',
      measures: new Proxy({}, { get: (_, key) => (key === 'drops' ? 8 : condition.startsWith('irn |') ? 100 : 150) }),
    })),
  )
  const findings = irn.plan.conclude(outcomes, 'full')
  expect(findings.tables).toHaveLength(4)
  const verdictOf = (id: string): string => findings.claims.find((claim) => claim.id.startsWith(id))!.verdict
  expect(verdictOf('irn.fig7.gbn-worse [no')).toBe('reproduced')
  expect(verdictOf('irn.fig2.drop-rate-8.5')).toBe('reproduced')
  // IRN with PFC and without are equal here: the one is not better in every seed, or in any.
  const tied = outcomes.map((outcome) =>
    outcome.seed === 2 && outcome.condition.startsWith('irn with go-back-n')
      ? { ...outcome, measures: new Proxy({}, { get: () => 90 }) }
      : outcome,
  )
  const again = irn.plan.conclude(tied, 'full')
  expect(again.claims.find(({ id }) => id.startsWith('irn.fig7.gbn-worse [no'))!.verdict).toBe('not reproduced')
})

test('every size has the same arms', () => {
  const names = (size: 'small' | 'full'): string[] => irn.plan.points(size, 3).map(({ condition }) => condition)
  expect(names('small')).toEqual(names('full'))
  expect(new Set(names('full')).size).toBe(27)
})

test('that AIMD gains more by disabling PFC is about two ratios: to gain is not enough', () => {
  const verdictWith = (aimd: number, none: number): string => {
    const takes = (condition: string): number =>
      condition === 'irn | PFC | aimd' ? aimd : condition === 'irn | PFC | none' ? none : 100
    const outcomes: Outcome[] = [1, 2].flatMap((seed) =>
      irn.plan.points('full', seed).map(({ condition }) => {
        const value = takes(condition)
        return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
      }),
    )
    const { claims } = irn.plan.conclude(outcomes, 'full')
    return claims.find(({ id }) => id.startsWith('irn.444.aimd-stronger'))!.verdict
  }
  expect(verdictWith(140, 120)).toBe('reproduced')
  expect(verdictWith(120, 140)).toBe('not reproduced')
})
