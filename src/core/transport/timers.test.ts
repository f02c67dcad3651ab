import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { NEVER_PS } from '../base/params.ts'
import { ACK_TIMER, FIRST_CONGESTION_TIMER, RNR_TIMER, SENDING_TIMER, Timers } from './timers.ts'

function counted(): { timers: Timers; drawn: () => number } {
  let orders = 0
  return { timers: new Timers({ draw: () => ++orders }), drawn: () => orders }
}

describe('the nearest deadline', () => {
  test('is NEVER_PS while none is set', () => {
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

  test('set again at its own instant is ordered behind the others', () => {
    const { timers } = counted()
    timers.set(ACK_TIMER, 500)
    timers.set(FIRST_CONGESTION_TIMER, 500)
    timers.set(ACK_TIMER, 500)
    expect([timers.nextSlot, timers.nextOrder]).toEqual([FIRST_CONGESTION_TIMER, 2])
  })

  test('is due when events have run up to its own order, and not for an earlier one of the same instant', () => {
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

describe('the event of the nearest deadline', () => {
  test('is requested once, and again only for an earlier deadline', () => {
    const { timers } = counted()
    expect(timers.isUnarmed).toBe(false)
    timers.set(ACK_TIMER, 500)
    expect(timers.isUnarmed).toBe(true)
    timers.arm()
    expect(timers.isUnarmed).toBe(false)
    timers.set(RNR_TIMER, 600)
    expect(timers.isUnarmed).toBe(false)
    timers.set(SENDING_TIMER, 400)
    expect(timers.isUnarmed).toBe(true)
  })

  test('is requested at the same instant if the deadline was set before', () => {
    const { timers } = counted()
    timers.set(ACK_TIMER, 500)
    timers.set(RNR_TIMER, 400)
    timers.set(RNR_TIMER, 500)
    timers.arm()
    expect([timers.nextOrder, timers.isUnarmed]).toEqual([1, false])
    // The one with the event moves behind; the event set for the other would come too early, which is allowed.
    timers.set(ACK_TIMER, 500)
    expect([timers.nextOrder, timers.isUnarmed]).toEqual([3, false])
    const other = counted().timers
    other.set(ACK_TIMER, 400)
    other.set(RNR_TIMER, 500)
    other.clear(ACK_TIMER)
    other.arm()
    other.set(ACK_TIMER, 500)
    expect([other.nextOrder, other.isUnarmed]).toEqual([2, false])
  })

  test('counts only if it is the last one requested, by time and order', () => {
    const { timers } = counted()
    timers.set(ACK_TIMER, 500)
    timers.arm()
    expect([timers.disarm(400, 1), timers.disarm(500, 2)]).toEqual([false, false])
    expect(timers.isUnarmed).toBe(false)
    expect(timers.disarm(500, 1)).toBe(true)
    expect([timers.isUnarmed, timers.disarm(500, 1)]).toEqual([true, false])
  })

  test('comes for every deadline at its time and order, whatever is set and cleared meanwhile', () => {
    const call = fc.record({
      what: fc.constantFrom('set', 'set', 'clear', 'wait', 'wait'),
      slot: fc.integer({ min: 0, max: 5 }),
      timePs: fc.integer({ min: 0, max: 4 }),
    })
    fc.assert(
      fc.property(fc.array(call, { maxLength: 80 }), (calls) => {
        const { timers, drawn } = counted()
        let nowPs = 0
        let waiting: { slot: number; timePs: number; order: number }[] = []
        const events: { timePs: number; order: number }[] = []
        const heard: string[] = []
        const meant: string[] = []
        const look = (): void => {
          if (!timers.isUnarmed) return
          events.push({ timePs: timers.nextPs, order: timers.nextOrder })
          timers.arm()
        }
        const byOrder = <T extends { timePs: number; order: number }>(list: T[]): T[] =>
          list.sort((a, b) => a.timePs - b.timePs || a.order - b.order)
        const waitUntil = (endPs: number): void => {
          for (const { timePs, slot, order } of byOrder(waiting))
            if (timePs <= endPs) meant.push(`${timePs} ${order} ${slot}`)
          waiting = waiting.filter(({ timePs }) => timePs > endPs)
          while (byOrder(events).length > 0 && events[0]!.timePs <= endPs) {
            const { timePs, order } = events.shift()!
            if (timers.disarm(timePs, order) && timers.isDue(timePs, order)) {
              heard.push(`${timePs} ${timers.nextOrder} ${timers.nextSlot}`)
              timers.clear(timers.nextSlot)
            }
            look()
          }
          nowPs = endPs
        }
        for (const { what, slot, timePs } of calls) {
          if (what === 'wait') waitUntil(nowPs + timePs)
          else {
            timers.clear(slot)
            waiting = waiting.filter((entry) => entry.slot !== slot)
            if (what === 'set') {
              timers.set(slot, nowPs + timePs + 1)
              waiting.push({ slot, timePs: nowPs + timePs + 1, order: drawn() })
            }
            look()
          }
        }
        waitUntil(nowPs + 10)
        expect(heard).toEqual(meant)
      }),
      { numRuns: 500 },
    )
  })
})

test('deadlineOf returns the time of a deadline, and NEVER_PS if it is not set', () => {
  const { timers } = counted()
  timers.set(RNR_TIMER, 700)
  timers.set(SENDING_TIMER, 800)
  expect([ACK_TIMER, RNR_TIMER, SENDING_TIMER].map((slot) => timers.deadlineOf(slot))).toEqual([NEVER_PS, 700, 800])
})
