import { describe, expect, test } from 'vitest'
import { findingsHere } from '../core/run-here.test-run.ts'
import { pauseStorm } from './pause-storm.ts'
import { NIC_WATCHDOG, NONE, POWER_CYCLE, STAGES } from './storm-runs.ts'

describe('a storm in 32 servers', () => {
  const { outcomes, findings } = findingsHere(pauseStorm, 'small', [1])
  const of = (condition: string) => outcomes.find((outcome) => outcome.condition === condition)!.measures

  test('spreads in six stages, one after the other', () => {
    const times = STAGES.map((_, i) => of(NONE)[`stage${i + 1}Us`]!)
    expect(times.toSorted((a, b) => a - b)).toEqual(times)
    expect(times.at(-1)).toBeLessThan(10_000)
  })

  test('leaves less than a tenth of the goodput, without any loss', () => {
    expect(of(NONE)['leftRatio']).toBeLessThan(0.1)
    expect(of(NONE)['outageMs']).toBe(Infinity)
    expect([of(NONE)['nicDrops'], of(NONE)['otherDrops']]).toEqual([0, 0])
  })

  test('ends by the watchdog of the NIC after 100 ms, or by a power cycle', () => {
    expect(of(NIC_WATCHDOG)['watchdogMs']).toBeCloseTo(100, 6)
    expect(of(NIC_WATCHDOG)['outageMs']).toBeLessThan(110)
    expect(of(NIC_WATCHDOG)['server0Bytes']).toBe(0)
    expect(of(POWER_CYCLE)['server0Bytes']).toBeGreaterThan(0)
  })

  test('no claim is refuted', () => {
    expect(findings.claims.filter(({ verdict }) => verdict === 'not reproduced')).toEqual([])
  })
})
