import { describe, expect, test } from 'vitest'
import { powerOfTwo } from '../../core/base/math.ts'
import { numbersOf, type Result, textsOf, toObjects } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'
import {
  type ManagedPort,
  managedHeadroom,
  type ManagerValues,
  managerOptions,
  worstFillBytes,
} from './memory-manager-options.ts'

const GBPS = 1e9
const NS = 1e3

function valuesOf(fields: string): ManagerValues {
  const { buffer } = parseScenario(`
name: managed
topology: {kind: star, hosts: 3}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
switch: {buffer: {kind: memory-manager, ${fields}}}
`).switch
  if (buffer.kind !== 'memory-manager') throw new Error(buffer.kind)
  return buffer
}

const portOf = (buffer: ManagerValues, rateBps: number, delayPs: number): ManagedPort => ({
  rateBps,
  delayPs,
  buffer,
  lossless: [3, 4],
  formulaBytes: 50_000,
})

test('a threshold n is an alpha of 2^n, from -8 to 7', () => {
  expect([-8, -6, -4, 0, 3, 7].map(powerOfTwo)).toEqual([1 / 256, 1 / 64, 1 / 16, 1, 8, 128])
})

test.each([
  [208, 64, 3.25],
  [208, 208, 416 / 209],
  [256, 250, 512 / 257],
  [1, 64, 1],
])('cells of %i bytes and frames from %i bytes: they take up to %f times their bytes', (cell, least, times) => {
  let worst = 0
  for (let frame = least; frame <= 9216; frame++) worst = Math.max(worst, (Math.ceil(frame / cell) * cell) / frame)
  expect(worst).toBeCloseTo(times, 9)
  expect(worstFillBytes(100_000, cell, least)).toBe(Math.ceil((100_000 * worst) / cell) * cell)
})

describe('profiles', () => {
  const PROFILES = `profiles: [
    {rate: 100Gbps, delay: 200ns, headroom: 59696B, dynamicTh: 0},
    {rate: 100Gbps, delay: 1500ns, headroom: 101088B, staticTh: 100KB},
    {rate: 40Gbps, headroom: 31616B}]`

  test('headroom by rate and cable of the port; the formula where none fits', () => {
    const buffer = valuesOf(PROFILES)
    const headroom = (rate: number, delay: number, c = 3): number =>
      managedHeadroom(portOf(buffer, rate * GBPS, delay * NS), c)
    expect([headroom(100, 200), headroom(100, 1500), headroom(40, 7)]).toEqual([59_696, 101_088, 31_616])
    expect([headroom(100, 25), headroom(100, 200, 0)]).toEqual([50_000, 0])
  })

  test('limits of the profile hold for its port, those of the buffer for the others', () => {
    const buffer = valuesOf(`size: 42MiB, ${PROFILES}`)
    const ports = [200, 1500, 25].map((delay) => portOf(buffer, 100 * GBPS, delay * NS))
    const { groups } = managerOptions(buffer, ports, 0)
    const limitAt = (port: number): number[] => [groups.alpha[port * 8 + 3]!, groups.fixedBytes[port * 8 + 3]!]
    expect([1, 2, 3].map(limitAt)).toEqual([
      [1, Infinity],
      [NaN, 100_000],
      [1 / 16, Infinity],
    ])
  })

  test('the pool is the size without reserves and headroom; a shared headroom pool leaves more', () => {
    const poolOf = (fields: string): number => {
      const buffer = valuesOf(`size: 10MB, reserve: 1KB, headroom: 100KB, ${fields}`)
      const ports = [1, 2, 3].map(() => portOf(buffer, 100 * GBPS, 200 * NS))
      return managerOptions(buffer, ports, 0).poolBytes[0]!
    }
    expect([poolOf('xon: 0B'), poolOf('headroomPool: 200KB'), poolOf('ingressLossyPool: 1MB')]).toEqual([
      10e6 - 6e3 - 600e3,
      10e6 - 6e3 - 200e3,
      10e6 - 6e3 - 600e3 - 1e6,
    ])
  })
})

/** Four hosts send 1 MB each to the fifth. */
function incast(fields: string, more = ''): Result {
  const text = `
name: managed
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: memory-manager, ${fields}}}
workload: [{kind: trace, flows: [0 4 1MB 0us, 1 4 1MB 0us, 2 4 1MB 0us, 3 4 1MB 0us]}]
qp: {ackTimeout: 1ms}
observe: [{kind: watermarks}, {kind: pause-log}]
${more}
`
  return run(parseScenario(text), { check: true })
}

const peak = ({ series }: Result, part: string): number => {
  const rows = toObjects(series[0]!).filter((row) => row['part'] === part && row['trafficClass'] !== 6)
  return Math.max(...rows.map((row) => Number(row['peakBytes'])))
}

describe('an incast of four hosts', () => {
  test.each([
    'size: 2MB',
    'size: 2MB, dynamicTh: -3, cell: 1B',
    'size: 2MB, staticTh: 100KB',
    'size: 1MB, headroom: 60KB, headroomPool: 240KB',
    'size: 2MB, egressPool: 2MB, ingressLossyPool: 100KB, egressLossyPool: 100KB',
  ])('%s: pauses and no drop', (fields) => {
    const result = incast(fields)
    expect([result.counters.drops, new Set(textsOf(result.flows, 'status'))]).toEqual([{}, new Set(['finished'])])
    expect(numbersOf(result.series[1]!, 'timePs').length).toBeGreaterThan(0)
  })

  test('static limit: no group holds more than it shared, whatever is free', () => {
    expect(peak(incast('size: 2MB, staticTh: 100KB, cell: 1B'), 'group')).toBeLessThanOrEqual(100_000)
    expect(peak(incast('size: 2MB, alpha: 1, cell: 1B'), 'group')).toBeGreaterThan(200_000)
  })

  test('watermarks name node, part, port and class, and each pool', () => {
    const rows = toObjects(incast('size: 2MB').series[0]!)
    expect(new Set(rows.map((row) => row['part']))).toEqual(
      new Set([
        'group',
        'queue',
        ...['ingress-lossless', 'ingress-lossy', 'egress-lossless', 'egress-lossy', 'headroom'].map(
          (pool) => `pool ${pool}`,
        ),
      ]),
    )
    const groups = rows.filter((row) => row['part'] === 'group' && row['trafficClass'] === 3)
    expect(groups.map((row) => row['port'])).toEqual([1, 2, 3, 4])
  })

  test('watermarks of a shared buffer and of an input-queued one are observed too, and change no event', () => {
    for (const kind of ['shared-buffer', 'input-queued']) {
      const text = (observe: string): string => `
name: watched
topology: {kind: star, hosts: 3}
switch: {buffer: {kind: ${kind}}}
workload: [{kind: trace, flows: [0 2 1MB 0us, 1 2 1MB 0us]}]
${observe}`
      const watched = run(parseScenario(text('observe: [{kind: watermarks}]')), { check: true })
      expect(watched.digest).toBe(run(parseScenario(text(''))).digest)
      expect(peak(watched, 'queue')).toBeGreaterThan(10_000)
    }
  })

  test('a limit that falls below its occupancy drops nothing: the groups are paused and drain', () => {
    const result = incast('size: 2MB, alpha: 1', 'changes: [{path: switch.buffer.alpha, value: 1/256, at: 60us}]')
    expect([result.counters.drops, new Set(textsOf(result.flows, 'status'))]).toEqual([{}, new Set(['finished'])])
    const before = incast('size: 2MB, alpha: 1')
    expect(numbersOf(result.series[1]!, 'timePs').length).toBeGreaterThan(numbersOf(before.series[1]!, 'timePs').length)
  })

  test('a headroom pool that is too small loses packets', () => {
    const result = incast('size: 1MB, headroom: 60KB, headroomPool: 4KB')
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
  })
})

test.each([
  ['groups: [0, 1, 2]', 'switch.buffer.groups'],
  ['groups: [0, 0, 0, 0, 4, 5, 6, 7]', 'a group of its own for class 3'],
  ['alpha: 1, dynamicTh: 0', 'one of alpha, dynamicTh and staticTh'],
  ['size: 50KB', 'that reserves, headroom and ingressLossyPool'],
  ['size: 1MB, ingressPool: 1MB', 'ingressPool'],
])('%s is a mistake: %s', (fields, expected) => {
  expect(() => incast(fields)).toThrow(expected)
})
