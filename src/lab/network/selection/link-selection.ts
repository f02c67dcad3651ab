/**
 * Link selection: the links of a built network that a scenario's text selects.
 */
import { InputError, type Issue } from '../../../core/base/issue.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import { parseLinkPatterns } from '../../scenario/rules/link-pattern.ts'
import type { Topology } from '../../../core/topology/topology.ts'
import { meansLink, noLinkIssue } from './link-match.ts'
import type { BuiltNetwork } from '../network-builder.ts'

/** One direction of a link: its receiving port. */
export interface Direction {
  readonly link: number
  readonly to: Port
  /** Part of the names of its random streams. */
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

/** "all", "hosts", "fabric", or patterns (link-pattern.ts). Throws InputError with each pattern that matches no link. */
export function selectDirections(text: string, built: BuiltNetwork, path: string): Direction[] {
  const { topology } = built
  const all = directionsOf(built)
  const trimmed = text.trim()
  if (trimmed === 'all') return all
  if (trimmed === 'hosts') return all.filter(({ link }) => isHostLink(topology, link))
  if (trimmed === 'fabric') return all.filter(({ link }) => !isHostLink(topology, link))
  const issues: Issue[] = []
  const found = (parseLinkPatterns(text) ?? []).flatMap((pattern) => {
    const matches = all.filter(({ link, to }) => {
      const { a, b } = topology.links[link]!
      return meansLink(pattern, topology, to.node === b ? a : b, to.node)
    })
    if (matches.length === 0) issues.push(noLinkIssue(pattern, topology, path))
    return matches
  })
  if (issues.length > 0) throw new InputError(issues)
  // Patterns may overlap.
  return [...new Set(found)]
}

/** Indexes of the links that a text selects, before a network is built; patterns that match none are left out. */
export function linksThatMatch(text: string, topology: Topology): number[] {
  const trimmed = text.trim()
  const patterns = parseLinkPatterns(text) ?? []
  return topology.links.flatMap(({ a, b }, link) => {
    if (trimmed === 'all') return [link]
    if (trimmed === 'hosts' || trimmed === 'fabric')
      return isHostLink(topology, link) === (trimmed === 'hosts') ? [link] : []
    const isMeant = patterns.some((pattern) => meansLink(pattern, topology, a, b) || meansLink(pattern, topology, b, a))
    return isMeant ? [link] : []
  })
}

function isHostLink({ tiers, links }: Topology, link: number): boolean {
  const { a, b } = links[link]!
  return tiers[a] === 0 || tiers[b] === 0
}
