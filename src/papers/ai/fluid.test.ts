import { expect, test } from 'vitest'
import type { ConnectionPaths } from '../../lab/index.ts'
import { channelsOf, ringsPs } from './fluid.ts'

/** Links of 1 Gb/s, and queue pairs as [source, links]. */
const network = (links: number, pairs: readonly (readonly [number, readonly number[]])[]): ConnectionPaths => ({
  links: Array.from({ length: links }, () => ({ rateBps: 1e9, from: 'a', to: 'b', fromTier: 1, toTier: 2 })),
  connections: pairs.map(([source, path]) => ({ source, destination: 0, links: path, answerLinks: [] })),
})
const US = 1e6

test('a ring goes at the pace of the link that two of its edges share', () => {
  const alone = network(3, [
    [0, [0]],
    [1, [1]],
    [2, [2]],
  ])
  expect(ringsPs(alone, [0, 0, 0], 1250, 0) / US).toBeCloseTo(10, 6)
  const collided = network(3, [
    [0, [0]],
    [1, [1]],
    [2, [1]],
  ])
  expect(ringsPs(collided, [0, 0, 0], 1250, 0) / US).toBeCloseTo(20, 6)
})

test('when one ring has ended the other has its room', () => {
  // Ring 0 has both edges on link 0, which it shares with ring 1: a third of it for each edge, until ring 0 has ended.
  const pairs = network(2, [
    [0, [0]],
    [1, [0]],
    [0, [0]],
  ])
  expect(ringsPs(pairs, [0, 0, 1], 1250, 0) / US).toBeCloseTo(30, 6)
  // Ring 1 has link 1 to itself at first, and is done before.
  const apart = network(2, [
    [0, [0]],
    [1, [0]],
    [0, [1]],
  ])
  expect(ringsPs(apart, [0, 0, 1], 1250, 0) / US).toBeCloseTo(20, 6)
})

test('the n-th queue pair of a host is its channel n', () => {
  expect(
    channelsOf(
      network(1, [
        [0, [0]],
        [0, [0]],
        [1, [0]],
        [0, [0]],
        [1, [0]],
      ]),
    ),
  ).toEqual([0, 1, 0, 2, 1])
})
