import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { GBPS, US } from '../../base/params.ts'
import { headroomBytes } from '../formulas.ts'
import { type Frames, mostStored } from './most-stored.ts'
import { simulatedReaction, standardReaction } from './reaction.ts'
import { strictHeadroom } from './strict.ts'
import type { HeadroomLink } from './terms.ts'

/** 400 Gb/s, packets of 1024 bytes of payload. */
const linkOf = (metres: number, more: Partial<HeadroomLink> = {}): HeadroomLink => ({
  rateBps: 400 * GBPS,
  delayPs: metres * 5000,
  crossingBytes: 1102,
  frameBytes: 1102,
  delayingBytes: 1102,
  leastBytes: 64,
  gapBytes: 20,
  pfcBytes: 64,
  pfcFrames: 1,
  sendPs: 0,
  reaction: simulatedReaction(400 * GBPS, 0),
  cellBytes: 0,
  ...more,
})

describe('bytes that can arrive after XOFF', () => {
  test.each([
    [5, 5830, 13_716],
    [40, 23_030, 66_548],
    [300, 150_710, 459_740],
  ])('400 Gb/s and %i m: %i bytes; %i in cells of 254, filled by packets of 64', (metres, bytes, inCells) => {
    expect(strictHeadroom(linkOf(metres)).bytes).toBe(bytes)
    expect(strictHeadroom(linkOf(metres, { cellBytes: 254 })).bytes).toBe(inCells)
  })

  test('5 m by hand: 3,706 bytes of wire hold four frames, with the one that crosses and the one just started', () => {
    // There and back 50 ns at 50 bytes a ns; 1102 + 20; 64 + 20. Four frames in it leave 3706 - 4 x 20.
    expect(2500 + 1122 + 84 - 4 * 20 + 2 * 1102).toBe(5830)
  })

  test('a pipeline and a reaction are bytes at the rate of the link', () => {
    const sum = strictHeadroom(linkOf(40, { sendPs: 1 * US, reaction: simulatedReaction(400 * GBPS, 2 * US) }))
    const bytes = (name: string): number | undefined => sum.terms.find((term) => term.name === name)?.bytes
    expect([bytes('pipeline'), bytes("peer's reaction")]).toEqual([50_000, 100_000])
  })

  test('terms that are not there are not listed', () => {
    expect(strictHeadroom(linkOf(40)).terms.map(({ name }) => name)).toEqual([
      'frame that crosses XOFF',
      'cable there and back',
      'frame that delays the pause',
      'pause frames',
      'frame just started by the peer',
      'not stored',
    ])
  })

  test('the standard gives a peer 905 quanta of 64 bytes at 400 Gb/s', () => {
    expect([10, 25, 40, 50, 100, 200, 400, 800, 30].map((gbps) => standardReaction(gbps * GBPS).bytes / 64)).toEqual([
      67, 80, 118, 147, 394, 453, 905, 905, 118,
    ])
  })
})

test('the default headroom is the exact sum and less than a frame more', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(10, 40, 100, 400, 800),
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 128, max: 9216 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 2 * US }),
      (gbps, metres, frameBytes, classes, reactionPs) => {
        const rateBps = gbps * GBPS
        const sizes = { crossingBytes: frameBytes, frameBytes, delayingBytes: frameBytes }
        const reaction = simulatedReaction(rateBps, reactionPs)
        const exact = strictHeadroom(linkOf(metres, { ...sizes, rateBps, pfcFrames: classes, reaction })).bytes
        const rounded = headroomBytes({
          rateBps,
          delayPs: metres * 5000,
          wireBytes: frameBytes + 20,
          frameBytes,
          pfcWireBytes: classes * 84,
          reactionPs,
        })
        const roundingBytes = rounded + frameBytes - exact
        expect(roundingBytes).toBeGreaterThanOrEqual(0)
        expect(roundingBytes).toBeLessThan(frameBytes + 1)
      },
    ),
  )
})

describe('the worst filling of a time on the wire', () => {
  /** All numbers of frames of all sizes, tried one by one. */
  function byHand(budget: number, frames: Frames, known = new Map<number, number>()): number {
    if (budget <= 0) return 0
    const found = known.get(budget)
    if (found !== undefined) return found
    let most = 0
    for (let bytes = frames.leastBytes; bytes <= frames.mostBytes && bytes + frames.gapBytes <= budget; bytes++) {
      const stored = frames.cellBytes === 0 ? bytes : Math.ceil(bytes / frames.cellBytes) * frames.cellBytes
      most = Math.max(most, stored + byHand(budget - bytes - frames.gapBytes, frames, known))
    }
    known.set(budget, most)
    return most
  }

  test('is that of a search over every mixture of sizes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 20, max: 70 }),
        fc.integer({ min: 0, max: 150 }),
        fc.constantFrom(0, 16, 50, 64, 96, 208),
        (budget, leastBytes, spread, cellBytes) => {
          const frames = { leastBytes, mostBytes: leastBytes + spread, gapBytes: 20, cellBytes }
          expect(mostStored(budget, frames).storedBytes).toBe(byHand(budget, frames))
        },
      ),
      { numRuns: 150 },
    )
  })

  test('fits the wire', () => {
    for (const cellBytes of [0, 96, 254]) {
      const filling = mostStored(100_000, { leastBytes: 64, mostBytes: 1102, gapBytes: 20, cellBytes })
      expect(filling.frameBytes + 20 * filling.frames).toBeLessThanOrEqual(100_000)
      expect(filling.storedBytes).toBeGreaterThanOrEqual(filling.frameBytes)
    }
  })

  test.each([96, 144, 254])(
    'cells of %i and 80 km of cable: as full as the densest frame allows, in no time',
    (cellBytes) => {
      const budget = 4e7
      const frames = { leastBytes: 64, mostBytes: 9216, gapBytes: 20, cellBytes }
      const densest = Math.max(cellBytes / 84, (2 * cellBytes) / (cellBytes + 21))
      const { storedBytes } = mostStored(budget, frames)
      expect(storedBytes).toBeLessThanOrEqual(budget * densest)
      expect(storedBytes).toBeGreaterThan(budget * densest * 0.9999)
    },
  )
})
