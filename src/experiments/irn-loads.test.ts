import { expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { formatScenario, parseScenario } from '../scenario/index.ts'
import type { Measures, Outcome } from './experiment.ts'
import { irnLoads } from './irn-loads.ts'

const points = irnLoads.plan.points('full', 1)

/** The default case on 16 hosts with small buffers, for a millisecond and a half. */
function shortRun(condition: string): Measures {
  const point = points.find((each) => each.condition === condition)!
  const sets = [
    'topology.arity=4',
    'switch.buffer.portBuffer=60KB',
    'switch.buffer.xoff=36KB',
    'measure.generate=1500us',
    'measure.warmUp=100us',
    'measure.window=1ms',
  ]
  return irnLoads.plan.measure(run(parseScenario(formatScenario(point.scenario), { sets })), point)
}

test('a long turn at the NIC makes short messages wait, most where pauses hold hosts back', () => {
  const slowdownOf = (transport: string, turn: number): number =>
    shortRun(`${transport} | 70 % | ${turn} a turn`)['meanSlowdown']!
  const [roce, roceLong] = [1, 256].map((turn) => slowdownOf('RoCE + PFC', turn))
  const [irn, irnLong] = [1, 256].map((turn) => slowdownOf('IRN', turn))
  expect(roceLong! / roce!).toBeGreaterThan(1.2)
  expect(roceLong! / roce!).toBeGreaterThan(irnLong! / irn!)
})

test('the load of a run is that of its name', () => {
  const flows = (percent: number): number => {
    const point = points.find(({ condition }) => condition === `IRN | ${percent} % | 1 a turn`)!
    const sets = ['measure.generate=300us', 'measure.warmUp=0us', 'measure.window=300us']
    return run(parseScenario(formatScenario(point.scenario), { sets })).flows.rowCount
  }
  expect(flows(90) / flows(30)).toBeGreaterThan(2)
})

test('claims are about one packet a turn, and a ratio that rises in one seed does not fall', () => {
  const outcomesWith = (slowdownAt90: number): Outcome[] =>
    [1, 2].flatMap((seed) =>
      irnLoads.plan.points('full', seed).map(({ condition }) => {
        const percent = Number(/\| (\d+) %/.exec(condition)![1])
        // IRN with PFC and RoCE are worse by the load; with long turns nothing makes sense, and nobody may look.
        const worse = percent === 90 && seed === 2 ? slowdownAt90 : percent
        const value = !condition.endsWith('| 1 a turn') ? NaN : condition.startsWith('IRN |') ? 1 : worse
        return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
      }),
    )
  const verdicts = (slowdownAt90: number): Record<string, string> => {
    const { claims } = irnLoads.plan.conclude(outcomesWith(slowdownAt90), 'full')
    return Object.fromEntries(claims.map(({ id, verdict }) => [id, verdict]))
  }
  const falling = verdicts(90)
  expect(Object.keys(falling)).toHaveLength(9 + 3 * 3 + 27)
  const last = 'irn.A1.ratios-decrease [IRN over RoCE + PFC, 70 to 90 %]'
  expect(falling[last]).toBe('reproduced')
  expect(falling['irn.441.trend.util [IRN over IRN + PFC, 30 to 50 %]']).toBe('reproduced')
  expect(verdicts(60)[last]).toBe('not reproduced')
})

test('the small size judges nothing', () => {
  const outcomes = irnLoads.plan
    .points('small', 1)
    .map(({ condition }) => ({ condition, seed: 1, digest: '', measures: new Proxy({}, { get: () => 1 }) }))
  const findings = irnLoads.plan.conclude(outcomes, 'small')
  expect(findings.claims).toEqual([])
  expect(findings.figures.map(({ name }) => name)).toEqual(['turns'])
})
