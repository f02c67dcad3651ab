import { describe, expect, test } from 'vitest'
import { Memory } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { fc } from '../../../../tests/support/properties.ts'
import type { QueuePair } from '../pairs/queue-pair.ts'
import { RoundRobin } from './round-robin.ts'
import { CompactingTwin, RoundRobinTwin, type Twin, type TwinEntry } from './round-robin.test-twin.ts'

const memory = new Memory()

/** The fields of a QP that the round robin reads. */
class Sender {
  isIdle = false
  readonly isFailed = false
  nextSendPs = 0
  readonly pacing = { availablePs: 0 }
  readonly nxt = 0
  readonly end = 1
}

interface Entry {
  readonly name: string
  readonly sender: Sender
  readonly trafficClass: number
  index: number
}

function entry(name: string, trafficClass = 3): Entry & QueuePair {
  // The round robin reads these fields only.
  return { name, sender: new Sender(), trafficClass, index: -1 } as unknown as Entry & QueuePair
}

/** A round robin of these QPs. */
function roundRobinOf(packetsPerTurn: number, entries: readonly QueuePair[], isCompacting = false): RoundRobin {
  const roundRobin = new RoundRobin(memory, isCompacting, packetsPerTurn)
  for (const each of entries) roundRobin.update(each)
  return roundRobin
}

/** Names of the next `count` QPs that may send, as long as there is one. */
function served(roundRobin: RoundRobin, count: number, { nowPs = 0, paused = 0 } = {}): string {
  let names = ''
  for (let i = 0; i < count; i++) {
    const index = roundRobin.next(nowPs, paused)
    names += index < 0 ? '-' : (roundRobin.pairAt(index) as Entry & QueuePair).name
  }
  return names
}

describe('one packet each', () => {
  test('QPs that are always ready are served in a cycle', () => {
    const roundRobin = roundRobinOf(1, [entry('a'), entry('b'), entry('c')])
    expect(served(roundRobin, 7)).toBe('bcabcab')
  })

  test('a QP that waits for pacing or is paused is skipped, and the nearest deadline is kept', () => {
    const [a, b, c] = [entry('a'), entry('b', 4), entry('c')]
    const roundRobin = roundRobinOf(1, [a, b, c])
    roundRobin.setReady(a.index, 500)
    expect(served(roundRobin, 4, { paused: 1 << 4 })).toBe('cccc')
    roundRobin.setReady(c.index, 900)
    expect(served(roundRobin, 1, { paused: 1 << 4 })).toBe('-')
    expect(roundRobin.idleUntilPs).toBe(500)
    expect(roundRobin.isIdle(499, 1 << 4)).toBe(true)
    expect(roundRobin.isIdle(500, 1 << 4)).toBe(false)
    expect(roundRobin.isIdle(499, 0)).toBe(false)
    expect(served(roundRobin, 3, { nowPs: 500, paused: 1 << 4 })).toBe('aaa')
  })

  test('a QP that is done leaves, and the one after it is next', () => {
    const [a, b, c, d] = [entry('a'), entry('b'), entry('c'), entry('d')]
    const roundRobin = roundRobinOf(1, [a, b, c, d])
    expect(served(roundRobin, 2)).toBe('bc')
    c.sender.isIdle = true
    roundRobin.update(c)
    expect(c.index).toBe(-1)
    expect(served(roundRobin, 4)).toBe('dabd')
  })
})

describe('several packets per QP', () => {
  test('each QP sends packetsPerTurn packets in a row', () => {
    const roundRobin = roundRobinOf(3, [entry('a'), entry('b')])
    expect(served(roundRobin, 10)).toBe('bbbaaabbba')
  })

  test('a QP that is alone goes on', () => {
    expect(served(roundRobinOf(2, [entry('a')]), 5)).toBe('aaaaa')
  })

  test('a QP that is not ready is not waited for, and starts a new burst when it is served again', () => {
    const [a, b] = [entry('a'), entry('b')]
    const roundRobin = roundRobinOf(3, [a, b])
    expect(served(roundRobin, 2)).toBe('bb')
    roundRobin.setReady(b.index, 100)
    expect(served(roundRobin, 2)).toBe('aa')
    roundRobin.setReady(b.index, 0)
    expect(served(roundRobin, 6)).toBe('abbbaa')
  })

  test('the packets that a leaving QP had left pass to no other QP', () => {
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    const roundRobin = roundRobinOf(3, [a, b, c])
    expect(served(roundRobin, 1)).toBe('b')
    b.sender.isIdle = true
    roundRobin.update(b)
    expect(served(roundRobin, 6)).toBe('cccaaa')
  })

  test('a QP that leaves in front of the present one does not end its burst', () => {
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    const roundRobin = roundRobinOf(3, [a, b, c])
    expect(served(roundRobin, 1)).toBe('b')
    a.sender.isIdle = true
    roundRobin.update(a)
    expect(served(roundRobin, 6)).toBe('bbcccb')
  })

  test('with a compacting list, a QP that leaves ends the burst in progress', () => {
    const [a, b, c] = [entry('a'), entry('b'), entry('c')]
    const roundRobin = roundRobinOf(4, [a, b, c], true)
    expect(served(roundRobin, 1)).toBe('b')
    a.sender.isIdle = true
    roundRobin.update(a)
    b.sender.nextSendPs = 50
    roundRobin.update(b)
    // The search finds c, and a leaves; the pointer stays at 1, where c is now.
    expect(served(roundRobin, 5)).toBe('ccccc')
    expect(a.index).toBe(-1)
  })
})

describe('QPs that go and come back, each time at the end of the list', () => {
  /** A long message among others of one packet each, acknowledged after `behind` more services; returns the QPs served. */
  function churn(others: number, behind: number, picks: number): string {
    const long = entry('L')
    const shorts = Array.from({ length: others }, () => entry('s'))
    const roundRobin = roundRobinOf(1, [long, ...shorts])
    const inFlight: (Entry & QueuePair)[] = []
    let names = ''
    for (let i = 0; i < picks; i++) {
      const index = roundRobin.next(0, 0)
      const one = roundRobin.pairAt(index) as Entry & QueuePair
      names += one.name
      if (one === long) continue
      roundRobin.setReady(index, NEVER_PS)
      inFlight.push(one)
      if (inFlight.length <= behind) continue
      const acked = inFlight.shift()!
      acked.sender.isIdle = true
      roundRobin.update(acked)
      acked.sender.isIdle = false
      roundRobin.update(acked)
    }
    return names
  }
  test('do not keep a QP that stays from being served', () => {
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

/** A round robin of five QPs, with a check of each QP that it selects. */
class Watched {
  readonly entries = ['a', 'b', 'c', 'd', 'e'].map((name) => entry(name))
  readonly wrong: string[] = []
  private readonly roundRobin: RoundRobin
  private readonly packetsPerTurn: number
  private last: Entry | null = null
  private inARow = 0
  /** By QP: how often it was passed over while ready, since it last sent. */
  private readonly passed = new Map<Entry, number>()

  constructor(packetsPerTurn: number) {
    this.packetsPerTurn = packetsPerTurn
    this.roundRobin = roundRobinOf(packetsPerTurn, this.entries)
  }

  change(who: number, what: string): void {
    const one = this.entries[who]!
    one.sender.isIdle = what === 'done'
    one.sender.nextSendPs = what === 'late' ? 10 : 0
    this.roundRobin.update(one)
    // QPs that join or leave reset the counts of bursts and waits.
    this.passed.clear()
    this.last = null
  }

  serve(): void {
    const index = this.roundRobin.next(0, 0)
    const ready = this.entries.filter((each) => each.index >= 0 && each.sender.nextSendPs <= 0)
    if (index < 0) {
      if (ready.length > 0) this.wrong.push(`${ready[0]!.name} is ready and not found`)
      const earliestPs = this.entries.some((each) => each.index >= 0) ? 10 : NEVER_PS
      if (this.roundRobin.idleUntilPs !== earliestPs) this.wrong.push(`looks again at ${this.roundRobin.idleUntilPs}`)
      return
    }
    const found = this.roundRobin.pairAt(index) as Entry & QueuePair
    const others = ready.filter((each) => each !== found)
    if (found.index !== index || others.length === ready.length) this.wrong.push(`${found.name} is not ready`)
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

test('under random changes only ready QPs send, none sends longer than its burst, and none is left out', () => {
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

test('of many QPs of two classes those serve that are not paused', () => {
  const entries = Array.from({ length: 100 }, (_, i) => entry(i % 10 === 0 ? 'a' : 'b', i % 10 === 0 ? 4 : 3))
  const roundRobin = roundRobinOf(1, entries)
  expect(served(roundRobin, 12, { paused: 1 << 3 })).toBe('a'.repeat(12))
  expect(served(roundRobin, 9, { paused: 1 << 4 })).toBe('b'.repeat(9))
  expect(served(roundRobin, 1, { paused: (1 << 3) | (1 << 4) })).toBe('-')
  expect([roundRobin.idleUntilPs, roundRobin.isIdle(0, 1 << 3)]).toEqual([NEVER_PS, false])
  expect(served(roundRobin, 20)).toContain('ab')
})

/** Random changes of QPs, compared with a plain list: 12 are looked through, of 150 there is an index, 70 cross the limit. */
describe.each([12, 70, 150])('%i QPs', (count) => {
  const step = fc.record({
    who: fc.nat(count - 1),
    some: fc.nat(40),
    what: fc.constantFrom('ready', 'late', 'never', 'done', 'done', 'serve', 'serve', 'serve', 'later'),
  })
  const compare = (
    isCompacting: boolean,
    packetsPerTurn: number,
    steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  ): { readonly order: readonly string[]; readonly expected: readonly string[] } => {
    const names = Array.from({ length: count }, (_, i) => `${i}`)
    const entries = names.map((name) => entry(name))
    const roundRobin = roundRobinOf(packetsPerTurn, entries, isCompacting)
    const twin: Twin = isCompacting ? new CompactingTwin() : new RoundRobinTwin(packetsPerTurn)
    const twins = names.map((name): TwinEntry => ({ name, readyPs: 0 }))
    for (const each of twins) twin.enter(each)
    const inTwin = new Set(twins)
    const order: string[] = []
    const expected: string[] = []
    let nowPs = 0
    for (const { who, some, what } of steps) {
      if (what === 'later') nowPs += some
      else if (what === 'serve') {
        for (let i = 0; i < some; i++) {
          const index = roundRobin.next(nowPs, 0)
          const name = twin.next(nowPs)
          order.push(index < 0 ? '-' : (roundRobin.pairAt(index) as Entry & QueuePair).name)
          expected.push(name)
          if (name === '-') break
          // A packet was sent: the next one is due later.
          entries[Number(name)]!.sender.nextSendPs = twins[Number(name)]!.readyPs = nowPs + (i % 7)
          entries[Number(name)]!.sender.pacing.availablePs = nowPs + (i % 7)
          roundRobin.setReady(index, nowPs + (i % 7))
        }
      } else {
        // As many QPs change as were drawn.
        for (let i = who; i < Math.min(count, who + some); i++) {
          const [one, other] = [entries[i]!, twins[i]!]
          one.sender.isIdle = what === 'done'
          one.sender.nextSendPs = other.readyPs = what === 'never' ? NEVER_PS : what === 'late' ? nowPs + (i % 13) : 0
          one.sender.pacing.availablePs = nowPs + (i % 11)
          roundRobin.update(one)
          if (what === 'done' && inTwin.delete(other)) twin.leave(other)
          else if (what !== 'done' && !inTwin.has(other)) {
            inTwin.add(other)
            twin.enter(other)
          }
        }
        const moved = entries[who]!
        moved.sender.pacing.availablePs = nowPs + some
        if (moved.index >= 0) roundRobin.pace(moved)
      }
      order.push(`${roundRobin.earliestPacedPs(nowPs)}`)
      expected.push(`${nearestPs(entries, nowPs)}`)
    }
    return { order, expected }
  }
  /** The nearest pacing deadline to come, of all in the list; they are looked through. */
  const nearestPs = (entries: readonly Entry[], nowPs: number): number =>
    Math.min(
      NEVER_PS,
      ...entries.flatMap(({ index, sender }) =>
        index >= 0 && sender.pacing.availablePs > nowPs ? [sender.pacing.availablePs] : [],
      ),
    )

  test('are served as in a list from which they are removed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(step, { maxLength: 80 }), (packetsPerTurn, steps) => {
        const { order, expected } = compare(false, packetsPerTurn, steps)
        expect(order).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('are served as in a list that is closed up as a search passes those that are done', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const { order, expected } = compare(true, 1, steps)
        expect(order).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})

test('leaving costs the same per QP for many QPs as for few', () => {
  const entries = Array.from({ length: 100_000 }, () => entry('x'))
  const roundRobin = roundRobinOf(1, entries)
  for (const each of entries) {
    each.sender.isIdle = true
    roundRobin.update(each)
  }
  expect([roundRobin.isEmpty, entries.every(({ index }) => index === -1)]).toEqual([true, true])
}, 20_000)
