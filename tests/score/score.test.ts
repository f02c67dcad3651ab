/**
 * The score: incidents are what they say, their truth is counterfactual, and the score takes no wrong name for a right one.
 */
import { describe, expect, test } from 'vitest'
import { createSimulation, run, topologyOf } from '../../src/lab/index.ts'
import { completionsOf, numbersOf, quantile, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario, printScenario } from '../../src/lab/scenario/index.ts'
import { type Cause, drawCounting, firstCauses } from '../../scripts/score/counterfactual.ts'
import type { Found } from '../../scripts/score/found.ts'
import { drawHealthy, drawIncident, type Incident, treeOf } from '../../scripts/score/incident.ts'
import { Names } from '../../scripts/score/match.ts'
import { observed } from '../../scripts/score/one.ts'
import { SCORED, TUNING_FROM } from '../../scripts/score/seeds.ts'
import { wilson } from '../../scripts/score/table.ts'
import { scenarioOfTree, type Tree } from '../../scripts/score/tree.ts'
import { CAUSE_KINDS, type Kind, type Truth } from '../../scripts/score/truth.ts'

const FROM = TUNING_FROM + 1000
const seeds = Array.from({ length: 12 }, (_, i) => FROM + i)
const whole = (incident: Incident): Tree => treeOf(incident, incident.injections)

test('no seed is for scoring and for tuning', () => {
  for (const { to } of Object.values(SCORED)) expect(to).toBeLessThan(TUNING_FROM)
})

describe.each(seeds)('incident %i', (seed) => {
  const incidents = [
    drawIncident(seed, 0),
    drawIncident(seed, 1, [CAUSE_KINDS[seed % CAUSE_KINDS.length]!]),
    drawHealthy(seed),
  ]

  test('is the same each time, and another one of another seed', () => {
    expect(drawIncident(seed, 0)).toEqual(incidents[0])
    expect(whole(drawIncident(seed + 1, 0)).seed).not.toBe(whole(incidents[0]!).seed)
  })

  test('can be built with and without its injections', () => {
    for (const incident of incidents) {
      const { injections } = incident
      for (const left of injections.length > 0 ? [injections, []] : [[]]) {
        const scenario = scenarioOfTree(treeOf(incident, left))
        expect(parseScenario(JSON.stringify(printScenario(scenario)))).toEqual(scenario)
        createSimulation(scenario).close()
      }
    }
  })

  test('is the healthy fabric without what was added', () => {
    for (const incident of incidents) {
      const { base, injections } = incident
      const tree = whole(incident)
      expect(treeOf(incident, [])).toEqual({ name: tree.name, ...base.tree })
      const added = injections.map(({ edit }) => edit)
      for (const list of ['workload', 'changes', 'faults'] as const) {
        expect(tree[list]).toEqual([...base.tree[list], ...added.flatMap((edit) => edit[list] ?? [])])
      }
      expect(JSON.stringify(tree) !== JSON.stringify(treeOf(incident, []))).toBe(injections.length > 0)
    }
  })

  test('has its truth in the network', () => {
    for (const { base, injections } of incidents) {
      const { names, links, tiers, endpoints } = base.topology
      for (const { truth } of injections) {
        expect(truth.nodes.length + truth.ports.length).toBeGreaterThan(0)
        for (const node of truth.nodes) expect(names[node]).toBeDefined()
        for (const host of truth.hosts) expect(truth.nodes).toContain(endpoints[host])
        for (const { node, port } of truth.ports) {
          expect(port).toBeLessThanOrEqual(links.filter(({ a, b }) => a === node || b === node).length)
        }
        expect(truth.nodes.filter((node) => tiers[node] === 0)).toHaveLength(truth.hosts.length)
      }
    }
  })
})

/** Slowdowns of the flows of some tags, by the ideal times of a healthy run that posted the same messages. */
function p99Of(result: Result, healthy: Result, tags: readonly string[]): number {
  const rowsOf = ({ flows }: Result): number[] => {
    const tag = textsOf(flows, 'tag')
    return [...tag.keys()].filter((row) => tags.includes(tag[row]!))
  }
  const { completionPs } = completionsOf(result, 'receiver')
  const { idealPs } = completionsOf(healthy, 'receiver')
  const [startPs, healthyStartPs] = [result, healthy].map(({ flows }) => numbersOf(flows, 'startPs')) as [
    Float64Array,
    Float64Array,
  ]
  const [rows, alone] = [rowsOf(result), rowsOf(healthy)]
  expect(rows.map((row) => startPs[row])).toEqual(alone.map((row) => healthyStartPs[row]))
  const slowdowns = rows.map((row, i) => {
    const spanPs = Number.isNaN(completionPs[row]) ? result.simulatedPs - startPs[row]! : completionPs[row]!
    return spanPs / idealPs[alone[i]!]!
  })
  return quantile(slowdowns, 0.99)
}

describe.each<[Kind, number]>([
  ['slow-receiver', FROM],
  ['noisy-neighbour', FROM + 1],
])('an incident of kind %s that counts', (kind, seed) => {
  const { incident, drawn } = drawCounting(seed, [kind])

  test('has a p99 that its removal halves', () => {
    const { base, injections } = incident
    const healthy = run(scenarioOfTree(treeOf(incident, [])))
    const result = run(scenarioOfTree(treeOf(incident, injections)))
    expect(result.digest).toBe(drawn.digest)
    expect(base.isClosed).toBe(false)
    const [p99, without] = [result, healthy].map((one) => p99Of(one, healthy, base.tags)) as [number, number]
    expect([p99, without]).toEqual([drawn.p99, drawn.healthyP99])
    const left = [base.tags, ...base.tags.map((tag) => [tag])].map(
      (tags) => p99Of(healthy, healthy, tags) / p99Of(result, healthy, tags),
    )
    expect(Math.min(...left)).toBeLessThanOrEqual(0.5)
    expect(drawn.causes).toMatchObject([{ kind, counts: true }])
    expect(drawn.causes[0]!.saved).toBeGreaterThanOrEqual(1 - Math.min(...left))
  })

  test('names devices that the network has', () => {
    const names = new Names(incident.base.topology)
    const { found, result } = observed(incident)
    expect(result.digest).toBe(drawn.digest)
    expect(found.filter((one) => !names.knows(one))).toEqual([])
  })
})

describe('a name', () => {
  // Hosts 0 to 15; leaves 16 to 19, with their hosts at ports 1 to 4 and the spines 20 and 21 at 5 and 6.
  const scenario = parseScenario(`
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4}
workload: [{kind: poisson, flows: 1}]
`)
  const names = new Names(topologyOf(scenario))
  const host: Truth = { kind: 'slow-receiver', nodes: [5], hosts: [5], ports: [{ node: 17, port: 2 }] }
  const link: Truth = { kind: 'lossy-link', nodes: [], hosts: [], ports: [{ node: 17, port: 5 }] }
  const device: Truth = { kind: 'alpha', nodes: [17], hosts: [], ports: [] }
  const uplinks: Truth = {
    kind: 'oversubscription',
    nodes: [17],
    hosts: [],
    ports: [
      { node: 17, port: 5 },
      { node: 17, port: 6 },
    ],
  }

  test.each<[Found, Truth]>([
    [{ device: 'host 5' }, host],
    [{ device: 'leaf 1 port 2 to host 5' }, host],
    [{ device: 'leaf 1 port 2' }, host],
    [{ device: 'leaf 1', peer: 'host 5' }, host],
    [{ device: 'host 5', peer: 'leaf 1' }, host],
    [{ device: 'leaf 1 port 5 to spine 0' }, link],
    [{ device: 'spine 0 port 2 to leaf 1' }, link],
    [{ device: 'spine 0', peer: 'leaf 1' }, link],
    [{ device: 'leaf 1' }, device],
    [{ device: 'leaf 1 port 6 to spine 1' }, device],
    [{ device: 'spine 1 port 2 to leaf 1' }, uplinks],
    [{ device: 'leaf 1' }, uplinks],
  ])('%o is right', (found, truth) => {
    expect(names.fits(found, truth)).toBe(true)
    expect(names.rankOf([{ device: 'host 0' }, found], [link, truth])).toBe(1)
  })

  test.each<[Found, Truth]>([
    [{ device: 'host 4' }, host],
    [{ device: 'leaf 1' }, host],
    [{ device: 'leaf 1 port 1 to host 4' }, host],
    [{ device: 'leaf 1 port 3 to host 5' }, host],
    [{ device: 'host 55' }, host],
    [{ device: 'leaf 1 port 6 to spine 1' }, link],
    [{ device: 'spine 0' }, link],
    [{ device: 'spine 0', peer: 'leaf 2' }, link],
    [{ device: 'spine 0 port 2 to leaf 1' }, device],
    [{ device: 'spine 1 port 1 to leaf 0' }, uplinks],
    [{ device: 'leaf 1 port 1 to host 4' }, uplinks],
    [{ device: 'host 5' }, uplinks],
    [{ device: 'leaf 1 port 1 to host 4' }, link],
  ])('%o is wrong', (found, truth) => {
    expect(names.fits(found, truth)).toBe(false)
    expect(names.rankOf([found], [truth])).toBe(-1)
  })
})

test('the first cause is the one whose removal saves most, and any that saves nearly as much', () => {
  const cause = (saved: number, counts: boolean): Cause => ({
    kind: 'incast',
    nodes: [],
    hosts: [],
    ports: [],
    saved,
    counts,
  })
  const [large, near, less, small] = [cause(0.9, true), cause(0.82, true), cause(0.6, true), cause(0.95, false)]
  expect(firstCauses([less, large, near, small])).toEqual([large, near])
})

test("Wilson's interval", () => {
  const [low, high] = wilson(8, 10)
  expect([low, high].map((share) => share.toFixed(3))).toEqual(['0.490', '0.943'])
  expect(wilson(0, 0)).toEqual([0, 1])
})
