/** Control lanes against a naive twin: one list of waiting packets, searched for each packet. */
import { expect, test } from 'vitest'
import { numbers } from '../../../../tests/support/numbers.ts'
import { INTS } from '../../base/memory.ts'
import { ControlLanes } from './control-lanes.ts'
import { NEXT } from '../packets.ts'

interface Waiting {
  readonly packet: number
  readonly trafficClass: number
}

/** The next class after the one served last, wrapping around and skipping paused ones; its first packet. */
function naiveTake(waiting: Waiting[], paused: number, last: number): Waiting | undefined {
  for (let step = 1; step <= 8; step++) {
    const trafficClass = (last + step) % 8
    if ((paused & (1 << trafficClass)) !== 0) continue
    const at = waiting.findIndex((each) => each.trafficClass === trafficClass)
    if (at >= 0) return waiting.splice(at, 1)[0]
  }
  return undefined
}

test('serves classes round robin, each in order, and never a paused one', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const below = numbers(seed)
    const lanes = new ControlLanes()
    const waiting: Waiting[] = []
    let last = 0
    let taken = 0
    for (let step = 0, packets = 0; step < 2000; step++) {
      if (below(2) === 0) {
        const packet = 32 * packets++
        const trafficClass = seed === 1 ? 3 : below(8)
        INTS[packet | NEXT] = -1
        lanes.push(packet, trafficClass)
        waiting.push({ packet, trafficClass })
        continue
      }
      const paused = below(3) === 0 ? below(256) : 0
      const expected = naiveTake(waiting, paused, last)
      expect((lanes.waiting & ~paused) !== 0).toBe(expected !== undefined)
      if (expected === undefined) continue
      expect(lanes.take(paused)).toBe(expected.packet)
      last = expected.trafficClass
      taken++
    }
    expect(taken).toBeGreaterThan(500)
  }
})
