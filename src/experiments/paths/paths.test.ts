import { describe, expect, test } from 'vitest'
import { connectionPaths, run } from '../../lab/index.ts'
import type { Outcome } from '../core/old/plan.ts'
import { armsOf, conditionOf, ECMP, flowletArm, GAPS_NS, GO_BACK_N, IRN, MAIN } from './runs.ts'
import { paths } from './paths.ts'

const { points, measure, conclude } = paths.plan
const pointOf = (condition: string) => points('small', 1).find((each) => each.condition === condition)!
const measured = (condition: string) => measure(run(pointOf(condition).scenario), pointOf(condition))

describe('a small tree at full load', () => {
  const [ecmp, spray] = ['ecmp | irn', 'spray | irn'].map(measured)
  const collapsed = measured('spray | go-back-n')

  test('loses nothing, and retransmits because of reordering only', () => {
    expect([ecmp, spray, collapsed].map((each) => each!['drops'])).toEqual([0, 0, 0])
    expect([ecmp!['resentShare'], spray!['resentShare']]).toEqual([0, 0])
    expect(collapsed['resentShare']).toBeGreaterThan(0.5)
  })

  test('carries at most the ideal, and ECMP the shares of fixed windows on its paths', () => {
    expect(spray!['goodputShare']).toBeLessThan(1.01)
    expect(spray!['goodputShare']).toBeGreaterThan(0.9)
    // With sixteen connections and 400 us a packet is some percent.
    expect(Math.abs(ecmp!['goodputShare']! / ecmp!['windowShare']! - 1)).toBeLessThan(0.04)
    expect(ecmp!['windowShare']).toBeGreaterThan(ecmp!['estimateShare']!)
  })
})

test('each host of the tree sends to another and receives from another', () => {
  const { connections } = connectionPaths(
    points('full', 3).find(({ condition }) => condition === 'ecmp | irn')!.scenario,
  )
  const ends = (key: 'source' | 'destination') => new Set(connections.map((each) => each[key])).size
  expect([connections.length, ends('source'), ends('destination')]).toEqual([128, 128, 128])
  expect(connections.every(({ links, answerLinks }) => links.length === answerLinks.length)).toBe(true)
  expect(ECMP).toContain('random')
})

/** Outcomes of two seeds, alike except for conditions with a given share. */
function outcomes(shares: Readonly<Record<string, number>>): Outcome[] {
  return [1, 2].flatMap((seed) =>
    armsOf('full').map((arm) => {
      const condition = conditionOf(arm)
      const goodputShare = (shares[condition] ?? 0.5) + seed * 1e-4
      const measures = { goodputShare, resentShare: 0, drops: 0, packetHops: 1 }
      const estimates = { estimateShare: 0.5 + seed * 1e-3, windowShare: 0.5, mostOnLink: 4 }
      return { condition, seed, digest: '', measures: arm === MAIN[0] ? { ...measures, ...estimates } : measures }
    }),
  )
}

test('expectations are judged by their bounds, at full size only', () => {
  const spray = conditionOf(flowletArm(GAPS_NS.full[0]!, IRN))
  const good = {
    'spray | irn': 0.95,
    [spray]: 0.95,
    'adaptive | irn': 0.96,
    [`spray | ${GO_BACK_N}`]: 0.05,
    [`adaptive | ${GO_BACK_N}`]: 0.05,
  }
  const verdicts = (shares: Readonly<Record<string, number>>): string[] =>
    conclude(outcomes(shares), 'full').claims.flatMap(({ id, verdict }) => (verdict === 'reproduced' ? [id] : []))
  const all = [
    'spray',
    'adaptive',
    'adaptive-over-spray',
    'ecmp',
    'ecmp-windows',
    'spray-go-back-n',
    'adaptive-go-back-n',
    'flowlet-short',
    'flowlet-long',
  ]
  expect(verdicts(good)).toEqual(all.map((id) => `paths.${id}`))
  expect(verdicts({ ...good, 'adaptive | irn': 0.89 })).not.toContain('paths.adaptive')
  expect(verdicts({ ...good, 'adaptive | irn': 0.94 })).not.toContain('paths.adaptive-over-spray')
  expect(verdicts({ ...good, [`spray | ${GO_BACK_N}`]: 0.2 })).not.toContain('paths.spray-go-back-n')
  const withoutEcmp = verdicts({ ...good, 'ecmp | irn': 0.53 })
  expect(withoutEcmp).toEqual(all.flatMap((id) => (id.startsWith('ecmp') ? [] : [`paths.${id}`])))
  expect(conclude(outcomes(good), 'small').claims).toEqual([])
})
