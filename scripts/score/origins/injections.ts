/**
 * Injections for the localiser. Severities are drawn so that each doubling is as likely as the next, from one that is hardly
 * felt to one that stops the victims.
 */
import { portsByNode } from '../../../src/lab/index.ts'
import type { Result } from '../../../src/core/results/index.ts'
import type { Base } from '../base.ts'
import type { Draw } from '../../../src/core/base/draw.ts'
import {
  ALPHA,
  atHosts,
  atSwitch,
  drawSwitch,
  faultyLink,
  hostsOf,
  incastAt,
  type Inject,
  type Injection,
  noisyAt,
  pauseStormAt,
  portTo,
  slowReceiverAt,
} from '../injections.ts'
import { microseconds } from '../tree.ts'
import type { Kind, OriginKind, Truth } from '../truth.ts'
import { INTERVAL_PS, isPaused } from './fabrics.ts'

export function injectOrigin(kind: Kind, draw: Draw, base: Base): Injection {
  // Its generator draws no other kinds.
  return INJECTIONS[kind as OriginKind](draw, base)
}

/** An origin of pauses is one only where some port is held for longer than in a healthy fabric. */
function pausing(injection: Injection): Injection {
  return { ...injection, seen: (result) => (isPaused(result) ? injection.truth : null) }
}

/** A PFC frame holds for this many times 512 bits at most. */
const QUANTA = 65535

/** A pipeline that stands still, or a NIC that sends pauses whatever its buffer holds, at half the time that each holds. */
const pauseStorm: Inject = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const fromPs = draw.between(0.05, 0.5) * base.generatePs
  const untilPs = fromPs + draw.scaled(200e6, 2 * base.generatePs)
  const holdPs = (QUANTA * 512e12) / base.hostRateBps
  const mode = draw.chance(0.5) ? {} : { mode: 'frames', interval: microseconds(holdPs / 2) }
  const hasEnd = untilPs < base.generatePs
  const until = hasEnd ? { until: microseconds(untilPs) } : {}
  const storm = pauseStormAt(base, host, { from: microseconds(fromPs), ...until, ...mode })
  return pausing(hasEnd ? { ...storm, truth: { ...storm.truth, spanPs: untilPs - fromPs } } : storm)
}

const slowReceiver: Inject = (draw, base) =>
  pausing(slowReceiverAt(base, draw.one(hostsOf(base)), Number((base.load / draw.scaled(0.8, 3)).toFixed(4))))

const incast: Inject = (draw, base) => {
  const hosts = hostsOf(base)
  const [lengthPs, use] = [draw.scaled(100e6, 1000e6), draw.scaled(0.3, 1.5)]
  const senders = (): number => draw.whole(Math.min(8, hosts.length - 1), Math.min(20, hosts.length - 1))
  return pausing(incastAt(draw, base, draw.one(hosts), { lengthPs, use, senders }))
}

const alpha: Inject = (draw, base) => {
  const node = drawSwitch(draw, base)
  const value = draw.scaled(1 / 16384, 1 / 64)
  return pausing({
    truth: atSwitch('alpha', node),
    edit: { changes: [{ path: ALPHA, value, nodes: base.topology.names[node]! }] },
  })
}

/** A packet of 4 KB with its headers. */
const PACKET_BITS = 4200 * 8

const bitErrors: Inject = (draw, base) =>
  faultyLink('bad-cable', draw, base, () => {
    const ratio = draw.scaled(0.002, 0.5) / PACKET_BITS
    return [{ kind: 'corruption', bitErrorRatio: Number(ratio.toPrecision(3)) }, draw.chance(0.3)]
  })

/**
 * Two switches of the lowest tier lose links so that none above leads to both: packets between them come down to a third
 * one and climb again. Such routes have circles of buffers. A job without congestion control, in which the racks of these
 * two send to each other and so do pairs of other racks, fills them. The truth is the circle that the run ends with.
 * Source: [MS-Scale] 4.2 (there flooding breaks up-down routing); Hu et al. 2017, Tagger, Figure 3.
 */
const deadlock: Inject = (draw, base) => {
  const { tiers, names } = base.topology
  const [first, second, ...others] = draw.one(racksThatMeet(base).map((racks) => draw.some(racks, racks.length))) as [
    number,
    number,
    ...number[],
  ]
  const order = [first, second, ...others]
  const above = peersOf(base, first).filter((peer) => tiers[peer] === 2)
  const kept = draw.some(above, above.length >> 1)
  const links = above.map((peer) => `${names[kept.includes(peer) ? first : second]!}-${names[peer]!}`)
  const hostsAt = order.map((node) => hostsOf(base).filter((host) => portTo(base, host).node === node))
  const rackPairs = draw.whole(2, order.length >> 1)
  const pairs = Array.from({ length: rackPairs }, (_, i) => [hostsAt[2 * i]!, hostsAt[2 * i + 1]!] as const).flatMap(
    ([here, there]) => here.flatMap((host, i) => [`${host} ${there[i]!}`, `${there[i]!} ${host}`]),
  )
  const job = {
    kind: 'closed-loop',
    pairs,
    qpsPerPair: Math.round(draw.scaled(2, 16)),
    messageSize: '1MB',
    outstanding: 2,
    messages: 'off',
    congestion: 'none',
    start: microseconds(draw.between(0, 0.4) * base.generatePs),
    tag: 'job',
  }
  const down = microseconds(draw.between(0, 0.4) * base.generatePs)
  return {
    truth: { kind: 'deadlock', nodes: [first, second], hosts: [], ports: [] },
    edit: { workload: [job], faults: [{ kind: 'link-down', links: links.join(), down }] },
    seen: (result) => circleOf(result, base),
  }
}

const peersOf = ({ topology }: Base, node: number): number[] => portsByNode(topology)[node]!.map(({ peer }) => peer)

/** Switches of the lowest tier in groups with the same switches above; of four at least, as a circle has two of them beside two. */
function racksThatMeet(base: Base): number[][] {
  const { tiers } = base.topology
  const groups = new Map<string, number[]>()
  for (const node of tiers.keys()) {
    if (tiers[node] !== 1) continue
    const above = peersOf(base, node).filter((peer) => tiers[peer] === 2)
    groups.set(above.join(), [...(groups.get(above.join()) ?? []), node])
  }
  return [...groups.values()].filter(({ length }) => length >= 4)
}

/** Polls show only what stood for a whole interval of theirs, wherever they are: two intervals before the end. */
function circleOf({ pauseCircle, simulatedPs }: Result, { topology }: Base): Truth | null {
  if (pauseCircle === null || simulatedPs - pauseCircle.sincePs < 2 * INTERVAL_PS) return null
  const nodes = pauseCircle.nodes.map((name) => topology.names.indexOf(name))
  const ports = nodes.map((node, i) => ({ node, port: pauseCircle.ports![i]! }))
  return { kind: 'deadlock', nodes, hosts: [], ports }
}

/** One host without congestion control on many queue pairs. */
const noisyNeighbour: Inject = (draw, base) => {
  const [from, ...to] = draw.some(hostsOf(base), 1 + (draw.chance(0.8) ? 1 : 2)) as [number, ...number[]]
  const connections = Math.round(draw.scaled(8, 64) / to.length)
  const noisy = noisyAt(draw, base, { from: [from], to, connections, startBy: 0.3 })
  return pausing({ ...noisy, truth: atHosts('noisy-neighbour', base, [from], [portTo(base, from)]) })
}

/** A switch whose ports keep less for what is still under way when they pause. */
const smallHeadroom: Inject = (draw, base) => {
  const node = drawSwitch(draw, base)
  const at = { nodes: base.topology.names[node]! }
  const change = draw.chance(0.75)
    ? { path: 'switch.buffer.headroom', value: `${Math.round(draw.scaled(50, 5e3))}B` }
    : { path: 'switch.buffer.believedDelay', value: `${Math.round(draw.scaled(1, 500))}ns` }
  return {
    truth: atSwitch('small-headroom', node),
    edit: { changes: [{ ...change, ...at }] },
    seen: ({ counters }) => ((counters.drops['buffer full'] ?? 0) > 0 ? atSwitch('small-headroom', node) : null),
  }
}

/** All switches take another path for each packet, or for each packet behind a gap; senders go back N. */
const reordering: Inject = (draw, base) => {
  const { tiers } = base.topology
  const balance = draw.chance(0.5) ? 'spray' : { kind: 'flowlet', gap: `${Math.round(draw.scaled(100, 20e3))}ns` }
  const ports = portsByNode(base.topology)
  const spraying = [...tiers.keys()].filter(
    (node) => tiers[node]! > 0 && ports[node]!.filter(({ peer }) => tiers[peer]! > tiers[node]!).length > 1,
  )
  return { truth: { kind: 'reordering', nodes: spraying, hosts: [], ports: [] }, edit: { values: { balance } } }
}

const INJECTIONS: Readonly<Record<OriginKind, Inject>> = {
  'pause-storm': pauseStorm,
  'slow-receiver': slowReceiver,
  incast,
  alpha,
  'bad-cable': bitErrors,
  deadlock,
  'noisy-neighbour': noisyNeighbour,
  'small-headroom': smallHeadroom,
  reordering,
}
