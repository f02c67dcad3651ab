import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { PSN_MASK, psnDistance, unwrapPsn } from './psn.ts'

const LAP = 1n << 24n
/** Signed distance modulo 2^24 in big integers. */
function distanceTwin(a: number, b: number): number {
  const forward = (((BigInt(a) - BigInt(b)) % LAP) + LAP) % LAP
  return Number(forward >= LAP / 2n ? forward - LAP : forward)
}
/** The nearest integer of the class, by trying the three nearest cycles. */
function unwrapTwin(psn: number, reference: number): number {
  const lap = BigInt(reference) / LAP
  const candidates = [lap - 1n, lap, lap + 1n].map((t) => t * LAP + BigInt(psn))
  const far = (x: bigint): bigint => (x > BigInt(reference) ? x - BigInt(reference) : BigInt(reference) - x)
  const half = LAP / 2n
  // Exactly half a cycle away lies below: distances are -2^23 .. 2^23-1.
  const near = candidates.filter((x) => far(x) < half || (far(x) === half && x < BigInt(reference)))
  expect(near).toHaveLength(1)
  return Number(near[0])
}

const wire = fc.integer({ min: 0, max: PSN_MASK })
const edge = fc.constantFrom(0, 1, 2, 0x7fffff, 0x800000, 0x800001, PSN_MASK - 1, PSN_MASK)
const psns = fc.oneof(wire, edge)
const references = fc.oneof(
  psns,
  fc.integer({ min: 0, max: 2 ** 33 }),
  fc.nat({ max: 2 ** 50 }),
  fc.tuple(fc.integer({ min: 1, max: 2 ** 26 }), fc.integer({ min: -3, max: 3 })).map(([k, d]) => k * 2 ** 24 + d),
  fc.integer({ min: -3, max: 3 }).map((d) => 2 ** 31 + d),
)

describe('against big integers', () => {
  test('the distance of any two PSNs', () => {
    fc.assert(
      fc.property(psns, psns, (a, b) => {
        expect(psnDistance(a, b)).toBe(distanceTwin(a, b))
      }),
      { numRuns: 2000 },
    )
  })
  test('the unbounded number nearest to any reference', () => {
    fc.assert(
      fc.property(psns, references, (psn, reference) => {
        expect(unwrapPsn(psn, reference)).toBe(unwrapTwin(psn, reference))
      }),
      { numRuns: 4000 },
    )
  })
})

test('a PSN cut to 24 bits is restored, within half a cycle of the reference', () => {
  fc.assert(
    fc.property(references, fc.integer({ min: -(2 ** 23), max: 2 ** 23 - 1 }), (reference, distance) => {
      const psn = reference + distance
      fc.pre(psn >= -1)
      // As an ACK of what came before the first packet: PSN -1.
      expect(unwrapPsn(((psn % 2 ** 24) + 2 ** 24) % 2 ** 24, reference)).toBe(psn)
    }),
    { numRuns: 2000 },
  )
})

test('half a cycle behind is behind, one less than half ahead is ahead', () => {
  expect(psnDistance(0x800000, 0)).toBe(-0x800000)
  expect(psnDistance(0x7fffff, 0)).toBe(0x7fffff)
  expect(psnDistance(1, PSN_MASK)).toBe(2)
})
