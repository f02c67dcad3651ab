import { expect, test } from 'vitest'
import type { Measures } from '../core/plan.ts'
import { measuresAt, outcomesWith } from '../core/run-here.test-run.ts'
import { type Arm, arm } from './arms.ts'
import { irnBackOff } from './back-off.ts'
import type { Control } from './default-case.ts'

/** Go-back-N in the default case on 16 hosts with small buffers, for a millisecond and a half. */
const shortRun = (control: Control): Measures =>
  measuresAt(irnBackOff.plan, 'full', arm('irn-with-go-back-n', 'no-pfc', control), [
    'topology.arity=4',
    'switch.buffer.portBuffer=40KB',
    'switch.buffer.xoff=40KB',
    'measure.generate=1500us',
    'measure.warmUp=100us',
    'measure.window=1ms',
  ])

test.each(['timely-per-packet', 'dcqcn'] as const)(
  'go-back-N with back-off loses and resends fewer packets than without, with %s',
  (control) => {
    const [plain, backOff] = [shortRun(control), shortRun(`${control}-with-back-off`)]
    expect(backOff['dataDrops']).toBeLessThan(plain['dataDrops']!)
    expect(backOff['retransmissions']).toBeLessThan(plain['retransmissions']!)
    expect(backOff['unfinishedFlows']).toBe(0)
  },
)

/** Verdicts of a claim, for runs whose measures all have one value. */
function verdictsWith(id: string, valueOf: (at: Arm) => number): string[] {
  const outcomes = outcomesWith(irnBackOff.plan, [1, 2, 3], (at, seed) => valueOf(at) + seed / 100)
  return irnBackOff.findings('full', outcomes).claims.flatMap((claim) => (claim.id === id ? [claim.verdict] : []))
}

test('back-off has to help TIMELY and not DCQCN', () => {
  const verdicts = (dcqcn: number): string[] => {
    const values: Readonly<Record<string, number>> = {
      'timely-per-packet-with-back-off': 80,
      'dcqcn-with-back-off': dcqcn,
    }
    return verdictsWith('irn.4.3.backoff-gbn-timely', ({ control }) => values[control] ?? 100)
  }
  expect(verdicts(105)).toEqual(['reproduced', 'reproduced'])
  expect(verdicts(95)).toEqual(['reproduced', 'not reproduced'])
})

test('IRN without SACKs is compared with IRN and with go-back-N, and a dynamic timeout that helps by a tenth counts as better', () => {
  const values: Readonly<Record<string, number>> = {
    irn: 100,
    'irn-without-sacks': 130,
    'irn-with-go-back-n': 150,
    'irn-with-dynamic-timeouts': 90,
  }
  const verdicts = (id: string) => new Set(verdictsWith(id, ({ transport }) => values[transport]!))
  expect(verdicts('irn.4.3.no-sack-better-than-gbn')).toEqual(new Set(['reproduced']))
  expect(verdicts('irn.4.3.no-sack-1-75')).toEqual(new Set(['reproduced']))
  expect(verdicts('irn.4.3.dynamic-rto')).toEqual(new Set(['not reproduced']))
})
