/** Earliest start of the next packet. A packet of 1,000 bytes at 40 Gb/s takes 200 ns, at 10 Gb/s 800 ns. */
import { describe, expect, test } from 'vitest'
import { Memory } from '../../base/memory.ts'
import { GBPS, NS } from '../../base/params.ts'
import { createSerialization } from '../../base/serialization.ts'
import { Pacing, PACING } from './pacing.ts'

const memory = new Memory()
const paced = (): Pacing => new Pacing(createSerialization(1, 'nearest'), memory.take(PACING))

describe('the gap behind a packet', () => {
  test('is its time at the rate of its start', () => {
    const pacing = paced()
    pacing.start(0, 1000, 40 * GBPS)
    expect(pacing.availablePs).toBe(200 * NS)
  })

  test('follows the size and the rate from packet to packet', () => {
    const pacing = paced()
    const ends = [
      [1000, 40],
      [1000, 10],
      [500, 10],
      [500, 40],
    ].map(([bytes, rate]) => {
      pacing.start(0, bytes!, rate! * GBPS)
      return pacing.availablePs / NS
    })
    expect(ends).toEqual([200, 800, 400, 100])
  })
})

describe('a rate that changes within the gap', () => {
  test('moves its end, counted from the start of the packet', () => {
    const pacing = paced()
    pacing.start(1000 * NS, 1000, 40 * GBPS)
    pacing.move(10 * GBPS)
    expect(pacing.availablePs).toBe(1800 * NS)
    pacing.move(40 * GBPS)
    expect(pacing.availablePs).toBe(1200 * NS)
  })

  test('has nothing to move before the first packet', () => {
    const pacing = paced()
    pacing.move(10 * GBPS)
    expect(pacing.availablePs === 0).toBe(true)
  })

  test('that is the same leaves the end where it is', () => {
    const pacing = paced()
    pacing.start(0, 1000, 40 * GBPS)
    pacing.notBefore(300 * NS)
    pacing.move(40 * GBPS)
    expect(pacing.availablePs).toBe(300 * NS)
  })
})
