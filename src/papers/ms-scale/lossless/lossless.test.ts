import { expect, test } from 'vitest'
import { Runs } from '../../core/runs.ts'
import { findingsHere } from '../../core/run-here.test-run.ts'
import { BURSTS, CLASSES, HEADROOM, lossless } from './lossless.ts'

const { outcomes, findings } = findingsHere(lossless, 'small', [1])
const runs = new Runs(outcomes)

/** Verdicts after a change of what one run measured. */
function verdictsWith(state: string, measures: Record<string, number>): Map<string, string> {
  const changed = outcomes.map((outcome) =>
    outcome.at['state'] === state ? { ...outcome, measures: { ...outcome.measures, ...measures } } : outcome,
  )
  return new Map(lossless.findings('small', changed).claims.map(({ id, verdict }) => [id, verdict]))
}

test('headroom that a cable needs loses nothing, half of it thousands of packets', () => {
  const lost = HEADROOM.map((at) => ({ at, lost: runs.sum('drops', at) }))
  const [needed, half] = [true, false].map((isNeeded) =>
    lost.filter(({ at }) => (at.headroom === 'needed') === isNeeded).map((one) => one.lost),
  )
  expect(Math.max(...needed!)).toBe(0)
  expect(Math.min(...half!)).toBeGreaterThan(1000)
})

test('by the counters nothing lossless is dropped until headroom is gone, and every link and switch adds up', () => {
  expect(BURSTS.map((at) => runs.sum('dropIn', at) > 0)).toEqual([false, false, true, true])
  expect(BURSTS.map((at) => runs.sum('crcErrors', at) > 0)).toEqual([false, false, false, true])
  expect(runs.sum('unequalLinks', { part: 'bursts' }) + runs.sum('unequalSwitches', { part: 'bursts' })).toBe(0)
  expect(runs.sum('directions', BURSTS[0]!)).toBe(80)
})

test('hardware has headroom for two classes at 64 ports and three or four at 40, the simulated parts for seven or eight', () => {
  expect(CLASSES.map((at) => [at.ports, at.bufferMb, at.headroom, runs.sum('classes', at)])).toEqual([
    [40, 9, 'hardware', 3],
    [40, 9, 'simulated', 8],
    [40, 12, 'hardware', 4],
    [40, 12, 'simulated', 8],
    [64, 9, 'hardware', 2],
    [64, 9, 'simulated', 7],
    [64, 12, 'hardware', 2],
    [64, 12, 'simulated', 8],
  ])
  expect(CLASSES.map((at) => runs.sum('drops', at))).toEqual(CLASSES.map(() => 0))
})

test('verdicts follow from the runs', () => {
  const verdicts = new Map(findings.claims.map(({ id, verdict }) => [id, verdict]))
  expect(verdicts.get('rce.bg.two-lossless-classes')).toBe('undecided')
  verdicts.delete('rce.bg.two-lossless-classes')
  expect(verdicts.size).toBe(6)
  expect(new Set(verdicts.values())).toEqual(new Set(['reproduced']))
})

test.each([
  ['rce.mon.counters', 'dcqcn', { unequalLinks: 1 }],
  ['rce.mon.counters', 'dcqcn', { unequalSwitches: 1 }],
  ['rce.mon.zero-rdma-drops', 'dcqcn', { dropIn: 1 }],
  ['rce.mon.zero-rdma-drops', 'no headroom', { dropIn: 0 }],
  ['rce.bg.dcqcn-fewer-pauses', 'dcqcn', { pauseFrames: 1e6 }],
])('%s is not reproduced with other numbers, in the run %s', (id, state, measures) => {
  expect(verdictsWith(state, measures).get(id)).toBe('not reproduced')
})
