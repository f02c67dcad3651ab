import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import type { Measures, Outcome } from '../core/old/plan.ts'
import { arm, armName } from './arms.ts'
import type { Control, Transport } from './default-case.ts'
import { irnIwarp } from './iwarp.ts'

/** Smaller flows, and so more of them in a short run. */
const BUSY = ['workload.0.sizes=heavy-tailed', 'workload.0.loadBasis=payload']

/** The default case on 16 hosts, for a millisecond and a half. */
function shortRun(transport: Transport, control: Control = 'none'): Measures {
  const condition = armName(arm(transport, 'no PFC', control))
  const point = irnIwarp.plan.points('full', 1).find((each) => each.condition === condition)!
  const sets = [...BUSY, 'topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
  return irnIwarp.plan.measure(run(parseScenario(formatScenario(point.scenario), { sets })), point)
}

test('slow start costs messages of several packets most, and less with a larger initial window', () => {
  const [irn, aimd] = [shortRun('irn'), shortRun('irn', 'aimd')]
  const [two, four, ten] = (['iwarp with window 2', 'iwarp', 'iwarp with window 10'] as const).map((transport) =>
    shortRun(transport),
  )
  const windows = [two, four, ten, irn, aimd].map((each) => each!['windowSlowdown']!)
  expect(windows[0]).toBeGreaterThan(windows[1]!)
  expect(windows[1]).toBeGreaterThan(windows[2]!)
  expect(windows[2]).toBeGreaterThan(windows[3]!)
  expect(windows[2]).toBeGreaterThan(windows[4]!)
  expect([two, four, ten, irn, aimd].map((each) => each!['unfinishedFlows'])).toEqual([0, 0, 0, 0, 0])
  expect(four!['windowSlowdown']! / irn!['windowSlowdown']!).toBeGreaterThan(
    four!['singleSlowdown']! / irn!['singleSlowdown']!,
  )
})

test('a handful of timeouts of a second dominate the average slowdown', () => {
  const slow = shortRun('iwarp with timeouts of inet')
  expect(slow['timeouts']).toBeGreaterThan(0)
  expect(slow['meanSlowdown']).toBeGreaterThan(5 * shortRun('iwarp')['meanSlowdown']!)
})

/** Outcomes in which IRN needs 0.79 and IRN with AIMD 0.56 of iWARP's time. */
function outcomesOf(size: 'small' | 'full'): Outcome[] {
  return irnIwarp.plan.points(size, 1).map(({ condition }) => {
    const value = condition.startsWith('iwarp') ? 100 : condition.endsWith('aimd') ? 56 : 79
    return { condition, seed: 1, digest: '', measures: new Proxy({}, { get: () => value }) }
  })
}

test('each claim has a row for every TCP setting, with no name for the default', () => {
  const { claims } = irnIwarp.plan.conclude(outcomesOf('full'), 'full')
  expect(claims).toHaveLength(25)
  expect(new Set(claims.map(({ id }) => id)).size).toBe(25)
  const verdictOf = (id: string): string => claims.find((claim) => claim.id === id)!.verdict
  expect(verdictOf('irn.fig11.slowdown-21')).toBe('reproduced')
  expect(verdictOf('irn.fig11.aimd-44 [initial window 10]')).toBe('reproduced')
  expect(verdictOf('irn.fig11.aimd-11')).toBe('not reproduced')
  expect(verdictOf('irn.fig11.fct-comparable [99% FCT]')).toBe('not reproduced')
})

test('runs that are cut short decide only the direction', () => {
  const { claims } = irnIwarp.plan.conclude(outcomesOf('small'), 'small')
  expect(claims.filter(({ verdict }) => verdict.endsWith('reproduced') || verdict === 'undecided')).toEqual([])
  expect(claims.find(({ id }) => id === 'irn.fig11.aimd-11')!.verdict).toBe('direction only')
  expect(claims.find(({ id }) => id.startsWith('irn.fig11.fct-comparable'))!.verdict).toBe('not judged')
})
