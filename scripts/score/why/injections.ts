/**
 * Injections of the kinds that only the score of proved causes has. Severities are drawn around the point at which they
 * are felt at the load of the fabric.
 */
import { type PortOf, portsByNode } from '../../../src/lab/index.ts'
import type { Draw } from '../../../src/core/base/draw.ts'
import type { Base } from '../base.ts'
import { atHosts, atSwitch, drawSwitch, hostsOf, inject, type Inject, type Injection, portTo } from '../injections.ts'
import { type Edit, gbps, kilobytes, microseconds, type Values } from '../tree.ts'
import { CAUSE_KINDS, type CauseKind, type Kind, type Truth, type WhyKind } from '../truth.ts'

/** Tags of workloads that are causes themselves. */
const TAGS: Partial<Readonly<Record<Kind, string>>> = { incast: 'incast', 'noisy-neighbour': 'backup' }
const isShared = (kind: Kind): kind is CauseKind => (CAUSE_KINDS as readonly Kind[]).includes(kind)

export function injectWhy(kind: Kind, draw: Draw, base: Base): Injection {
  // Its generator draws no other kinds.
  if (!isShared(kind)) return INJECTIONS[kind as OwnKind](draw, base)
  const injection = inject(kind, draw, base)
  const { truth } = injection
  const workload = TAGS[kind]
  const isGlobal = kind === 'oversubscription' && truth.nodes.length === 0
  return { ...injection, truth: { ...truth, ...(workload && { workload }), ...(isGlobal && { isGlobal }) } }
}

const everywhere = (kind: WhyKind): Truth => ({ kind, nodes: [], hosts: [], ports: [], isGlobal: true })
const ofWorkload = (kind: WhyKind, workload: string): Truth => ({ kind, nodes: [], hosts: [], ports: [], workload })
const nameOf = ({ topology }: Base, node: number): string => topology.names[node]!

function atOneSwitch(kind: WhyKind, draw: Draw, base: Base, changes: readonly Values[]): Injection {
  const node = drawSwitch(draw, base)
  const nodes = nameOf(base, node)
  return { truth: atSwitch(kind, node), edit: { changes: changes.map((change) => ({ ...change, nodes })) } }
}

function atOneHost(kind: WhyKind, base: Base, host: number, edit: Edit): Injection {
  return { truth: atHosts(kind, base, [host], [portTo(base, host)]), edit }
}

/** A port of a switch with a switch above it. */
function drawUplink(draw: Draw, { topology }: Base): PortOf {
  const { tiers } = topology
  return draw.one(
    portsByNode(topology)
      .flat()
      .filter(({ node, peer }) => tiers[node]! > 0 && tiers[peer]! > tiers[node]!),
  )
}

/** Routes that avoid what is down at once, a little later, or not in this run. */
const drawDown = (draw: Draw, { generatePs }: Base): Values => ({
  down: microseconds(draw.chance(0.5) ? 0 : draw.between(0.05, 0.4) * generatePs),
  converge: draw.one(['0us', '0us', '200us', '1s']),
})

const failedUplink: Inject = (draw, base) => {
  const port = drawUplink(draw, base)
  const links = `${nameOf(base, port.node)}-${nameOf(base, port.peer)}`
  const faults = [{ kind: 'link-down', links, ...drawDown(draw, base) }]
  return { truth: atHosts('failed-uplink', base, [], [port]), edit: { faults } }
}

const slowLink: Inject = (draw, base) => {
  const port = drawUplink(draw, base)
  const rateBps = base.topology.links.find(
    ({ a, b }) => [a, b].includes(port.node) && [a, b].includes(port.peer),
  )!.rateBps
  const rate = gbps(rateBps * draw.scaled(0.1, 0.33))
  const rates = [`${nameOf(base, port.node)}-${nameOf(base, port.peer)}: ${rate}`]
  return { truth: atHosts('slow-link', base, [], [port]), edit: { topology: { rates } } }
}

const deadSwitch: Inject = (draw, base) => {
  const { tiers } = base.topology
  const tier = draw.chance(0.7) ? 2 : 1
  const node = draw.one([...tiers.keys()].filter((one) => tiers[one] === tier))
  const faults = [{ kind: 'switch-down', switches: nameOf(base, node), ...drawDown(draw, base) }]
  return { truth: atSwitch('dead-switch', node), edit: { faults } }
}

const deadServer: Inject = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const down = microseconds(draw.between(0.05, 0.6) * base.generatePs)
  const link = draw.one(['stays-up', 'goes-down'])
  return atOneHost('dead-server', base, host, { faults: [{ kind: 'server-down', hosts: `host ${host}`, down, link }] })
}

const broadcast: Inject = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const sizeBytes = 1518
  const interval = `${Math.round((sizeBytes * 8e9) / (base.hostRateBps * draw.between(0.4, 0.8)))}ns`
  const until = microseconds(base.generatePs)
  const fault = {
    kind: 'broadcast',
    hosts: `host ${host}`,
    interval,
    size: `${sizeBytes}B`,
    class: draw.one([0, 3]),
    until,
  }
  return atOneHost('broadcast', base, host, { faults: [fault] })
}

const slowSender: Inject = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const value = gbps(base.hostRateBps * Math.max(0.05, base.load / draw.between(1, 2.5)))
  return atOneHost('slow-sender', base, host, {
    changes: [{ path: 'nic.send.readRate', nodes: `host ${host}`, value }],
  })
}

/** All hosts read their payload at less than the rate of their links. */
const rateCap: Inject = (draw, base) => ({
  truth: everywhere('rate-cap'),
  edit: { values: { nic: { send: { readRate: gbps(base.hostRateBps * base.load * draw.between(0.7, 1.3)) } } } },
})

const pfcOff: Inject = (draw, base) => atOneSwitch('pfc-off', draw, base, [{ path: 'pfc.classes', value: [] }])

const classMap: Inject = (draw, base) =>
  atOneSwitch('class-map', draw, base, [
    { path: 'classes.dscpMap', value: draw.one([['3: 0'], ['0-7: 0'], ['3: 1'], ['0-63: 0']]) },
  ])

/** Full packets are longer. */
const mtu: Inject = (draw, base) => {
  const value = base.tree.frames === undefined ? `${draw.one([576, 900, 1000])}B` : `${draw.one([1500, 2048, 4096])}B`
  if (draw.chance(0.5)) return atOneSwitch('mtu', draw, base, [{ path: 'switch.mtu', value }])
  const host = draw.one(hostsOf(base))
  return atOneHost('mtu', base, host, { changes: [{ path: 'nic.mtu', nodes: `host ${host}`, value }] })
}

const bufferShare: Inject = (draw, base) => {
  const share = 1 / draw.one([512, 2048, 8192])
  const row = { class: 3, alpha: share, ...(!base.isLossless && { egressAlpha: share }) }
  return atOneSwitch('buffer-share', draw, base, [{ path: 'switch.buffer.byClass', value: [row] }])
}

/** Reserves of all input ports of the switch that has most ports, bytes. */
const reservesOf = ({ topology }: Base): number =>
  4096 * portsByNode(topology).reduce((most, { length }) => Math.max(most, length), 0)

const smallBuffer: Inject = (draw, base) => ({
  truth: everywhere('small-buffer'),
  edit: { values: { switch: { buffer: { size: kilobytes(reservesOf(base) + draw.scaled(4e3, 40e3)) } } } },
})

const wrongDelay: Inject = (draw, base) =>
  atOneSwitch('wrong-cable', draw, base, [{ path: 'switch.buffer.believedDelay', value: `${draw.whole(5, 50)}ns` }])

const droppingWatchdog: Inject = (draw, base) => {
  const pollUs = draw.whole(5, 40)
  const watchdog = {
    kind: draw.one(['cisco', 'broadcom', 'generic']),
    pollInterval: `${pollUs}us`,
    detectionTime: `${pollUs * draw.whole(1, 3)}us`,
    restorationTime: draw.one(['off', '500us', '2ms']),
    ports: draw.one(['fabric', 'all']),
  }
  if (draw.chance(0.4)) return { truth: everywhere('dropping-watchdog'), edit: { values: { switch: { watchdog } } } }
  return atOneSwitch('dropping-watchdog', draw, base, [{ path: 'switch.watchdog', value: watchdog }])
}

const polarisedHash: Inject = () => ({
  truth: everywhere('polarised-hash'),
  edit: { values: { balance: { kind: 'ecmp', seed: 'same' } } },
})

const smallWindow: Inject = (draw, base) => {
  const packets = draw.whole(1, 4)
  const isCap = base.scheme.startsWith('irn') && draw.chance(0.5)
  const payloadBytes = base.tree.frames === undefined ? 1024 : 4096
  const values = isCap ? { recovery: { kind: 'irn', cap: packets } } : { qp: { window: `${packets * payloadBytes}B` } }
  return { truth: everywhere('small-window'), edit: { values } }
}

const slowHostStack: Inject = (draw) => {
  const medianUs = draw.whole(5, 40)
  const hostDelay = { kind: 'lognormal', median: `${medianUs}us`, p99: `${medianUs * draw.whole(2, 6)}us` }
  return { truth: everywhere('slow-host-stack'), edit: { values: { qp: { hostDelay } } } }
}

const rnr: Inject = (draw) => ({
  truth: everywhere('rnr'),
  edit: {
    values: {
      qp: { receiveQueue: 1, receiveRepost: `${draw.whole(10, 80)}us`, rnrTimer: draw.whole(1, 6) },
    },
  },
})

/** A job of one rack (generator.ts), at hosts of two racks: each sends to one of the other rack, through a thin trunk. */
const placement: Inject = (draw, base) => {
  const racks = [...new Set(hostsOf(base).map((host) => portTo(base, host).node))]
  const far = draw.one(racks.slice(1))
  const [members, others] = [racks[0], far].map((rack) =>
    hostsOf(base).filter((host) => portTo(base, host).node === rack),
  ) as [number[], number[]]
  const order = draw.some(members, members.length).map((host, i) => (i % 2 === 0 ? host : others[i]!))
  const pairs = order.map((host, i) => `${host} ${order[(i + 1) % order.length]!}`)
  return { truth: ofWorkload('placement', base.movable!), edit: { moved: { tag: base.movable!, values: { pairs } } } }
}

/** Many flows of the same class, by hosts all over the fabric. */
const otherTenant: Inject = (draw, base) => {
  const hosts = hostsOf(base)
  const start = microseconds(draw.between(0, 0.3) * base.generatePs)
  const [members, step] = [draw.some(hosts, Math.ceil(hosts.length * draw.between(0.5, 1))), draw.whole(1, 3)]
  const pairs = members.map((host, i) => `${host} ${members[(i + step) % members.length]!}`)
  const loop = {
    kind: 'closed-loop',
    pairs,
    qpsPerPair: draw.whole(1, 4),
    messageSize: draw.one(['256KB', '512KB', '1MB']),
    outstanding: 2,
    messages: 'off',
  }
  const open = {
    kind: 'poisson',
    load: Number(draw.between(1 - base.load, 1.1 - base.load / 2).toFixed(3)),
    sizes: { kind: 'fixed', size: draw.one(['64KB', '256KB']) },
  }
  const source = { ...(draw.chance(0.6) ? loop : open), start, tag: 'tenant' }
  return { truth: ofWorkload('other-tenant', 'tenant'), edit: { workload: [source] } }
}

type OwnKind = Exclude<WhyKind, CauseKind>
const INJECTIONS: Readonly<Record<OwnKind, Inject>> = {
  'slow-sender': slowSender,
  'dead-server': deadServer,
  'dead-switch': deadSwitch,
  'failed-uplink': failedUplink,
  broadcast,
  'slow-link': slowLink,
  'rate-cap': rateCap,
  'pfc-off': pfcOff,
  'class-map': classMap,
  mtu,
  'buffer-share': bufferShare,
  'small-buffer': smallBuffer,
  'wrong-cable': wrongDelay,
  'dropping-watchdog': droppingWatchdog,
  'polarised-hash': polarisedHash,
  'small-window': smallWindow,
  'slow-host-stack': slowHostStack,
  rnr,
  placement,
  'other-tenant': otherTenant,
}
