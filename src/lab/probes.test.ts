/** Probes in a network: their log, its statuses, and what they add to the load. All laws are checked in every run. */
import { describe, expect, test } from 'vitest'
import { numbersOf, type Result, tableOfKind, textsOf } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './index.ts'

const LEAF_SPINE =
  'topology={kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 3, hostRate: 25Gbps, fabricRate: 50Gbps}'
const FAT_TREE = 'topology={kind: fat-tree, arity: 4, linkRate: 25Gbps}'
const QUICK = 'workload.0.qp={ackTimeout: 100us, retryLimit: 2}'

function probed(...sets: readonly string[]): Result {
  const text = 'workload: [{kind: pingmesh, interval: 200us}]\nmeasure: {generate: 4ms, stop: 5ms}\n'
  return run(parseScenario(text, { sets }), { check: true })
}
const logOf = (result: Result) => tableOfKind(result, 'pingmesh')!
const count = (values: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

describe('a quiet fabric', () => {
  test.each([
    ['leaf-spine', LEAF_SPINE, { tor: 180, fabric: 180 }],
    ['fat-tree', FAT_TREE, { tor: 320, podset: 320, fabric: 320 }],
  ])('%s: each scope has its probes, which all come back, later from further away', (_name, topology, scopes) => {
    const result = probed(topology)
    const log = logOf(result)
    expect(count(textsOf(log, 'scope'))).toEqual(scopes)
    expect(count(textsOf(log, 'status'))).toEqual({ ok: log.rowCount })
    expect(log.rowCount).toBe(result.flows.rowCount)
    const scope = textsOf(log, 'scope')
    const rtts = numbersOf(log, 'rttPs')
    const least = Object.keys(scopes).map((name) => Math.min(...rtts.filter((_, row) => scope[row] === name)))
    expect(least).toEqual(least.toSorted((a, b) => a - b))
    expect(new Set(least).size).toBe(least.length)
  })

  test('scopes are those of the topology', () => {
    const log = logOf(probed(FAT_TREE))
    const [from, to] = [textsOf(log, 'sourceName'), textsOf(log, 'destinationName')].map((names) =>
      names.map((name) => Number(name.slice('host '.length))),
    ) as [number[], number[]]
    const scope = textsOf(log, 'scope')
    // Two hosts on an edge switch, four in a pod.
    const due = from.map((a, row) =>
      a >> 1 === to[row]! >> 1 ? 'tor' : a >> 2 === to[row]! >> 2 ? 'podset' : 'fabric',
    )
    expect(scope).toEqual(due)
  })

  test('the probes of a pair take one source port after the other, on queue pairs of their own', () => {
    const log = logOf(probed(LEAF_SPINE, 'workload.0.sourcePorts=4'))
    const ports = numbersOf(log, 'sourcePort')
    const [from, to] = [textsOf(log, 'sourceName'), textsOf(log, 'destinationName')]
    const ofPair = new Map<string, number[]>()
    for (const row of ports.keys()) {
      const pair = `${from[row]} ${to[row]}`
      ofPair.set(pair, [...(ofPair.get(pair) ?? []), row])
    }
    for (const rows of ofPair.values()) {
      for (let at = 0; at + 4 <= rows.length; at += 4)
        expect(new Set(rows.slice(at, at + 4).map((row) => ports[row]!)).size).toBe(4)
    }
    expect(ofPair.size).toBe(9 * 8)
  })

  test('the latency of hosts is in the log and not in the network', () => {
    const [without, added] = [
      probed(LEAF_SPINE),
      probed(LEAF_SPINE, 'workload.0.hostLatency={kind: exponential, least: 5us}'),
    ]
    expect(added.digest).toBe(without.digest)
    const [a, b] = [without, added].map((result) => numbersOf(logOf(result), 'rttPs')) as [Float64Array, Float64Array]
    expect(b.map((ps, row) => ps - a[row]!)).toEqual(a.map(() => 10e6))
  })

  test('probes add less than 1 % to a load of 30 % of 10 Gb/s', () => {
    const bytes = (workload: string): number => {
      const sets = [
        `workload=[${workload}]`,
        LEAF_SPINE,
        'topology.hostRate=10Gbps',
        'observe=[{kind: link-use, interval: 5ms}]',
      ]
      const use = tableOfKind(probed(...sets), 'link-use')!
      return numbersOf(use, 'sentBytes').reduce((sum, sent) => sum + sent, 0)
    }
    const load = '{kind: poisson, load: 0.3, sizes: {kind: fixed, size: 64KB}}'
    const [alone, probes] = [bytes(load), bytes('{kind: pingmesh}')]
    expect(probes).toBeGreaterThan(0)
    expect(probes / alone).toBeLessThan(0.01)
  })
})

describe('statuses', () => {
  test('a dead host: its peers get no answer, its own queue pairs are lost, and nobody else is hit', () => {
    const log = logOf(probed(FAT_TREE, QUICK, 'faults=[{kind: server-down, hosts: host 5, down: 1ms}]'))
    const [from, to, status] = ['sourceName', 'destinationName', 'status'].map((name) => textsOf(log, name)) as [
      readonly string[],
      readonly string[],
      readonly string[],
    ]
    const times = numbersOf(log, 'timePs')
    const of = (keep: (row: number) => boolean): Record<string, number> => count(status.filter((_, row) => keep(row)))
    const late = (row: number): boolean => times[row]! > 1e9
    expect(of((row) => to[row] === 'host 5' && late(row))).toEqual({ 'retry-exceeded': 45 })
    expect(of((row) => from[row] === 'host 5' && late(row))).toEqual({ flushed: 45 })
    expect(of((row) => from[row] !== 'host 5' && to[row] !== 'host 5')).toEqual({ ok: 840 })
    const ages = numbersOf(log, 'agePs').filter((_, row) => status[row] === 'retry-exceeded')
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(300e6)
  })

  test('a link that is down at the host of the prober and of its peers', () => {
    const log = logOf(probed(LEAF_SPINE, QUICK, 'faults=[{kind: link-down, links: host 2, down: 2ms}]'))
    const status = textsOf(log, 'status')
    const [from, to] = [textsOf(log, 'sourceName'), textsOf(log, 'destinationName')]
    const lost = status.flatMap((one, row) => (one === 'ok' ? [] : [[from[row], to[row]]]))
    expect(lost.length).toBeGreaterThan(20)
    expect(lost.every((pair) => pair.includes('host 2'))).toBe(true)
  })

  test('work requests without Receive WQEs end in RNR', () => {
    const sets = ['workload.0.workRequests=true', 'workload.0.sourcePorts=1', 'verbs={receives: 1, rnrRetryLimit: 1}']
    const result = probed(LEAF_SPINE, ...sets, 'workload.0.qp={receiveRepost: 4ms, ackTimeout: 100us}')
    const statuses = count(textsOf(logOf(result), 'status'))
    expect(statuses['rnr-exceeded']).toBeGreaterThan(0)
    expect(statuses['ok']).toBeGreaterThan(0)
  })

  test('in a pause storm probes hang: they are unfinished, with their age', () => {
    const result = probed(LEAF_SPINE, 'faults=[{kind: pause-storm, hosts: host 0, from: 1ms}]', 'qp.ackTimeout=off')
    const log = logOf(result)
    const status = textsOf(log, 'status')
    const [times, ages] = [numbersOf(log, 'timePs'), numbersOf(log, 'agePs')]
    const open = [...status.keys()].filter((row) => status[row] === 'unfinished')
    expect(open.length).toBeGreaterThan(20)
    for (const row of open) expect(ages[row]).toBe(result.simulatedPs - times[row]!)
    // One row a probe, whatever became of it.
    expect(log.rowCount).toBe(result.flows.rowCount)
  })
})

test('a table of an observer cannot take the name of the log', () => {
  expect(() => probed(LEAF_SPINE, 'observe=[{kind: link-use, interval: 1ms, table: pingmesh}]')).toThrow('pingmesh')
})
