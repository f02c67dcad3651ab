import { expect, test } from 'vitest'
import { measuresAt, outcomesWith } from '../../core/run-here.test-run.ts'
import { irnCross } from './cross.ts'
import { SIDES } from './incast.ts'

/** The sides without congestion control, on 16 hosts of which 12 respond. */
const measured = SIDES.map((side) =>
  measuresAt(irnCross.plan, 'small', { load: 0.5, control: 'none', ...side }, [
    'topology.arity=4',
    'workload.1.senders=12',
    'workload.1.total=4MB',
  ]),
)

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
  const outcomes = outcomesWith(irnCross.plan, [1], ({ transport, pfc }) =>
    transport === 'roce' ? 100 : pfc === 'no-pfc' ? 60 : 72,
  )
  const { claims } = irnCross.findings('full', outcomes)
  expect(claims).toHaveLength(12 + 11 + 6 + 1 + 3)
  const meansOf = (id: string) => new Set(claims.flatMap((claim) => (claim.id === id ? claim.range!.mean : [])))
  const rounded = (id: string) => [...meansOf(id)].map(Math.round)
  expect(rounded('irn.443.cross.rct-4-30')).toEqual([40])
  expect(rounded('irn.443.cross.bg-32-87')).toEqual([40])
  expect(rounded('irn.443.cross.pfc-1-75')).toEqual([20])
  expect(rounded('irn.443.cross.dcqcn-1.13')).toEqual([-20])
  expect(claims.some(({ check }) => check === 'DCQCN, completion of the request')).toBe(false)
})
