/** Packets of 1,000 bytes that a byte window allows in flight. */
import { expect, test } from 'vitest'
import { GBPS } from '../../base/params.ts'
import { ByteWindow } from './byte-window.ts'
import type { SenderOptions } from './sender-options.ts'

/** Packets that may be in flight at a rate, on a line of 100 Gb/s. */
function packetsIn(bytes: number, gbps: number, windowVariable: boolean, ackInterval = 1): number {
  const options = { frames: { payloadBytes: 1000 }, lineRateBps: 100 * GBPS, windowVariable, ackInterval }
  // The window reads these options only.
  const window = new ByteWindow(bytes, options as unknown as SenderOptions)
  let packets = 0
  while (!window.isClosed(packets, gbps * GBPS)) packets++
  return packets
}

test('a fixed one is full with the packet that reaches it, whatever the rate', () => {
  expect([9000, 9001, 10_000].map((bytes) => packetsIn(bytes, 100, false))).toEqual([9, 10, 10])
  expect(packetsIn(10_000, 1, false)).toBe(10)
})

test('a variable one has the share of the rate in the line', () => {
  expect([100, 50, 25].map((gbps) => packetsIn(20_000, gbps, true))).toEqual([20, 10, 5])
})

test('but room for the packets that share one ACK, so that one is sent', () => {
  expect(packetsIn(20_000, 0.001, true)).toBe(1)
  expect(packetsIn(20_000, 0.001, true, 4)).toBe(4)
})
