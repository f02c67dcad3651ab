import { describe, expect, test } from 'vitest'
import { assert } from '../../base/assert.ts'
import { OPEN_SIZES } from '../../fabric/params.ts'
import { conditionOf, correctedOf, NEW, OLD, SHAPES, STATIC } from './alpha-runs.ts'
import { sharingOf } from './alpha-sharing.ts'
import { alpha } from './alpha.ts'
import { findingsHere } from '../core/old/run-here.test-run.ts'

describe('two ToRs with alpha 1/64 in 192 servers', () => {
  const { outcomes, findings } = findingsHere(alpha, 'small', [1])
  const of = (condition: string) => outcomes.find((outcome) => outcome.condition === condition)!.measures
  const [small, large] = SHAPES.small.answers

  test('pause where 1/16 does not, and double the latency below them', () => {
    expect(of(conditionOf(OLD, small!))['torFrames']).toBeLessThan(of(conditionOf(NEW, small!))['torFrames']! / 10)
    expect(of(conditionOf(NEW, small!))['nearP99Us']).toBeGreaterThan(2 * of(conditionOf(OLD, small!))['nearP99Us']!)
  })

  test('hold leaves back for longer with every size of answers; nothing is lost', () => {
    for (const answer of SHAPES.small.answers)
      expect(of(conditionOf(NEW, answer))['tier 2 ms']).toBeGreaterThan(of(conditionOf(OLD, answer))['tier 2 ms']!)
    for (const { condition, measures } of outcomes) expect(measures['drops'], condition).toBe(0)
  })

  test('come back to the state of 1/16 once they are corrected', () => {
    const [before, during, after] = [conditionOf(OLD, small!), conditionOf(NEW, small!), correctedOf(small!)].map(of)
    expect(during!['nearAfterP99Us']).toBeGreaterThan(2 * before!['nearAfterP99Us']!)
    expect(after!['nearAfterP99Us']).toBeLessThan(1.1 * before!['nearAfterP99Us']!)
  })

  test('with static parts are between the two', () => {
    const held = [OLD, STATIC, NEW].map((setting) => of(conditionOf(setting, large!))['tier 2 ms']!)
    expect(held.toSorted((a, b) => a - b)).toEqual(held)
  })

  test('share less fairly with the largest alpha', () => {
    expect(of(sharingOf(OLD))['jain']).toBeGreaterThan(0.95)
    expect(of(sharingOf('8'))['jain']).toBeLessThan(0.8)
    expect(of(sharingOf('8'))['newPauses']).toBeGreaterThan(2 * of(sharingOf('1/4'))['newPauses']!)
  })

  test('has a claim of each kind, and a cure beside its figures', () => {
    const ids = findings.claims.map(({ id }) => id.replace(/ \[.*/, ''))
    const expected = ['large-fewer-pauses', '16-vs-64', 'chatty', 'latency-jump', 'two-tors-thousands', 'fix']
    expect([...new Set(ids)]).toEqual(expected.map((name) => `rce.alpha.${name}`))
    expect(findings.figures.map(({ name }) => name)).toEqual(['answers', 'cure', 'pauses'])
  })
})

test('static parts of 28 ports and their headroom are the buffer, so that no port takes the part of another', () => {
  const points = alpha.plan.points('full', 1)
  const { scenario } = points.find(({ condition }) => condition.startsWith(STATIC))!
  const { buffer } = scenario.switch
  assert(buffer.kind === 'memory-manager', 'the buffer that has static limits')
  expect(scenario.changes).toMatchObject([{ path: 'switch.buffer.staticTh', nodes: 'tor 0.0, tor 0.1' }])
  const parts = 28 * (parseInt(scenario.changes[0]!.value, 10) * 1000 + buffer.headroom!)
  const sizeBytes = buffer.size ?? OPEN_SIZES['memory-manager'].firstBytes
  expect(parts).toBeLessThanOrEqual(sizeBytes)
  expect(parts).toBeGreaterThan(0.99 * sizeBytes)
})
