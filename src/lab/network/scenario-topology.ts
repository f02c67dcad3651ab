/**
 * Scenario topology: the scenario's graph, with the rates that `topology.rates` sets on single links.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import { readLinkRates } from '../scenario/rules/link-rates.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { topologies } from '../../core/topology/index.ts'
import type { Topology, TopologyDefinition } from '../../core/topology/topology.ts'
import { definitionOf, withPath } from './definitions.ts'
import { meansLink, noLinkIssue } from './selection/link-match.ts'

/** Throws InputError for an impossible graph, and for rates of links that do not exist. */
export function topologyOf({ topology: values }: Scenario): Topology {
  const topology: Topology = withPath('topology', () =>
    definitionOf<TopologyDefinition>(topologies, values).build(values),
  )
  return 'rates' in values && values.rates.length > 0 ? withRates(topology, values.rates) : topology
}

/** A later line overrides an earlier one. */
function withRates(topology: Topology, lines: readonly string[]): Topology {
  const issues: Issue[] = []
  const links = [...topology.links]
  for (const { line, patterns, rateBps } of readLinkRates(lines)) {
    for (const pattern of patterns) {
      let isThere = false
      topology.links.forEach(({ a, b }, index) => {
        if (!meansLink(pattern, topology, a, b)) return
        isThere = true
        links[index] = { ...links[index]!, rateBps }
      })
      if (!isThere) issues.push(noLinkIssue(pattern, topology, `topology.rates.${line}`))
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return { ...topology, links }
}
