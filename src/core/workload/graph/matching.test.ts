/** Which receive gets which message. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { type Flight, Matching } from './matching.ts'
import { ANY, blankOperation, type GraphOperation } from './program.ts'

const flight = (send: number, source: number, tag: number): Flight => ({
  send,
  sendRow: -1,
  source,
  destination: 0,
  tag,
  channel: 0,
  sizeBytes: 1,
  isQueued: false,
  receive: -1,
  arrivedPs: NaN,
})
const receive = (peer: number, tag: number): GraphOperation => ({
  ...blankOperation(),
  kind: 'receive',
  rank: 0,
  peer,
  tag,
})

test('the k-th send matches the k-th receive, whatever arrives first', () => {
  const matching = new Matching(4, 2, false)
  const [first, second] = [flight(10, 1, 0), flight(11, 1, 0)]
  matching.send(first)
  matching.send(second)
  expect(matching.arrive(second, 5)).toBe(false)
  expect(matching.receive(20, receive(1, 0))).toBe(first)
  expect(matching.receive(21, receive(1, 0))).toBe(second)
  expect([first.receive, second.receive, first.arrivedPs]).toEqual([20, 21, NaN])
})

test('a receive that was posted before its send waits for it alone', () => {
  const matching = new Matching(4, 2, false)
  expect(matching.receive(20, receive(1, 1))).toBeNull()
  const other = flight(10, 1, 0)
  const meant = flight(11, 1, 1)
  matching.send(other)
  matching.send(meant)
  expect([other.receive, meant.receive]).toEqual([-1, 20])
})

describe('a receive of any message', () => {
  test('takes the first to arrive that no exact receive claims', () => {
    const matching = new Matching(4, 2, true)
    const [claimed, late, early] = [flight(10, 1, 0), flight(11, 2, 0), flight(12, 3, 1)]
    matching.receive(20, receive(1, 0))
    for (const each of [claimed, late, early]) matching.send(each)
    matching.arrive(claimed, 1)
    matching.arrive(early, 2)
    matching.arrive(late, 3)
    expect(matching.receive(21, receive(ANY, ANY))).toBe(early)
    expect(matching.receive(22, receive(ANY, 0))).toBe(late)
    expect(claimed.receive).toBe(20)
  })

  test('waits, in the order of posting, for a message that fits', () => {
    const matching = new Matching(4, 2, true)
    expect(matching.receive(20, receive(ANY, 1))).toBeNull()
    expect(matching.receive(21, receive(2, ANY))).toBeNull()
    const message = flight(10, 2, 0)
    matching.send(message)
    expect(matching.arrive(message, 1)).toBe(true)
    expect(message.receive).toBe(21)
  })

  test('every message and every receive has one partner, in any order of events', () => {
    const event = fc.record({ at: fc.nat(11), key: fc.nat(2), isAny: fc.boolean() })
    fc.assert(
      fc.property(fc.array(event, { minLength: 4, maxLength: 40 }), (events) => {
        const matching = new Matching(4, 1, true)
        const flights: Flight[] = []
        const taken = new Map<number, Flight>()
        let posted = 0
        for (const { at, key, isAny } of events) {
          if (at < 4) {
            const message = flight(flights.length, key + 1, 0)
            flights.push(message)
            matching.send(message)
          } else if (at < 8) {
            const waits = flights.filter(({ arrivedPs }) => Number.isNaN(arrivedPs))
            const message = waits[at % Math.max(1, waits.length)]
            if (message !== undefined) matching.arrive(message, 1)
          } else matching.receive(100 + posted++, receive(isAny ? ANY : key + 1, 0))
          for (const message of flights) if (message.receive >= 0) taken.set(message.receive, message)
        }
        const partners = flights.filter((message) => message.receive >= 0).map((message) => message.receive)
        expect(new Set(partners).size).toBe(partners.length)
        // Once given, a partner stays.
        for (const [id, message] of taken) expect(message.receive).toBe(id)
        // No message that has arrived waits while a receive of any message does.
        const [isWaiting, isOpen] = [
          flights.some((each) => each.receive < 0 && each.arrivedPs === 1),
          matching.receive(999, receive(ANY, ANY)),
        ]
        expect(isOpen !== null).toBe(isWaiting)
      }),
    )
  })
})
