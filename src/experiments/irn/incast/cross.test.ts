import { beforeAll, expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { formatScenario, parseScenario } from '../../../scenario/index.ts'
import type { Measures, Outcome } from '../../core/old/plan.ts'
import { irnCross } from './cross.ts'
import { requestName, SIDES } from './request.ts'

/** The sides without congestion control, on 16 hosts of which 12 respond. */
const measured: Measures[] = []
beforeAll(() => {
  const sets = ['topology.arity=4', 'workload.1.senders=12', 'workload.1.total=4MB']
  const points = irnCross.plan.points('small', 1)
  for (const side of SIDES) {
    const condition = requestName({ senders: 30, control: 'none', ...side })
    const point = points.find((each) => each.condition === condition)!
    const scenario = parseScenario(formatScenario(point.scenario), { sets })
    measured.push(irnCross.plan.measure(run(scenario), point))
  }
})

test('the request completes on every side, with the same background', () => {
  expect(measured.map((each) => each['unfinishedFlows'])).toEqual([0, 0, 0])
  expect(new Set(measured.map((each) => each['countedFlows'])).size).toBe(1)
  expect(measured[0]!['countedFlows']).toBeGreaterThan(100)
  // Headers alone make it longer than the payload takes at line rate.
  for (const each of measured) expect(each['requestPs']).toBeGreaterThan(1.08 * each['idealPs']!)
})

test('with PFC nothing is lost, and pauses delay messages unrelated to the request', () => {
  const [roce, irn, irnPfc] = measured
  expect([roce!['drops'], irnPfc!['drops']]).toEqual([0, 0])
  expect(irn!['drops']).toBeGreaterThan(0)
  expect(roce!['meanSlowdown']).toBeGreaterThan(2 * irn!['meanSlowdown']!)
  expect(irnPfc!['meanSlowdown']).toBeGreaterThan(irn!['meanSlowdown']!)
})

test('claims are percentages of the right side, and the exception has its own claim', () => {
  const outcomes = irnCross.plan.points('full', 1).map(({ condition }): Outcome => {
    const value = condition.includes('roce') ? 100 : condition.includes('no PFC') ? 60 : 72
    return { condition, seed: 1, digest: '', measures: new Proxy({}, { get: () => value }) }
  })
  const { claims } = irnCross.plan.conclude(outcomes, 'full')
  expect(claims).toHaveLength(12 + 11 + 6 + 1 + 3)
  const measuredOf = (id: string): string => claims.find((claim) => claim.id.startsWith(id))!.measured
  expect(measuredOf('irn.443.cross.rct-4-30 [TIMELY')).toBe('40.0 % (one run)')
  expect(measuredOf('irn.443.cross.bg-32-87 [DCQCN')).toBe('40.0 % (one run)')
  expect(measuredOf('irn.443.cross.pfc-1-75 [no')).toBe('20.0 % (one run)')
  expect(measuredOf('irn.443.cross.dcqcn-1.13')).toBe('-20.0 % (one run)')
  expect(claims.filter(({ id }) => id.includes('pfc-1-75 [DCQCN, completion'))).toEqual([])
})
