import { describe, expect, test } from 'vitest'
import { findingsHere } from '../../core/run-here.test-run.ts'
import { Runs, type Where } from '../../core/runs.ts'
import { SERVER_BPS } from './runs.ts'
import { latency } from './latency.ts'

const { outcomes, findings } = findingsHere(latency, 'small', [1])
const of = (measure: string, where: Where): number => new Runs(outcomes).mean(measure, where).mean
const bursts = (burstKb: number, hosts = 'on') => ({ traffic: 'bursts', burstKb, hosts })
const step = (tcpClass: string) => ({ traffic: 'step', tcpClass })
const ratio = (transport: string, tcpClass: string): number =>
  of(`${transport}LoadedP99Us`, step(tcpClass)) / of(`${transport}IdleP99Us`, step(tcpClass))

describe('cut short', () => {
  test('the idle network has the percentiles of the declared hosts', () => {
    expect(of('rdmaAllP99Us', bursts(0)) / 50).toBeCloseTo(1, 0)
    expect(of('rdmaAllP99.9Us', bursts(0)) / 80).toBeCloseTo(1, 0)
    expect(of('tcpAllP99Us', bursts(0)) / 500).toBeCloseTo(1, 0)
  })

  test('load makes RDMA slower, and TCP only in the same class', () => {
    expect(ratio('rdma', 'own')).toBeGreaterThan(5)
    expect(ratio('tcp', 'own')).toBeLessThan(1.2)
    expect(ratio('tcp', 'rdma')).toBeGreaterThan(1.5)
    expect(new Runs(outcomes).sum('drops', { traffic: 'step' })).toBe(0)
  })

  test('bursts bring 350 Mb/s to a server, whatever their size, as far as whole ones fit', () => {
    for (const burstKb of [10, 50]) expect(of('burstBps', bursts(burstKb)) / SERVER_BPS).toBeCloseTo(1, 0)
  })

  test('among bursts kernels make TCP slow, and without hosts nothing but the network is left', () => {
    expect(of('tcpAllP99Us', bursts(50))).toBeGreaterThan(of('rdmaAllP99.9Us', bursts(50)))
    expect(of('tcpAllP50Us', bursts(50, 'off'))).toBeLessThan(2)
  })

  test('has no claims', () => {
    expect(findings.claims).toEqual([])
  })
})

test('at full size every claim has runs', () => {
  const known = Object.fromEntries(
    outcomes.flatMap(({ measures }) => Object.keys(measures)).map((key, i) => [key, 1 + i]),
  )
  const all = [1, 2].flatMap((seed) =>
    latency.points('full', seed).map(({ at }) => ({ at, seed, digest: '', measures: known })),
  )
  const { claims } = latency.findings('full', all)
  const names = ['fig8.p99', 'fig8.p999', 'fig8.tcp-unchanged', 'fig8.latency-is-congestion']
  const burstNames = [
    'fig6.rdma-p99',
    'fig6.rdma-p999',
    'fig6.tcp-p99',
    'fig6.tcp-spikes',
    'fig6.order',
    'fig6.setting',
  ]
  expect(claims.map(({ id }) => id)).toEqual([...names, ...burstNames].map((name) => `rce.${name}`))
  expect(claims.slice(0, 9).map(({ range }) => Number.isFinite(range!.mean))).toEqual(
    Array.from({ length: 9 }, () => true),
  )
})
