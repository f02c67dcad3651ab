import { describe, expect, test } from 'vitest'
import { fc } from '../../tests/support/properties.ts'
import { NEVER_PS } from '../base/params.ts'
import { ACK_TIMER, FIRST_CONGESTION_TIMER, RNR_TIMER, Timers } from './timers.ts'

function counted(): { timers: Timers; drawn: () => number } {
  let orders = 0
  return { timers: new Timers({ draw: () => ++orders }), drawn: () => orders }
}

describe('the nearest deadline', () => {
  test('is never while none is set', () => {
    const { timers } = counted()
    expect([timers.nextPs, timers.isSet(ACK_TIMER)]).toEqual([NEVER_PS, false])
  })

  test('of two at one instant is the one set first', () => {
    const { timers } = counted()
    timers.set(RNR_TIMER, 500)
    timers.set(ACK_TIMER, 500)
    expect([timers.nextSlot, timers.nextOrder]).toEqual([RNR_TIMER, 1])
    timers.clear(RNR_TIMER)
    expect([timers.nextSlot, timers.nextOrder]).toEqual([ACK_TIMER, 2])
  })

  test('set again at its own instant goes behind the others', () => {
    const { timers } = counted()
    timers.set(ACK_TIMER, 500)
    timers.set(FIRST_CONGESTION_TIMER, 500)
    timers.set(ACK_TIMER, 500)
    expect([timers.nextSlot, timers.nextOrder]).toEqual([FIRST_CONGESTION_TIMER, 2])
  })

  test('is due when its own place in line has come, and not for whoever is before it at the same instant', () => {
    const { timers } = counted()
    expect(timers.isDue(1000, 9)).toBe(false)
    timers.set(ACK_TIMER, 400)
    timers.set(ACK_TIMER, 500)
    expect([0, 1, 2, 3].map((order) => timers.isDue(500, order))).toEqual([false, false, true, true])
    expect([timers.isDue(499, 9), timers.isDue(501, 0)]).toEqual([false, true])
  })

  test('equals the least of a naive list after any calls', () => {
    const call = fc.record({
      what: fc.constantFrom('set', 'set', 'set', 'clear', 'clearAll'),
      slot: fc.integer({ min: 0, max: 5 }),
      timePs: fc.integer({ min: 0, max: 8 }),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const { timers, drawn } = counted()
        let list: { slot: number; timePs: number; order: number }[] = []
        for (const { what, slot, timePs } of calls) {
          if (what === 'set') {
            timers.set(slot, timePs)
            list = [...list.filter((entry) => entry.slot !== slot), { slot, timePs, order: drawn() }]
          } else if (what === 'clear') {
            timers.clear(slot)
            list = list.filter((entry) => entry.slot !== slot)
          } else {
            timers.clearAll()
            list = []
          }
          const [least] = list.toSorted((a, b) => a.timePs - b.timePs || a.order - b.order)
          expect([timers.nextPs, timers.nextSlot]).toEqual([least?.timePs ?? NEVER_PS, least?.slot ?? -1])
          expect(timers.nextOrder).toBe(least?.order ?? timers.nextOrder)
          for (let s = 0; s < 6; s++) expect(timers.isSet(s)).toBe(list.some((entry) => entry.slot === s))
        }
      }),
      { numRuns: 300 },
    )
  })
})
