import { expect, test } from 'vitest'
import { ackPs, alonePs, exchangesOf, type Line, ringSteps } from './times.ts'

/** One switch, 400 Gb/s, 500 ns of each link. */
const LINE: Line = { rateBps: 400e9, payloadBytes: 4096, links: 2, delayPs: 1e6 }
const MIB = 2 ** 20

test('a message alone takes what another packet model gives', () => {
  expect(alonePs(4096, LINE) / 1e6).toBeCloseTo(1.1678, 3)
  expect(alonePs(MIB, LINE) / 1e6).toBeCloseTo(22.4756, 3)
  expect(ackPs(LINE) / 1e6).toBeCloseTo(1.0034, 3)
})

test('steps of a ring, and of halving and doubling', () => {
  expect(ringSteps(8)).toBe(14)
  expect((ringSteps(8) * alonePs((16 * MIB) / 8, LINE)) / 1e6).toBeCloseTo(614.137, 1)
  expect(exchangesOf(16 * MIB, 8)).toEqual([
    { bytes: 8 * MIB, bit: 2 },
    { bytes: 4 * MIB, bit: 1 },
    { bytes: 2 * MIB, bit: 0 },
  ])
  const time = 2 * exchangesOf(16 * MIB, 8).reduce((sum, { bytes }) => sum + alonePs(bytes, LINE), 0)
  expect(time / 1e6).toBeCloseTo(605.463, 1)
})
