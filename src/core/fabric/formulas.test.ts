import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { GBPS, US } from '../base/params.ts'
import { headroomOf } from '../../lab/network/switch-buffers.ts'
import { frameLimitsOf } from '../../lab/network/frames.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { dynamicFixedPointBytes, dynamicThresholdBytes, headroomBytes, markingProbability } from './formulas.ts'

describe('headroom', () => {
  const link = {
    rateBps: 40 * GBPS,
    delayPs: 2 * US,
    wireBytes: 1106,
    frameBytes: 1086,
    pfcWireBytes: 84,
    reactionPs: 0,
  }

  test('at 40 Gb/s over 2us, 22,296 bytes on the link are up to 21 frames, 22,806 bytes in a queue', () => {
    expect(headroomBytes(link)).toBe(22_806)
  })

  test('with the packet that crosses the threshold, a port of 240,000 bytes is lossless up to XOFF at 216,108', () => {
    expect(240_000 - headroomBytes(link) - 1086).toBe(216_108)
  })

  test('[IRN]: of 240 KB, twice the BDP, the 20 KB that an upstream link holds there and back leave 220 KB', () => {
    const scenario = parseScenario(`
name: headroom
topology: {kind: fat-tree, arity: 6, linkRate: 40Gbps, linkDelay: 2us}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {buffer: {kind: shared-buffer, headroomFormula: delay-rate, headroomFactor: 2}}`)
    const upstreamBytes = headroomOf(scenario, { rateBps: 40 * GBPS, delayPs: 2 * US }, frameLimitsOf(scenario))
    expect([upstreamBytes, 2 * 120_000 - upstreamBytes]).toEqual([20_000, 220_000])
  })

  test('a reaction of 60 quanta is 3840 bytes more', () => {
    const reactionPs = (60 * 512e12) / (40 * GBPS)
    expect(headroomBytes({ ...link, reactionPs })).toBe(Math.ceil((22_296 + 3840) / 1106) * 1086)
  })

  test.each([
    ['rate times delay times 1.5, of one simulator', '{headroomFormula: delay-rate, headroomFactor: 3}', 30_000],
    [
      'twice the delay and two packets, of another',
      '{headroomFormula: delay-rate, headroomFactor: 2, headroomExtra: 2096B}',
      22_096,
    ],
    ['as given', '{headroom: 12345B}', 12_345],
    ['strict: 20 frames with the RETH of a WRITE, and the one that crosses XOFF', '{}', 21 * 1102],
  ])('of a scenario: %s', (_name, fields, bytes) => {
    const scenario = parseScenario(`
name: headroom
topology: {kind: star, hosts: 2}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {buffer: ${fields.replace('{', '{kind: shared-buffer, ').replace(', }', '}')}}`)
    const port = { rateBps: 40 * GBPS, delayPs: 2 * US }
    expect(headroomOf(scenario, port, frameLimitsOf(scenario))).toBe(bytes)
  })

  test('is whole frames, and enough for the bytes sent until the peer has stopped', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(10, 25, 40, 100, 400, 800),
        fc.integer({ min: 0, max: 2000 }),
        fc.integer({ min: 64, max: 9216 }),
        (gbps, delayNs, frameBytes) => {
          const wireBytes = frameBytes + 20
          const bytes = headroomBytes({ ...link, rateBps: gbps * GBPS, delayPs: delayNs * 1000, frameBytes, wireBytes })
          expect(bytes % frameBytes).toBe(0)
          const onWire = (2 * delayNs * gbps) / 8 + 2 * wireBytes + 84
          expect((bytes / frameBytes) * wireBytes).toBeGreaterThanOrEqual(Math.floor(onWire))
          expect((bytes / frameBytes - 1) * wireBytes).toBeLessThan(onWire)
        },
      ),
    )
  })
})

describe('dynamic threshold', () => {
  test('T-DT-1: of 9 MB with 1 MB in use, a sixteenth is 500,000 and a sixty-fourth 125,000', () => {
    expect([dynamicThresholdBytes(1 / 16, 8e6), dynamicThresholdBytes(1 / 64, 8e6)]).toEqual([500_000, 125_000])
  })

  test('T-DT-3: one counter comes to rest at 529,412 with a sixteenth and at 138,462 with a sixty-fourth', () => {
    expect(Math.round(dynamicFixedPointBytes(1 / 16, 9e6, 1))).toBe(529_412)
    expect(Math.round(dynamicFixedPointBytes(1 / 64, 9e6, 1))).toBe(138_462)
  })

  test('the fixed point is where the counter meets the threshold that it leaves itself', () => {
    for (const counters of [1, 2, 7, 32]) {
      const bytes = dynamicFixedPointBytes(1 / 8, 12e6, counters)
      expect(dynamicThresholdBytes(1 / 8, 12e6 - counters * bytes)).toBe(Math.floor(bytes))
    }
  })
})

describe('marking probability', () => {
  test.each([
    [4999, 0, 0],
    [5000, 0, 0],
    [102_500, 0.005, 0.005],
    [199_999, 0.01 * (194_999 / 195_000), 0.01 * (194_999 / 195_000)],
    [200_000, 1, 0.01],
    [200_001, 1, 1],
  ])('T-RED-1: at a queue of %i bytes', (queueBytes, atLeast, above) => {
    expect(markingProbability(queueBytes, 5000, 200_000, 0.01, true)).toBeCloseTo(atLeast, 12)
    expect(markingProbability(queueBytes, 5000, 200_000, 0.01, false)).toBeCloseTo(above, 12)
  })

  test('0 below K_min, linear up to P_max at K_max, 1 from there on ([LDCP] 2.1)', () => {
    const at = (queueBytes: number): number => markingProbability(queueBytes, 10_000, 50_000, 0.4, true)
    expect([0, 9999, 10_000].map(at)).toEqual([0, 0, 0])
    expect([20_000, 30_000, 40_000].map(at)).toEqual([0.1, 0.2, 0.3].map((p) => expect.closeTo(p, 12)))
    // It jumps there.
    expect(at(49_999.999)).toBeCloseTo(0.4, 6)
    expect([50_000, 1e9].map(at)).toEqual([1, 1])
  })

  test('T-RED-3: with equal thresholds it is a step', () => {
    const at = (queueBytes: number, atLeast: boolean): number =>
      markingProbability(queueBytes, 60_000, 60_000, 0.5, atLeast)
    expect([at(59_999, true), at(60_000, true), at(60_001, true)]).toEqual([0, 1, 1])
    expect([at(59_999, false), at(60_000, false), at(60_001, false)]).toEqual([0, 0, 1])
  })

  test('never falls with the queue', () => {
    fc.assert(
      fc.property(fc.nat(300_000), fc.nat(1000), fc.boolean(), (queueBytes, more, atLeast) => {
        const [less, greater] = [queueBytes, queueBytes + more].map((q) =>
          markingProbability(q, 5000, 200_000, 0.01, atLeast),
        )
        expect(greater).toBeGreaterThanOrEqual(less!)
      }),
    )
  })
})
