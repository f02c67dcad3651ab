/** What has arrived of a PSN space, held against a plain list of packets. */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import {
  BEYOND,
  COMPLETION_END,
  DUPLICATE,
  EARLY,
  HELD,
  IN_ORDER,
  MESSAGE_END,
  PACKET,
  type PacketClass,
  type Place,
  SelectiveRepeatReceiver,
} from './receiver.ts'

/** The same with a map of what came and nothing clever. */
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
  place(psn: number): Place {
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
  test('packets in any order, twice, and beyond the bitmap are what a plain list says they are', () => {
    const random = createRandomStreams(5).stream('arrivals')
    const seen = new Map<Place, number>()
    for (let k = 0; k < 60; k++) {
      const firstPsn = random.below(300)
      const receiver = new SelectiveRepeatReceiver({ bitmapBits: 100, hasMessages }, firstPsn)
      const listed = new Listed(firstPsn)
      const spread = 1 + random.below(200)
      const chance = 1 + random.below(4)
      for (let step = 0; step < 300; step++) {
        const psn = listed.epsn + (random.below(chance) === 0 ? 0 : random.below(spread) - random.below(4))
        const place = receiver.place(psn)
        if (place !== listed.place(psn)) throw new Error(`round ${k}, step ${step}: ${psn} is said to be ${place}`)
        seen.set(place, (seen.get(place) ?? 0) + 1)
        if (place !== IN_ORDER && place !== EARLY) continue
        const bits = ([PACKET, PACKET, MESSAGE_END, COMPLETION_END] as const)[hasMessages ? random.below(4) : 0]!
        receiver.take(psn, bits)
        listed.take(psn, bits)
        const [told, known] = [receiver, listed].map(({ epsn, msn, completions }) => `${epsn} ${msn} ${completions}`)
        if (told !== known) throw new Error(`round ${k}, step ${step}: ${told}, not ${known}`)
        const near = listed.epsn + random.below(140) - 3
        if (receiver.classOf(near) !== listed.classOf(near))
          throw new Error(`round ${k}, step ${step}: bits of ${near}`)
      }
    }
    for (const place of [IN_ORDER, EARLY, HELD, DUPLICATE, BEYOND] as const)
      expect(seen.get(place)).toBeGreaterThan(100)
  })

  test('a bitmap that is full to its last bit empties at once', () => {
    const receiver = new SelectiveRepeatReceiver({ bitmapBits: 128, hasMessages }, 1000)
    for (let psn = 1001; psn < 1128; psn++) receiver.take(psn, PACKET)
    expect(receiver.place(1128)).toBe(BEYOND)
    receiver.take(1000, PACKET)
    expect([receiver.epsn, receiver.place(1128), receiver.place(1129)]).toEqual([1128, IN_ORDER, EARLY])
    receiver.take(1128, PACKET)
    expect(receiver.epsn).toBe(1129)
  })

  test('one that grows keeps what it holds, and holds what was beyond', () => {
    const receiver = new SelectiveRepeatReceiver({ bitmapBits: 128, hasMessages }, 1000)
    receiver.take(1003, MESSAGE_END)
    expect(receiver.place(1600)).toBe(BEYOND)
    receiver.grow(1600)
    receiver.take(1600, COMPLETION_END)
    const held = [1003, 1004, 1600, 1003 + 128].map((psn) => receiver.place(psn))
    expect(held).toEqual([HELD, EARLY, HELD, EARLY])
    for (const psn of [1002, 1001, 1000]) receiver.take(psn, PACKET)
    expect([receiver.epsn, receiver.msn]).toEqual([1004, hasMessages ? 1 : 0])
  })
})

test('two bits a packet are kept where messages are counted, and one where they are not (S3 5.3.3)', () => {
  const bits = [true, false].map(
    (hasMessages) => new SelectiveRepeatReceiver({ bitmapBits: 128, hasMessages }).bitmapBits,
  )
  expect(bits).toEqual([256, 128])
})
