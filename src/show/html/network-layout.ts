/**
 * Layout of a network as a picture: a row for each tier, hosts below, the highest switches above. Each link is two halves,
 * one for the port at each end. Where there are many hosts, those of one switch are drawn as one; of very many links
 * those with the largest values. Lengths are pixels.
 */
import type { NetworkGraph, NetworkPort } from '../reported-run.ts'
import { portKey } from './port-measures.ts'

export interface PlacedNode {
  /** Nodes that it stands for. */
  readonly nodes: readonly number[]
  readonly name: string
  /** The name, with the node id of a host where that is another number. */
  readonly title: string
  readonly tier: number
  readonly x: number
  readonly y: number
}

/** The half of a link at a port. */
export interface PlacedPort {
  /** Ports that it stands for, as keys. */
  readonly keys: readonly string[]
  readonly port: NetworkPort
  readonly path: string
}

export interface Layout {
  readonly width: number
  readonly height: number
  /** Room of a node in its row, by tier. */
  readonly roomPx: ReadonlyMap<number, number>
  readonly nodes: readonly PlacedNode[]
  readonly ports: readonly PlacedPort[]
  /** Links that are left out. */
  readonly linksLeftOut: number
  /** True: hosts of a switch are drawn as one. */
  readonly isGrouped: boolean
}

const WIDTH = 1100
const ROW_PX = 118
const MARGIN_PX = 34
const HOSTS_MAX = 96
const LINKS_MAX = 1500

/**
 * @param weightOf how much there is to see at a port; the links with most are drawn
 * @param roomOf least room of a node of a tier; the picture is as wide as that takes
 */
export function layoutOf(
  graph: NetworkGraph,
  weightOf: (key: string) => number,
  roomOf: (tier: number) => number = () => 0,
): Layout {
  const { groupOf, isGrouped } = groupsOf(graph)
  const tiers = [...new Set(graph.tiers)].toSorted((a, b) => b - a)
  const groups = new Map<number, number[]>()
  groupOf.forEach((group, node) => groups.set(group, [...(groups.get(group) ?? []), node]))
  const roomPx = new Map<number, number>()
  const placed = new Map<number, PlacedNode>()
  const titleOf = new Map(
    graph.hostNodes.flatMap((nodes, host) => (nodes.length > 1 ? [] : [[nodes[0]!, graph.hostTitles[host]!]])),
  )
  const ofTier = (tier: number): [number, number[]][] => [...groups].filter(([group]) => graph.tiers[group] === tier)
  const width = Math.max(WIDTH, ...tiers.map((tier) => 2 * MARGIN_PX + roomOf(tier) * ofTier(tier).length))
  tiers.forEach((tier, row) => {
    const own = ofTier(tier)
    const room = (width - 2 * MARGIN_PX) / own.length
    roomPx.set(tier, room)
    own.forEach(([group, nodes], i) => {
      const name =
        nodes.length === 1
          ? graph.names[group]!
          : `${nodes.length} hosts: ${graph.names[nodes[0]!]!} to ${graph.names[nodes.at(-1)!]!}`
      const title = (nodes.length === 1 ? titleOf.get(group) : undefined) ?? name
      placed.set(group, { nodes, name, title, tier, x: MARGIN_PX + (i + 0.5) * room, y: MARGIN_PX + row * ROW_PX })
    })
  })
  const halves = new Map<string, { port: NetworkPort; keys: string[]; weight: number }>()
  for (const port of graph.ports) {
    const [from, to] = [groupOf[port.node]!, groupOf[port.peerNode]!]
    // Links of single nodes stay apart, also where several join the same two.
    const isSingle = groups.get(from)!.length === 1 && groups.get(to)!.length === 1
    const id = isSingle ? `${port.node}:${port.port}` : `${from} ${to}`
    const half = halves.get(id) ?? { port, keys: [], weight: 0 }
    halves.set(id, half)
    const key = portKey(port.node, port.port)
    half.keys.push(key)
    half.weight += weightOf(key)
  }
  const all = [...halves.values()]
  const kept = all.length <= 2 * LINKS_MAX ? all : all.toSorted((a, b) => b.weight - a.weight).slice(0, 2 * LINKS_MAX)
  return {
    width,
    height: 2 * MARGIN_PX + (tiers.length - 1) * ROW_PX,
    roomPx,
    nodes: [...placed.values()],
    ports: kept.map(({ port, keys }) => ({
      port,
      keys,
      path: halfPath(placed.get(groupOf[port.node]!)!, placed.get(groupOf[port.peerNode]!)!),
    })),
    linksLeftOut: Math.ceil((all.length - kept.length) / 2),
    isGrouped,
  }
}

/** By node: the first node of its group. Hosts of one switch are a group where there are many hosts. */
function groupsOf(graph: NetworkGraph): { readonly groupOf: readonly number[]; readonly isGrouped: boolean } {
  const hosts = graph.tiers.filter((tier) => tier === 0).length
  const alone = graph.tiers.map((_, node) => node)
  if (hosts <= HOSTS_MAX) return { groupOf: alone, isGrouped: false }
  const firstBelow = new Map<number, number>()
  for (const { node, peerNode } of graph.ports) {
    if (graph.tiers[node] !== 0) continue
    if (!firstBelow.has(peerNode)) firstBelow.set(peerNode, node)
    alone[node] = firstBelow.get(peerNode)!
  }
  return { groupOf: alone, isGrouped: true }
}

/** From a node to the middle of the link: straight between rows, bent upwards within one. */
function halfPath(from: PlacedNode, to: PlacedNode): string {
  const at = (value: number): number => Math.round(value * 10) / 10
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 }
  if (from.y !== to.y) return `M${at(from.x)},${at(from.y)}L${at(middle.x)},${at(middle.y)}`
  const bend = Math.min(46, 12 + Math.abs(to.x - from.x) / 8)
  return `M${at(from.x)},${at(from.y)}Q${at((from.x + middle.x) / 2)},${at(from.y - bend)} ${at(middle.x)},${at(from.y - bend)}`
}
