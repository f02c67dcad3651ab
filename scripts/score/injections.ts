/**
 * Injections: what goes wrong in a fabric, each with its place. Severities are drawn around the point at which the
 * injection is felt at the load of the fabric.
 */
import { type PortOf, portsByNode } from '../../src/lab/index.ts'
import { type Base, MARKED, SCHEME_NAMES, type Wanted } from './base.ts'
import type { Draw } from '../../src/core/base/draw.ts'
import { type Edit, gbps, kilobytes, microseconds, type Values } from './tree.ts'
import type { Result } from '../../src/core/results/index.ts'
import type { CauseKind, Kind, TruePort, Truth } from './truth.ts'

export interface Injection {
  /** As it is drawn. */
  readonly truth: Truth
  readonly edit: Edit
  /** The truth as the run shows it; null: the run lacks the signs of the kind. Absent: harm is sign enough. */
  readonly seen?: (result: Result) => Truth | null
}

export type Inject = (draw: Draw, base: Base) => Injection

/** Kinds that harm long messages, from this size on, more than short ones. */
const LEAST_KB: Partial<Readonly<Record<Kind, number>>> = { 'lossy-link': 128, 'wrong-marking': 128, alpha: 32 }

/** A fabric in which the kinds can do harm. */
export function wantedFor(kinds: readonly Kind[]): Wanted {
  return {
    schemes: kinds.includes('wrong-marking') ? MARKED : SCHEME_NAMES,
    leastKb: Math.max(...kinds.map((kind) => LEAST_KB[kind] ?? 0)),
  }
}

export function inject(kind: Kind, draw: Draw, base: Base): Injection {
  // Its generator draws no other kinds.
  return INJECTIONS[kind as CauseKind](draw, base)
}

export const truePort = ({ node, index }: PortOf): TruePort => ({ node, port: index })
export const nodeOf = ({ topology }: Base, host: number): number => topology.endpoints[topology.hostPorts[host]![0]!]!
export const hostsOf = ({ topology }: Base): number[] => [...topology.hostPorts.keys()]

/** The port of a switch that leads to a host. */
export function portTo(base: Base, host: number): PortOf {
  const node = nodeOf(base, host)
  return portsByNode(base.topology)
    .flat()
    .find(({ peer }) => peer === node)!
}

/** Truth of something at a host or at the link of one. */
export function atHosts(kind: Kind, base: Base, hosts: readonly number[], at: readonly PortOf[]): Truth {
  return { kind, nodes: hosts.map((host) => nodeOf(base, host)), hosts, ports: at.map(truePort) }
}

export function atSwitch(kind: Kind, node: number): Truth {
  return { kind, nodes: [node], hosts: [], ports: [] }
}

/** A switch by its tier, the lowest ones most often. */
export function drawSwitch(draw: Draw, { topology }: Base): number {
  const tier = draw.chance(0.7) ? 1 : draw.one([1, 2])
  return draw.one([...topology.tiers.keys()].filter((node) => topology.tiers[node] === tier))
}

const slowReceiver: Inject = (draw, base) => {
  const host = draw.one(hostsOf(base))
  return slowReceiverAt(base, host, Math.min(0.4, Math.max(0.1, base.load / draw.between(1, 2.5))))
}

/** @param share of the rate of the link that its bus has */
export function slowReceiverAt(base: Base, host: number, share: number): Injection {
  return {
    truth: atHosts('slow-receiver', base, [host], [portTo(base, host)]),
    edit: {
      changes: [
        {
          path: 'nic.receive',
          nodes: `host ${host}`,
          value: { kind: 'pipeline', busRate: gbps(share * base.hostRateBps) },
        },
      ],
    },
  }
}

const lossyLink: Inject = (draw, base) =>
  faultyLink('lossy-link', draw, base, () => [
    { kind: 'bernoulli', probability: Number(draw.scaled(0.02, 0.1).toFixed(4)) },
    false,
  ])

/** @param drawFault fault without its links, and whether both directions have it */
export function faultyLink(kind: Kind, draw: Draw, base: Base, drawFault: () => readonly [Values, boolean]): Injection {
  const { topology } = base
  const isHostLink = draw.chance(0.4)
  const ports = portsByNode(topology)
    .flat()
    .filter(({ node, peer }) => (topology.tiers[node] === 0 || topology.tiers[peer] === 0) === isHostLink)
  const from = draw.one(ports)
  const [a, b] = [topology.names[from.node]!, topology.names[from.peer]!]
  const host = hostsOf(base).find((one) => [from.node, from.peer].includes(nodeOf(base, one)))
  const [fault, isBoth] = drawFault()
  return {
    truth: atHosts(kind, base, host === undefined ? [] : [host], [from]),
    edit: { faults: [{ ...fault, links: `${a}${isBoth ? '-' : '>'}${b}` }] },
  }
}

const incast: Inject = (draw, base) => {
  const receiver = draw.one(hostsOf(base))
  const [lengthPs, use] = [draw.between(100e6, 400e6), draw.between(0.5, 0.9)]
  return incastAt(draw, base, receiver, { lengthPs, use, senders: () => draw.whole(8, 12) })
}

/** @param lengthPs time that one repetition takes the receiver's link, which repetitions use up to `use` */
export function incastAt(
  draw: Draw,
  base: Base,
  receiver: number,
  { lengthPs, use, senders }: { readonly lengthPs: number; readonly use: number; readonly senders: () => number },
): Injection {
  return {
    truth: atHosts('incast', base, [receiver], [portTo(base, receiver)]),
    edit: { workload: [{ ...incastSource(draw, base, { lengthPs, use, senders }), receiver, tag: 'incast' }] },
  }
}

/** @param lengthPs time that one repetition takes the receiver's link, which repetitions use up to `use` */
export function incastSource(
  draw: Draw,
  { hostRateBps, generatePs }: Pick<Base, 'hostRateBps' | 'generatePs'>,
  { lengthPs, use, senders }: { readonly lengthPs: number; readonly use: number; readonly senders: () => number },
): Values {
  const totalBytes = (hostRateBps * lengthPs) / 8e12
  const intervalPs = lengthPs / use
  return {
    kind: 'incast',
    senders: senders(),
    total: kilobytes(totalBytes),
    repetitions: Math.max(1, Math.floor(generatePs / intervalPs)),
    interval: microseconds(intervalPs),
    start: microseconds(draw.between(0, intervalPs)),
  }
}

/** One leaf's uplinks run slowly, or all of the fabric does. */
const oversubscription: Inject = (draw, base) => {
  const { topology } = base
  const up = portsByNode(topology)
    .flat()
    .filter(({ node, peer }) => topology.tiers[node] === 1 && topology.tiers[peer] === 2)
  const leaf = draw.chance(0.5) ? null : draw.one(up).node
  const chosen = up.filter(({ node }) => leaf === null || node === leaf)
  const uplinks = up.filter(({ node }) => node === chosen[0]!.node)
  const hostsBps = base.hostRateBps * topology.links.filter(({ b }) => b === chosen[0]!.node).length
  const ratio = leaf === null ? draw.between(3, 6) : (draw.between(1, 2) / base.load) * 1.1
  const rate = gbps(hostsBps / ratio / uplinks.length)
  const name = leaf === null ? '' : topology.names[leaf]!
  const rates = uplinks.map(({ peer }) => `${name}-${topology.names[peer]!}: ${rate}`)
  const ofTier = base.tree.topology.kind === 'fat-tree' ? { edgeAggregationRate: rate } : { fabricRate: rate }
  return {
    truth: { kind: 'oversubscription', nodes: leaf === null ? [] : [leaf], hosts: [], ports: chosen.map(truePort) },
    edit: { topology: leaf === null ? ofTier : { rates } },
  }
}

/** A switch marks far too early, or not at all. */
const wrongMarking: Inject = (draw, base) => {
  const node = drawSwitch(draw, base)
  // From the first byte of a queue on, or even without a queue; or never, as no queue is longer than the buffer.
  const [typed, always, never] = [
    { kmin: '1KB', kmax: '5KB', pmax: 1 },
    { kmin: '0B', kmax: '0B', pmax: 1 },
    { kmin: '1GB', kmax: '2GB', pmax: 0 },
  ]
  const value = draw.one([typed, always, always, always, always, never])
  const changes = [{ path: 'switch.ecn', nodes: base.topology.names[node]!, value }]
  return { truth: atSwitch('wrong-marking', node), edit: { changes } }
}

const pauseStorm: Inject = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const fromPs = draw.between(0.1, 0.5) * base.generatePs
  const untilPs = fromPs + draw.between(300e6, 2000e6)
  return pauseStormAt(base, host, { from: microseconds(fromPs), until: microseconds(untilPs) })
}

export function pauseStormAt(base: Base, host: number, fault: Values): Injection {
  return {
    truth: atHosts('pause-storm', base, [host], [portTo(base, host)]),
    edit: { faults: [{ kind: 'pause-storm', hosts: `host ${host}`, ...fault }] },
  }
}

export const ALPHA = 'switch.buffer.alpha'

/** A switch whose ports may take next to nothing of its buffer. */
const alpha: Inject = (draw, base) => {
  const node = drawSwitch(draw, base)
  const at = { nodes: base.topology.names[node]! }
  const share = 1 / draw.one([512, 2048, 8192])
  const starved: Values[] = [
    { path: ALPHA, value: share, ...at },
    ...(base.isLossless ? [] : [{ path: 'switch.buffer.egressAlpha', value: share, ...at }]),
  ]
  const small = [{ path: 'switch.buffer.size', value: kilobytes(draw.between(50e3, 90e3)), ...at }]
  const isSmall = !base.isLossless && draw.chance(0.4)
  return { truth: atSwitch('alpha', node), edit: { changes: isSmall ? small : starved } }
}

/**
 * Few senders with long flows on some queue pairs each, which no congestion control slows down, through the port of a host
 * that others use too.
 */
const noisyNeighbour: Inject = (draw, base) => {
  const senders = draw.whole(1, 3)
  const connections = draw.whole(2, 6)
  const [receiver, ...from] = draw.some(hostsOf(base), 1 + senders) as [number, ...number[]]
  return noisyAt(draw, base, { from, to: [receiver], connections, startBy: 0.3 })
}

export interface Noise {
  readonly from: readonly number[]
  readonly to: readonly number[]
  /** Queue pairs from each to each. */
  readonly connections: number
  /** Share of the time of posting in which it starts. */
  readonly startBy: number
}

export function noisyAt(draw: Draw, base: Base, { from, to, connections, startBy }: Noise): Injection {
  const pairs = from.flatMap((host) => to.map((receiver) => `${host} ${receiver}`))
  const source = {
    kind: 'closed-loop',
    pairs: pairs.flatMap((pair) => Array.from({ length: connections }, () => pair)),
    messageSize: draw.one(['1MB', '2MB', '4MB']),
    outstanding: 2,
    messages: 'off',
    congestion: 'none',
    start: microseconds(draw.between(0, startBy) * base.generatePs),
    tag: 'backup',
  }
  const at = to.map((receiver) => portTo(base, receiver))
  return { truth: atHosts('noisy-neighbour', base, from, at), edit: { workload: [source] } }
}

const INJECTIONS: Readonly<Record<CauseKind, Inject>> = {
  'slow-receiver': slowReceiver,
  'lossy-link': lossyLink,
  incast,
  oversubscription,
  'wrong-marking': wrongMarking,
  'pause-storm': pauseStorm,
  alpha,
  'noisy-neighbour': noisyNeighbour,
}
