/** Who probes whom, when, and from which port; what the log keeps of a probe. */
import { describe, expect, test } from 'vitest'
import { MS, SECOND, US } from '../base/params.ts'
import { createRandomStreams } from '../base/random.ts'
import { defaultsOf } from '../base/params.ts'
import { type Message, pingmesh, type Source, type WorkloadContext } from './index.ts'
import { context, drain, issuesOf, take } from './workloads.test-bench.ts'

const pairsOf = (list: readonly number[], size: number): number[][] =>
  Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size))
/** Two podsets of two racks of three hosts. */
const racks = pairsOf([...Array(12).keys()], 3)
const PODSETS: Partial<WorkloadContext> = {
  groups: [racks, pairsOf([...Array(12).keys()], 6), [[...Array(12).keys()]]],
}
const source = (values: object = {}, more: Partial<WorkloadContext> = PODSETS): Source =>
  pingmesh.create({ ...defaultsOf(pingmesh.params), ...values }, context(4, 3, more))
const rounds = (mesh: Source, count: number): Message[] => drain(mesh, count * 36)
const scopeOf = ({ source: a, destination: b }: Message): string =>
  Math.floor(a / 3) === Math.floor(b / 3) ? 'tor' : Math.floor(a / 6) === Math.floor(b / 6) ? 'podset' : 'fabric'

describe('in three tiers', () => {
  test('each host sends one probe to each scope in each interval, at instants of its own', () => {
    const messages = rounds(source(), 4)
    for (let round = 0; round < 4; round++) {
      const those = messages.filter(({ startPs }) => startPs >= round * MS && startPs < (round + 1) * MS)
      const sent = those.map((m) => `${m.source} ${scopeOf(m)}`).sort()
      const due = [...Array(12).keys()].flatMap((host) =>
        ['tor', 'podset', 'fabric'].map((scope) => `${host} ${scope}`),
      )
      expect(sent).toEqual(due.sort())
      expect(new Set(those.map(({ startPs }) => startPs % MS)).size).toBe(36)
      expect(those.every(({ sizeBytes, operation }) => sizeBytes === 512 && operation === 'send')).toBe(true)
    }
    expect(messages.map(({ startPs }) => startPs)).toEqual(messages.map(({ startPs }) => startPs).sort((a, b) => a - b))
  })

  test('the peers of a scope take turns, and each pair takes all source ports in turn', () => {
    const messages = rounds(source({ sourcePorts: 4 }), 24)
    for (const [scope, peers] of [
      ['tor', 2],
      ['podset', 3],
      ['fabric', 6],
    ] as const) {
      const own = messages.filter((m) => m.source === 7 && scopeOf(m) === scope)
      for (let at = 0; at < 24; at += peers)
        expect(new Set(own.slice(at, at + peers).map(({ destination }) => destination)).size).toBe(peers)
      const [{ destination }] = own as [Message]
      const ports = own.filter((m) => m.destination === destination).map(({ sourcePort }) => sourcePort)
      expect(new Set(ports.slice(0, 4)).size).toBe(4)
      expect(ports.every((port) => port >= 49_152 && port <= 65_535)).toBe(true)
    }
  })

  test('the log has scope, round trip with the latency of both ends, failure, and age', () => {
    const mesh = source({ flows: 3, hostLatency: { kind: 'exponential', least: 3 * US, mean: 0 } })
    const [first, second, third] = drain(mesh) as [Message, Message, Message]
    mesh.onComplete(first.startPs + 20 * US, 0)
    mesh.onFailed!(second.startPs + 2 * MS, 1, 'retry-exceeded')
    mesh.onComplete(second.startPs + 3 * MS, 1)
    const probes = mesh.probes!(SECOND)
    expect(probes.map(({ status, rttPs, agePs }) => [status, rttPs, agePs])).toEqual([
      ['ok', 26 * US, 20 * US],
      ['retry-exceeded', NaN, 2 * MS],
      ['unfinished', NaN, SECOND - third.startPs],
    ])
    expect(probes.map(({ scope }) => scope)).toEqual([first, second, third].map(scopeOf))
  })

  test('streams of its own: another tag, other instants; the latency moves none', () => {
    const times = (values: object): number[] => rounds(source(values), 2).map(({ startPs }) => startPs)
    expect(times({ hostLatency: { kind: 'lognormal', least: 0, median: US, p99: 9 * US, most: MS } })).toEqual(
      times({}),
    )
    expect(times({ tag: 'other' })).not.toEqual(times({}))
    const seeded = source({}, { ...PODSETS, random: createRandomStreams(2) })
    expect(rounds(seeded, 2).map(({ startPs }) => startPs)).not.toEqual(times({}))
  })

  test('ends with the generation of messages', () => {
    const mesh = source({}, { ...PODSETS, generateUntilPs: 2 * MS })
    expect(drain(mesh)).toHaveLength(72)
  })
})

test('in two tiers the hosts of other racks are the fabric, and no host is of a podset', () => {
  const mesh = source({}, { groups: [racks, [[...Array(12).keys()]]] })
  for (let i = 0; i < 48; i++) take(mesh)
  expect(new Set(mesh.probes!(SECOND).map(({ scope }) => scope))).toEqual(new Set(['tor', 'fabric']))
})

test('the schedule of a thousand hosts is as long as its hosts and scopes', () => {
  const mesh = pingmesh.create(defaultsOf(pingmesh.params), context(48, 24, {}))
  expect(drain(mesh, 2304).at(-1)!.startPs).toBeLessThan(MS)
  expect(mesh.nextStartPs).toBeGreaterThanOrEqual(MS)
})

test('a scope that no host has is a mistake where there is no other', () => {
  const one = { groups: [racks, [[...Array(12).keys()]]] }
  expect(issuesOf(() => source({ scopes: ['podset'] }, one))).toEqual(['scopes: one of tor, fabric, podset'])
})
