/**
 * How many lossless classes a shallow buffer holds. The paper prints 9 and 12 MB, 300 m and two classes; it prints neither the
 * ports nor the part of the buffer that has to stay shared, so that this is a bracket and no verdict.
 * Source: [MS-Scale] sections 2 and 8.1; headroom of hardware: SONiC, pg_profile_lookup.ini of Trident 2, 40 Gb/s.
 */
import { describe, expect, test } from 'vitest'
import { headroomPlan, topologyOf } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const BUFFERS = [9e6, 12e6]
const TRIDENT_BYTES = 62_816

/** Headroom of one class at a port of 40 Gb/s and 300 m, as the simulated parts need it. */
function simulatedBytes(): number {
  const scenario = parseScenario(`
name: lossless-classes
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1500ns}
workload: [{kind: trace, flows: [0 1 1KB 0us]}]
`)
  return headroomPlan(scenario, topologyOf(scenario))!.kinds[0]!.givenBytes
}

/** Classes for which a buffer has headroom at all its ports, if this part of it stays shared. */
const classesIn = (bufferBytes: number, ports: number, headroomBytes: number, sharedRatio: number): number =>
  Math.floor((bufferBytes * (1 - sharedRatio)) / (ports * headroomBytes))

describe('lossless classes in 9 and 12 MB with 300 m of cable', () => {
  test('by what hardware needs two fit and eight do not, with 32 to 64 ports: exactly two with 64, if nothing is shared', () => {
    for (const ports of [32, 40, 64]) {
      const held = BUFFERS.map((bytes) => classesIn(bytes, ports, TRIDENT_BYTES, 0))
      expect(held.every((count) => count >= 2 && count < 8)).toBe(true)
    }
    expect(BUFFERS.map((bytes) => classesIn(bytes, 64, TRIDENT_BYTES, 0))).toEqual([2, 2])
    // 24 ToRs and 16 spines, as in Figure 7: three or four, and two if between a third and 40 % stays shared.
    expect(BUFFERS.map((bytes) => classesIn(bytes, 40, TRIDENT_BYTES, 0))).toEqual([3, 4])
    expect(BUFFERS.map((bytes) => classesIn(bytes, 40, TRIDENT_BYTES, 0.4))).toEqual([2, 2])
  })

  test('by what the simulated parts need two take less than a third of it, and only a reserve of more forbids a third', () => {
    const bytes = simulatedBytes()
    expect(bytes).toBeGreaterThan(17_000)
    expect(bytes).toBeLessThan(20_000)
    for (const ports of [32, 40, 64]) {
      for (const buffer of BUFFERS) {
        expect((2 * ports * bytes) / buffer).toBeLessThan(1 / 3)
        expect(classesIn(buffer, ports, bytes, 0)).toBeGreaterThan(6)
      }
    }
  })
})
