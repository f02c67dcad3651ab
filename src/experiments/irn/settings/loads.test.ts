import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { formatScenario, parseScenario } from '../../../scenario/index.ts'
import type { Measures, Outcome } from '../../core/old/plan.ts'
import { irnLoads } from './loads.ts'

const points = irnLoads.plan.points('full', 1)

/** The default case on 16 hosts with small buffers, for a millisecond and a half. */
function shortRun(condition: string): Measures {
  const point = points.find((each) => each.condition === condition)!
  const sets = [
    'topology.arity=4',
    'switch.buffer.portBuffer=60KB',
    'switch.buffer.xoff=36KB',
    'measure.generate=1500us',
  ]
  return irnLoads.plan.measure(run(parseScenario(formatScenario(point.scenario), { sets })), point)
}

test('long bursts of a QP delay short messages, most if hosts are paused', () => {
  const slowdownOf = (side: string, burst: string): number => shortRun(`${side} | none${burst}`)['meanSlowdown']!
  const longer = (side: string): number => slowdownOf(side, ' | bursts of 64') / slowdownOf(side, '')
  expect(longer('roce | PFC')).toBeGreaterThan(1.1)
  expect(longer('roce | PFC')).toBeGreaterThan(longer('irn | no PFC'))
})

test('a setting has the load of its name, and the number of flows is the same at every load', () => {
  const scenarioAt = (setting: string) =>
    points.find(({ condition }) => condition === `irn | no PFC | none${setting}`)!.scenario
  const flows = (setting: string): number => {
    const sets = ['measure.generate=300us']
    return run(parseScenario(formatScenario(scenarioAt(setting)), { sets })).flows.rowCount
  }
  expect(flows(' | 90 %') / flows(' | 30 %')).toBeGreaterThan(2)
  for (const [setting, load] of [
    [' | 30 %', 0.3],
    ['', 0.7],
    [' | 90 %', 0.9],
  ] as const) {
    expect((scenarioAt(setting).measure.generate! * load) / (0.7 * 75e9)).toBeCloseTo(1, 6)
  }
})

test('a falling trend is undecided if the ratio rises in one reading of PFC', () => {
  const outcomesWith = (slowdownAt90: number): Outcome[] =>
    [1, 2].flatMap((seed) =>
      irnLoads.plan.points('full', seed).map(({ condition }) => {
        const percent = Number(/\| (\d+) %/.exec(condition)?.[1] ?? 70)
        // IRN with PFC and RoCE get worse with the load, except for one threshold at 90 %.
        const worse = percent === 90 && condition.includes('early') ? slowdownAt90 : percent
        const value = condition.startsWith('irn | no PFC') ? 1 : worse
        return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
      }),
    )
  const verdicts = (slowdownAt90: number): Record<string, string> => {
    const { claims } = irnLoads.plan.conclude(outcomesWith(slowdownAt90), 'full')
    return Object.fromEntries(claims.map(({ id, verdict }) => [id, verdict]))
  }
  const falling = verdicts(90)
  // Nine steps of trends; in three settings, under three controls, statements of each and nine cells.
  expect(Object.keys(falling)).toHaveLength(9 + 3 * (2 + 3 + 3) + 3 * 3 * 9)
  const last = 'irn.A1.ratios-decrease [IRN over RoCE + PFC, 70 % to 90 %]'
  expect(falling[last]).toBe('reproduced')
  expect(falling['irn.441.trend.util [IRN over IRN + PFC, 30 % to 50 %]']).toBe('reproduced')
  expect(verdicts(60)[last]).toBe('undecided')
})

test('the small size has no claims', () => {
  const outcomes = irnLoads.plan
    .points('small', 1)
    .map(({ condition }) => ({ condition, seed: 1, digest: '', measures: new Proxy({}, { get: () => 1 }) }))
  const findings = irnLoads.plan.conclude(outcomes, 'small')
  expect(findings.claims).toEqual([])
  expect(findings.figures.map(({ name }) => name)).toEqual(['to-paper'])
})
