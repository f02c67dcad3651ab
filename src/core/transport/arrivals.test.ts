/** Arrivals in a PSN space, compared with a plain list of packets, and the two bits of IRN's trace. */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import {
  Arrivals,
  BEYOND,
  COMPLETION_END,
  DUPLICATE,
  EARLY,
  HELD,
  IN_ORDER,
  MESSAGE_END,
  PACKET,
  type PacketClass,
  type Position,
} from './arrivals.ts'

/** The same with a map of arrivals, and naive. */
class Listed {
  epsn: number
  msn = 0
  completions = 0
  size = 128
  readonly #early = new Map<number, PacketClass>()
  constructor(firstPsn: number) {
    this.epsn = firstPsn
  }
  classOf(psn: number): PacketClass | 0 {
    return this.#early.get(psn) ?? 0
  }
  position(psn: number): Position {
    if (psn === this.epsn) return IN_ORDER
    if (psn < this.epsn) return DUPLICATE
    if (psn >= this.epsn + this.size) return BEYOND
    return this.#early.has(psn) ? HELD : EARLY
  }
  take(psn: number, bits: PacketClass): void {
    this.#early.set(psn, bits)
    for (let next = this.#early.get(this.epsn); next !== undefined; next = this.#early.get(this.epsn)) {
      this.#early.delete(this.epsn++)
      if (next !== PACKET) this.msn++
      if (next === COMPLETION_END) this.completions++
    }
  }
}

describe.each([true, false])('with messages: %s', (hasMessages) => {
  test('packets in any order, twice, and beyond the bitmap are classified as by a plain list', () => {
    const random = createRandomStreams(5).stream('arrivals')
    const seen = new Map<Position, number>()
    for (let k = 0; k < 60; k++) {
      const firstPsn = random.below(300)
      const arrivals = new Arrivals({ bitmapBits: 100, hasMessages }, firstPsn)
      const listed = new Listed(firstPsn)
      const spread = 1 + random.below(200)
      const chance = 1 + random.below(4)
      for (let step = 0; step < 300; step++) {
        const psn = listed.epsn + (random.below(chance) === 0 ? 0 : random.below(spread) - random.below(4))
        const position = arrivals.position(psn)
        if (position !== listed.position(psn))
          throw new Error(`round ${k}, step ${step}: ${psn} is said to be ${position}`)
        seen.set(position, (seen.get(position) ?? 0) + 1)
        if (position !== IN_ORDER && position !== EARLY) continue
        const bits = ([PACKET, PACKET, MESSAGE_END, COMPLETION_END] as const)[hasMessages ? random.below(4) : 0]!
        arrivals.take(psn, bits)
        listed.take(psn, bits)
        const [reported, known] = [arrivals, listed].map(
          ({ epsn, msn, completions }) => `${epsn} ${msn} ${completions}`,
        )
        if (reported !== known) throw new Error(`round ${k}, step ${step}: ${reported}, not ${known}`)
        const near = listed.epsn + random.below(140) - 3
        if (arrivals.classOf(near) !== listed.classOf(near))
          throw new Error(`round ${k}, step ${step}: bits of ${near}`)
      }
    }
    for (const position of [IN_ORDER, EARLY, HELD, DUPLICATE, BEYOND] as const)
      expect(seen.get(position)).toBeGreaterThan(100)
  })

  test('a bitmap that is full to its last bit empties at once', () => {
    const arrivals = new Arrivals({ bitmapBits: 128, hasMessages }, 1000)
    for (let psn = 1001; psn < 1128; psn++) arrivals.take(psn, PACKET)
    expect(arrivals.position(1128)).toBe(BEYOND)
    arrivals.take(1000, PACKET)
    expect([arrivals.epsn, arrivals.position(1128), arrivals.position(1129)]).toEqual([1128, IN_ORDER, EARLY])
    arrivals.take(1128, PACKET)
    expect(arrivals.epsn).toBe(1129)
  })

  test('a growing bitmap keeps its packets, and can hold those that were beyond', () => {
    const arrivals = new Arrivals({ bitmapBits: 128, hasMessages }, 1000)
    arrivals.take(1003, MESSAGE_END)
    expect(arrivals.position(1600)).toBe(BEYOND)
    arrivals.grow(1600)
    arrivals.take(1600, COMPLETION_END)
    const held = [1003, 1004, 1600, 1003 + 128].map((psn) => arrivals.position(psn))
    expect(held).toEqual([HELD, EARLY, HELD, EARLY])
    for (const psn of [1002, 1001, 1000]) arrivals.take(psn, PACKET)
    expect([arrivals.epsn, arrivals.msn]).toEqual([1004, hasMessages ? 1 : 0])
  })
})

test('two bits a packet are kept where messages are counted, and one where they are not ([IRN] 5.3.3)', () => {
  const bits = [true, false].map((hasMessages) => new Arrivals({ bitmapBits: 128, hasMessages }).bitmapBits)
  expect(bits).toEqual([256, 128])
})

describe('the 2-bitmap', () => {
  test('T-IRNV-1: a WRITE, a SEND and a WRITE with immediate, in the order 1 2 4 3 0', () => {
    const arrivals = new Arrivals({ bitmapBits: 128, hasMessages: true })
    const classes = [PACKET, MESSAGE_END, COMPLETION_END, PACKET, COMPLETION_END] as const
    for (const psn of [1, 2, 4, 3]) {
      expect(arrivals.position(psn)).toBe(EARLY)
      arrivals.take(psn, classes[psn]!)
      expect([arrivals.position(psn), arrivals.epsn, arrivals.msn]).toEqual([HELD, 0, 0])
    }
    expect([1, 2, 3, 4].map((psn) => arrivals.classOf(psn).toString(2).padStart(2, '0'))).toEqual([
      '01',
      '11',
      '10',
      '11',
    ])
    expect(arrivals.position(0)).toBe(IN_ORDER)
    arrivals.take(0, PACKET)
    expect([arrivals.epsn, arrivals.msn, arrivals.completions]).toEqual([5, 3, 2])
    expect([0, 5, 6].map((psn) => arrivals.position(psn))).toEqual([DUPLICATE, IN_ORDER, EARLY])
  })

  test('packets beyond the bitmap are not accepted', () => {
    const arrivals = new Arrivals({ bitmapBits: 32, hasMessages: true })
    expect([31, 32].map((psn) => arrivals.position(psn))).toEqual([EARLY, BEYOND])
  })
})
