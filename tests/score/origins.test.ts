/**
 * The score of the localiser: its incidents are what they say, and what it takes for right is right.
 */
import { describe, expect, test } from 'vitest'
import { createSimulation, run, topologyOf } from '../../src/lab/index.ts'
import { numbersOf, tableOfKind, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { type Cause, type Drawn, seenWith } from '../../scripts/score/counterfactual.ts'
import { Draw } from '../../src/core/base/draw.ts'
import { drawHealthy, drawIncident, treeOf } from '../../scripts/score/incident.ts'
import type { Injection } from '../../scripts/score/injections.ts'
import { Names } from '../../scripts/score/match.ts'
import { type Damage, drawDamage } from '../../scripts/score/origins/damage.ts'
import { isHealthy } from '../../scripts/score/origins/fabrics.ts'
import { ORIGINS } from '../../scripts/score/origins/generator.ts'
import { type OriginScore, scoreOf } from '../../scripts/score/origins/one.ts'
import { ALIKE, type Graded, graded } from '../../scripts/score/origins/right.ts'
import type { Said } from '../../scripts/score/origins/said.ts'
import { reportOf } from '../../scripts/score/origins/table.ts'
import { ORIGINS_SCORED, TUNING_FROM } from '../../scripts/score/seeds.ts'
import { scenarioOfTree } from '../../scripts/score/tree.ts'
import { type Kind, ORIGIN_KINDS } from '../../scripts/score/truth.ts'

const FROM = TUNING_FROM + 2000

test('no seed is for scoring and for tuning', () => {
  for (const { to } of Object.values(ORIGINS_SCORED)) expect(to).toBeLessThan(TUNING_FROM)
})

describe('kinds of the seeds', () => {
  const { from, to } = ORIGINS_SCORED.incident
  // Their kinds alone: no incident of these seeds is drawn.
  const first = (seed: number): Kind => ORIGIN_KINDS[seed % ORIGIN_KINDS.length]!

  test('come in turn, each 40 times at least among those that are scored', () => {
    for (const seed of [FROM, FROM + 1, FROM + 2]) {
      expect(drawIncident(seed, 0, undefined, ORIGINS).injections[0]!.truth.kind).toBe(first(seed))
    }
    const kinds = Array.from({ length: to - from + 1 }, (_, i) => first(from + i))
    expect(kinds).toHaveLength(400)
    for (const kind of ORIGIN_KINDS) expect(kinds.filter((one) => one === kind).length).toBeGreaterThanOrEqual(40)
  })

  test('of a tenth are two, which stay two in later attempts', () => {
    const countOf = (seed: number, round: number): number =>
      ORIGINS.kindsOf(new Draw(seed, `score/test/${round}`), seed, ORIGIN_KINDS).length
    const seeds = Array.from({ length: 400 }, (_, i) => FROM + i)
    const two = seeds.filter((seed) => countOf(seed, 0) === 2).length
    expect(two).toBeGreaterThan(20)
    expect(two).toBeLessThan(60)
    expect(seeds.every((seed) => countOf(seed, 1) === countOf(seed, 0))).toBe(true)
  })
})

describe.each(ORIGIN_KINDS)('an incident of kind %s', (kind) => {
  const incidents = [0, 1].map((i) => drawIncident(FROM + i, 0, [kind], ORIGINS))

  test('can be built with and without its injection, and with its collector', () => {
    for (const incident of incidents) {
      const { observe } = drawDamage('incident', incident.seed, incident.base)
      for (const left of [incident.injections, []]) {
        const scenario = scenarioOfTree({ ...treeOf(incident, left), observe: [observe] })
        createSimulation(scenario).close()
        expect(scenario.observe.map((each) => each.kind)).toEqual(['counters'])
      }
    }
  })

  test('has its truth in the network', () => {
    for (const { base, injections } of incidents) {
      const { links, tiers, nodeCount } = base.topology
      expect(injections.map(({ truth }) => truth.kind)).toEqual([kind])
      for (const { nodes, ports } of injections.map(({ truth }) => truth)) {
        expect(nodes.length + ports.length).toBeGreaterThan(0)
        for (const node of nodes) expect(node).toBeLessThan(nodeCount)
        for (const { node, port } of ports) {
          expect(port).toBeLessThanOrEqual(links.filter(({ a, b }) => a === node || b === node).length)
        }
      }
      expect(Math.max(...tiers)).toBeGreaterThanOrEqual(2)
    }
  })
})

/** Incidents of which it is known that their first attempt counts. */
const [ERRORS, CIRCLE] = [10_012, 10_013]

test('the run of a deadlock ends with a circle of pauses, which is the truth', () => {
  const incident = drawIncident(CIRCLE, 0, undefined, ORIGINS)
  const [{ truth, seen }] = incident.injections as [Injection]
  const { result } = seenWith(incident, incident.injections)
  const nodes = result.pauseCircle!.nodes.map((name) => incident.base.topology.names.indexOf(name))
  expect(nodes.length).toBeGreaterThanOrEqual(4)
  expect(truth.kind).toBe('deadlock')
  expect(seen!(result)!.nodes).toEqual(nodes)
  expect(seen!({ ...result, pauseCircle: null })).toBeNull()
  // No poll of 1 ms shows the second of these for a whole interval, wherever polls are.
  const { sincePs } = result.pauseCircle!
  expect(seen!({ ...result, simulatedPs: sincePs + 2e9 })!.nodes).toEqual(nodes)
  expect(seen!({ ...result, simulatedPs: sincePs + 1.9e9 })).toBeNull()
  expect(isHealthy(result, [])).toBe(false)
})

describe('the run of a bad cable', () => {
  const incident = drawIncident(ERRORS, 0, undefined, ORIGINS)
  const { base, injections } = incident
  const plain = seenWith(incident, injections).result

  test('has frames with wrong FCS at that link alone', () => {
    const observe = [{ kind: 'counters' }]
    const table = tableOfKind(run(scenarioOfTree({ ...treeOf(incident, injections), observe })), 'counters')!
    const [name, device, port] = ['name', 'device', 'port'].map((column) => textsOf(table, column))
    const value = numbersOf(table, 'value')
    const positions = new Set<string>()
    for (let row = 0; row < table.rowCount; row++) {
      if (name![row] === 'crcErrors' && value[row]! > 0) positions.add(`${device![row]!} port ${port![row]!}`)
    }
    const own = new Names(base.topology)
    expect(positions.size).toBeGreaterThanOrEqual(1)
    for (const position of positions) expect(own.fits({ device: position }, injections[0]!.truth)).toBe(true)
  })

  test('is scored by a known truth, and its collector changes no event', () => {
    const causes = injections.map(({ truth }): Cause => ({ ...truth, saved: 1, counts: true }))
    const { digest } = plain
    const known = { attempt: 0, digest, p99: 2, healthyP99: 1, causes, refusal: null, refused: [] }
    const score = scoreOf('incident', ERRORS, known)
    expect(score.drawn).toBe(known)
    expect(score.said.length).toBeGreaterThan(0)
    const own = new Names(base.topology)
    expect(score.said.filter(({ position }) => position !== '' && !own.knows({ device: position }))).toEqual([])
  })
})

test('a healthy fabric is held by nobody for long', () => {
  const incident = drawIncident(ERRORS, 0, undefined, ORIGINS)
  expect(isHealthy(seenWith(incident, []).result, [])).toBe(true)
  expect(drawHealthy(FROM, 0, ORIGINS).base.tree.workload.map(({ tag }) => tag)).toContain('beside')
})

// Hosts 0 to 15; leaves 16 to 19, with their hosts at ports 1 to 4 and the spines 20 and 21 at 5 and 6.
const names = new Names(
  topologyOf(
    parseScenario(`
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4}
workload: [{kind: poisson, flows: 1}]
`),
  ),
)
const cause = (kind: Kind, nodes: readonly number[], more: Partial<Cause> = {}): Cause => ({
  kind,
  nodes,
  hosts: [],
  ports: [],
  saved: 0.9,
  counts: true,
  ...more,
})
const damage = (more: Partial<Damage> = {}): Damage => ({
  lost: 0,
  silent: null,
  hosts: 'all',
  switches: 'all',
  hasWatermarks: false,
  hasSettings: false,
  observe: {},
  ...more,
})
const said = (position: string, kind: Said['kind'], confidence: Said['confidence'] = 'high'): Said => ({
  position,
  kind,
  confidence,
})

describe('what is said', () => {
  const alpha = cause('alpha', [17])

  test('is right where it is, and of its kind', () => {
    const grade = (position: string, kind: Said['kind'], causes: readonly Cause[]): number =>
      graded(said(position, kind), causes, names, damage()).names
    const storm = cause('pause-storm', [5], { ports: [{ node: 17, port: 2 }] })
    expect(grade('host 5 port 1', 'pause-storm', [alpha, storm])).toBe(1)
    expect(grade('leaf 1 port 2', 'pause-storm', [alpha, storm])).toBe(1)
    expect(grade('host 4 port 1', 'pause-storm', [alpha, storm])).toBe(-1)
    expect(grade('host 5 port 1', 'incast', [storm])).toBe(-1)
    expect(grade('', 'reordering', [cause('reordering', [16, 17, 18, 19])])).toBe(0)
    expect(grade('', 'alpha', [alpha])).toBe(-1)
    // A circle is right by any of its switches, whichever port of it is named.
    const circle = cause('deadlock', [16, 17], { ports: [{ node: 16, port: 7 }] })
    expect(grade('leaf 1 port 3', 'deadlock', [circle])).toBe(0)
    expect(grade('leaf 2 port 3', 'deadlock', [circle])).toBe(-1)
  })

  test('names the cause of its kind before one that looks like it at the same port', () => {
    const overtaken = cause('reordering', [16, 17, 18, 19])
    const crowd = cause('incast', [0], { ports: [{ node: 17, port: 3 }] })
    const full = said('leaf 1 port 3', 'incast')
    expect(graded(full, [overtaken, crowd], names, damage({ hosts: 'ice' })).names).toBe(1)
  })

  test('may be another kind where the counters do not tell, by the list alone', () => {
    const grade = (kind: Said['kind'], given: Partial<Damage>): number =>
      graded(said('leaf 1 port 3', kind), [alpha], names, damage(given)).names
    expect(grade('incast', {})).toBe(0)
    expect(grade('incast', { hasWatermarks: true })).toBe(-1)
    // Its switches have none.
    expect(grade('incast', { hasWatermarks: true, switches: 'nxos' })).toBe(0)
    expect(grade('incast', { hasSettings: true })).toBe(-1)
    expect(grade('pause-storm', {})).toBe(-1)
    expect(ALIKE.filter(({ truth, said: kind }) => truth === kind)).toEqual([])
    const overtaken = cause('reordering', [16, 17, 18, 19])
    const full = said('leaf 1 port 3', 'incast')
    expect(graded(full, [overtaken], names, damage({ hosts: 'ice' })).names).toBe(0)
    expect(graded(full, [overtaken], names, damage({ hosts: 'bnxt' })).names).toBe(-1)
    const short = cause('pause-storm', [5], { spanPs: 0.5e9 })
    const long = cause('pause-storm', [5], { spanPs: 5e9 })
    const slow = said('host 5 port 1', 'slow-receiver')
    expect(graded(slow, [short], names, damage()).names).toBe(0)
    expect(graded(slow, [long], names, damage())).toMatchObject({ names: -1, isAt: 0 })
  })
})

describe('the report', () => {
  const drawn = (causes: readonly Cause[]): Drawn => ({
    digest: '',
    attempt: 0,
    p99: 10,
    healthyP99: 2,
    causes,
    refusal: null,
    refused: [],
  })
  const score = (causes: readonly Cause[], all: readonly Said[], more: Partial<OriginScore> = {}): OriginScore => ({
    form: causes.length > 0 ? 'incident' : 'healthy',
    seed: 1,
    tiers: 2,
    drawn: drawn(causes),
    damage: damage(),
    said: all.map((one): Graded => graded(one, causes, names, damage())),
    naive: { port: false, host: false },
    cpuSeconds: 0,
    ...more,
  })
  const [storm, errors] = [cause('pause-storm', [5]), cause('bad-cable', [], { ports: [{ node: 17, port: 5 }] })]
  const report = reportOf([
    score([storm], [said('host 5 port 1', 'pause-storm'), said('host 6 port 1', 'incast', 'medium')]),
    score([storm], [said('host 5 port 1', 'pause-storm', 'low')], { naive: { port: true, host: true } }),
    score([storm, errors], [said('leaf 1 port 5', 'bad-cable')]),
    score([], []),
    score([], [said('leaf 1 port 5', 'bad-cable', 'medium')]),
    score([], [said('leaf 1 port 5', 'bad-cable', 'low')]),
  ])
  const row = (label: string) => report.rows.find((one) => one.label === label)!

  test('counts runs in which all causes are named, and names that are right', () => {
    expect(row('all')).toMatchObject({ recall: { hits: 1, of: 3 }, precision: { hits: 2, of: 3 } })
    expect(row('all').naivePort).toEqual({ hits: 1, of: 3 })
    expect(row('pause-storm').recall).toEqual({ hits: 1, of: 3 })
    expect(row('bad-cable').recall).toEqual({ hits: 1, of: 1 })
    expect(row('two injected').recall).toEqual({ hits: 0, of: 1 })
  })

  test('takes a list of low confidence for no alarm', () => {
    expect(report.falseAlarms).toEqual({ hits: 1, of: 3 })
    expect(report.reliability.map(({ right }) => [right.hits, right.of])).toEqual([
      [2, 2],
      [0, 2],
      [1, 2],
    ])
    expect(report.confusion).toEqual({
      'pause-storm': { 'pause-storm': 1, nothing: 1, elsewhere: 1 },
      'bad-cable': { 'bad-cable': 1 },
      healthy: { nothing: 2, 'bad-cable': 1 },
    })
  })
})
