import { describe, expect, test } from 'vitest'
import type { Outcome } from '../core/plan.ts'
import { findingsHere } from '../core/run-here.test-run.ts'
import { Runs } from '../core/runs.ts'
import { againWith } from './figures.ts'
import { DCQCN, QCN, recoveryOf, timelySteps } from './rates.ts'
import { surveyExamples } from './survey-examples.ts'
import { timelyClaims } from './timely.ts'

const { outcomes, findings } = findingsHere(surveyExamples, 'small', [1])
const runs = new Runs(outcomes)
const idsOf = (wanted: string): string[] =>
  findings.claims.flatMap(({ id, check, verdict }) => (verdict === wanted ? [`${id} ${check}`.trim()] : []))

test('all but a few claims are reproduced, and a claim against the survey says why', () => {
  expect(findings.claims).toHaveLength(44)
  expect(idsOf('reproduced')).toHaveLength(34)
  expect(idsOf('not reproduced')).toEqual([
    'srv.fig8c.ecn-notify',
    'srv.table1.timely',
    'srv.table2.timely',
    'srv.table3.timely',
    'srv.table3.dcqcn',
    'srv.table1.mp-rdma',
  ])
  // Those that lose nothing in the incast without PFC.
  expect(idsOf('undecided')).toEqual(['iwarp', 'dctcp', 'mp-rdma', 'irn'].map((scheme) => `srv.table3.${scheme}`))
  const against = findings.claims.filter(({ verdict }) => verdict === 'not reproduced')
  expect(against.filter(({ reason }) => reason.length < 80)).toEqual([])
})

describe('what is driven by hand', () => {
  test('go-back-0 sends everything again, go-back-N from the lost packet on, IRN that packet', () => {
    expect(againWith('go-back-0', 2)).toEqual([0, 1, 2, 3, 4])
    expect(againWith('go-back-n', 2)).toEqual([2, 3, 4])
    expect(againWith('irn', 1)).toEqual([1])
  })

  test('the gap to the target halves five times, then the target moves', () => {
    for (const recoverer of [QCN, DCQCN]) {
      const gains = recoveryOf(recoverer).map(({ gainGbps }) => gainGbps)
      expect(gains.slice(0, 5)).toEqual([5, 2.5, 1.25, 0.625, 0.3125])
      // Half of what is left of the gap, and half of each step since.
      const steps = [1, 2, 3, 4, 5].reduce((total, interval) => total + recoverer.additiveGbps / 2 ** interval, 0)
      expect(gains[9]).toBeCloseTo(10 / 2 ** 10 + steps, 9)
    }
  })

  test('TIMELY answers a rising queue by a factor, any other by a constant', () => {
    const [, ...slow] = timelySteps(5e9, [100, 100, 98, 110, 90])
    const [, ...fast] = timelySteps(10e9, [100, 100, 98, 110, 90])
    expect([slow[0], slow[1], slow[3]]).toEqual([10e6, 10e6, 10e6])
    expect([fast[0], fast[1], fast[3]]).toEqual([10e6, 10e6, 10e6])
    expect(slow[2]).toBeLessThan(0)
    expect(fast[2]! / slow[2]!).toBeCloseTo(2, 9)
  })
})

describe('what is run', () => {
  test('only PFC holds up f2', () => {
    const f2Bps = (pfc: string): number => runs.mean('f2 Bps', { example: 'fig6', pfc }).mean
    expect(f2Bps('on')).toBeLessThan(11e9)
    expect(f2Bps('off')).toBeGreaterThan(18e9)
  })

  test('a burst of one flow takes longer than ideal only with slow start, and no burst loses anything', () => {
    const bursts = runs.where({ example: 'bursts' })
    expect(bursts.sum('drops')).toBe(0)
    const atOnce = bursts.outcomes.filter(({ measures }) => measures['meanSlowdown']! < 1.1)
    expect(atOnce.map(({ at }) => [at['flows'], at['scheme']])).toEqual([
      [1, 'dctcp-full-window'],
      [1, 'dcqcn'],
    ])
  })

  test('every scheme has the same bursts', () => {
    const [slowStart, fullWindow, dcqcn] = surveyExamples
      .points('full', 3)
      .filter(({ at }) => at['example'] === 'bursts' && at['flows'] === 4)
      .map(({ scenario }) => scenario.workload)
    expect(fullWindow).toEqual(slowStart)
    expect(dcqcn).toEqual(slowStart)
  })
})

test('delay alone: the claim fails where both fairness and delay are given, and holds where either is not', () => {
  const verdictsOf = (jain: number, queueUs: (flows: number) => number): readonly string[] => {
    const known = [2, 4, 8, 16, 32].flatMap((flows) =>
      ['timely', 'patched-timely'].map((scheme): Outcome => {
        const at = { example: 'long-flows', flows, scheme }
        return { at, seed: 1, digest: '', measures: { jain, queueUs: queueUs(flows) } }
      }),
    )
    return timelyClaims(new Runs(known)).map(({ verdict }) => verdict)
  }
  expect(verdictsOf(0.99, () => 50)).toEqual(['not reproduced', 'not reproduced'])
  expect(verdictsOf(0.7, () => 50)).toEqual(['reproduced', 'reproduced'])
  expect(verdictsOf(0.99, (flows) => 50 + 10 * flows)).toEqual(['reproduced', 'reproduced'])
})

test('at full size every claim of bursts and long flows finds its runs', () => {
  const known = { meanFctUs: 1, jain: 2, queueUs: 3 }
  const all = [1, 2].flatMap((seed) =>
    surveyExamples.points('full', seed).map(({ at }): Outcome => ({ at, seed, digest: '', measures: known })),
  )
  const own = surveyExamples.findings('full', all).claims.slice(44)
  expect(own.map(({ check }) => check)).toEqual([
    ...[1, 2, 4, 7].map((flows) => `bursts of ${flows}`),
    'TIMELY',
    'patched TIMELY',
  ])
  expect(own.filter(({ measured }) => measured.includes('NaN') || measured === '-')).toEqual([])
})
