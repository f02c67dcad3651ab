/**
 * Graph of a fabric: its devices in tiers and their links, with the worst finding of each. Hosts are below; a switch is as
 * high as it is far from the nearest host.
 */
import { type Finding, fabricWords, SEVERITIES, type Severity } from '../../../core/findings/index.ts'
import type { Fabric, Link } from '../../index.ts'
import type { NetworkGraph } from '../../../show/index.ts'

const TIER_MAX = 4
/** Links of a device without files that may be a host. */
const HOST_LINKS_MAX = 2

/** Places of a picture by number: devices and links. */
export interface FabricGraph {
  readonly graph: NetworkGraph
  /** Numbers of devices by name. */
  readonly nodes: ReadonlyMap<string, number>
  /** By device: whether there are files of it. */
  readonly hasFiles: readonly boolean[]
  /** By device and by link; absent: no finding. */
  readonly worstOfNode: ReadonlyMap<number, Severity>
  readonly worstOfLink: ReadonlyMap<number, Severity>
  readonly countOfNode: ReadonlyMap<number, number>
  /** Marks of the places of a finding: "n3" a device, "l7" a link. */
  readonly marksOf: (finding: Finding) => readonly string[]
}

const collator = new Intl.Collator('en', { numeric: true })

export function fabricGraph(fabric: Fabric, findings: readonly Finding[]): FabricGraph {
  const tierOf = tiersOf(fabric)
  const names = orderOf(fabric, tierOf)
  const nodes = new Map(names.map((name, i) => [name, i]))
  const links = fabric.links
  // Both ports of a link have its number, from 1.
  const ports = links.flatMap(({ ends: [a, b] }, i) => {
    const [node, peerNode] = [nodes.get(a.device)!, nodes.get(b.device)!]
    const half = { port: i + 1, peerPort: i + 1, rateBps: 0 }
    return [
      { ...half, node, peerNode },
      { ...half, node: peerNode, peerNode: node },
    ]
  })
  const linkAt = new Map(links.flatMap(({ ends }, i) => ends.map(({ device, port }) => [keyOf(device, port), i])))
  const hosts = names.flatMap((name, i) => (tierOf.get(name) === 0 ? [i] : []))
  const marksOf = (finding: Finding): string[] => {
    const spots = [finding, ...finding.also].flatMap(({ subject: { device = '', interface: port = '' } }) => [
      { device, port },
    ])
    const marks = [...spots, ...(fabricWords(finding)?.cited ?? [])].flatMap(({ device, port }) => {
      const [node, link] = [nodes.get(device), linkAt.get(keyOf(device, port))]
      return [...(node === undefined ? [] : [`n${node}`]), ...(link === undefined ? [] : [`l${link}`])]
    })
    return [...new Set(marks)]
  }
  return {
    graph: {
      names,
      tiers: names.map((name) => tierOf.get(name)!),
      hostNodes: hosts.map((node) => [node]),
      hostTitles: hosts.map((node) => names[node]!),
      ports,
    },
    nodes,
    hasFiles: names.map((name) => fabric.devices.has(name)),
    ...worstOf(findings, nodes, linkAt),
    marksOf,
  }
}

const keyOf = (device: string, port: string): string => JSON.stringify([device, port])

function worstOf(
  findings: readonly Finding[],
  nodes: ReadonlyMap<string, number>,
  linkAt: ReadonlyMap<string, number>,
): Pick<FabricGraph, 'worstOfNode' | 'worstOfLink' | 'countOfNode'> {
  const worstOfNode = new Map<number, Severity>()
  const worstOfLink = new Map<number, Severity>()
  const countOfNode = new Map<number, number>()
  const note = (worst: Map<number, Severity>, at: number | undefined, severity: Severity): void => {
    if (at !== undefined) worst.set(at, worseOf(worst.get(at), severity)!)
  }
  for (const { severity, ...finding } of findings) {
    const counted = new Set<number>()
    for (const { subject } of [finding, ...finding.also]) {
      const { device = '', interface: port = '' } = subject
      const node = nodes.get(device)
      note(worstOfNode, node, severity)
      note(worstOfLink, linkAt.get(keyOf(device, port)), severity)
      if (node !== undefined) counted.add(node)
    }
    for (const node of counted) countOfNode.set(node, (countOfNode.get(node) ?? 0) + 1)
  }
  return { worstOfNode, worstOfLink, countOfNode }
}

/** The worse one; undefined counts least. */
export function worseOf(a: Severity | undefined, b: Severity | undefined): Severity | undefined {
  const rank = (one: Severity | undefined): number => (one === undefined ? -1 : SEVERITIES.indexOf(one))
  return rank(a) >= rank(b) ? a : b
}

/** All devices, also those that only links name. */
function namesIn(fabric: Fabric): string[] {
  return [
    ...new Set([...fabric.devices.keys(), ...fabric.links.flatMap(({ ends }) => ends.map(({ device }) => device))]),
  ]
}

function tiersOf(fabric: Fabric): Map<string, number> {
  const names = namesIn(fabric)
  const tiers = new Map<string, number>()
  for (const name of names) {
    const device = fabric.devices.get(name)
    const isHost = device === undefined ? fabric.linksOf(name).length <= HOST_LINKS_MAX : device.config.kind === 'host'
    if (isHost) tiers.set(name, 0)
  }
  let front = [...tiers.keys()]
  for (let tier = 1; front.length > 0; tier++) {
    const next = front.flatMap((name) => fabric.linksOf(name).flatMap((link) => othersOf(link, name)))
    front = [...new Set(next)].filter((name) => !tiers.has(name))
    for (const name of front) tiers.set(name, Math.min(tier, TIER_MAX))
  }
  for (const name of names) if (!tiers.has(name)) tiers.set(name, 1)
  return tiers
}

const othersOf = ({ ends }: Link, name: string): string[] =>
  ends.flatMap(({ device }) => (device === name ? [] : [device]))

/** Switches by name, and hosts by the switch that they hang on, so that their links cross little. */
function orderOf(fabric: Fabric, tierOf: ReadonlyMap<string, number>): string[] {
  const names = namesIn(fabric).sort(collator.compare)
  const switches = names.filter((name) => tierOf.get(name) !== 0)
  const position = new Map(switches.map((name, i) => [name, i]))
  const firstOf = (name: string): number =>
    Math.min(...fabric.linksOf(name).flatMap((link) => othersOf(link, name).map((other) => position.get(other) ?? 1e9)))
  const hosts = names
    .filter((name) => tierOf.get(name) === 0)
    .map((name) => ({ name, first: firstOf(name) }))
    .sort((a, b) => (a.first === b.first ? 0 : a.first < b.first ? -1 : 1))
  return [...switches, ...hosts.map(({ name }) => name)]
}
