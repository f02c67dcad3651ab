/**
 * Fabrics in a known state, with probes: healthy, congested, with a dead server, in a pause storm, deadlocked. For each the
 * same fabric with other traffic and nothing wrong, whose probes are the baseline.
 */
import { type Base, drawBase, type SchemeName } from '../base.ts'
import { Draw } from '../../../src/core/base/draw.ts'
import { inject } from '../injections.ts'
import { edited, microseconds, type Edit, type Tree, type Values } from '../tree.ts'

export const STATES = ['healthy', 'congested', 'dead-server', 'storm', 'deadlock'] as const
export type State = (typeof STATES)[number]

export interface DrawnState {
  readonly state: State
  readonly tree: Tree
  /** Nothing wrong, other traffic. */
  readonly healthy: Tree
  /** The host that is dead or pauses; none in other states. */
  readonly hosts: readonly string[]
}

const RUN_PS = 4e9
/** Schemes of lossless fabrics: only there pauses spread. */
const SCHEMES: readonly SchemeName[] = ['none', 'dcqcn', 'hpcc', 'swift', 'timely']
/** The probers' own settings: they give up within the run. */
const PROBES: Values = {
  kind: 'pingmesh',
  interval: '200us',
  qp: { ackTimeout: '500us', retryLimit: 2 },
  hostLatency: { kind: 'lognormal', least: '1us', median: '2us', p99: '10us' },
}

/** The state that a seed stands for: each in turn, so that all are equally many. */
export const stateOf = (seed: number): State => STATES[seed % STATES.length]!

/** @param attempt of a deadlock that needs several: traffic need not close its circle */
export function drawState(seed: number, attempt: number): DrawnState {
  const state = stateOf(seed)
  const draw = new Draw(seed, `score/pingmesh/${attempt}`)
  if (state === 'deadlock') return ring(draw)
  const base = drawBase(draw, { schemes: SCHEMES, leastKb: 0 })
  const tree = watched(base.tree, draw)
  const host = `host ${draw.one([...base.topology.hostPorts.keys()])}`
  const edits = [editOf(state, host, draw, { ...base, generatePs: RUN_PS })].flatMap((edit) => edit ?? [])
  const hosts = state === 'storm' || state === 'dead-server' ? [host] : []
  return { state, tree: edited(tree, edits), healthy: { ...tree, seed: draw.seed() }, hosts }
}

/** The traffic of a base all through a run, and probes. */
function watched(tree: Tree, draw: Draw): Tree {
  // The simulator takes no server down that has work requests.
  const plain = { workRequests: false }
  const workload = tree.workload.map((source) =>
    source.kind === 'closed-loop' ? { ...source, ...plain, messages: 'off' } : { ...source, ...plain },
  )
  const time = microseconds(RUN_PS)
  return {
    ...tree,
    seed: draw.seed(),
    workload: [...workload, PROBES],
    measure: { generate: time, stop: time },
  }
}

function editOf(state: State, host: string, draw: Draw, base: Base): Edit | undefined {
  if (state === 'healthy' || state === 'deadlock') return undefined
  if (state === 'congested') return inject(draw.one(['incast', 'noisy-neighbour', 'oversubscription']), draw, base).edit
  const from = microseconds(draw.between(0.2, 0.4) * RUN_PS)
  if (state === 'storm') return { faults: [{ kind: 'pause-storm', hosts: host, from }] }
  return { faults: [{ kind: 'server-down', hosts: host, down: from }] }
}

/** Switches in a ring whose routes go around it; traffic to the switch after the next closes a circle of pauses. */
function ring(draw: Draw): DrawnState {
  const switches = draw.whole(3, 6)
  const each = draw.whole(2, 4)
  const hosts = switches * each
  const gbps = draw.one([25, 40, 100])
  const links = [
    ...Array.from({ length: hosts }, (_, host) => `${host} ${hosts + Math.floor(host / each)} ${gbps}Gbps 1us`),
    ...Array.from({ length: switches }, (_, k) => `${hosts + k} ${hosts + ((k + 1) % switches)} ${gbps}Gbps 1us`),
  ]
  // Port each + 1 of switch 0 leads to switch 1; of the others it leads back and the next one leads on.
  const routes = Array.from({ length: switches }, (_, k) => {
    const far = Array.from({ length: hosts }, (__, host) => host).filter((host) => isBeyond(host, k, each, switches))
    return `${hosts + k}: ${far.join(',')} via ${k === 0 ? each + 1 : each + 2}`
  })
  const startPs = draw.between(0.2, 0.4) * RUN_PS
  const around = Array.from({ length: hosts }, (_, host) => `${host} ${(host + 2 * each) % hosts}`)
  const tree: Tree = {
    seed: draw.seed(),
    topology: {
      kind: 'graph',
      nodes: hosts + switches,
      switches: Array.from({ length: switches }, (_, k) => hosts + k),
      links,
      routes,
    },
    congestion: draw.one(['none', 'dcqcn']),
    pfc: { classes: [3] },
    switch: { buffer: { kind: 'shared-buffer', size: draw.one(['1MB', '2MB']), alpha: draw.one([0.125, 0.25]) } },
    qp: { ackTimeout: '1ms', retryLimit: 'off' },
    workload: [
      {
        kind: 'poisson',
        load: Number(draw.between(0.02, 0.05).toFixed(3)),
        sizes: { kind: 'fixed', size: `${draw.one([16, 32, 64])}KB` },
        tag: 'storage',
      },
    ],
    changes: [],
    faults: [],
    observe: [],
  }
  const quiet = watched(tree, draw)
  const loop = {
    kind: 'closed-loop',
    pairs: around,
    messageSize: '1MB',
    outstanding: 2,
    messages: 'off',
    tag: 'around',
  }
  const lock: Edit = { workload: [{ ...loop, start: microseconds(startPs) }] }
  return { state: 'deadlock', tree: edited(quiet, [lock]), healthy: { ...quiet, seed: draw.seed() }, hosts: [] }
}

/** Hosts of the next switch and of the one after it are reached clockwise, where that is no detour for the ring to lock. */
function isBeyond(host: number, from: number, each: number, switches: number): boolean {
  const steps = (Math.floor(host / each) - from + switches) % switches
  return steps === 1 || steps === 2
}
