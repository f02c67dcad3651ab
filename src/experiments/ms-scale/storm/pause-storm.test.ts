import { describe, expect, test } from 'vitest'
import { findingsHere } from '../../core/old/run-here.test-run.ts'
import { BOTH, BOTH_ACT, type Case, NIC_WATCHDOG, NONE, POWER_CYCLE, SWITCH_WATCHDOG, TRAFFICS } from './cases.ts'
import { pauseStorm } from './pause-storm.ts'
import { shareKey, STAGES, TIMES_MS } from './spread.ts'

describe('a storm in 32 servers', () => {
  const { outcomes, findings } = findingsHere(pauseStorm, 'small', [1])
  const of = ({ name }: Case) => outcomes.find((outcome) => outcome.condition === name)!.measures

  test.each(TRAFFICS)('$name: it spreads in six stages, one in turn of the other', (one) => {
    const times = STAGES.map((_, i) => of(one)[`stage${i + 1}Us`]!)
    expect(times.toSorted((a, b) => a - b)).toEqual(times)
    expect(times.at(-1)).toBeLessThan(20_000)
    // All ports of the first stages, and most servers, are paused in the end.
    const shares = STAGES.map((_, i) => of(one)[shareKey(i, TIMES_MS.length - 1)]!)
    for (const share of shares) expect(share).toBeGreaterThan(0.5)
    for (const share of shares) expect(share).toBeLessThanOrEqual(1)
    expect(shares.slice(0, 2)).toEqual([1, 1])
  })

  test('traffic for the server makes it faster', () => {
    const last = TRAFFICS.map((one) => of(one)['stage6Us']!)
    expect(last.toSorted((a, b) => b - a)).toEqual(last)
  })

  test('it leaves less than a tenth of the goodput, without any loss, and does not end', () => {
    expect(of(NONE)['beforeRatio']).toBeGreaterThan(0.8)
    expect(of(NONE)['endRatio']).toBeLessThan(0.1)
    expect([of(NONE)['outageGoodputMs'], of(NONE)['outageServersMs']]).toEqual([Infinity, Infinity])
    expect([of(NONE)['nicDrops'], of(NONE)['switchDrops'], of(NONE)['otherDrops']]).toEqual([0, 0, 0])
  })

  test('the watchdog of the NIC gives the server up after 100 ms, and the network is back', () => {
    expect(of(NIC_WATCHDOG)['nicWatchdogMs']).toBeCloseTo(100, 6)
    expect(of(NIC_WATCHDOG)['outageGoodputMs']).toBeLessThan(120)
    expect(of(NIC_WATCHDOG)['server0LaterBytes']).toBe(0)
    expect(of(NIC_WATCHDOG)['switchDrops']).toBe(0)
  })

  test('the watchdog of the switch takes the port out of service, and back 200 ms after the power cycle', () => {
    const { switchStormMs, switchRestoreMs, pausesEndMs, switchStorms, outageGoodputMs } = of(SWITCH_WATCHDOG)
    expect(switchStormMs).toBeGreaterThan(100)
    expect(switchStormMs).toBeLessThan(111)
    expect(outageGoodputMs).toBeLessThan(130)
    expect(switchRestoreMs! - pausesEndMs!).toBeGreaterThan(199)
    expect(switchRestoreMs! - pausesEndMs!).toBeLessThan(211)
    expect(switchStorms).toBe(1)
  })

  test('of both with 100 ms the NIC is first; with 50 ms at the switch both act, one after the other', () => {
    expect(of(BOTH)['switchStorms']).toBe(0)
    const { switchStormMs, nicWatchdogMs, switchRestoreMs, switchDrops, nicDrops, otherDrops } = of(BOTH_ACT)
    expect(switchStormMs).toBeLessThan(61)
    expect(nicWatchdogMs).toBeCloseTo(100, 6)
    expect(switchRestoreMs).toBeGreaterThan(299)
    expect(Math.min(switchDrops!, nicDrops!)).toBeGreaterThan(0)
    expect(otherDrops).toBe(0)
  })

  test('a power cycle ends it and brings the server back', () => {
    expect(of(POWER_CYCLE)['server0StormBytes']).toBe(0)
    expect(of(POWER_CYCLE)['server0LaterBytes']).toBeGreaterThan(0)
    expect(of(POWER_CYCLE)['outageGoodputMs']).toBeLessThan(70)
  })

  test('no claim is refuted, but that goodput stays above half when the senders repeat all that was for the server', () => {
    const refuted = findings.claims.filter(({ verdict }) => verdict === 'not reproduced').map(({ id }) => id)
    expect(refuted.filter((id) => !id.includes('no damage, by goodput'))).toEqual([])
  })
})
