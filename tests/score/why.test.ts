/**
 * The score of proved causes: incidents are what they say, their truth is counterfactual, harmless differences are
 * harmless, and no wrong answer is taken for a right one.
 */
import { describe, expect, test } from 'vitest'
import { createSimulation, run, topologyOf } from '../../src/lab/index.ts'
import { parseScenario, printScenario } from '../../src/lab/scenario/index.ts'
import { SUSPECT_KINDS } from '../../src/lab/advice/why/suspect.ts'
import { type Cause, firstCauses, judge, seenWith } from '../../scripts/score/counterfactual.ts'
import { drawHealthy, drawIncident, type Incident, treeOf } from '../../scripts/score/incident.ts'
import { type Found, Names } from '../../scripts/score/match.ts'
import { type Form, TUNING_FROM, WHY_SCORED } from '../../scripts/score/seeds.ts'
import { wilson } from '../../scripts/score/table.ts'
import { scenarioOfTree } from '../../scripts/score/tree.ts'
import { type Truth, WHY_KINDS, type WhyKind } from '../../scripts/score/truth.ts'
import { mean, p99, slowdownsOf } from '../../scripts/score/victims.ts'
import { answerOf } from '../../scripts/score/why/answer.ts'
import { WHY } from '../../scripts/score/why/generator.ts'
import { drawPlain } from '../../scripts/score/why/one.ts'
import { isRight } from '../../scripts/score/why/right.ts'

const FROM = TUNING_FROM + 1000
const drawn = (form: Form, seed: number): Incident =>
  form === 'incident' ? drawIncident(seed, 0, undefined, WHY) : drawHealthy(seed, 0, WHY, form)

test('no seed is for scoring and for tuning', () => {
  for (const { to } of Object.values(WHY_SCORED)) expect(to).toBeLessThan(TUNING_FROM)
})

test('kinds come in turn, by the words of the answer, and a third of the seeds have two', () => {
  expect(WHY_KINDS.filter((kind) => !SUSPECT_KINDS.includes(kind))).toEqual([])
  const incidents = WHY_KINDS.map((_, i) => drawn('incident', FROM + i))
  const first = incidents.map(({ injections }) => injections[0]!.truth.kind)
  expect(new Set(first)).toEqual(new Set(WHY_KINDS))
  const two = incidents.filter(({ injections }) => injections.length === 2).length
  expect(two).toBeGreaterThanOrEqual(4)
  expect(two).toBeLessThanOrEqual(14)
})

describe.each(WHY_KINDS.map((kind, i) => [kind, i] as const))('an incident of kind %s', (_, i) => {
  const seed = FROM + i
  const incident = drawn('incident', seed)
  const { base, injections } = incident

  test('is the same each time, and another one of another seed', () => {
    expect(treeOf(drawn('incident', seed), injections)).toEqual(treeOf(incident, injections))
    expect(drawn('incident', seed + 1).base.tree.seed).not.toBe(base.tree.seed)
  })

  test('can be built with and without its injections, which are all that is added', () => {
    expect(treeOf(incident, [])).toEqual({ name: `incident-${seed}`, ...base.tree })
    for (const left of [injections, []]) {
      const scenario = scenarioOfTree(treeOf(incident, left))
      expect(parseScenario(JSON.stringify(printScenario(scenario)))).toEqual(scenario)
      createSimulation(scenario).close()
    }
  })

  test('has its truth in the network', () => {
    const { names, links, endpoints } = base.topology
    const whole = treeOf(incident, injections)
    for (const { nodes, hosts, ports, workload, isGlobal } of injections.map(({ truth }) => truth)) {
      expect(nodes.length + ports.length > 0 || workload !== undefined || isGlobal === true).toBe(true)
      expect(nodes.every((node) => node < names.length)).toBe(true)
      expect(hosts.every((host) => nodes.includes(endpoints[host]!))).toBe(true)
      expect([undefined, ...whole.workload.map(({ tag }) => tag)]).toContain(workload)
      for (const { node, port } of ports) {
        expect(port).toBeLessThanOrEqual(links.filter(({ a, b }) => a === node || b === node).length)
      }
    }
  })
})

/** Small incidents of which it is known that their first attempt counts; of the other kinds this seed. */
const COUNTING = 30_003
const COUNTS: Partial<Readonly<Record<WhyKind, number>>> = {
  'wrong-marking': 30_004,
  alpha: 30_006,
  'dead-switch': 30_001,
  'failed-uplink': 30_001,
  'slow-link': 30_001,
  'dropping-watchdog': 30_012,
  'polarised-hash': 30_006,
}

test.each(WHY_KINDS)('an incident of kind %s counts', (kind) => {
  const { causes, refusal } = judge(drawIncident(COUNTS[kind] ?? COUNTING, 0, [kind], WHY))
  expect(refusal).toBeNull()
  expect(causes).toMatchObject([{ kind, counts: true }])
  expect(causes[0]!.saved).toBeGreaterThanOrEqual(0.2)
})

test.each<[Form, number]>([
  ['healthy', 0],
  ['loaded', 4],
])('a %s run has differences that are harmless, and is as slow as its load makes it', (form, least) => {
  const { incident, drawn: truth } = drawPlain(form, FROM)
  const { base } = incident
  const [now, before] = [base.tree, base.plain!].map((tree) => {
    const { victims } = seenWith({ ...incident, base: { ...base, tree } }, [])
    return [p99, mean].map((measure) => slowdownsOf(victims, victims, measure).get('')!)
  }) as [number[], number[]]
  expect(base.tree).not.toEqual(base.plain)
  expect(now.every((value, i) => Math.abs(value / before[i]! - 1) < 0.1)).toBe(true)
  expect(truth.p99).toBe(now[0])
  expect(truth.p99).toBeGreaterThanOrEqual(least)
})

test('the answer is given the scenario alone, and runs it as it is', async () => {
  const incident = drawIncident(COUNTING, 0, ['rnr'], WHY)
  const tree = treeOf(incident, incident.injections)
  const { digest, verdict, causes, failure } = await answerOf(
    JSON.stringify({ ...tree, observe: [{ kind: 'autopsy' }] }),
  )
  expect(digest).toBe(run(scenarioOfTree(tree)).digest)
  expect(failure).toBeUndefined()
  expect(causes.length > 0).toBe(verdict === 'causes')
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

test('what is said is right by device, by the tag of a workload, or by its kind where it holds everywhere', () => {
  const names = new Names(topologyOf(scenarioOfTree(drawn('incident', FROM).base.tree)))
  const none = { nodes: [], hosts: [], ports: [], saved: 1, counts: true }
  const [tenant, window, cap]: Cause[] = [
    { ...none, kind: 'other-tenant', workload: 'tenant' },
    { ...none, kind: 'small-window', isGlobal: true },
    { ...none, kind: 'rate-cap', isGlobal: true },
  ]
  expect(isRight({ kind: 'incast', workload: 'tenant' }, tenant!, names)).toBe(true)
  expect(isRight({ kind: 'other-tenant', workload: 'storage' }, tenant!, names)).toBe(false)
  expect(isRight({ kind: 'other-tenant', device: 'host 1' }, tenant!, names)).toBe(false)
  expect(isRight({ kind: 'small-window', path: 'qp.window' }, window!, names)).toBe(true)
  expect(isRight({ kind: 'slow-host-stack', path: 'qp.hostDelay' }, window!, names)).toBe(false)
  expect(isRight({ kind: 'slow-sender' }, cap!, names)).toBe(true)
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
