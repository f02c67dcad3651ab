import { expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import type { Measures, Outcome } from '../core/old/plan.ts'
import { irnBackOff } from './back-off.ts'

/** The default case on 16 hosts with small buffers, for a millisecond and a half. */
function shortRun(condition: string): Measures {
  const point = irnBackOff.plan.points('full', 1).find((each) => each.condition === condition)!
  const sets = [
    'topology.arity=4',
    'switch.buffer.portBuffer=40KB',
    'switch.buffer.xoff=40KB',
    'measure.generate=1500us',
    'measure.warmUp=100us',
    'measure.window=1ms',
  ]
  return irnBackOff.plan.measure(run(parseScenario(formatScenario(point.scenario), { sets })), point)
}

test('go-back-N with back-off loses and resends fewer packets than without', () => {
  for (const control of ['timely per packet', 'dcqcn']) {
    const [plain, backOff] = [control, `${control} with back-off`].map((each) =>
      shortRun(`irn with go-back-n | no PFC | ${each}`),
    )
    expect(backOff!['dataDrops'], control).toBeLessThan(plain!['dataDrops']!)
    expect(backOff!['retransmissions'], control).toBeLessThan(plain!['retransmissions']!)
    expect(backOff!['unfinishedFlows'], control).toBe(0)
  }
})

test('back-off that helps TIMELY and back-off that does not help DCQCN are separate claims', () => {
  const outcomesWith = (dcqcn: number): Outcome[] =>
    [1, 2].flatMap((seed) =>
      irnBackOff.plan.points('full', seed).map(({ condition }) => {
        const isBackOff = condition.includes('back-off')
        const value = condition.startsWith('irn |') ? 60 : isBackOff ? (condition.includes('dcqcn') ? dcqcn : 80) : 100
        return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
      }),
    )
  const verdicts = (dcqcn: number): string[] =>
    irnBackOff.plan
      .conclude(outcomesWith(dcqcn), 'full')
      .claims.filter(({ id }) => /backoff|sack-vs/.test(id))
      .map(({ verdict }) => verdict)
  expect(verdicts(105)).toEqual(['reproduced', 'reproduced', 'reproduced'])
  expect(verdicts(95)).toEqual(['reproduced', 'not reproduced', 'reproduced'])
})

test('IRN without SACKs is compared with IRN and with go-back-N, and a dynamic timeout that helps by a tenth counts as better', () => {
  const values: Record<string, number> = {
    irn: 100,
    'irn without sacks': 130,
    'irn with go-back-n': 150,
    'irn with dynamic timeouts': 90,
  }
  const outcomes: Outcome[] = [1, 2, 3].flatMap((seed) =>
    irnBackOff.plan.points('full', seed).map(({ condition }) => {
      const value = values[condition.split(' | ')[0]!]! + seed / 100
      return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
    }),
  )
  const { claims } = irnBackOff.plan.conclude(outcomes, 'full')
  const verdicts = (id: string): Set<string> =>
    new Set(claims.filter((claim) => claim.id.startsWith(id)).map(({ verdict }) => verdict))
  expect(verdicts('irn.4.3.no-sack-better-than-gbn')).toEqual(new Set(['reproduced']))
  expect(verdicts('irn.4.3.no-sack-1-75')).toEqual(new Set(['reproduced']))
  expect(verdicts('irn.4.3.dynamic-rto')).toEqual(new Set(['not reproduced']))
})
