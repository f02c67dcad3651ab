/**
 * Kinds of incidents of which the answers of `why` are scored: what goes wrong in a fabric, and where. Severities are drawn
 * around the point at which it is felt.
 */
import { type PortOf, portsByNode } from '../../../src/lab/index.ts'
import type { Draw } from '../../../src/core/base/draw.ts'
import type { Base } from '../base.ts'
import { hostsOf, incastSource, inject, portTo } from '../injections.ts'
import { edited, gbps, kilobytes, microseconds, type Tree, type Values } from '../tree.ts'
import { CAUSE_KINDS, type CauseKind } from '../truth.ts'

export const WHY_KINDS = [
  ...CAUSE_KINDS,
  'failed-uplink',
  'slow-link',
  'pfc-off',
  'class-map',
  'mtu',
  'polarised-hash',
  'small-window',
  'slow-sender',
  'slow-host-stack',
  'rnr',
  'small-buffer',
  'dropping-watchdog',
  'dead-server',
  'dead-switch',
  'wrong-cable',
  'placement',
  'buffer-share',
  'other-tenant',
] as const
export type WhyKind = (typeof WHY_KINDS)[number]

/** Where it is: names that are right. Without any the kind alone decides, as it holds everywhere. */
export interface Where {
  readonly kind: WhyKind
  readonly devices: readonly string[]
  /** Links by both ends, in either order; also right for a device: the link of a host. */
  readonly links: readonly (readonly [string, string])[]
  readonly workload?: string
}

export interface Change {
  readonly where: Where
  readonly apply: (tree: Tree) => Tree
}

type Make = (draw: Draw, base: Base) => Change | null

const TAG: Partial<Readonly<Record<WhyKind, string>>> = {
  incast: 'incast',
  'noisy-neighbour': 'backup',
  'other-tenant': 'tenant',
}

const at = (kind: WhyKind, ...devices: readonly string[]): Where => ({ kind, devices, links: [] })
const added =
  (list: 'workload' | 'changes' | 'faults', ...items: readonly Values[]) =>
  (tree: Tree): Tree => ({ ...tree, [list]: [...tree[list], ...items] })
/** The group with further values. */
const grouped =
  (group: string, values: Values) =>
  (tree: Tree): Tree => ({ ...tree, [group]: { ...(tree[group] as Values | undefined), ...values } })

/** An injection of the score of explanations. */
const old =
  (kind: CauseKind): Make =>
  (draw, base) => {
    const { truth, edit } = inject(kind, draw, base)
    const { names } = base.topology
    const tag = TAG[kind]
    return {
      where: {
        kind,
        devices: truth.nodes.map((node) => names[node]!),
        links: truth.ports.map(({ node, port }) => [names[node]!, names[peerOf(base, node, port)]!] as const),
        ...(tag !== undefined && { workload: tag }),
      },
      apply: (tree) => {
        const { rates = [], ...rest } = edit.topology ?? {}
        const whole = edited(tree, [{ ...edit, topology: rest }])
        return withRates(whole, rates as readonly string[])
      },
    }
  }

function peerOf({ topology }: Base, node: number, port: number): number {
  return portsByNode(topology)[node]!.find(({ index }) => index === port)!.peer
}

export function withRates(tree: Tree, more: readonly string[]): Tree {
  if (more.length === 0) return tree
  const { rates = [] } = tree.topology as { readonly rates?: readonly string[] }
  return { ...tree, topology: { ...tree.topology, rates: [...rates, ...more] } }
}

export const switchesOf = ({ topology }: Base, tier: number): string[] =>
  topology.names.filter((_, node) => topology.tiers[node] === tier)

/** A port of a switch to one of a higher tier. */
function drawUplink(draw: Draw, { topology }: Base): PortOf {
  const { tiers } = topology
  return draw.one(
    portsByNode(topology)
      .flat()
      .filter(({ node, peer }) => tiers[node]! > 0 && tiers[peer]! > tiers[node]!),
  )
}

const endsOf = ({ topology: { names } }: Base, { node, peer }: PortOf): readonly [string, string] => [
  names[node]!,
  names[peer]!,
]
const spanOf = (draw: Draw, { generatePs }: Base): string => microseconds(draw.between(0.05, 0.4) * generatePs)

const failedUplink: Make = (draw, base) => {
  const ends = endsOf(base, drawUplink(draw, base))
  const fault = {
    kind: 'link-down',
    links: ends.join('-'),
    down: spanOf(draw, base),
    converge: draw.one(['0us', '50us', '300us']),
  }
  return { where: { kind: 'failed-uplink', devices: [], links: [ends] }, apply: added('faults', fault) }
}

const slowLink: Make = (draw, base) => {
  const port = drawUplink(draw, base)
  const ends = endsOf(base, port)
  const rate = gbps(port.rateBps * draw.between(0.08, 0.25))
  return {
    where: { kind: 'slow-link', devices: [], links: [ends] },
    apply: (tree) => withRates(tree, [`${ends.join('-')}: ${rate}`]),
  }
}

/** A setting of one switch. */
const ofSwitch =
  (kind: WhyKind, path: string, values: readonly unknown[], isPossible: (base: Base) => boolean = () => true): Make =>
  (draw, base) => {
    const device = draw.one(switchesOf(base, draw.chance(0.7) ? 1 : 2))
    const change = { path, nodes: device, value: draw.one(values) }
    return isPossible(base) ? { where: at(kind, device), apply: added('changes', change) } : null
  }

const isLossless = (base: Base): boolean => base.isLossless

const mtu: Make = (draw, base) => {
  const value = base.tree['frames'] === undefined ? '900B' : '1500B'
  if (draw.chance(0.5)) return ofSwitch('mtu', 'switch.mtu', [value])(draw, base)
  const host = draw.one(hostsOf(base))
  return {
    where: at('mtu', `host ${host}`),
    apply: added('changes', { path: 'nic.mtu', nodes: `host ${host}`, value }),
  }
}

/** Round trip of these fabrics, about. */
const RTT_PS = 9e6

const smallWindow: Make = (draw, base) => {
  const share = draw.between(0.05, 0.25)
  const bytes = (share * base.hostRateBps * RTT_PS) / 8e12
  if (!base.isLossless && base.scheme !== 'ldcp') {
    const packets = Math.max(1, Math.round(bytes / (base.tree['frames'] === undefined ? 1024 : 4096)))
    return { where: at('small-window'), apply: (tree) => ({ ...tree, recovery: { kind: 'irn', cap: packets } }) }
  }
  return { where: at('small-window'), apply: grouped('qp', { window: kilobytes(Math.max(4e3, bytes)) }) }
}

const hostStack: Make = (draw) => {
  const [least, mean] = [draw.between(5, 20), draw.between(5, 30)]
  const hostDelay = { kind: 'exponential', least: `${least.toFixed(1)}us`, mean: `${(least + mean).toFixed(1)}us` }
  return { where: at('slow-host-stack'), apply: grouped('qp', { hostDelay }) }
}

const slowSender: Make = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const readRate = gbps(base.hostRateBps * base.load * draw.between(0.3, 0.9))
  const change = { path: 'nic.send', nodes: `host ${host}`, value: { readRate } }
  return { where: at('slow-sender', `host ${host}`), apply: added('changes', change) }
}

/** SENDs that find no Receive WQE. */
const rnr: Make = (draw, base) => {
  if (base.isClosed) return null
  const values = {
    receiveQueue: draw.whole(1, 2),
    receiveRepost: `${draw.whole(50, 400)}us`,
    rnrTimer: draw.one([1, 5]),
  }
  return { where: at('rnr'), apply: grouped('qp', values) }
}

const smallBuffer: Make = (draw, base) => {
  if (base.isLossless) return null
  const { buffer } = base.tree['switch'] as { readonly buffer: Values }
  const size = kilobytes(draw.between(30e3, 150e3))
  return { where: at('small-buffer'), apply: grouped('switch', { buffer: { ...buffer, size } }) }
}

/** It takes ordinary pauses for a storm. */
const watchdog: Make = (draw, base) => {
  const device = draw.one(switchesOf(base, 1))
  const times = { detectionTime: '10us', restorationTime: '200us', pollInterval: '5us' }
  const value = { kind: draw.one(['generic', 'nvidia']), ...times, action: 'drop', ports: 'all' }
  const change = { path: 'switch.watchdog', nodes: device, value }
  return isLossless(base) ? { where: at('dropping-watchdog', device), apply: added('changes', change) } : null
}

const deadServer: Make = (draw, base) => {
  const host = draw.one(hostsOf(base))
  const fault = { kind: 'server-down', hosts: `host ${host}`, down: spanOf(draw, base) }
  return { where: at('dead-server', `host ${host}`), apply: added('faults', fault) }
}

const deadSwitch: Make = (draw, base) => {
  const device = draw.one(switchesOf(base, 2))
  const fault = {
    kind: 'switch-down',
    switches: device,
    down: spanOf(draw, base),
    converge: draw.one(['0us', '100us']),
  }
  return { where: at('dead-switch', device), apply: added('faults', fault) }
}

/** Headroom for next to no cable, and a cable of 600 m. */
const wrongDelay: Make = (draw, base) => {
  const device = draw.one(switchesOf(base, 1))
  const change = { path: 'switch.buffer.believedDelay', nodes: device, ports: 'up', value: '10ns' }
  return isLossless(base) ? { where: at('wrong-cable', device), apply: added('changes', change) } : null
}

/** A job whose ranks are in other racks than their neighbours'. */
const placement: Make = () => ({
  where: { kind: 'placement', devices: [], links: [], workload: 'job' },
  apply: (tree) => ({
    ...tree,
    workload: tree.workload.map((one) => (one['tag'] === 'job' ? { ...one, placement: 'spread' } : one)),
  }),
})

const tenant: Make = (draw, base) => {
  const source = {
    kind: 'poisson',
    load: Number(draw.between(0.3, 0.5).toFixed(3)),
    sizes: { kind: 'fixed', size: draw.one(['256KB', '512KB', '1MB']) },
    tag: 'tenant',
  }
  return base.isClosed
    ? null
    : { where: { kind: 'other-tenant', devices: [], links: [], workload: 'tenant' }, apply: added('workload', source) }
}

const MAKE: Readonly<Record<Exclude<WhyKind, CauseKind>, Make>> = {
  'failed-uplink': failedUplink,
  'slow-link': slowLink,
  'pfc-off': ofSwitch('pfc-off', 'pfc.classes', [[]], isLossless),
  'class-map': ofSwitch('class-map', 'classes.dscpMap', [['0-63: 0'], ['3: 0']], isLossless),
  mtu,
  'polarised-hash': () => ({ where: at('polarised-hash'), apply: grouped('balance', { kind: 'ecmp', seed: 'same' }) }),
  'small-window': smallWindow,
  'slow-sender': slowSender,
  'slow-host-stack': hostStack,
  rnr,
  'small-buffer': smallBuffer,
  'dropping-watchdog': watchdog,
  'dead-server': deadServer,
  'dead-switch': deadSwitch,
  'wrong-cable': wrongDelay,
  placement,
  'buffer-share': ofSwitch('buffer-share', 'switch.buffer.byClass', [['3: 0.002'], ['3: 0.0005']]),
  'other-tenant': tenant,
}

const isOld = (kind: WhyKind): kind is CauseKind => (CAUSE_KINDS as readonly string[]).includes(kind)

/** Null: it cannot go wrong in this fabric. */
export function changeOf(kind: WhyKind, draw: Draw, base: Base): Change | null {
  return isOld(kind) ? old(kind)(draw, base) : MAKE[kind](draw, base)
}

/** Differences that harm nobody. */
export function harmless(draw: Draw, base: Base): ((tree: Tree) => Tree)[] {
  const device = draw.one(switchesOf(base, 1))
  const host = draw.one(hostsOf(base))
  const { buffer } = base.tree['switch'] as { readonly buffer: { readonly alpha: number } }
  const rate = gbps(2 * base.hostRateBps)
  const all: readonly ((tree: Tree) => Tree)[] = [
    added('changes', { path: 'switch.buffer.alpha', nodes: device, value: buffer.alpha * draw.one([0.5, 2]) }),
    added('changes', { path: 'switch.buffer.xonOffset', nodes: device, value: '6KB' }),
    added('changes', { path: 'nic.mtu', nodes: `host ${host}`, value: '9216B' }),
    added('changes', { path: 'switch.mtu', nodes: device, value: '9216B' }),
    added('changes', { path: 'switch.ecn.kmax', nodes: device, value: '220KB' }),
    added('changes', { path: 'switch.weights', nodes: device, value: [1, 1, 1, 2, 1, 1, 1, 1] }),
    added('faults', { kind: 'bernoulli', probability: 1e-7, links: `host ${host}` }),
    added('workload', { kind: 'poisson', load: 0.01, sizes: { kind: 'fixed', size: '4KB' }, tag: 'probes' }),
    (tree) => withRates(tree, [`${base.topology.names[portTo(base, host).node]!}-host ${host}: ${rate}`]),
  ]
  return draw.some(all, 3)
}

/** Traffic of runs that are merely loaded. */
export function loadedWorkload(draw: Draw, base: Base): readonly Values[] {
  const senders = Math.min(hostsOf(base).length - 1, draw.whole(8, 16))
  if (draw.chance(0.3)) {
    const source = incastSource(draw, base, { lengthPs: draw.between(300e6, 900e6), use: 1, senders: () => senders })
    return [{ ...source, receiver: draw.one(hostsOf(base)), tag: 'storage' }]
  }
  const size = draw.one(['64KB', '128KB', '256KB'])
  return [
    {
      kind: 'poisson',
      load: Number(draw.between(0.75, 0.92).toFixed(3)),
      sizes: { kind: 'fixed', size },
      tag: 'storage',
    },
  ]
}
