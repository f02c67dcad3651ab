import { expect, test } from 'vitest'
import { run } from '../lab/index.ts'
import { formatScenario, parseScenario } from '../scenario/index.ts'
import type { Measures, Outcome } from './experiment.ts'
import { irnTimely } from './irn-timely.ts'

/** The default case on 16 hosts, for a millisecond and a half. */
function shortRun(condition: string): Measures {
  const point = irnTimely.plan.points('full', 1).find((each) => each.condition === condition)!
  const sets = ['topology.arity=4', 'measure.generate=1500us', 'measure.warmUp=100us', 'measure.window=1ms']
  return irnTimely.plan.measure(run(parseScenario(formatScenario(point.scenario), { sets })), point)
}

test('a TIMELY that looks at every packet finds its way back sooner', () => {
  const [packets, segments] = ['timely per packet', 'timely'].map((control) => shortRun(`irn | no PFC | ${control}`))
  expect(packets!['meanFctPs']).toBeLessThan(0.9 * segments!['meanFctPs']!)
  expect([packets!['unfinishedFlows'], segments!['unfinishedFlows']]).toEqual([0, 0])
})

/** What each arm takes: RoCE with PFC 1.6 times as much, without three times; the other reading makes no sense here. */
const TAKES: readonly (readonly [condition: RegExp, value: number])[] = [
  [/\| timely$/, NaN],
  [/^roce \| PFC/, 160],
  [/^roce/, 300],
  [/^irn \|/, 100],
  [/back-off/, 115],
  [/^irn with go-back-n/, 120],
  [/^irn/, 110],
]

test('its claims are those of TIMELY alone, each named for this reading, and the other reading weighs in nowhere', () => {
  const outcomes: Outcome[] = [1, 2].flatMap((seed) =>
    irnTimely.plan.points('full', seed).map(({ condition }) => {
      const [, value] = TAKES.find(([pattern]) => pattern.test(condition))!
      return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
    }),
  )
  const { claims, figures, tables } = irnTimely.plan.conclude(outcomes, 'full')
  expect(claims.filter(({ id }) => !/\[(70 %, )?TIMELY per packet/.test(id))).toEqual([])
  expect(claims.filter(({ measured }) => /NaN|^-$/.test(measured))).toEqual([])
  const verdictOf = (id: string): string => claims.find((claim) => claim.id.startsWith(id))!.verdict
  expect(verdictOf('irn.fig4.range')).toBe('reproduced')
  expect(verdictOf('irn.fig6.range')).toBe('reproduced')
  expect(verdictOf('irn.fig7.gbn-worse [')).toBe('reproduced')
  expect(verdictOf('irn.4.3.backoff-gbn-timely')).toBe('reproduced')
  // 100 is 13 % less than 115: within the band, which begins at 10 %.
  expect(verdictOf('irn.4.3.sack-vs-gbn-timely')).toBe('reproduced')
  expect(tables).toHaveLength(4)
  expect(figures.map(({ name }) => name)).toEqual(['pfc-timely-per-packet', 'factors', 'overheads', 'single-packet'])
})
