import { expect, test } from 'vitest'
import type { Measures, Size } from '../core/plan.ts'
import { measuresAt, outcomesWith } from '../core/run-here.test-run.ts'
import { arm } from './arms.ts'
import type { Control, Transport } from './default-case.ts'
import { irnIwarp } from './iwarp.ts'

/** The default case on 16 hosts, for a millisecond and a half, with smaller flows and so more of them. */
const shortRun = (transport: Transport, control: Control = 'none'): Measures =>
  measuresAt(irnIwarp.plan, 'full', arm(transport, 'no-pfc', control), [
    'workload.0.sizes=heavy-tailed',
    'workload.0.loadBasis=payload',
    'topology.arity=4',
    'measure.generate=1500us',
    'measure.warmUp=100us',
    'measure.window=1ms',
  ])

test('slow start costs messages of several packets most, and less with a larger initial window', () => {
  const [irn, aimd] = [shortRun('irn'), shortRun('irn', 'aimd')]
  const [two, four, ten] = (['iwarp-with-window-2', 'iwarp', 'iwarp-with-window-10'] as const).map((transport) =>
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
  const slow = shortRun('iwarp-with-timeouts-of-inet')
  expect(slow['timeouts']).toBeGreaterThan(0)
  expect(slow['meanSlowdown']).toBeGreaterThan(5 * shortRun('iwarp')['meanSlowdown']!)
})

/** Verdicts on runs in which IRN needs 0.79 and IRN with AIMD 0.56 of iWARP's time. */
function verdictsOf(size: Size): Map<string, string> {
  const outcomes = outcomesWith(irnIwarp.plan, [1], ({ transport, control }) =>
    transport !== 'irn' ? 100 : control === 'aimd' ? 56 : 79,
  )
  const { claims } = irnIwarp.findings(size, outcomes)
  expect(claims).toHaveLength(25)
  return new Map(claims.map(({ id, check, verdict }) => [`${id} ${check}`, verdict]))
}

test('each claim has a check for every TCP setting, with no name for the default', () => {
  const verdicts = verdictsOf('full')
  expect(verdicts.size).toBe(25)
  expect(verdicts.get('irn.fig11.slowdown-21 ')).toBe('reproduced')
  expect(verdicts.get('irn.fig11.aimd-44 initial window 10')).toBe('reproduced')
  expect(verdicts.get('irn.fig11.aimd-11 ')).toBe('not reproduced')
  expect(verdicts.get('irn.fig11.fct-comparable 99% FCT')).toBe('not reproduced')
})

test('runs that are cut short decide only the direction', () => {
  const verdicts = verdictsOf('small')
  expect(new Set(verdicts.values())).toEqual(new Set(['direction only', 'not judged']))
  expect(verdicts.get('irn.fig11.aimd-11 ')).toBe('direction only')
  expect(verdicts.get('irn.fig11.fct-comparable 99% FCT')).toBe('not judged')
})
