/**
 * Host selection: the hosts that a scenario's text selects: "all", or hosts by number or name, comma separated. A bare
 * number is that of a host, as in workloads and results. A switch stands for the hosts at it.
 */
import { hostWord, isNamed } from '../../../core/base/device-names.ts'
import { InputError, type Issue } from '../../../core/base/issue.ts'
import { parseLinkPatterns } from '../../scenario/rules/link-pattern.ts'
import { quote } from '../../scenario/text/wording.ts'
import type { Topology } from '../../../core/topology/topology.ts'
import { noLinkIssue } from './link-match.ts'

/** Positions of the hosts, each once, in order. @throws InputError for words that name no host */
export function selectHosts(text: string, topology: Topology, path: string): number[] {
  const hosts = [...topology.hostPorts.keys()]
  if (text.trim() === 'all') return hosts
  const patterns = parseLinkPatterns(text)
  const issues: Issue[] = []
  if (patterns === null || patterns.some(({ to }) => to !== null)) {
    const expected = 'all, or hosts by number or name ("host 3"), comma separated'
    throw new InputError([{ path, expected, received: quote(text), hint: '' }])
  }
  const peerOf = new Map(topology.links.flatMap(({ a, b }) => [[a, b] as const, [b, a] as const]))
  const found = new Set<number>()
  for (const pattern of patterns) {
    const word = hostWord(pattern.from)
    const named = hosts.filter((host) =>
      topology.hostPorts[host]!.some((endpoint) => {
        const node = topology.endpoints[endpoint]!
        const peer = peerOf.get(node)!
        return isNamed(word, node, topology) || (topology.tiers[peer] !== 0 && isNamed(word, peer, topology))
      }),
    )
    if (named.length === 0) issues.push(noLinkIssue(pattern, topology, path))
    for (const host of named) found.add(host)
  }
  if (issues.length > 0) throw new InputError(issues)
  return [...found].sort((a, b) => a - b)
}
