import { expect, test } from 'vitest'
import type { Measures } from '../core/plan.ts'
import { measuresAt } from '../core/run-here.test-run.ts'
import { arm, METRICS } from './arms.ts'
import type { Pfc } from './default-case.ts'
import { pfcRoce } from './pfc-roce.ts'

/** Smaller flows, and so more of them in a short run. */
const BUSY = ['workload.0.sizes=heavy-tailed', 'workload.0.loadBasis=payload']

/** The default case on 16 hosts, for a millisecond. */
function shortRun(pfc: Pfc): Measures {
  const sets = [...BUSY, 'topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
  return measuresAt(pfcRoce.plan, 'full', arm('roce', pfc, 'none'), sets)
}

test('RoCE without congestion control gets worse in all three metrics without PFC', () => {
  const withPfc = shortRun('pfc')
  const without = shortRun('no-pfc')
  expect(withPfc['pauseFrames']).toBeGreaterThan(0)
  expect([without['pauseFrames'], without['unfinishedFlows']]).toEqual([0, 0])
  expect(without['drops']).toBeGreaterThan(withPfc['drops']!)
  expect(without['meanSlowdown']).toBeGreaterThan(1.1 * withPfc['meanSlowdown']!)
  expect(without['meanFctPs']).toBeGreaterThan(1.1 * withPfc['meanFctPs']!)
  expect(without['p99FctPs']).toBeGreaterThan(withPfc['p99FctPs']!)
})

test('pausing at 216 KB loses nothing', () => {
  const { drops, retransmissions, unfinishedFlows } = shortRun('pfc-early') as Record<string, number>
  expect([drops, retransmissions, unfinishedFlows]).toEqual([0, 0, 0])
})

test('each size has a point for every control and flow control, and the full size both thresholds of PFC', () => {
  expect(pfcRoce.points('small', 3)).toHaveLength(4)
  const full = pfcRoce.points('full', 3)
  expect(full).toHaveLength(9)
  expect(full.filter((point) => point.scenario.pfc.classes.length === 0)).toHaveLength(3)
  expect(full.every((point) => point.scenario.seed === 3)).toBe(true)
})

test('flows finished when arrivals end give the same metrics as a run that stops there', () => {
  const sets = ['topology.arity=4', 'measure.generate=1ms', 'measure.stop=off']
  const at = arm('roce', 'no-pfc', 'none')
  const drained = measuresAt(pfcRoce.plan, 'full', at, sets)
  const stopped = measuresAt(pfcRoce.plan, 'full', at, [...sets, 'measure.end=stop'])
  expect(stopped['unfinishedFlows']).toBeGreaterThan(0)
  expect(drained['stoppedFlows']).toBe(stopped['finishedFlows'])
  for (const { key, stopped: ofStopped } of METRICS) expect(drained[ofStopped], key).toBe(stopped[key])
  expect(drained['meanSlowdown']).toBeGreaterThan(stopped['meanSlowdown']!)
})
