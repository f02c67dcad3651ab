/**
 * Link selection: the links of a built network that a scenario's text means.
 */
import { InputError, type Issue } from '../base/issue.ts'
import type { Port } from '../fabric/port.ts'
import { type LinkPattern, parseLinkPatterns } from '../scenario/link-pattern.ts'
import { quote, suggestion } from '../scenario/wording.ts'
import type { Topology } from '../topology/topology.ts'
import type { BuiltNetwork } from './network-builder.ts'

/** One direction of a link: its receiving port. */
export interface Direction {
  readonly link: number
  readonly to: Port
  /** For the streams of its random numbers. */
  readonly name: string
}

export function directionsOf(built: BuiltNetwork): Direction[] {
  return built.linkPorts.flatMap(([a, b], link) => {
    const ends = built.topology.links[link]!
    return [
      { link, to: b, name: `${ends.a}>${ends.b}/${link}` },
      { link, to: a, name: `${ends.b}>${ends.a}/${link}` },
    ]
  })
}

/** "all", "hosts", "fabric", or patterns (link-pattern.ts). Throws InputError with each pattern that means no link. */
export function selectDirections(text: string, built: BuiltNetwork, path: string): Direction[] {
  const { topology } = built
  const all = directionsOf(built)
  const trimmed = text.trim()
  if (trimmed === 'all') return all
  if (trimmed === 'hosts') return all.filter(({ link }) => isHostLink(topology, link))
  if (trimmed === 'fabric') return all.filter(({ link }) => !isHostLink(topology, link))
  const issues: Issue[] = []
  const found = (parseLinkPatterns(text) ?? []).flatMap((pattern) => {
    const matches = all.filter((direction) => isMeant(pattern, direction, topology))
    if (matches.length === 0) issues.push(noLink(pattern, topology, path))
    return matches
  })
  if (issues.length > 0) throw new InputError(issues)
  // Patterns may overlap.
  return [...new Set(found)]
}

function isHostLink({ tiers, links }: Topology, link: number): boolean {
  const { a, b } = links[link]!
  return tiers[a] === 0 || tiers[b] === 0
}

function isMeant({ from, to, isOneWay }: LinkPattern, direction: Direction, topology: Topology): boolean {
  const { a, b } = topology.links[direction.link]!
  const [sender, receiver] = direction.to.node === b ? [a, b] : [b, a]
  const is = (node: number, word: string): boolean => String(node) === word || topology.names[node] === word
  if (to === null) return is(sender, from) || is(receiver, from)
  return (is(sender, from) && is(receiver, to)) || (!isOneWay && is(sender, to) && is(receiver, from))
}

function noLink({ text, from, to }: LinkPattern, topology: Topology, path: string): Issue {
  const { names, nodeCount } = topology
  const isThere = (word: string): boolean => (/^\d+$/.test(word) ? Number(word) < nodeCount : names.includes(word))
  const missing = [from, to].find((word) => word !== null && !isThere(word))
  const received = quote(text)
  if (missing === undefined || missing === null)
    return { path, expected: 'nodes that a link joins', received, hint: '' }
  const hint = suggestion(missing, names) || `there are ${names[0]} to ${names.at(-1)}, numbers 0 to ${nodeCount - 1}`
  return { path, expected: 'nodes of this network', received, hint }
}
