import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import { type At, keyOf, type Measures } from '../core/plan.ts'
import { arm } from './arms.ts'
import { irnBackOff } from './back-off.ts'
import type { Control } from './default-case.ts'

/** Go-back-N in the default case on 16 hosts with small buffers, for a millisecond and a half. */
function shortRun(control: Control): Measures {
  const key = keyOf(arm('irn-with-go-back-n', 'no-pfc', control))
  const point = irnBackOff.points('full', 1).find(({ at }) => keyOf(at) === key)!
  const sets = [
    'topology.arity=4',
    'switch.buffer.portBuffer=40KB',
    'switch.buffer.xoff=40KB',
    'measure.generate=1500us',
    'measure.warmUp=100us',
    'measure.window=1ms',
  ]
  const scenario = parseScenario(formatScenario(point.scenario), { sets })
  return irnBackOff.plan.measure(run(scenario), { ...point, scenario })
}

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
function verdictsWith(id: string, valueOf: (at: At) => number): string[] {
  const outcomes = [1, 2, 3].flatMap((seed) =>
    irnBackOff.points('full', seed).map(({ at }) => {
      const value = valueOf(at) + seed / 100
      return { at, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
    }),
  )
  const { claims } = irnBackOff.findings('full', outcomes)
  return claims.filter((claim) => claim.id === id).map(({ verdict }) => verdict)
}

test('back-off has to help TIMELY and not DCQCN', () => {
  const verdicts = (dcqcn: number): string[] => {
    const values: Readonly<Record<string, number>> = {
      'timely-per-packet-with-back-off': 80,
      'dcqcn-with-back-off': dcqcn,
    }
    return verdictsWith('irn.4.3.backoff-gbn-timely', ({ control }) => values[control!] ?? 100)
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
  const verdicts = (id: string) => new Set(verdictsWith(id, ({ transport }) => values[transport!]!))
  expect(verdicts('irn.4.3.no-sack-better-than-gbn')).toEqual(new Set(['reproduced']))
  expect(verdicts('irn.4.3.no-sack-1-75')).toEqual(new Set(['reproduced']))
  expect(verdicts('irn.4.3.dynamic-rto')).toEqual(new Set(['not reproduced']))
})
