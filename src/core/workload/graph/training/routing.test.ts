/** Routing of tokens: how many go where, and that draws keep the rules of groups and of skew. */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../../base/random.ts'
import { drawRouting, type Routing, type RoutingOptions } from './routing.ts'

const PLAIN: RoutingOptions = {
  ranks: 8,
  nodeSize: 4,
  tokens: 500,
  experts: 64,
  topK: 8,
  groups: 1,
  topGroups: 1,
  skew: { kind: 'none' },
}
const draw = (more: Partial<RoutingOptions>, seed = 1): Routing =>
  drawRouting({ ...PLAIN, ...more }, createRandomStreams(seed).stream('test'))
const sum = (of: readonly number[]): number => of.reduce((total, each) => total + each, 0)

describe('every token calls for topK experts', () => {
  test.each([
    { topK: 1 },
    { topK: 64 },
    { groups: 8, topGroups: 4 },
    { skew: { kind: 'zipf', exponent: 3 } },
    { skew: { kind: 'hot', times: 8, expert: 63 } },
    { groups: 4, topGroups: 1, skew: { kind: 'hot', times: 2, expert: 20 } },
  ] satisfies Partial<RoutingOptions>[])('%o', (more) => {
    const { ranks, tokens, topK } = { ...PLAIN, ...more }
    const { toRank, toNode, calls } = draw(more)
    expect(sum(calls)).toBe(ranks * tokens * topK)
    for (let source = 0; source < ranks; source++) {
      // At most one copy a rank and a node, and at least one in all.
      expect(Math.max(...toRank[source]!)).toBeLessThanOrEqual(tokens)
      expect(sum(toRank[source]!)).toBeGreaterThanOrEqual(tokens)
      expect(sum(toNode[source]!)).toBeLessThanOrEqual(sum(toRank[source]!))
    }
  })
})

test('one expert a token and one a rank: each token goes to one rank', () => {
  const { toRank, calls } = draw({ experts: 8, topK: 1 })
  expect(toRank.map(sum)).toEqual(Array.from({ length: 8 }, () => 500))
  expect(calls).toEqual(calls.map((_, to) => sum(toRank.map((row) => row[to]!))))
})

test('all experts: each token goes everywhere', () => {
  const { toRank, toNode } = draw({ topK: 64 })
  expect(new Set(toRank.flat())).toEqual(new Set([500]))
  expect(new Set(toNode.flat())).toEqual(new Set([500]))
})

test('with one group of a node, a token stays in one node', () => {
  const { toNode } = draw({ groups: 2, topGroups: 1 })
  expect(toNode.map(sum)).toEqual(Array.from({ length: 8 }, () => 500))
})

test('without skew the ranks are called for alike, within chance', () => {
  const { calls } = draw({ tokens: 2000 })
  const mean = sum(calls) / 8
  for (const each of calls) expect(each / mean).toBeCloseTo(1, 1)
})

test('a hot expert gets its times the mean', () => {
  const { calls } = draw({ experts: 8, topK: 2, tokens: 4000, skew: { kind: 'hot', times: 3, expert: 5 } })
  expect(calls[5]! / (sum(calls) / 8)).toBeCloseTo(3, 1)
})

test('Zipf: the expert of weight 1 is called for as often as its weight says', () => {
  const { calls } = draw({ experts: 8, topK: 1, tokens: 4000, skew: { kind: 'zipf', exponent: 1 } })
  const total = sum(Array.from({ length: 8 }, (_, k) => 1 / (k + 1)))
  const shares = calls.map((each) => each / sum(calls)).toSorted((a, b) => b - a)
  shares.forEach((share, k) => expect(share).toBeCloseTo(1 / (k + 1) / total, 2))
})

test('a seed gives one routing', () => {
  expect(draw({}, 7)).toEqual(draw({}, 7))
  expect(draw({}, 7)).not.toEqual(draw({}, 8))
})
