import { describe, expect, test } from 'vitest'
import type { Measures } from '../../core/old/plan.ts'
import { findingsHere } from '../../core/old/run-here.test-run.ts'
import { BURSTS, BURSTS_ALONE, NO_BURSTS, SERVER_BPS, SHARED_STEPS, STEPS, timeKey } from './runs.ts'
import { latency } from './latency.ts'

const { outcomes, findings } = findingsHere(latency, 'small', [1])
const of = (condition: string): Measures => outcomes.find((each) => each.condition === condition)!.measures
const ratio = (condition: string, transport: 'rdma' | 'tcp', share: number): number =>
  of(condition)[timeKey(transport, 'Loaded', share)]! / of(condition)[timeKey(transport, 'Idle', share)]!

describe('cut short', () => {
  test('the idle network has the percentiles of the declared hosts', () => {
    expect(of(NO_BURSTS)[timeKey('rdma', 'All', 0.99)]! / 50).toBeCloseTo(1, 0)
    expect(of(NO_BURSTS)[timeKey('rdma', 'All', 0.999)]! / 80).toBeCloseTo(1, 0)
    expect(of(NO_BURSTS)[timeKey('tcp', 'All', 0.99)]! / 500).toBeCloseTo(1, 0)
  })

  test('load makes RDMA slower, and TCP only in the same class', () => {
    expect(ratio(STEPS[0]!, 'rdma', 0.99)).toBeGreaterThan(5)
    expect(ratio(STEPS[0]!, 'tcp', 0.99)).toBeLessThan(1.2)
    expect(ratio(SHARED_STEPS[0]!, 'tcp', 0.99)).toBeGreaterThan(1.5)
    for (const condition of [STEPS[0]!, SHARED_STEPS[0]!]) expect(of(condition)['drops']).toBe(0)
  })

  test('bursts bring 350 Mb/s to a server, whatever their size, as far as whole ones fit', () => {
    for (const condition of BURSTS.slice(0, 2)) expect(of(condition)['burstBps']! / SERVER_BPS).toBeCloseTo(1, 0)
  })

  test('among bursts kernels make TCP slow, and without hosts nothing but the network is left', () => {
    const middle = BURSTS[1]!
    expect(of(middle)[timeKey('tcp', 'All', 0.99)]).toBeGreaterThan(of(middle)[timeKey('rdma', 'All', 0.999)]!)
    expect(of(BURSTS_ALONE[1]!)[timeKey('tcp', 'All', 0.5)]).toBeLessThan(2)
  })

  test('has no claims, and no cell without a value', () => {
    expect(findings.claims).toEqual([])
    for (const { title, rows } of findings.tables) expect(rows.flat().join(' '), title).not.toMatch(/NaN|(^| )-( |$)/)
  })
})

test('at full size every claim has runs', () => {
  const known = Object.fromEntries(
    [...new Set(outcomes.flatMap(({ measures }) => Object.keys(measures)))].map((key, i) => [key, 1 + i]),
  )
  const all = [1, 2].flatMap((seed) =>
    latency.plan.points('full', seed).map(({ condition }) => ({ condition, seed, digest: '', measures: known })),
  )
  const { claims, tables } = latency.plan.conclude(all, 'full')
  expect(claims.map(({ id }) => id)).toEqual([
    'rce.fig8.p99',
    'rce.fig8.p999',
    'rce.fig8.tcp-unchanged',
    'rce.fig8.latency-is-congestion',
    'rce.fig6.rdma-p99',
    'rce.fig6.rdma-p999',
    'rce.fig6.tcp-p99',
    'rce.fig6.tcp-spikes',
    'rce.fig6.order',
    'rce.fig6.setting',
  ])
  for (const { measured, reason } of claims) expect(`${measured} ${reason}`).not.toMatch(/NaN| - /)
  for (const { rows } of tables) expect(rows.flat()).not.toContain('-')
})
