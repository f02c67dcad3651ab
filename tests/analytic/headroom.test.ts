/**
 * Headroom is as large as it has to be and no larger: the worst traffic on a real link fills the exact sum to the last byte,
 * nothing passes it, and with a byte less packets are lost. Source: 802.1Qbb annex O; [MS-Scale] section 2.
 */
import { describe, expect, test } from 'vitest'
import { NS, US } from '../../src/core/base/params.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { HeadroomBench, type LinkCase, REFRESH_PS } from '../support/headroom-bench.ts'

const RESERVE = 10_000
/** Its limit is a byte at most, so that each packet beyond the reserve goes over it. */
const TIGHT = `reserve: ${RESERVE}B, alpha: 1e-8`

/** The delay of a cable, and a picosecond: the last frame starts just before the pause takes effect, not at that instant. */
const delayOf = (metres: number): number => metres * 5 * NS + 1

function link(more: Partial<LinkCase>): LinkCase {
  return {
    gbps: 100,
    delayPs: delayOf(40),
    classes: [3],
    reactionPs: 0,
    isRefreshed: false,
    kind: 'shared-buffer',
    buffer: TIGHT,
    ...more,
  }
}

interface Attack {
  /** Start of the longest frame that the pause waits for, after the packet that goes over the limit has arrived. */
  readonly phasePs?: number
  /** Sizes of the packets that follow it; undefined: those that fill the headroom best. */
  readonly sizes?: (bench: HeadroomBench) => readonly number[]
}

/** A class fills its reserve, and then goes over its limit while the peer sends as much as it may. */
function attack(on: LinkCase, { phasePs = 0, sizes = worst }: Attack = {}) {
  const stand = new HeadroomBench(on)
  const { bench, limits } = stand
  const others = on.classes.slice(1)
  bench.at(1 * US, () => {
    stand.hold(0, 3)
    for (let i = 0; i < 10; i++) stand.store(0, 3, RESERVE / 10)
    for (const other of others) {
      stand.hold(1, other)
      for (let i = 0; i < 10; i++) stand.store(1, other, RESERVE / 10)
    }
  })
  const startPs = 40 * US
  const overPs = startPs + stand.wirePs(limits.dataBytes) + on.delayPs
  // They are paused, which is repeated, if at all, just before the packet goes over the limit.
  bench.at(overPs - REFRESH_PS, () => others.forEach((other) => stand.store(1, other, 64)))
  bench.at(startPs, () => {
    // Their resumes, too, go before the pause.
    bench.at(overPs, () => others.forEach((other) => stand.hold(1, other, false)))
    stand.cross(0, 3, limits.dataBytes)
    for (const bytes of sizes(stand)) stand.cross(0, 3, bytes)
  })
  bench.at(overPs + phasePs, () => stand.answer(limits.anyBytes))
  const mostBytes = stand.run()[3]!
  return { mostBytes, lost: stand.lost, exactBytes: stand.exactBytes }
}

/** Frames that fill the time until the pause, and more of the longest than can follow. */
function worst(stand: HeadroomBench): number[] {
  return [...stand.filling(stand.windowBytes), ...Array.from({ length: 5 }, () => stand.limits.dataBytes)]
}

const LINKS = [10, 40, 100, 400].flatMap((gbps) => [5, 40, 300].map((metres) => [gbps, metres] as const))

describe.each([
  [[3], false],
  [[3], true],
  [[3, 4], false],
  [[3, 4], true],
])('with lossless classes %j, pauses repeated: %s', (classes, isRefreshed) => {
  test.each(LINKS)(
    '%i Gb/s over %i m: the worst traffic fills the exact sum, and a byte less loses packets',
    (gbps, metres) => {
      for (const reactionPs of [0, 100 * NS]) {
        const on = link({ gbps, delayPs: delayOf(metres), classes, reactionPs, isRefreshed })
        const { exactBytes } = new HeadroomBench(on)
        const tight = attack({ ...on, buffer: `${TIGHT}, headroom: ${exactBytes}B` })
        expect([tight.mostBytes, tight.lost]).toEqual([exactBytes, 0])
        expect(attack({ ...on, buffer: `${TIGHT}, headroom: ${exactBytes - 1}B` }).lost).toBeGreaterThan(0)
        // The default rounds up.
        expect(attack(on)).toMatchObject({ mostBytes: exactBytes, lost: 0 })
      }
    },
  )
})

describe.each([[[3]], [[3, 4]]])(
  'with lossless classes %j, whatever the phase and the sizes, nothing passes the sum',
  (classes) => {
    test.each(LINKS)('%i Gb/s over %i m', (gbps, metres) => {
      const on = link({ gbps, delayPs: delayOf(metres), classes })
      const { bytePs } = new HeadroomBench(on)
      const { exactBytes } = attack(on)
      const kept = { ...on, buffer: `${TIGHT}, headroom: ${exactBytes}B` }
      const stream = createRandomStreams(gbps * metres).stream('sizes')
      const mixtures = [
        () => Array.from({ length: 400 }, () => 64),
        ({ limits }: HeadroomBench) => Array.from({ length: 200 }, () => limits.dataBytes),
        ({ limits }: HeadroomBench) => Array.from({ length: 300 }, () => 64 + stream.below(limits.dataBytes - 63)),
        worst,
      ]
      const most = mixtures.flatMap((sizes) =>
        [-1, -0.5, -0.1, -0.001, 0, 0.001, 0.1].map((share) => {
          const { lost, mostBytes } = attack(kept, { phasePs: Math.round(share * 1100 * bytePs), sizes })
          expect(lost).toBe(0)
          return mostBytes
        }),
      )
      // The longest frame starts as the limit is passed, in the mixture that fills best.
      expect(most.indexOf(Math.max(...most))).toBe(3 * 7 + 4)
    })
  },
)

/** A class that is full goes over its limit and under it again with every small packet, each of which leaves at once. */
function flutter(on: LinkCase): { readonly lost: number; readonly mostWaiting: number } {
  const stand = new HeadroomBench(on)
  const { bench, limits, port } = stand
  bench.at(1 * US, () => {
    stand.hold(0, 3)
    for (let i = 0; i < 10; i++) stand.store(0, 3, RESERVE / 10)
  })
  const small = 200
  let mostWaiting = 0
  const startPs = 100 * US
  bench.at(startPs, () => {
    for (let i = 0; i < small; i++) stand.cross(1, 3, 64)
    for (let i = 0; i < 400; i++) stand.cross(0, 3, limits.dataBytes)
  })
  const arrivalPs = startPs + stand.wirePs(64) + on.delayPs
  bench.at(arrivalPs, () => stand.answer(limits.anyBytes))
  for (let i = 0; i < small; i++) {
    bench.at(arrivalPs + i * stand.wirePs(64) + 1, () => (mostWaiting = Math.max(mostWaiting, port.waitingPfc)))
  }
  bench.run()
  return { lost: stand.lost, mostWaiting }
}

describe('a class that goes over and under its limit with every small packet', () => {
  test.each(LINKS)('%i Gb/s over %i m: at most two of its PFC frames wait, and nothing is lost', (gbps, metres) => {
    const on = link({ gbps, delayPs: delayOf(metres) })
    const { exactBytes } = new HeadroomBench(on)
    for (const headroom of ['off', `${exactBytes}B`]) {
      for (const xonOffset of [0, 3000]) {
        const buffer = `${TIGHT}, xonOffset: ${xonOffset}B, headroom: ${headroom}`
        expect(flutter({ ...on, buffer })).toEqual({ lost: 0, mostWaiting: 2 })
      }
    }
  })

  test('at an input-queued switch all of them are sent, and the last pause comes too late unless XON is a frame below XOFF', () => {
    const on = link({ gbps: 100, delayPs: delayOf(300), kind: 'input-queued' })
    const [xoff, { exactBytes }] = [RESERVE + 1, new HeadroomBench({ ...on, buffer: '' })]
    const buffer = (xonOffset: number): string =>
      `xoff: ${xoff}B, xonOffset: ${xonOffset}B, portBuffer: ${xoff + exactBytes}B`
    const kept = flutter({ ...on, buffer: buffer(0) })
    expect([kept.lost > 0, kept.mostWaiting > 100]).toEqual([true, true])
    expect(flutter({ ...on, buffer: buffer(1300) })).toEqual({ lost: 0, mostWaiting: 1 })
  })
})

test('no random traffic passes the sum or the default headroom', { timeout: 120_000 }, () => {
  // One of them passes the sum where a port sends every PFC frame.
  const seeds = 60
  let paused = 0
  let closest = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const random = createRandomStreams(seed).stream('search')
    const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!
    const classes = pick([[3], [3], [3, 4], [3, 4, 5]])
    const reserve = pick([500, 1000])
    const on = link({
      gbps: pick([10, 40, 100, 400]),
      delayPs: delayOf(pick([5, 40, 300])),
      classes,
      reactionPs: pick([0, 50 * NS]),
      buffer: `reserve: ${reserve}B, alpha: ${pick(['1e-8', '1e-5', '5e-5'])}, xonOffset: ${pick([0, 100, 3000])}B`,
    })
    const stand = new HeadroomBench(on)
    const { bench, limits, exactBytes } = stand
    const sizeOf = (): number => pick([64, limits.dataBytes, 64 + random.below(limits.dataBytes - 63)])
    const stepPs = stand.wirePs(limits.dataBytes)
    bench.at(1 * US, () => {
      for (const c of classes) {
        stand.hold(0, c)
        stand.store(0, c, reserve)
      }
    })
    for (let i = 0, ps = 2 * US; i < 300; i++, ps += random.below(40 * stepPs)) {
      bench.at(ps, () => {
        const what = random.below(10)
        if (what === 0) stand.hold(pick([0, 1]), pick(classes), random.below(3) > 0)
        else if (what < 4) stand.answer(sizeOf())
        else {
          // A run of packets alike; those to receiver 1 mostly leave at once.
          const [receiver, c, bytes] = [pick([0, 1]), pick(classes), sizeOf()]
          for (let n = random.below(bytes === 64 ? 300 : 60); n >= 0; n--) stand.cross(receiver, c, bytes)
        }
      })
    }
    const most = Math.max(...stand.run())
    expect([stand.lost, most <= exactBytes], `seed ${seed}`).toEqual([0, true])
    closest = Math.max(closest, most / exactBytes)
    paused += bench.counters.pauseFrames
  }
  expect([paused > 20 * seeds, closest > 0.95]).toEqual([true, true])
})
