import { describe, expect, test } from 'vitest'
import { connectionPaths, run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../lab/scenario/index.ts'
import { closEcmp, NO_PFC, PFC } from './clos-ecmp.ts'

/** A run of the small size, cut to one millisecond after one of warm-up. */
function shortRun(at: typeof PFC | typeof NO_PFC): Readonly<Record<string, number>> {
  const point = closEcmp.plan.points('small', 1).find((each) => each.at === at)!
  const sets = ['measure.warmUp=1ms', 'measure.stop=2ms', 'observe.0.interval=1ms', 'observe.1.interval=1ms']
  const scenario = parseScenario(formatScenario(point.scenario), { sets })
  return closEcmp.plan.measure(run(scenario), { ...point, scenario })
}

describe('a quarter of the Clos network', () => {
  const withPfc = shortRun(PFC)
  const without = shortRun(NO_PFC)

  test('loses nothing, with PFC or with unlimited buffers', () => {
    expect([withPfc['drops'], without['drops']]).toEqual([0, 0])
    expect(withPfc['pauseFrames']).toBeGreaterThan(0)
    expect(without['pauseFrames']).toBe(0)
  })

  test('has a higher utilisation if fewer connections are tied to each other', () => {
    const fairKeys = ['allEqualBps', 'torEqualBps', 'serverEqualBps', 'maxMinBps'].map((key) => withPfc[key]!)
    expect(fairKeys.toSorted((a, b) => a - b)).toEqual(fairKeys)
    expect(fairKeys[0]! / withPfc['capacityBps']!).toBeLessThan(0.8)
    expect(fairKeys[3]! / withPfc['capacityBps']!).toBeGreaterThan(0.95)
  })

  test('carries no more than its capacity, and less with PFC', () => {
    expect(without['throughputBps']).toBeLessThan(1.01 * withPfc['capacityBps']!)
    expect(withPfc['throughputBps']).toBeLessThan(without['throughputBps']!)
    expect(withPfc['throughputBps']).toBeGreaterThan(withPfc['allEqualBps']!)
  })
})

describe('the whole network', () => {
  const paths = connectionPaths(closEcmp.plan.points('full', 1)[0]!.scenario)

  test('has 3072 connections, each over six links via a spine', () => {
    expect(paths.connections).toHaveLength(3072)
    for (const { links } of paths.connections) {
      const tiers = links.map((link) => [paths.links[link]!.fromTier, paths.links[link]!.toTier])
      expect(tiers).toEqual([
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 2],
        [2, 1],
        [1, 0],
      ])
      links.slice(1).forEach((link, i) => expect(paths.links[link]!.from).toBe(paths.links[links[i]!]!.to))
    }
  })

  test('has 128 links from a leaf to a spine, and every one of them is used', () => {
    const up = paths.links.flatMap((link, i) => (link.fromTier === 2 && link.toTier === 3 ? [i] : []))
    expect(up).toHaveLength(128)
    const used = new Set(paths.connections.flatMap((connection) => connection.links))
    expect(up.every((link) => used.has(link))).toBe(true)
  })

  test('spreads connections like random choice', () => {
    const loads = new Map<number, number>()
    for (const { links } of paths.connections) loads.set(links[2]!, (loads.get(links[2]!) ?? 0) + 1)
    const variance = [...loads.values()].reduce((total, load) => total + (load - 24) * (load - 24), 0) / loads.size
    expect(loads.size).toBe(128)
    expect(variance).toBeGreaterThan(12)
    expect(variance).toBeLessThan(48)
  })
})

test('the computed paths are those that packets take', () => {
  const text = `
name: paths
seed: 7
topology: {kind: clos-podset, leaves: 2, tors: 2, serversPerTor: 2, spines: 4}
qp: {ackInterval: 0}
workload: [{kind: tor-pairs, serversPerRack: 2, qpsPerPair: 3, messageSize: 10KB, messages: 1}]
measure: {end: drain}
observe: [{kind: link-use, interval: 1ms}]
`
  const scenario = parseScenario(text)
  const { links, connections } = connectionPaths(scenario)
  const packets = new Map<string, number>()
  for (const { links: path } of connections) {
    // 10 KB are ten packets.
    for (const link of path) packets.set(links[link]!.from, (packets.get(links[link]!.from) ?? 0) + 10)
  }
  const [use] = run(scenario).series
  const sent = new Map<string, number>()
  const column = (name: string) => use!.columns.find((each) => each.name === name)!.data
  for (let row = 0; row < use!.rowCount; row++) {
    const name = String(column('nodeName')[row])
    const frames = Number(column('sentFrames')[row])
    if (frames > 0) sent.set(name, (sent.get(name) ?? 0) + frames)
  }
  expect(Object.fromEntries(sent)).toEqual(Object.fromEntries(packets))
})
