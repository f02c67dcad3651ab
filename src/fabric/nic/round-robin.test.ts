import { describe, expect, test } from 'vitest'
import { Memory } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { fc } from '../../../tests/support/properties.ts'
import type { QueuePair } from './queue-pair.ts'
import { Turn } from './round-robin.ts'
import { type TwinEntry, TurnTwin } from './round-robin.test-twin.ts'

const memory = new Memory()

/** What a turn looks at of a QP. */
class Sender {
  isIdle = false
  readonly isFailed = false
  nextSendPs = 0
}

interface Entry {
  readonly name: string
  readonly sender: Sender
  readonly trafficClass: number
  place: number
}

function entry(name: string, trafficClass = 3): Entry & QueuePair {
  return { name, sender: new Sender(), trafficClass, place: -1 } as unknown as Entry & QueuePair
}

/** A turn with these QPs in it. */
function turnOf(packetsPerTurn: number, entries: readonly QueuePair[], isCompacting = false): Turn {
  const turn = new Turn(memory, isCompacting, packetsPerTurn)
  for (const each of entries) turn.update(each)
  return turn
}

/** Names of the next `count` QPs that may send, as long as there is one. */
function served(turn: Turn, count: number, { nowPs = 0, paused = 0 } = {}): string {
  let names = ''
  for (let i = 0; i < count; i++) {
    const place = turn.next(nowPs, paused)
    names += place < 0 ? '-' : (turn.pairAt(place) as Entry & QueuePair).name
  }
  return names
}

describe('one packet each', () => {
  test('QPs that are always ready go round', () => {
    const turn = turnOf(1, [entry('a'), entry('b'), entry('c')])
    expect(served(turn, 7)).toBe('bcabcab')
  })

  test('one that waits for pacing or is paused is passed over, and the nearest deadline is remembered', () => {
    const [a, b, c] = [entry('a'), entry('b', 4), entry('c')]
    const turn = turnOf(1, [a, b, c])
    turn.setReady(a.place, 500)
    expect(served(turn, 4, { paused: 1 << 4 })).toBe('cccc')
    turn.setReady(c.place, 900)
    expect(served(turn, 1, { paused: 1 << 4 })).toBe('-')
    expect(turn.idleUntilPs).toBe(500)
    expect(turn.isIdle(499, 1 << 4)).toBe(true)
    expect(turn.isIdle(500, 1 << 4)).toBe(false)
    expect(turn.isIdle(499, 0)).toBe(false)
    expect(served(turn, 3, { nowPs: 500, paused: 1 << 4 })).toBe('aaa')
  })

  test('one that is done leaves, and the one behind it is next', () => {
    const [a, b, c, d] = [entry('a'), entry('b'), entry('c'), entry('d')]
    const turn = turnOf(1, [a, b, c, d])
    expect(served(turn, 2)).toBe('bc')
    c.sender.isIdle = true
    turn.update(c)
    expect(c.place).toBe(-1)
    expect(served(turn, 4)).toBe('dabd')
  })
})

describe('several packets a turn', () => {
  test('each sends so many in a row', () => {
    const turn = turnOf(3, [entry('a'), entry('b')])
    expect(served(turn, 10)).toBe('bbbaaabbba')
  })

  test('one alone goes on', () => {
    expect(served(turnOf(2, [entry('a')]), 5)).toBe('aaaaa')
  })

  test('one that is not ready is not waited for, and begins anew when its turn comes again', () => {
    const [a, b] = [entry('a'), entry('b')]
    const turn = turnOf(3, [a, b])
    expect(served(turn, 2)).toBe('bb')
    turn.setReady(b.place, 100)
    expect(served(turn, 2)).toBe('aa')
    turn.setReady(b.place, 0)
    expect(served(turn, 6)).toBe('abbbaa')
  })

  test("what one that leaves had left is nobody else's", () => {
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    const turn = turnOf(3, [a, b, c])
    expect(served(turn, 1)).toBe('b')
    b.sender.isIdle = true
    turn.update(b)
    expect(served(turn, 6)).toBe('cccaaa')
  })

  test('one that leaves in front of it does not end a turn', () => {
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    const turn = turnOf(3, [a, b, c])
    expect(served(turn, 1)).toBe('b')
    a.sender.isIdle = true
    turn.update(a)
    expect(served(turn, 6)).toBe('bbcccb')
  })

  test('with a compacting list, one that leaves ends the turn that is in progress', () => {
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    const turn = turnOf(4, [a, b, c], true)
    expect(served(turn, 1)).toBe('b')
    a.sender.isIdle = true
    turn.update(a)
    b.sender.nextSendPs = 50
    turn.update(b)
    // The look finds c, and a leaves; the pointer stays at 1, where c is now.
    expect(served(turn, 5)).toBe('ccccc')
    expect(a.place).toBe(-1)
  })
})

describe('QPs that go and come back, each time at the end of the list', () => {
  /** A long message among others of one packet each, `behind` of which are answered behind so many more; who was served. */
  function churn(others: number, behind: number, picks: number): string {
    const long = entry('L')
    const shorts = Array.from({ length: others }, () => entry('s'))
    const turn = turnOf(1, [long, ...shorts])
    const inFlight: (Entry & QueuePair)[] = []
    let names = ''
    for (let i = 0; i < picks; i++) {
      const place = turn.next(0, 0)
      const one = turn.pairAt(place) as Entry & QueuePair
      names += one.name
      if (one === long) continue
      turn.setReady(place, NEVER_PS)
      inFlight.push(one)
      if (inFlight.length <= behind) continue
      const answered = inFlight.shift()!
      answered.sender.isIdle = true
      turn.update(answered)
      answered.sender.isIdle = false
      turn.update(answered)
    }
    return names
  }
  test('do not keep one that stays from its turn', () => {
    for (const [others, behind] of [
      [2, 1],
      [6, 2],
      [25, 9],
      [60, 9],
    ] as const) {
      const names = churn(others, behind, 4000)
      const longest = Math.max(...names.split('L').map((between) => between.length))
      expect(names.split('L').length).toBeGreaterThanOrEqual(Math.floor(4000 / (others + 18)))
      expect(longest).toBeLessThanOrEqual(others + 1 + 16)
    }
  })
})

/** Five QPs in a turn, and what is wrong with whom it lets send. */
class Watched {
  readonly entries = ['a', 'b', 'c', 'd', 'e'].map((name) => entry(name))
  readonly wrong: string[] = []
  private readonly turn: Turn
  private readonly packetsPerTurn: number
  private last: Entry | null = null
  private inARow = 0
  /** How often those that were ready were passed over since they sent. */
  private readonly passed = new Map<Entry, number>()

  constructor(packetsPerTurn: number) {
    this.packetsPerTurn = packetsPerTurn
    this.turn = turnOf(packetsPerTurn, this.entries)
  }

  change(who: number, what: string): void {
    const one = this.entries[who]!
    one.sender.isIdle = what === 'done'
    one.sender.nextSendPs = what === 'late' ? 10 : 0
    this.turn.update(one)
    // Those that come and go may go first: nobody's row or wait is counted on.
    this.passed.clear()
    this.last = null
  }

  serve(): void {
    const place = this.turn.next(0, 0)
    const ready = this.entries.filter((each) => each.place >= 0 && each.sender.nextSendPs <= 0)
    if (place < 0) {
      if (ready.length > 0) this.wrong.push(`${ready[0]!.name} is ready and not found`)
      const earliestPs = this.entries.some((each) => each.place >= 0) ? 10 : NEVER_PS
      if (this.turn.idleUntilPs !== earliestPs) this.wrong.push(`looks again at ${this.turn.idleUntilPs}`)
      return
    }
    const found = this.turn.pairAt(place) as Entry & QueuePair
    const others = ready.filter((each) => each !== found)
    if (found.place !== place || others.length === ready.length) this.wrong.push(`${found.name} is not ready`)
    this.inARow = found === this.last ? this.inARow + 1 : 1
    this.last = found
    if (others.length === 0) this.inARow = 0
    if (this.inARow > this.packetsPerTurn) this.wrong.push(`${found.name} sends ${this.inARow} in a row`)
    this.passed.delete(found)
    for (const each of others) {
      const count = (this.passed.get(each) ?? 0) + 1
      this.passed.set(each, count)
      if (count > 4 * this.packetsPerTurn) this.wrong.push(`${each.name} is passed over ${count} times`)
    }
  }
}

test('whatever comes, waits and goes: only those that may send do, nobody sends too long, and nobody is left out', () => {
  const step = fc.record({ who: fc.nat(4), what: fc.constantFrom('ready', 'late', 'done', 'serve', 'serve', 'serve') })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (packetsPerTurn, steps) => {
      const watched = new Watched(packetsPerTurn)
      for (const { who, what } of steps) {
        if (what === 'serve') watched.serve()
        else watched.change(who, what)
      }
      expect(watched.wrong).toEqual([])
    }),
    { numRuns: 2000 },
  )
})

test('a list with empty places serves as one from which QPs are cut out, whatever comes, waits and goes', () => {
  const names = Array.from('abcdefghijkl')
  const step = fc.record({
    who: fc.nat(names.length - 1),
    what: fc.constantFrom('ready', 'late', 'done', 'done', 'serve', 'serve', 'serve'),
  })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 120 }), (packetsPerTurn, steps) => {
      const entries = names.map((name) => entry(name))
      const turn = turnOf(packetsPerTurn, entries)
      const twin = new TurnTwin(packetsPerTurn)
      const twins = names.map((name): TwinEntry => ({ name, readyPs: 0 }))
      for (const each of twins) twin.enter(each)
      const inTwin = new Set(twins)
      const order: string[] = []
      const expected: string[] = []
      for (const { who, what } of steps) {
        if (what === 'serve') {
          order.push(served(turn, 1))
          expected.push(twin.next())
          continue
        }
        const [one, other] = [entries[who]!, twins[who]!]
        one.sender.isIdle = what === 'done'
        one.sender.nextSendPs = other.readyPs = what === 'late' ? 10 : 0
        turn.update(one)
        if (what === 'done' && inTwin.delete(other)) twin.leave(other)
        else if (what !== 'done' && !inTwin.has(other)) {
          inTwin.add(other)
          twin.enter(other)
        }
      }
      expect(order).toEqual(expected)
    }),
    { numRuns: 3000 },
  )
})

test('many that leave cost as much each as few', () => {
  const entries = Array.from({ length: 100_000 }, () => entry('x'))
  const turn = turnOf(1, entries)
  for (const each of entries) {
    each.sender.isIdle = true
    turn.update(each)
  }
  expect([turn.isEmpty, entries.every(({ place }) => place === -1)]).toEqual([true, true])
}, 20_000)
