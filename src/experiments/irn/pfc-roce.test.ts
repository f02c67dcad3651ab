import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { summarize } from '../../results/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import { irnMeasures } from './arms.ts'
import { irnDefault, type Control, type Pfc } from './default-case.ts'
import { pfcRoce } from './pfc-roce.ts'

/** Smaller flows, and so more of them in a short run. */
const BUSY = ['workload.0.sizes=heavy-tailed', 'workload.0.loadBasis=payload']

/** The default case on 16 hosts, for a millisecond. */
function shortRun(pfc: Pfc, control: Control) {
  const scenario = irnDefault({ traffic: 'irn-default', transport: 'roce', pfc, control, seed: 1 })
  const sets = [...BUSY, 'topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
  const result = run(parseScenario(formatScenario(scenario), { sets }))
  return { ...summarize(result), sent: result.counters.dataPacketsSent }
}

test('RoCE without congestion control gets worse in all three metrics without PFC', () => {
  const withPfc = shortRun('pfc', 'none')
  const without = shortRun('no-pfc', 'none')
  expect(withPfc.pauseFrames).toBeGreaterThan(0)
  expect(without.pauseFrames).toBe(0)
  expect(without.drops).toBeGreaterThan(withPfc.drops)
  expect(without.flows.unfinished).toBe(0)
  expect(without.meanSlowdown).toBeGreaterThan(1.1 * withPfc.meanSlowdown)
  expect(without.meanCompletionPs).toBeGreaterThan(1.1 * withPfc.meanCompletionPs)
  expect(without.p99CompletionPs).toBeGreaterThan(withPfc.p99CompletionPs)
})

test('pausing at 216 KB loses nothing', () => {
  const { drops, retransmissions, flows } = shortRun('pfc-early', 'none')
  expect([drops, retransmissions, flows.unfinished]).toEqual([0, 0, 0])
})

test('each size has a point for every control and flow control, and the full size both thresholds of PFC', () => {
  expect(pfcRoce.points('small', 3)).toHaveLength(4)
  const full = pfcRoce.points('full', 3)
  expect(full).toHaveLength(9)
  expect(full.filter((point) => point.scenario.pfc.classes.length === 0)).toHaveLength(3)
  expect(full.every((point) => point.scenario.seed === 3)).toBe(true)
})

test('flows finished when arrivals end give the same metrics as a run that stops there', () => {
  const scenario = irnDefault({ traffic: 'irn-default', transport: 'roce', pfc: 'no-pfc', control: 'none', seed: 1 })
  const sets = ['topology.arity=4', 'measure.generate=1ms']
  const [drained, stopped] = [[], ['measure.end=stop']].map((more) => {
    const cut = parseScenario(formatScenario(scenario), { sets: [...sets, 'measure.stop=off', ...more] })
    return irnMeasures(run(cut), { scenario: cut })
  })
  expect(stopped!['unfinishedFlows']).toBeGreaterThan(0)
  expect(drained!['stoppedFlows']).toBe(stopped!['finishedFlows'])
  for (const name of ['MeanSlowdown', 'MeanFctPs', 'P99FctPs']) {
    const key = name.replace(/^[MP]/, (letter) => letter.toLowerCase())
    expect(drained![`stopped${name}`], name).toBe(stopped![key])
  }
  expect(drained!['meanSlowdown']).toBeGreaterThan(stopped!['meanSlowdown']!)
})
