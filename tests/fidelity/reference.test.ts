/** Recorded runs of other simulators: completion times and PFC frames are equal to the nanosecond. */
import { describe, expect, test } from 'vitest'
import type { Branch } from '../../src/importers/index.ts'
import { run } from '../../src/lab/index.ts'
import { mean, numbersOf, type Result, type Table } from '../../src/core/results/index.ts'
import { PROFILES } from '../../src/lab/scenario/compat.ts'
import { formatScenario, parseScenario } from '../../src/lab/scenario/index.ts'
import { scenarioOf } from '../../src/cli/files/reference-run.ts'
import {
  caseOf,
  comparisonOf,
  movementOf,
  oneLater,
  R1B,
  R1C,
  R2,
  R3,
  R4,
  R5_DCTCP,
  R5_HPCC,
  R5_HPCC_PFC,
  R5_TIMELY,
  R6_IRN,
  R7_GBN,
  R8,
  resultOf,
  varied,
  without,
} from './cases.ts'

/** The timer of the oldest packet has a rule for slow senders that the other simulator lacks. */
const NO_SLOWDOWN = { recovery: { rtoLowSlowdown: 1e6 } }

describe('runs of the HPCC fork', () => {
  test.each([
    [R1B, 1],
    [R1C, 1],
    [R2, 2],
    [R3, 16],
    [R4, 277],
    [R5_TIMELY, 2],
    [R5_DCTCP, 2],
    [R5_HPCC, 2],
    [R5_HPCC_PFC, 16],
  ])('%s: all %i completion times are equal to the nanosecond', (name, flows) => {
    const { exact, matched, worst, ...found } = comparisonOf(name)
    expect({ flows: found.flows, matched, exact }, JSON.stringify(worst)).toEqual({
      flows,
      matched: flows,
      exact: flows,
    })
  })

  test.each([
    [R3, 328],
    [R4, 758],
    [R5_HPCC_PFC, 32],
  ])('%s: all %i PFC frames arrive at the same time and port', (name, frames) => {
    expect(comparisonOf(name).pauses).toEqual({ theirs: frames, ours: frames, equal: frames })
  })

  test.each([R1B, R1C, R2, R5_TIMELY, R5_DCTCP, R5_HPCC])('%s: neither simulator sends a PFC frame', (name) => {
    expect(comparisonOf(name).pauses).toEqual({ theirs: 0, ours: 0, equal: 0 })
  })

  test('the comparison detects a completion time off by a nanosecond, and a frame at another port', () => {
    const reference = caseOf(R3)
    const oneOff = reference.completions.replace(' 1452706 ', ' 1452707 ')
    const elsewhere = reference.pauses.replace('2000003603 4 0 1 1', '2000003603 4 0 2 1')
    expect(comparisonOf(R3, { ...reference, completions: oneOff, pauses: elsewhere })).toMatchObject({
      exact: 15,
      worst: { theirsNs: 1452707, oursNs: 1452706 },
      pauses: { theirs: 328, ours: 328, equal: 327 },
    })
  })
})

describe('the agreement follows from parameters and the profile alone', () => {
  test.each([R1B, R1C, R2, R3, R4, R5_TIMELY, R5_DCTCP, R5_HPCC, R5_HPCC_PFC, R6_IRN, R7_GBN, R8])(
    '%s: the scenario printed and read again under another name gives the same run',
    (name) => {
      const scenario = scenarioOf(caseOf(name).tree)
      const text = formatScenario({ ...scenario, name: 'another', description: 'nothing of where it came from' })
      // A congestion control has a name like that too.
      expect(text.replace('  kind: hpcc\n', '').replace(/^compat: (?:hpcc|conweave)$/m, '')).not.toMatch(
        /hpcc|ns-?3|dialect/i,
      )
      expect(run(parseScenario(text)).digest).toBe(resultOf(name).digest)
    },
  )
})

describe('sensitivity to details of the model', () => {
  test(`${R4} is chaotic: one flow that starts a nanosecond later changes completion times of others by more than a tenth`, () => {
    const movement = movementOf(resultOf(R4), run(scenarioOf(oneLater(caseOf(R4).tree, 276))))
    expect(movement.flows).toBe(277)
    expect(movement.moved).toBeGreaterThan(20)
    expect(movement.worst).toBeGreaterThan(0.1)
    expect(movement.median).toBeLessThan(0.001)
  })

  test('exact picoseconds in place of whole nanoseconds change incasts by as much as measured in that simulator', () => {
    const pair = movementOf(resultOf(R2), varied(R2, { time: { quantum: '1ps' } }))
    expect(pair.worst).toBeCloseTo(0.0025, 4)
    const sixteen = movementOf(resultOf(R3), varied(R3, { time: { quantum: '1ps' } }))
    expect(sixteen.moved).toBe(16)
    expect(sixteen.worst).toBeCloseTo(0.177, 3)
  })

  test('the two NIC rules have no effect in runs whose rate changes move no pacing deadline', () => {
    for (const name of [R2, R3, R4, R5_TIMELY, R5_DCTCP])
      expect(without(name, PROFILES.none).digest).toBe(resultOf(name).digest)
  })

  test('under HPCC, which moves pacing deadlines, the single wake-up affects every flow of the larger incast', () => {
    for (const name of [R5_HPCC, R5_HPCC_PFC])
      expect(without(name, { isCompacting: false }).digest).toBe(resultOf(name).digest)
    const earliest = { wake: 'earliest' } as const
    expect(movementOf(resultOf(R5_HPCC), without(R5_HPCC, earliest)).moved).toBe(0)
    const { moved, median, worst } = movementOf(resultOf(R5_HPCC_PFC), without(R5_HPCC_PFC, earliest))
    expect(moved).toBe(16)
    expect(median).toBeCloseTo(0.0213, 4)
    expect(worst).toBeCloseTo(0.063, 4)
  })
})

describe('runs of conweave', () => {
  /** Recorded completion times, ns. */
  const R8_THEIRS = { 1: 2_269_456, 2: 2_258_110 }
  const bufferOf = (name: string): Branch => (caseOf(name).tree['switch'] as unknown as { buffer: Branch }).buffer
  const withBuffer = (name: string, values: Branch): Result =>
    varied(name, { switch: { buffer: { ...bufferOf(name), ...values } } })

  test.each([R6_IRN, R7_GBN])('%s: both completion times are equal to the nanosecond', (name) => {
    const { exact, matched, pauses, worst } = comparisonOf(name)
    expect({ exact, matched }, JSON.stringify(worst)).toEqual({ exact: 2, matched: 2 })
    expect(pauses).toEqual({ theirs: 0, ours: 0, equal: 0 })
  })

  test.each([
    [R6_IRN, 'a NACK without a mark', { marksNaks: false }, {}, 0, 0.208],
    [R6_IRN, "IRN as in its paper, with the timer's rate rule off", { rewinds: false }, NO_SLOWDOWN, 0.0061, 0.0066],
    [R7_GBN, 'a NACK without a mark', { marksNaks: false }, {}, 2.54, 2.544],
  ])('%s: %s would change completion times by as much as measured', (name, _what, quirks, changes, median, worst) => {
    const movement = movementOf(resultOf(name), without(name, quirks, changes as Readonly<Record<string, Branch>>))
    expect(movement.median).toBeCloseTo(median, 2)
    expect(movement.worst).toBeCloseTo(worst, 2)
  })

  test('both buffer rules are needed: without either, the second flow of R7 is locked out', () => {
    expect(resultOf(R7_GBN).counters.drops).toEqual({ 'buffer full': 170 })
    const changed = [without(R7_GBN, { hasEgressPool: false }), withBuffer(R7_GBN, { ingressLimit: 'pool' })]
    for (const { counters, flows } of changed) {
      expect(counters.drops['buffer full']).toBeGreaterThan(1900)
      expect(Math.max(...numbersOf(flows, 'acknowledgedPs'))).toBeGreaterThan(4e9)
    }
  })

  test(`${R6_IRN}: alpha as a limit on the bytes that a port may store gives another run`, () => {
    const { counters, flows } = withBuffer(R6_IRN, { ingressLimit: 'threshold' })
    expect(counters.drops).toEqual({ 'buffer full': 106 })
    expect(Math.min(...numbersOf(flows, 'acknowledgedPs'))).toBeGreaterThan(7e8)
  })

  test(`${R8}: marks are random, and the recorded times lie within those of rocelab's seeds`, () => {
    const { tree } = caseOf(R8)
    expect(tree).toMatchObject({ switch: { ecn: { byRate: [{ kmin: '101049B', kmax: '401049B', pmax: 0.2 }] } } })
    const runs = Array.from({ length: 20 }, (_, seed) => run(scenarioOf({ ...tree, seed: seed + 1 })))
    for (const { counters } of runs) expect([counters.drops, counters.pauseFrames]).toEqual([{}, 0])
    const shareBelow = (theirsNs: number, oursPs: (result: Result) => number): number =>
      runs.filter((result) => oursPs(result) / 1000 < theirsNs).length / runs.length
    const shares = [
      shareBelow(R8_THEIRS[1], ({ flows }) => endOf(flows, 1)),
      shareBelow(R8_THEIRS[2], ({ flows }) => endOf(flows, 2)),
      shareBelow((R8_THEIRS[1] + R8_THEIRS[2]) / 2, ({ flows }) => mean(numbersOf(flows, 'acknowledgedPs'))),
    ]
    expect(shares).toEqual([0.7, 0.55, 0.8])
  })
})

/** Time when the flow of a source is acknowledged, ps. */
function endOf(flows: Table, source: number): number {
  return numbersOf(flows, 'acknowledgedPs')[numbersOf(flows, 'source').indexOf(source)] ?? NaN
}
