import { expect, test } from 'vitest'
import type { ConnectionPaths } from '../../lab/index.ts'
import { sharedRatesBps } from '../core/shares.ts'
import { windowRatesBps } from './window-shares.ts'

function network(rates: readonly number[], paths: readonly (readonly number[])[]): ConnectionPaths {
  return {
    links: rates.map((rateBps) => ({ rateBps, from: 'a', to: 'b', fromTier: 1, toTier: 2 })),
    connections: paths.map((links, source) => ({ source, destination: 0, links, answerLinks: [] })),
  }
}
const wide = { windowBits: 1e6, roundTripSeconds: () => 1e-9, answerShare: 0 }

test('a window that does not fill the link gives its size over the round trip', () => {
  const rates = windowRatesBps(network([1e9], [[0]]), { ...wide, windowBits: 1000, roundTripSeconds: () => 1e-5 })
  expect(rates[0]).toBeCloseTo(1e8, 0)
})

test('connections at one full link share it', () => {
  for (const rate of windowRatesBps(network([9e9], [[0], [0], [0]]), wide)) expect(rate / 3e9).toBeCloseTo(1, 5)
})

test('over two full links a connection has a third, the proportionally fair share, and half under max-min', () => {
  // Kelly 1997: a connection over n links, each shared with another connection, gets 1 / (n + 1).
  const parking = network([3e9, 3e9], [[0, 1], [0], [1]])
  const [long, ...short] = windowRatesBps(parking, wide)
  expect(long! / 1e9).toBeCloseTo(1, 4)
  for (const rate of short) expect(rate / 2e9).toBeCloseTo(1, 4)
  expect([...sharedRatesBps(parking, (_, index) => index)]).toEqual([1.5e9, 1.5e9, 1.5e9])
})

test('ACKs load the reverse path, and wait there', () => {
  const there = network([2e9, 1e9], [[0]])
  const paths = { ...there, connections: [{ ...there.connections[0]!, answerLinks: [1] }] }
  expect(windowRatesBps(paths, { ...wide, answerShare: 0.8 })[0]! / 1.25e9).toBeCloseTo(1, 4)
  expect(windowRatesBps(paths, { ...wide, answerShare: 0.1 })[0]! / 2e9).toBeCloseTo(1, 4)
})
