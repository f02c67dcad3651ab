import { describe, expect, test } from 'vitest'
import type { Measures, Outcome } from '../core/plan.ts'
import { outcomesHere } from '../core/run-here.test-run.ts'
import { Runs } from '../core/runs.ts'
import type { Control, Family } from './runs.ts'
import { ldcp } from './ldcp.ts'

const outcomes = outcomesHere(ldcp, 'small', [1])
const measures = (family: Family, flows: number, control: Control): Measures =>
  new Runs(outcomes).where({ family, flows, control }).outcomes[0]!.measures

describe('cut short', () => {
  test('LDCP has no pauses, and loses only packets of fast starts', () => {
    const own = outcomes.filter(({ at }) => at['control'] === 'LDCP')
    expect(own).toHaveLength(8)
    for (const { at, measures: m } of own.filter((each) => each.at['family'] !== 'many')) {
      expect([m['pauseFrames'], m['fullDrops'], m['timeouts']], String(at['family'])).toEqual([0, 0, 0])
    }
    expect(measures('churn', 32, 'LDCP')['earlyDrops']).toBeGreaterThan(1000)
  })

  test('long flows fill the link, and the queue stays near the thresholds', () => {
    const m = measures('long', 32, 'LDCP')
    expect(m['use']).toBeGreaterThan(0.9)
    expect(m['p99QueueBytes']).toBeLessThan(120_000)
    expect(m['meanWindowPackets']).toBeGreaterThan(2)
    expect(m['windowCorrelation']).toBeLessThan(1)
  })

  test('short flows at full speed cost the long ones less if early drop applies to them', () => {
    expect(measures('churn', 32, 'LDCP')['longShare']).toBeGreaterThan(
      measures('churn', 32, 'LDCP, capable start')['longShare']!,
    )
  })

  test('a thousand windows below one packet have a shorter queue than a thousand windows of one', () => {
    const [below, one] = [measures('many', 1000, 'LDCP'), measures('many', 1000, 'DCTCP')]
    expect(below['belowOneShare']).toBeGreaterThan(0.9)
    expect(below['meanQueueBytes']! * 2).toBeLessThan(one['meanQueueBytes']!)
    // One packet per flow, less the packets that the path holds.
    expect(one['meanQueueBytes']! / ((1000 - 110) * 1086)).toBeCloseTo(1, 1)
  })

  test('an ECN-capable last packet of a fast start avoids the timeout', () => {
    expect(measures('incast', 64, 'LDCP')['timeouts']).toBe(0)
    expect(measures('incast', 64, 'LDCP, last incapable')['timeouts']).toBeGreaterThan(100)
  })

  test('a message alone in the network takes its ideal time', () => {
    expect(measures('idle', 1, 'LDCP')['shortSlowdownMost']).toBeCloseTo(1, 2)
    expect(measures('idle', 1, 'DCTCP, slow start')['shortSlowdownMost']).toBeGreaterThan(2)
  })

  test('an ACK for up to eight packets covers fewer, since marks are not delayed, and the queue varies more', () => {
    const [each, eight] = [measures('clock', 2, 'LDCP'), measures('clock', 2, 'LDCP, an ACK for 8')]
    expect(each['packetsPerAck']).toBeCloseTo(1, 2)
    expect(eight['packetsPerAck']).toBeGreaterThan(4)
    expect(eight['packetsPerAck']).toBeLessThan(8)
    expect(eight['sdQueueBytes']).toBeGreaterThan(each['sdQueueBytes']!)
  })

  test('two flows that fill a link each have one packet per two transmission times, on average', () => {
    const { meanGapPs, gapVariation, longestGapPs } = measures('clock', 2, 'LDCP') as Record<string, number>
    expect(meanGapPs! / (2 * 221_200)).toBeCloseTo(1, 1)
    expect(gapVariation).toBeGreaterThan(0)
    expect(longestGapPs).toBeGreaterThan(meanGapPs!)
  })

  test('has no claims', () => {
    expect(ldcp.findings('small', outcomes).claims).toEqual([])
  })
})

describe('at full size', () => {
  test('every claim has runs', () => {
    const keys = [
      ...new Set(outcomes.flatMap((outcome) => Object.keys(outcome.measures))),
      'reactionPs',
      'settlePs',
      'overshootBytes',
    ]
    const known = Object.fromEntries(keys.map((key, i) => [key, 1 + i]))
    const all = [1, 2].flatMap((seed) =>
      ldcp.plan.points('full', seed).map(({ at }): Outcome => ({ at, seed, digest: '', measures: known })),
    )
    const { claims } = ldcp.findings('full', all)
    expect(claims.length).toBeGreaterThan(60)
    expect(claims.filter(({ measured }) => measured === '-')).toEqual([])
    expect(new Set(claims.map(({ id, check }) => `${id} ${check}`)).size).toBe(claims.length)
  })

  test('the same seed gives the same flows for every control', () => {
    const flowsOf = (wanted: Control): unknown =>
      ldcp
        .points('full', 3)
        .find(({ at: { family, flows, control } }) => family === 'churn' && flows === 8 && control === wanted)!.scenario
        .workload
    expect(flowsOf('LDCP')).toEqual(flowsOf('DCQCN with PFC'))
  })
})
