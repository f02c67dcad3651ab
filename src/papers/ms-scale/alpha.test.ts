import { describe, expect, test } from 'vitest'
import { assert } from '../../core/base/assert.ts'
import { OPEN_SIZES } from '../../core/fabric/params.ts'
import { findingsHere } from '../core/run-here.test-run.ts'
import { Runs } from '../core/runs.ts'
import { CORRECTED, NEW, OLD, STATIC } from './alpha-runs.ts'
import { alpha } from './alpha.ts'

describe('two ToRs with alpha 1/64 in 192 servers', () => {
  const { outcomes, findings } = findingsHere(alpha, 'small', [1])
  const runs = new Runs(outcomes)
  const of = (measure: string, setting: string, answerKb: number): number =>
    runs.mean(measure, { traffic: 'queries', control: 'none', alpha: setting, answerKb }).mean

  test('pause where 1/16 does not, and double the latency below them', () => {
    expect(of('torFrames', OLD, 10)).toBeLessThan(of('torFrames', NEW, 10) / 10)
    expect(of('nearP99Us', NEW, 10)).toBeGreaterThan(2 * of('nearP99Us', OLD, 10))
  })

  test('hold leaves back for longer with every size of answers, with static parts for less; nothing is lost', () => {
    expect(of('tier 2 ms', NEW, 10)).toBeGreaterThan(of('tier 2 ms', OLD, 10))
    const held = [OLD, STATIC, NEW].map((setting) => of('tier 2 ms', setting, 20))
    expect(held.toSorted((a, b) => a - b)).toEqual(held)
    expect(runs.sum('drops')).toBe(0)
  })

  test('come back to the state of 1/16 once they are corrected', () => {
    const [before, during, after] = [OLD, NEW, CORRECTED].map((setting) => of('nearAfterP99Us', setting, 10))
    expect(during).toBeGreaterThan(2 * before!)
    expect(after).toBeLessThan(1.1 * before!)
  })

  test('are by their counters the only ones that hold others for longer than they are held; no server is paused', () => {
    for (const answerKb of [10, 20])
      expect([of('originTors', NEW, answerKb), of('newOriginTors', NEW, answerKb)], `${answerKb} KB`).toEqual([2, 2])
    const claim = findings.claims.find(({ id }) => id === 'rce.alpha.60000-per-5min')!
    expect([of('pausedServers', NEW, 10), of('mostFrames', NEW, 10), claim.verdict]).toEqual([0, 0, 'not reproduced'])
  })

  test('share less fairly with the largest alpha', () => {
    const shared = runs.where({ traffic: 'burst' })
    expect(shared.mean('jain', { alpha: OLD }).mean).toBeGreaterThan(0.95)
    expect(shared.mean('jain', { alpha: '8' }).mean).toBeLessThan(0.8)
    expect(shared.ratios('newPauses', { alpha: '8' }, { alpha: '1/4' })[0]).toBeGreaterThan(2)
  })

  test('has a claim of each kind', () => {
    const expected = [
      '16-vs-64',
      '60000-per-5min',
      'chatty',
      'fix',
      'large-fewer-pauses',
      'latency-jump',
      'two-tors-thousands',
    ]
    expect([...new Set(findings.claims.map(({ id }) => id))].toSorted()).toEqual(
      expected.map((name) => `rce.alpha.${name}`),
    )
  })
})

test('static parts of 28 ports and their headroom are the buffer, so that no port takes the part of another', () => {
  const { scenario } = alpha.points('full', 1).find(({ at }) => at['alpha'] === STATIC)!
  const { buffer } = scenario.switch
  assert(buffer.kind === 'memory-manager', 'the buffer that has static limits')
  expect(scenario.changes).toMatchObject([{ path: 'switch.buffer.staticTh', nodes: 'tor 0.0, tor 0.1' }])
  const parts = 28 * (parseInt(scenario.changes[0]!.value, 10) * 1000 + buffer.headroom!)
  const sizeBytes = buffer.size ?? OPEN_SIZES['memory-manager'].firstBytes
  expect(parts).toBeLessThanOrEqual(sizeBytes)
  expect(parts).toBeGreaterThan(0.99 * sizeBytes)
})
