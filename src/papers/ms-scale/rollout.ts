/**
 * Staged roll-out: PFC in a lab, in a test cluster, and in production at the ToRs only, in the podsets and up to the spines;
 * for each step where packets are lost, who is paused, and how RDMA fares in the rack, in the podset and across.
 * A step differs from the next in its network, or in the ports that have PFC: a list of `changes` switches it off at both
 * ends of the links of the tiers above.
 * Traffic is ours, as the paper gives none: in some racks one server receives from its rack, one from the other racks of its
 * podset, and one from the other podset, each from several at once. Paths are drawn from the seed.
 * Source: [MS-Scale] 6.1; network of the full size: 5.4, Figure 7.
 */
import { MS } from '../../core/base/index.ts'
import { topologyOf } from '../../lab/index.ts'
import { humanNumber } from '../../show/index.ts'
import { numberColumns, numbersOf, type Result, sum, tableOfKind, textsOf } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { type Claim, exact, type FindingsFigure, type FindingsTable, meanCountText } from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import { rowsWhere } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, means, tableAt } from '../core/tables.ts'

/** Where the traffic of a server comes from. */
export const SCOPES = ['rack', 'podset', 'across'] as const
type Scope = (typeof SCOPES)[number]

/** Devices by tier, with the tier of hosts first; links are named after their upper end. */
const TIERS = ['server', 'ToR', 'leaf', 'spine'] as const

interface Step {
  readonly name: string
  readonly network: 'lab' | 'test cluster' | 'production'
  /** Lowest tier whose links upwards have no PFC; 0: nothing has PFC. */
  readonly endsAt: number
  /** Traffic that meets PFC on its whole path. */
  readonly covered: readonly Scope[]
}

const OFF_AT: Readonly<Record<number, readonly string[]>> = {
  0: ['nodes: all'],
  1: ['nodes: tor, ports: up', 'nodes: "leaf, spine"'],
  2: ['nodes: leaf, ports: up', 'nodes: spine'],
  3: [],
}

/** The five steps of the paper, and before the third the network of production without PFC. */
export const STEPS: readonly Step[] = [
  { name: '1: lab', network: 'lab', endsAt: 3, covered: ['rack'] },
  { name: '2: test cluster', network: 'test cluster', endsAt: 3, covered: SCOPES },
  { name: 'production without PFC', network: 'production', endsAt: 0, covered: [] },
  { name: '3: ToR only', network: 'production', endsAt: 1, covered: ['rack'] },
  { name: '4: podset', network: 'production', endsAt: 2, covered: ['rack', 'podset'] },
  { name: '5: up to the spines', network: 'production', endsAt: 3, covered: SCOPES },
]

const CONTROLS = ['none', 'dcqcn'] as const
/** Every step with and without congestion control. */
const GRID = product({ step: STEPS.map(({ name }) => name), control: CONTROLS })
type RolloutAt = (typeof GRID)[number]

interface Shape {
  readonly topology: string
  readonly podsets: number
  readonly tors: number
  readonly servers: number
  /** Racks of each podset with servers that receive. */
  readonly receivingRacks: number
  /** Senders to one server. */
  readonly senders: number
}

function clos(size: { leaves: number; tors: number; servers: number; spines: number; receivingRacks: number }): Shape {
  const { leaves, tors, servers, spines, receivingRacks } = size
  const topology = `{kind: clos-podset, leaves: ${leaves}, tors: ${tors}, serversPerTor: ${servers}, spines: ${spines}}`
  return { topology, podsets: 2, tors, servers, receivingRacks, senders: Math.min(12, servers - 1) }
}

/** "A small lab network with tens of servers": one ToR. */
const LAB: Shape = {
  topology: '{kind: star, hosts: 24, linkRate: 40Gbps, linkDelay: 10ns}',
  podsets: 1,
  tors: 1,
  servers: 24,
  receivingRacks: 1,
  senders: 12,
}
const SHAPES: Readonly<Record<Size, Readonly<Record<Step['network'], Shape>>>> = {
  small: {
    lab: LAB,
    'test cluster': clos({ leaves: 2, tors: 2, servers: 8, spines: 2, receivingRacks: 1 }),
    production: clos({ leaves: 2, tors: 4, servers: 8, spines: 4, receivingRacks: 1 }),
  },
  full: {
    lab: LAB,
    'test cluster': clos({ leaves: 4, tors: 4, servers: 24, spines: 16, receivingRacks: 2 }),
    production: clos({ leaves: 4, tors: 24, servers: 24, spines: 64, receivingRacks: 2 }),
  },
}
const STOP_PS = 10 * MS

/** Lines of a trace: one message of each sender to a server of its scope, within 40 us. */
function flowsOf({ podsets, tors, servers, receivingRacks, senders }: Shape, scope: Scope, seed: number): string[] {
  const flows: string[] = []
  const host = (podset: number, tor: number, server: number): number => (podset * tors + tor) * servers + server
  for (let podset = 0; podset < podsets; podset++) {
    for (let tor = 0; tor < receivingRacks; tor++) {
      for (let i = 0; i < senders; i++) {
        const atUs = (17 * i + 29 * (seed - 1) * (i + tor)) % 40
        const server = (3 + i) % servers
        const from = {
          rack: host(podset, tor, 1 + ((2 + i) % (servers - 1))),
          podset: host(podset, (tor + 1 + (i % Math.max(1, tors - 1))) % tors, server),
          across: host((podset + 1) % podsets, (tor + i) % tors, server),
        }[scope]
        flows.push(`${from} ${host(podset, tor, SCOPES.indexOf(scope))} 1MB ${atUs}us`)
      }
    }
  }
  return flows
}

function scenarioText(size: Size, seed: number, { step: name, control }: RolloutAt): string {
  const step = STEPS.find((each) => each.name === name)!
  const shape = SHAPES[size][step.network]
  const scopes = step.network === 'lab' ? (['rack'] as const) : SCOPES
  const off = OFF_AT[step.endsAt]!.map((where) => `{path: pfc.classes, value: [], ${where}}`)
  return `
name: rollout-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}
topology: ${shape.topology}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: 1/16}}
congestion: ${control}
qp: {ackInterval: 16, ackTimeout: 4ms, retryLimit: off}
workload:
${scopes.map((scope) => `  - {kind: trace, tag: ${scope}, flows: [${flowsOf(shape, scope, seed).join(', ')}]}`).join('\n')}
changes: [${off.join(', ')}]
measure: {stop: ${STOP_PS / MS}ms}
observe: [{kind: drops, maxRows: 4000000}, {kind: pause-intervals, maxRows: 4000000}]
`
}

/** By scope and by tier; NaN where a step has no such traffic. */
function rolloutMeasures(result: Result, { scenario }: Point): Measures {
  const { flows } = result
  const drops = tableOfKind(result, 'drops')!
  const pauses = tableOfKind(result, 'pause-intervals')!
  const tags = textsOf(flows, 'tag')
  const pairs = numbersOf(flows, 'pair')
  const scopeOfPair = new Map([...pairs].map((pair, row) => [pair, tags[row]!]))
  const lostPairs = numbersOf(drops, 'pair')
  const isData = numbersOf(drops, 'direction')
  const lost = [...lostPairs].filter((_pair, row) => isData[row] === 0).map((pair) => scopeOfPair.get(pair)!)
  const [sizes, again] = [numbersOf(flows, 'sizeBytes'), numbersOf(flows, 'retransmissions')]
  const measures: Record<string, number> = {}
  for (const scope of SCOPES) {
    const rows = rowsWhere(flows, (row) => tags[row] === scope)
    const packets = sum(rows.map((row) => Math.ceil(sizes[row]! / 1024)))
    measures[`lost.${scope}`] = rows.length === 0 ? NaN : lost.filter((each) => each === scope).length
    measures[`again.${scope}`] = sum(rows.map((row) => again[row]!)) / packets
  }
  const { tiers } = topologyOf(scenario)
  const lostAt = Array.from(numbersOf(drops, 'node'), (node) => tiers[node])
  const [start, end, tier] = numberColumns(pauses, ['startPs', 'endPs', 'tier'])
  TIERS.forEach((name, at) => {
    measures[`lostAt.${name}`] = lostAt.filter((each) => each === at).length
    measures[`pausedMs.${name}`] = sum(start.map((from, row) => (tier[row] === at ? end[row]! - from : 0))) / MS
  })
  return measures
}

const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  rack: 'in the rack',
  podset: 'in the podset',
  across: 'across podsets',
}
const PLURALS = { server: 'servers', ToR: 'ToRs', leaf: 'leaves', spine: 'spines' } as const
/** Links with PFC in each step, by their ends. */
const LINKS = ['server to ToR', 'ToR to leaf', 'leaf to spine']
function stepTable(): FindingsTable {
  return {
    title: 'Links with PFC at both ends',
    columns: [
      { head: 'step' },
      ...LINKS.map((head) => ({ head })),
      { head: 'traffic that meets PFC on its whole path' },
    ],
    rows: STEPS.map(({ name, network, endsAt, covered }) => [
      name,
      ...LINKS.map((_, link) => (network === 'lab' && link > 0 ? '-' : link < endsAt ? 'lossless' : 'lossy')),
      covered.length === 0 ? 'none' : covered.map((scope) => SCOPE_NAMES[scope]).join(', '),
    ]),
  }
}

const tierTable = (runs: Runs): FindingsTable =>
  tableAt(runs, GRID, {
    title: 'Losses and pauses by tier',
    columns: [
      label('step', ({ step }) => step),
      label('control', ({ control }) => (control === 'none' ? 'none' : 'DCQCN')),
      ...TIERS.slice(1).map((tier) => means<RolloutAt>(`lost at ${PLURALS[tier]}`, `lostAt.${tier}`, meanCountText)),
      ...TIERS.map((tier) => means<RolloutAt>(`${tier} ports paused, ms`, `pausedMs.${tier}`, humanNumber)),
    ],
  })

function lossFigure(runs: Runs): FindingsFigure {
  const steps = STEPS.filter(({ network }) => network === 'production').map(({ name }) => name)
  const groups = product({ step: steps, scope: SCOPES }).map(({ step, scope }) => ({
    label: step,
    series: SCOPE_NAMES[scope],
    value: runs.mean(`again.${scope}`, { step, control: 'none' }).mean,
  }))
  return {
    name: 'losses',
    bars: {
      title: 'Roll-out of PFC: losses of RDMA traffic',
      subtitle: 'packets sent again for each packet needed, without congestion control; means over seeds',
      yLabel: 'packets sent again per packet',
      groups,
      showValues: true,
    },
  }
}

function stepsClaim(runs: Runs): Claim {
  const lost = (step: string, scopes: readonly Scope[], control: string): number =>
    scopes.reduce((total, scope) => total + (runs.sum(`lost.${scope}`, { step, control }) || 0), 0)
  const steps = STEPS.filter(({ covered }) => covered.length > 0).map(({ name, network, covered }) => {
    const others = SCOPES.filter((scope) => !covered.includes(scope))
    const isPartial = network === 'production' && others.length > 0
    const losses = { covered: lost(name, covered, 'none'), others: lost(name, others, 'none') }
    const isFree = product({ scope: covered, control: ['none', 'dcqcn'] }).every(({ scope, control }) =>
      runs.values(`lost.${scope}`, { step: name, control }).every((packets) => packets === 0),
    )
    return { name, ...losses, holds: isFree && (!isPartial || losses.others > 0) }
  })
  return exact('rce.deploy.steps', {
    holds: steps.every(({ holds }) => holds),
    measured: steps
      .map(
        ({ name, covered, others }) =>
          `${name}: ${covered} packets lost where PFC covers the path, ${others} elsewhere`,
      )
      .join('; '),
    reason:
      'Each step is a scenario; the counts are of all seeds, without congestion control. In every seed, with and without DCQCN, nothing is lost of the traffic whose whole path has PFC; in steps 3 and 4 other traffic loses packets.',
  })
}

const REMARKS = [
  'The paper names the steps and gives no traffic. Ours is the same in all of them: in one rack (small size) or two racks of each podset three servers receive 1 MB from up to twelve ' +
    'others at once, from their rack, from the other racks of the podset and from the other podset. In step 3 the paper enabled "RDMA in production networks at ToR ' +
    'level only"; here RDMA also leaves the rack, to show what it would have met.',
  'Losses move up with the border of PFC, and pauses too: each step widens the part of the network in which a pause can spread, which the experiments `pause-storm` and `ms-scale-deadlock` show at its worst.',
  'Both ends of a link have the same setting in each step. With PFC at one end only, pauses are ignored and headroom overflows (`scenarios/wrong-pfc-one-end.yaml`). ' +
    'The lab is one switch with 24 servers, the test cluster a small copy of production.',
]

export const rollout = defineExperiment({
  name: 'rollout',
  title: 'Staged roll-out of PFC: lab, test cluster, ToRs, podsets, up to the spines',
  source: '[MS-Scale] section 6.1',
  help:
    'PFC is switched on tier by tier. The same bursts run in each step: to servers from their own rack, from the other racks of their podset, and from the other podset. ' +
    'Traffic whose whole path has PFC loses nothing; other traffic loses packets behind the last port with PFC. Once with no congestion control and once with DCQCN.',
  sizes: {
    small: '64 servers, 4 spines; test cluster of 32; lab of 24',
    full: '1152 servers, 64 spines; test cluster of 192; lab of 24',
  },
  points: (size, seed) => pointsAt(GRID, seed, (at) => scenarioText(size, seed, at)),
  measure: rolloutMeasures,
  conclude: (runs) => ({
    tables: [stepTable(), tierTable(runs)],
    figures: [lossFigure(runs)],
    claims: [stepsClaim(runs)],
    remarks: REMARKS,
  }),
})
