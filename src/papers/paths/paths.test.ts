import { describe, expect, test } from 'vitest'
import { connectionPaths } from '../../lab/index.ts'
import { keyOf } from '../core/plan.ts'
import { measuresAt } from '../core/run-here.test-run.ts'
import { type PathAt, paths } from './paths.ts'

describe('a small tree at full load', () => {
  const ecmp = measuresAt(paths.plan, 'small', { balance: 'ecmp', recovery: 'irn' })
  const spray = measuresAt(paths.plan, 'small', { balance: 'spray', recovery: 'irn' })
  const collapsed = measuresAt(paths.plan, 'small', { balance: 'spray', recovery: 'go-back-n' })

  test('loses nothing, and retransmits because of reordering only', () => {
    expect([ecmp, spray, collapsed].map((each) => each['drops'])).toEqual([0, 0, 0])
    expect([ecmp['resentShare'], spray['resentShare']]).toEqual([0, 0])
    expect(collapsed['resentShare']).toBeGreaterThan(0.5)
  })

  test('carries at most the ideal, and ECMP the shares of fixed windows on its paths', () => {
    expect(spray['goodputShare']).toBeLessThan(1.01)
    expect(spray['goodputShare']).toBeGreaterThan(0.9)
    // With sixteen connections and 400 us a packet is some percent.
    expect(Math.abs(ecmp['goodputShare']! / ecmp['windowShare']! - 1)).toBeLessThan(0.04)
    expect(ecmp['windowShare']).toBeGreaterThan(ecmp['estimateShare']!)
  })
})

test('each host of the tree sends to another and receives from another', () => {
  const { connections } = connectionPaths(paths.points('full', 3)[0]!.scenario)
  const ends = (key: 'source' | 'destination') => new Set(connections.map((each) => each[key])).size
  expect([connections.length, ends('source'), ends('destination')]).toEqual([128, 128, 128])
  expect(connections.every(({ links, answerLinks }) => links.length === answerLinks.length)).toBe(true)
})

/** Claims that are reproduced if some points of two seeds have a given share, and all others a half. */
function reproduced(shares: readonly (readonly [PathAt, number])[], size: 'small' | 'full' = 'full'): string[] {
  const shareOf = new Map(shares.map(([at, share]) => [keyOf(at), share]))
  const outcomes = [1, 2].flatMap((seed) =>
    paths.points(size, seed).map(({ at }) => {
      const goodputShare = (shareOf.get(keyOf(at)) ?? 0.5) + seed * 1e-4
      const measures = { goodputShare, resentShare: 0, drops: 0, estimateShare: 0.5 + seed * 1e-3, windowShare: 0.5 }
      return { at, seed, digest: '', measures }
    }),
  )
  const { claims } = paths.findings(size, outcomes)
  return claims.flatMap(({ id, verdict }) => (verdict === 'reproduced' ? [id] : []))
}

test('expectations are judged by their bounds, at full size only', () => {
  const good: readonly (readonly [PathAt, number])[] = [
    [{ balance: 'spray', recovery: 'irn' }, 0.95],
    [{ balance: 'flowlet', gapNs: 100, recovery: 'irn' }, 0.95],
    [{ balance: 'adaptive', recovery: 'irn' }, 0.96],
    [{ balance: 'spray', recovery: 'go-back-n' }, 0.05],
    [{ balance: 'adaptive', recovery: 'go-back-n' }, 0.05],
  ]
  const all = [
    'paths.spray',
    'paths.adaptive',
    'paths.adaptive-over-spray',
    'paths.ecmp',
    'paths.ecmp-windows',
    'paths.spray-go-back-n',
    'paths.adaptive-go-back-n',
    'paths.flowlet-short',
    'paths.flowlet-long',
  ]
  expect(reproduced(good)).toEqual(all)
  const failing = (at: PathAt, share: number): string[] => {
    const held = reproduced([...good, [at, share]])
    return all.filter((id) => !held.includes(id))
  }
  expect(failing({ balance: 'adaptive', recovery: 'irn' }, 0.89)).toContain('paths.adaptive')
  expect(failing({ balance: 'adaptive', recovery: 'irn' }, 0.94)).toEqual(['paths.adaptive-over-spray'])
  expect(failing({ balance: 'spray', recovery: 'go-back-n' }, 0.2)).toEqual(['paths.spray-go-back-n'])
  expect(failing({ balance: 'ecmp', recovery: 'irn' }, 0.53)).toEqual(['paths.ecmp', 'paths.ecmp-windows'])
  expect(reproduced(good, 'small')).toEqual([])
})
