import { describe, expect, test } from 'vitest'
import type { ConnectionPaths } from '../../lab/index.ts'
import { loadsOf, sharedRatesBps } from './shares.ts'

/** Links of the given rates, and connections by the links that each uses; a connection's source is its number. */
function network(rates: readonly number[], paths: readonly (readonly number[])[]): ConnectionPaths {
  return {
    links: rates.map((rateBps) => ({ rateBps, from: 'a', to: 'b', fromTier: 1, toTier: 2 })),
    connections: paths.map((links, source) => ({ source, destination: 0, links, answerLinks: [] })),
  }
}
const eachAlone = (_: unknown, index: number): number => index
const allTogether = (): number => 0

describe('a link of 10 with three connections, one of which goes on over a link of 2', () => {
  const paths = network([10, 2], [[0], [0], [0, 1]])

  test('loads are counted per link', () => {
    expect([...loadsOf(paths)]).toEqual([3, 1])
  })

  test('max-min: the connection on the narrow link gets 2, and the others share the rest', () => {
    expect([...sharedRatesBps(paths, eachAlone)]).toEqual([4, 4, 2])
  })

  test('all in one group: the narrow link limits every connection', () => {
    expect([...sharedRatesBps(paths, allTogether)]).toEqual([2, 2, 2])
  })

  test('a connection grouped with the narrow one has its rate, and the other takes the rest', () => {
    expect([...sharedRatesBps(paths, ({ source }) => Math.min(source, 1))]).toEqual([6, 2, 2])
  })
})

test('a group with two connections on a link counts there twice', () => {
  expect([...sharedRatesBps(network([9], [[0], [0], [0]]), ({ source }) => Math.min(source, 1))]).toEqual([3, 3, 3])
})

test('no link carries more than its rate, and every connection has a full link on its path', () => {
  const rates = [40, 40, 40, 40, 25]
  const paths = network(
    rates,
    Array.from({ length: 40 }, (_, c) => [c % 3, (c * 7) % 5].filter((link, i, all) => all.indexOf(link) === i)),
  )
  const shares = sharedRatesBps(paths, eachAlone)
  const used = rates.map((_, link) =>
    paths.connections.reduce((total, { links }, c) => total + (links.includes(link) ? shares[c]! : 0), 0),
  )
  used.forEach((total, link) => expect(total).toBeLessThanOrEqual(rates[link]! * (1 + 1e-12)))
  for (const { links } of paths.connections) {
    expect(links.some((link) => used[link]! >= rates[link]! * (1 - 1e-12))).toBe(true)
  }
})
