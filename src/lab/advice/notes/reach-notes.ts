/**
 * Reach notes: hosts between which there is no path, from the start or once links and switches have gone down for good.
 */
import { hostName } from '../../../core/base/device-names.ts'
import { linksThatMatch, type LostMessages, selectNodes } from '../../index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Topology } from '../../../core/topology/index.ts'
import { type Finding, foundAt, linkFindings } from '../../../core/findings/index.ts'

/** @param lost null: none is known */
export function reachNotes(scenario: Scenario, topology: Topology, lost: LostMessages | null): Finding[] {
  const atStart = apartIn(topology, topology.links)
  const first = atStart.pairs === 0 ? [] : [findingOf(topology, atStart, lost)]
  const down = downForGood(scenario, topology)
  if (down.links.size === 0) return first
  const later = apartIn(
    topology,
    topology.links.filter((_, link) => !down.links.has(link)),
  )
  if (later.pairs <= atStart.pairs) return first
  const finding = findingOf(topology, later, null)
  return [...first, { ...finding, subject: { ...finding.subject, path: 'faults', atPs: down.atPs } }]
}

interface Apart {
  /** Ordered pairs of hosts without a path. */
  readonly pairs: number
  /** The first of them. */
  readonly example: readonly [source: number, destination: number]
}

function findingOf(topology: Topology, { pairs, example }: Apart, lost: LostMessages | null): Finding {
  const hosts = topology.hostPorts.length
  const [source, destination] = (lost === null ? example : [lost.source, lost.destination]).map(hostName) as [
    string,
    string,
  ]
  const messages = lost?.messages ?? 0
  const values = { pairs, ofPairs: hosts * (hosts - 1), source, flows: messages }
  return foundAt(linkFindings.hostsUnreachable, { device: destination, path: 'topology' }, values)
}

/** Pairs of hosts none of whose ports are joined by links. Hosts forward nothing. */
function apartIn({ nodeCount, endpoints, hostPorts }: Topology, links: Topology['links']): Apart {
  const above = Int32Array.from({ length: nodeCount }, (_, node) => node)
  const topOf = (node: number): number => {
    let top = node
    while (above[top] !== top) top = above[top] = above[above[top]!]!
    return top
  }
  for (const { a, b } of links) above[topOf(a)] = topOf(b)
  // Hosts with the same parts of the network are alike.
  const groups = new Map<string, { readonly parts: readonly number[]; readonly first: number; count: number }>()
  hostPorts.forEach((ports, host) => {
    const parts = [...new Set(ports.map((endpoint) => topOf(endpoints[endpoint]!)))].toSorted((a, b) => a - b)
    const key = parts.join()
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { parts, first: host, count: 1 })
    else known.count++
  })
  const all = [...groups.values()]
  let pairs = 0
  let example: Apart['example'] = [0, 0]
  for (const from of all)
    for (const to of all) {
      if (from === to || from.parts.some((part) => to.parts.includes(part))) continue
      if (pairs === 0) example = [from.first, to.first]
      pairs += from.count * to.count
    }
  return { pairs, example }
}

/** Links that go down and never up again, and when the last of them does. */
function downForGood({ faults }: Scenario, topology: Topology): { readonly links: Set<number>; readonly atPs: number } {
  const links = new Set<number>()
  let atPs = 0
  faults.forEach((fault, index) => {
    if (!('up' in fault) || fault.up !== null) return
    if (fault.kind === 'link-down') {
      for (const link of linksThatMatch(fault.links, topology)) links.add(link)
    } else if (fault.kind === 'switch-down') {
      const nodes = new Set(selectNodes(fault.switches, topology, `faults.${index}.switches`))
      topology.links.forEach(({ a, b }, link) => {
        if (nodes.has(a) || nodes.has(b)) links.add(link)
      })
    } else return
    atPs = Math.max(atPs, fault.down)
  })
  return { links, atPs }
}
