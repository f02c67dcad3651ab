import { expect, test } from 'vitest'
import { keyOf, type Measures, type Outcome, type Size } from '../core/plan.ts'
import { measuresAt, outcomesWith } from '../core/run-here.test-run.ts'
import { type Arm, arm } from './arms.ts'
import { irn } from './irn.ts'

/** Smaller flows, and so more of them in a short run. */
const BUSY = ['workload.0.sizes=heavy-tailed', 'workload.0.loadBasis=payload']

/** The default case on 16 hosts, for a millisecond and a half. */
const SHORT = [...BUSY, 'topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
const shortRun = (at: Arm): Measures => measuresAt(irn.plan, 'full', at, SHORT)

test('IRN needs no PFC and beats RoCE with it, without congestion control', () => {
  const [alone, withPfc, roce] = [
    arm('irn', 'no-pfc', 'none'),
    arm('irn', 'pfc', 'none'),
    arm('roce', 'pfc', 'none'),
  ].map(shortRun)
  expect(alone!['drops']).toBeGreaterThan(0)
  expect([withPfc!['drops'], alone!['unfinishedFlows'], withPfc!['unfinishedFlows']]).toEqual([0, 0, 0])
  expect(alone!['meanSlowdown']).toBeLessThan(withPfc!['meanSlowdown']!)
  expect(alone!['meanSlowdown']).toBeLessThan(roce!['meanSlowdown']!)
  expect(alone!['singleP990Ps']).toBeLessThan(roce!['singleP990Ps']!)
})

test('IRN that goes back N resends more', () => {
  const whole = shortRun(arm('irn', 'no-pfc', 'none'))
  const back = shortRun(arm('irn-with-go-back-n', 'no-pfc', 'none'))
  expect(back['retransmissions']).toBeGreaterThan(1.5 * whole['retransmissions']!)
})

const claimsOf = (outcomes: readonly Outcome[]) => irn.findings('full', outcomes).claims
const verdictOf = (outcomes: readonly Outcome[], id: string, check: string): string =>
  claimsOf(outcomes).find((claim) => claim.id === id && claim.check === check)!.verdict

test('an order that holds in the mean of the seeds only by chance is undecided', () => {
  const verdictWith = (goBackAt2: number): string => {
    const outcomes = outcomesWith(irn.plan, [1, 2], ({ transport }, seed) =>
      transport === 'irn' ? 100 : seed === 2 && transport === 'irn-with-go-back-n' ? goBackAt2 : 150,
    )
    return verdictOf(outcomes, 'irn.fig7.gbn-worse', 'no control')
  }
  expect([verdictWith(150), verdictWith(90)]).toEqual(['reproduced', 'undecided'])
})

test('an order that one reading of PFC reverses is undecided', () => {
  const cheap = outcomesWith(irn.plan, [1, 2], ({ transport, pfc, control, burst }) => {
    if (transport === 'irn' && pfc === 'pfc' && control === 'none' && burst === 64) return 90
    return pfc === 'no-pfc' ? 100 : 150
  })
  expect(verdictOf(cheap, 'irn.fig2.not-required', 'no control, average slowdown')).toBe('undecided')
})

test('cells that the traffic was inferred from are inputs, however well they agree', () => {
  const claims = claimsOf(outcomesWith(irn.plan, [1, 2], () => 8.24))
  const inputs = claims.filter(({ verdict }) => verdict === 'input').map(({ id, check }) => [id, check])
  expect(inputs).toEqual([
    ...['avg_slowdown', 'avg_fct_s', 'p99_fct_s'].map((metric) => [`irn.default.none.${metric}`, '']),
    ...['average slowdown', 'average FCT', '99% FCT'].map((metric) => {
      return ['irn.table3.cells', `70 %, no control, ${metric}, IRN`]
    }),
  ])
})

test("the full size has every reading of PFC, the small one the paper's alone", () => {
  const ats = (size: Size) => irn.points(size, 3).map(({ at }) => at)
  expect(ats('full')).toEqual(expect.arrayContaining(ats('small')))
  expect(new Set(ats('full').map(keyOf)).size).toBe(50)
  expect(ats('small').filter(({ pfc, burst }) => pfc === 'pfc-early' || burst !== 1)).toEqual([])
})

test('that AIMD gains more by disabling PFC compares two ratios: a gain is not enough', () => {
  const verdictWith = (aimd: number, none: number): string => {
    const outcomes = outcomesWith(irn.plan, [1, 2], ({ transport, pfc, control }) =>
      transport !== 'irn' || pfc === 'no-pfc' ? 100 : control === 'aimd' ? aimd : none,
    )
    return verdictOf(outcomes, 'irn.444.aimd-stronger', 'average slowdown')
  }
  expect([verdictWith(140, 120), verdictWith(120, 140)]).toEqual(['reproduced', 'not reproduced'])
})
