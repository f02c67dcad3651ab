/**
 * Links unlike their equals: slower or lossy beside most links between devices of the same roles; and tiers whose links up
 * carry less than those down.
 */
import { formatQuantity } from '../../../../core/base/units.ts'
import { roleOf, type Topology } from '../../../../core/topology/index.ts'
import type { Scenario } from '../../../scenario/index.ts'
import type { Suspect } from '../suspect.ts'

/** Rate of a switch towards lower tiers over that towards higher ones, from which its links up are too few. */
const OVERSUBSCRIBED = 1.5
/** Links up with less than this share of the usual rate are too slow for their switch. */
const FEWER = 0.99

interface Link {
  readonly index: number
  readonly lower: number
  readonly upper: number
  readonly rateBps: number
  readonly lossRatio: number
  /** That of most of its equals. */
  usualBps: number
}

export function unlikeLinks(scenario: Scenario, topology: Topology): Suspect[] {
  const links = linksOf(topology)
  const slow = links.filter(({ rateBps, usualBps }) => rateBps < usualBps)
  const wholes = wholeSwitches(slow, links, topology)
  const single = slow.filter((link) => !wholes.some(({ of }) => of.includes(link)))
  return [
    ...wholes.map(({ node, of }) => slowSuspect(of, node, scenario, topology)),
    ...single.map((link) => slowSuspect([link], null, scenario, topology)),
    ...links.filter(({ lossRatio }) => lossRatio > 0).flatMap((link) => lossyLine(link, scenario, topology)),
    ...oversubscribed(links, scenario, topology),
  ]
}

function linksOf(topology: Topology): Link[] {
  const { links, tiers } = topology
  const byRoles = new Map<string, Link[]>()
  const all = links.map(({ a, b, rateBps, lossRatio }, index): Link => {
    const [lower, upper] = tiers[a]! <= tiers[b]! ? [a, b] : [b, a]
    const link = { index, lower, upper, rateBps, lossRatio, usualBps: rateBps }
    const key = `${roleOf(topology, lower)}-${roleOf(topology, upper)}`
    byRoles.set(key, [...(byRoles.get(key) ?? []), link])
    return link
  })
  for (const equals of byRoles.values()) {
    const sorted = equals.map(({ rateBps }) => rateBps).toSorted((a, b) => a - b)
    const usual = sorted[Math.floor(sorted.length / 2)]!
    for (const link of equals) link.usualBps = usual
  }
  return all
}

/** Switches all of whose links to one tier are slow: one suspect each. */
function wholeSwitches(
  slow: readonly Link[],
  links: readonly Link[],
  { tiers }: Topology,
): { readonly node: number; readonly of: readonly Link[] }[] {
  const taken = new Set<Link>()
  const ends: readonly ('lower' | 'upper')[] = ['lower', 'upper']
  return ends.flatMap((end) => {
    const nodes = [...new Set(slow.map((link) => link[end]))].filter((node) => tiers[node]! > 0)
    return nodes.flatMap((node) => {
      const of = slow.filter((link) => link[end] === node && !taken.has(link))
      const all = links.filter((link) => link[end] === node)
      if (of.length < 2 || of.length < all.length) return []
      for (const link of of) taken.add(link)
      return [{ node, of }]
    })
  })
}

const rateText = (rateBps: number): string => formatQuantity('rate', rateBps)

function slowSuspect(of: readonly Link[], node: number | null, scenario: Scenario, topology: Topology): Suspect {
  const { names, tiers } = topology
  const [link] = of as readonly [Link]
  const isUp = node !== null && of.every(({ lower }) => lower === node)
  const isHost = node === null && tiers[link.lower] === 0
  return {
    kind: isUp ? 'oversubscription' : 'slow-link',
    subject: node === null ? { device: names[link.lower]!, port: names[link.upper]! } : { device: names[node]! },
    others: [],
    stage: 'odd',
    sides: new Set(['unlike']),
    now: rateText(link.rateBps),
    usual: rateText(link.usualBps),
    sets: (free) => of.flatMap((each) => rateSets(each, each.usualBps, scenario, topology, free)),
    nodes: node === null ? (isHost ? [link.lower] : [link.lower, link.upper]) : [node],
    ...(node === null && { peer: link.upper }),
    weight: link.usualBps / link.rateBps / 2,
  }
}

/** A line for the link where the topology takes rates, or the line of the link in a graph. */
function rateSets(
  { index, lower, upper }: Link,
  rateBps: number,
  { topology }: Scenario,
  { names, links }: Topology,
  free: { rates: number },
): string[] {
  const rate = rateText(rateBps)
  if ('rates' in topology) return [`topology.rates.${free.rates++}=${names[lower]!}-${names[upper]!}: ${rate}`]
  if (topology.kind !== 'graph') return []
  const { a, b, delayPs, lossRatio } = links[index]!
  return [`topology.links.${index}=${graphLine(a, b, rate, delayPs, lossRatio)}`]
}

function graphLine(a: number, b: number, rate: string, delayPs: number, lossRatio: number): string {
  return `${a} ${b} ${rate} ${formatQuantity('duration', delayPs)}${lossRatio === 0 ? '' : ` loss=${lossRatio}`}`
}

function lossyLine({ index, lower, upper, rateBps }: Link, { topology }: Scenario, of: Topology): Suspect[] {
  if (topology.kind !== 'graph') return []
  const { a, b, delayPs, lossRatio } = of.links[index]!
  return [
    {
      kind: 'lossy-link',
      subject: { device: of.names[lower]!, port: of.names[upper]! },
      others: [],
      stage: 'odd',
      sides: new Set(['declared']),
      now: String(lossRatio),
      usual: '0',
      sets: () => [`topology.links.${index}=${graphLine(a, b, rateText(rateBps), delayPs, 0)}`],
      nodes: [lower, upper],
      peer: upper,
      weight: 2,
    },
  ]
}

/** Parameters of the rates between a tier and the next, by kind of topology. */
const UPLINK_RATES: Readonly<Record<string, readonly string[]>> = {
  'leaf-spine': ['fabricRate'],
  rails: ['fabricRate'],
  planes: ['fabricRate'],
  dumbbell: ['trunkRate'],
  'fat-tree': ['edgeAggregationRate', 'aggregationCoreRate'],
  'clos-podset': ['torLeafRate', 'leafSpineRate'],
}

/** Tiers of which every switch has less above than below. */
function oversubscribed(links: readonly Link[], scenario: Scenario, topology: Topology): Suspect[] {
  const { tiers, names } = topology
  const most = Math.max(...tiers)
  const found: Suspect[] = []
  for (let tier = 1; tier < most; tier++) {
    const nodes = [...tiers.keys()].filter((node) => tiers[node] === tier)
    const ratios = nodes.map((node) => {
      const [down, up] = [links.filter(({ upper }) => upper === node), links.filter(({ lower }) => lower === node)]
      const sum = (of: readonly Link[]): number => of.reduce((total, { usualBps }) => total + usualBps, 0)
      return { node, ratio: sum(down) / sum(up), up }
    })
    const sorted = ratios.map(({ ratio }) => ratio).toSorted((a, b) => a - b)
    const usual = sorted[Math.floor(sorted.length / 2)]!
    const param = UPLINK_RATES[scenario.topology.kind]?.[tier - 1]
    const [first] = ratios.flatMap(({ up }) => up)
    if (first !== undefined && Number.isFinite(usual) && usual >= OVERSUBSCRIBED && param !== undefined) {
      const rate = rateText(first.usualBps * Math.ceil(usual))
      found.push({
        kind: 'oversubscription',
        subject: { path: `topology.${param}` },
        others: [],
        stage: 'limit',
        sides: new Set(['declared']),
        now: rateText(first.usualBps),
        usual: rate,
        sets: () => [`topology.${param}=${rate}`],
        nodes,
        weight: 0.8,
      })
      continue
    }
    // Switches with fewer links up than their equals.
    for (const { node, ratio, up } of ratios) {
      if (!(ratio * FEWER > usual) || up.length === 0) continue
      const upBps = up.reduce((sum, { usualBps }) => sum + usualBps, 0)
      found.push({
        kind: 'oversubscription',
        subject: { device: names[node]! },
        others: [],
        stage: 'odd',
        sides: new Set(['unlike']),
        now: rateText(upBps),
        usual: rateText((upBps * ratio) / usual),
        sets: (free) => up.flatMap((link) => rateSets(link, (link.usualBps * ratio) / usual, scenario, topology, free)),
        nodes: [node],
        weight: 1,
      })
    }
  }
  return found
}
