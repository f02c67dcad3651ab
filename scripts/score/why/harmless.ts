/**
 * Harmless differences: devices, rates, workloads and faults that differ from all others and do no harm. They belong to the
 * fabric; whether they are harmless is known by a run without them.
 */
import { portsByNode, topologyOf } from '../../../src/lab/index.ts'
import type { Draw } from '../../../src/core/base/draw.ts'
import type { Base } from '../base.ts'
import { ALPHA, drawSwitch, hostsOf, portTo } from '../injections.ts'
import { type Edit, edited, gbps, kilobytes, microseconds, scenarioOfTree, type Values } from '../tree.ts'

/** Null: this fabric cannot have it. */
type Difference = (draw: Draw, base: Base) => Edit | null

const change = (path: string, value: unknown, nodes: string): Edit => ({ changes: [{ path, value, nodes }] })
const switchName = (draw: Draw, base: Base): string => base.topology.names[drawSwitch(draw, base)]!
const hostName = (draw: Draw, base: Base): string => `host ${draw.one(hostsOf(base))}`
const buffer = ({ tree }: Base): Values => (tree.switch as Values).buffer as Values

/** Hosts of one leaf, or its links up, at another rate. */
const rates: Difference = (draw, base) => {
  const { topology } = base
  const [leaf, isUp] = [portTo(base, draw.one(hostsOf(base))).node, draw.chance(0.5)]
  const ports = portsByNode(topology)[leaf]!.filter(({ peer }) => topology.tiers[peer]! > 0 === isUp)
  const link = topology.links.find(({ a, b }) => [a, b].includes(leaf) && [a, b].includes(ports[0]!.peer))!
  const rate = gbps(link.rateBps * (isUp ? 2 : draw.one([1.6, 2])))
  return { topology: { rates: ports.map(({ peer }) => `${topology.names[leaf]!}-${topology.names[peer]!}: ${rate}`) } }
}

const thresholds: Difference = (draw, base) => {
  const ecn = (base.tree.switch as Values).ecn as { readonly kmax: string } | undefined
  if (ecn === undefined) return null
  const kmax = kilobytes(Number.parseInt(ecn.kmax, 10) * 1e3 * draw.one([0.8, 1.25]))
  return change('switch.ecn.kmax', kmax, switchName(draw, base))
}

/** A fault of a link after the traffic. */
const lateFault: Difference = (draw, base) => {
  const { topology } = base
  const { a, b } = draw.one(topology.links)
  const links = `${topology.names[a]!}-${topology.names[b]!}`
  const from = microseconds(base.generatePs + draw.between(3e9, 3.8e9))
  return {
    faults: [
      draw.chance(0.5)
        ? { kind: 'link-down', links, down: from }
        : { kind: 'bernoulli', probability: 0.05, links, from },
    ],
  }
}

const DIFFERENCES: readonly Difference[] = [
  rates,
  thresholds,
  lateFault,
  (draw, base) =>
    base.isLossless
      ? change('switch.buffer.believedDelay', `${draw.one([1500, 2000, 3000])}ns`, switchName(draw, base))
      : null,
  (draw, base) => change(ALPHA, (buffer(base).alpha as number) * draw.one([0.5, 2]), switchName(draw, base)),
  (draw, base) => ({
    values: { balance: { kind: 'ecmp', seeds: [`${drawSwitch(draw, base)}: ${draw.whole(1, 1e6)}`] } },
  }),
  (draw, base) => change('nic.mtu', draw.one(['9000B', '4200B']), hostName(draw, base)),
  (draw, base) => change('switch.mtu', '9216B', switchName(draw, base)),
  (draw, base) => change('nic.send.postTime', `${draw.whole(20, 100)}ns`, hostName(draw, base)),
  (draw, base) =>
    change('nic.receive', { kind: 'pipeline', busRate: gbps(2 * base.hostRateBps) }, hostName(draw, base)),
  (draw, base) =>
    change('switch.watchdog', { kind: 'generic', action: 'alert', pollInterval: '100us' }, switchName(draw, base)),
  // A host to which some others send now and then.
  (draw, base) => {
    const intervalUs = draw.whole(200, 500)
    const repetitions = Math.max(1, Math.floor(base.generatePs / 1e6 / intervalUs))
    const [senders, receiver] = [draw.whole(3, 6), draw.one(hostsOf(base))]
    const source = { kind: 'incast', senders, receiver, sizeEach: '2KB', repetitions, interval: `${intervalUs}us` }
    return { workload: [{ ...source, tag: 'heartbeat' }] }
  },
  (draw) => ({
    workload: [{ kind: 'poisson', load: draw.one([0.005, 0.01]), sizes: { kind: 'fixed', size: '4KB' }, tag: 'logs' }],
  }),
]

const COUNT = 3

/** The fabric with three of them. */
export function withDifferences(draw: Draw, base: Base): Base {
  const edits = draw
    .some(DIFFERENCES, DIFFERENCES.length)
    .map((difference) => difference(draw, base))
    .filter((edit) => edit !== null)
    .slice(0, COUNT)
  const tree = edited(base.tree, edits)
  return { ...base, tree, topology: topologyOf(scenarioOfTree(tree)), plain: base.tree }
}
