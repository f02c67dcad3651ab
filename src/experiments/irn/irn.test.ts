import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import type { Measures, Outcome } from '../core/old/plan.ts'
import { irn } from './irn.ts'
import { arm, armName } from './arms.ts'

/** Smaller flows, and so more of them in a short run. */
const BUSY = ['workload.0.sizes=heavy-tailed', 'workload.0.loadBasis=payload']

/** The default case on 16 hosts, for a millisecond and a half. */
function shortRun(condition: string, seed: number): Measures {
  const point = irn.plan.points('full', seed).find((each) => each.condition === condition)!
  const sets = [...BUSY, 'topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
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

test('IRN that goes back N resends more', () => {
  const whole = shortRun(armName(arm('irn', 'no PFC', 'none')), 1)
  const back = shortRun(armName(arm('irn with go-back-n', 'no PFC', 'none')), 1)
  expect(back['retransmissions']).toBeGreaterThan(1.5 * whole['retransmissions']!)
})

/** Runs of some seeds in which every measure of a condition is one number. */
function outcomesWith(
  valueOf: (condition: string, seed: number) => number,
  seeds: readonly number[] = [1, 2],
): Outcome[] {
  return seeds.flatMap((seed) =>
    irn.plan.points('full', seed).map(({ condition }) => {
      const value = valueOf(condition, seed)
      return {
        condition,
        seed,
        digest: '',
        measures: new Proxy({}, { get: (_, key) => (key === 'dataDrops' ? 8 : value) }),
      }
    }),
  )
}
const verdictOf = (outcomes: readonly Outcome[], id: string): string =>
  irn.plan.conclude(outcomes, 'full').claims.find((claim) => claim.id.startsWith(id))!.verdict

test('an order that holds in the mean of the seeds only by chance is undecided', () => {
  const usual = (condition: string): number => (condition.startsWith('irn |') ? 100 : 150)
  const alike = outcomesWith(usual)
  expect(irn.plan.conclude(alike, 'full').tables).toHaveLength(4)
  expect(verdictOf(alike, 'irn.fig7.gbn-worse [no')).toBe('reproduced')
  expect(verdictOf(alike, 'irn.fig2.drop-rate-8.5')).toBe('reproduced')
  const mixed = outcomesWith((condition, seed) =>
    seed === 2 && condition.startsWith('irn with go-back-n') ? 90 : usual(condition),
  )
  expect(verdictOf(mixed, 'irn.fig7.gbn-worse [no')).toBe('undecided')
})

test('an order that one reading of PFC reverses is undecided', () => {
  const cheap = outcomesWith((condition) =>
    condition === 'irn | PFC | none | bursts of 64' ? 90 : condition.includes('| PFC') ? 150 : 100,
  )
  expect(verdictOf(cheap, 'irn.fig2.not-required [no control, average slowdown')).toBe('undecided')
})

test('cells that the traffic was inferred from are inputs, however well they agree', () => {
  const { claims } = irn.plan.conclude(
    outcomesWith(() => 8.24),
    'full',
  )
  const inputs = claims.filter(({ verdict }) => verdict === 'input').map(({ id }) => id)
  expect(inputs).toEqual([
    ...['avg_slowdown', 'avg_fct_s', 'p99_fct_s'].map((metric) => `irn.default.none.${metric}`),
    ...['average slowdown', 'average FCT', '99% FCT'].map(
      (metric) => `irn.table3.cells [70 %, no control, ${metric}, IRN]`,
    ),
  ])
})

test("the full size has every reading of PFC, the small one the paper's alone", () => {
  const names = (size: 'small' | 'full'): string[] => irn.plan.points(size, 3).map(({ condition }) => condition)
  expect(names('full')).toEqual(expect.arrayContaining(names('small')))
  expect(new Set(names('full')).size).toBe(50)
  expect(names('small').filter((name) => name.includes('early') || name.includes('bursts'))).toEqual([])
})

test('that AIMD gains more by disabling PFC compares two ratios: a gain is not enough', () => {
  const verdictWith = (aimd: number, none: number): string => {
    const takes = (condition: string): number =>
      condition.startsWith('irn | PFC') ? (condition.includes('aimd') ? aimd : none) : 100
    return verdictOf(outcomesWith(takes), 'irn.444.aimd-stronger')
  }
  expect(verdictWith(140, 120)).toBe('reproduced')
  expect(verdictWith(120, 140)).toBe('not reproduced')
})
