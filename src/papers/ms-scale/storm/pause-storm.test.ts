import { describe, expect, test } from 'vitest'
import { findingsHere } from '../../core/run-here.test-run.ts'
import { Runs } from '../../core/runs.ts'
import { pauseStorm } from './pause-storm.ts'
import { type CureId, trafficsOf } from './runs.ts'
import { STAGES } from './measures.ts'

describe('a storm in 32 servers', () => {
  const { outcomes, findings } = findingsHere(pauseStorm, 'small', [1])
  const runs = new Runs(outcomes)
  const of = (cure: CureId, towardsGbps = 10) => runs.where({ cure, towardsGbps }).outcomes[0]!.measures

  test.each(trafficsOf('small'))(
    'with $towardsGbps Gb/s to the server it spreads in six stages',
    ({ cure, towardsGbps }) => {
      const times = STAGES.map((_, i) => of(cure, towardsGbps)[`stage${i + 1}Us`]!)
      expect(times.toSorted((a, b) => a - b)).toEqual(times)
      expect(times.at(-1)).toBeLessThan(20_000)
      // All ports of the first stages, and most servers, are paused in the end.
      const shares = STAGES.map((_, i) => of(cure, towardsGbps)[`stage${i + 1}At140ms`]!)
      expect(Math.min(...shares)).toBeGreaterThan(0.5)
      expect(Math.max(...shares)).toBe(1)
      expect(shares.slice(0, 2)).toEqual([1, 1])
    },
  )

  test('traffic for the server makes it faster', () => {
    const last = trafficsOf('small').map((traffic) => runs.mean('stage6Us', traffic).mean)
    expect(last.toSorted((a, b) => b - a)).toEqual(last)
  })

  test('it leaves less than a tenth of the goodput, without any loss, and does not end', () => {
    expect(of('no-watchdog')['beforeRatio']).toBeGreaterThan(0.8)
    expect(of('no-watchdog')['endRatio']).toBeLessThan(0.1)
    expect(of('no-watchdog')).toMatchObject({ outageGoodputMs: Infinity, outageServersMs: Infinity })
    expect(of('no-watchdog')).toMatchObject({ nicDrops: 0, switchDrops: 0, otherDrops: 0 })
  })

  test('the watchdog of the NIC gives the server up after 100 ms, and the network is back', () => {
    const measures = of('nic-watchdog')
    expect(measures).toMatchObject({ nicWatchdogMs: expect.closeTo(100, 6), server0LaterBytes: 0, switchDrops: 0 })
    expect(measures['outageGoodputMs']).toBeLessThan(120)
  })

  test('the watchdog of the switch takes the port out of service, and back 200 ms after the power cycle', () => {
    const { switchStormMs, switchRestoreMs, pausesEndMs, switchStorms, outageGoodputMs } = of('switch-watchdog')
    expect(switchStormMs).toBeGreaterThan(100)
    expect(switchStormMs).toBeLessThan(111)
    expect(outageGoodputMs).toBeLessThan(130)
    expect(switchRestoreMs! - pausesEndMs!).toBeGreaterThan(199)
    expect(switchRestoreMs! - pausesEndMs!).toBeLessThan(211)
    expect(switchStorms).toBe(1)
  })

  test('of both with 100 ms the NIC is first; with 50 ms at the switch both act, one after the other', () => {
    expect(of('both-watchdogs')['switchStorms']).toBe(0)
    const { switchStormMs, nicWatchdogMs, switchRestoreMs, switchDrops, nicDrops, otherDrops } =
      of('both-switch-after-50-ms')
    expect(switchStormMs).toBeLessThan(61)
    expect(nicWatchdogMs).toBeCloseTo(100, 6)
    expect(switchRestoreMs).toBeGreaterThan(299)
    expect(Math.min(switchDrops!, nicDrops!)).toBeGreaterThan(0)
    expect(otherDrops).toBe(0)
  })

  test('a power cycle ends it and brings the server back', () => {
    const { server0StormBytes, server0LaterBytes, outageGoodputMs } = of('power-cycle-after-50-ms')
    expect(server0StormBytes).toBe(0)
    expect(server0LaterBytes).toBeGreaterThan(0)
    expect(outageGoodputMs).toBeLessThan(70)
  })

  test('while it lasts servers fail, and after the power cycle they pass probation and are healthy', () => {
    const cycled = of('power-cycle-after-50-ms')
    // The pipeline stops at 30 ms and is back at 80 ms; it takes 20 ms to fail, 50 ms for a repair and 50 ms on probation.
    expect([cycled['failingAt30ms'], cycled['probationAt30ms']]).toEqual([0, 0])
    expect(cycled['failingAt80ms']).toBeGreaterThan(0.5)
    expect(cycled['probationAt120ms']).toBeGreaterThan(0.5)
    expect(cycled['endUnhealthy']).toBeLessThan(cycled['failingAt80ms']!)
    expect(of('no-watchdog')['endUnhealthy']).toBeGreaterThan(0.8)
  })

  test('by their counters servers receive pauses throughout a storm, and few long after its cure; server 0 sends more than 2000 a second', () => {
    // Until 170 ms the messages that have waited are sent, with more pauses than ever.
    const { framesAt0ms, framesAt100ms, framesAt180ms } = of('nic-watchdog')
    expect(framesAt100ms).toBeGreaterThan(5 * Math.max(framesAt0ms!, framesAt180ms!))
    expect(of('no-watchdog')['framesAt170ms']).toBeGreaterThan(10)
    expect(of('no-watchdog')['alwaysPausedServers']).toBeGreaterThan(0.5)
    expect(of('no-watchdog')['pausesPerSecond']).toBeGreaterThan(2000)
  })

  test('no claim is refuted, but that goodput stays above half when the senders repeat all that was for the server', () => {
    const refuted = findings.claims.filter(({ verdict }) => verdict === 'not reproduced').map(({ check }) => check)
    expect(refuted.filter((check) => check !== 'no damage, by goodput')).toEqual([])
  })
})
