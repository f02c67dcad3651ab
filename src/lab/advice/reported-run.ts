/**
 * Facts of a run that a report needs beside its result: network and schemes of its scenario, as words and as a graph.
 */
import { hostNamesWithIds } from '../../core/base/device-names.ts'
import { InputError } from '../../core/base/issue.ts'
import { hasClosedLoop, portsByNode, topologyOf } from '../index.ts'
import type { NetworkGraph, ReportedRun, ScenarioFacts } from '../../show/index.ts'
import { type Result, type StoredResult, summarize } from '../../core/results/index.ts'
import { parseScenario, type Scenario, type Schemes, schemeSets } from '../scenario/index.ts'
import type { Topology } from '../../core/topology/index.ts'

/** The run with its scenario read; one that this version cannot read leaves the facts out. */
export function reportedRun(
  { result, scenarioText, scenarioList }: Omit<StoredResult, 'cost'>,
  names: { readonly label: string; readonly folder: string },
  schemes: Schemes = {},
): ReportedRun {
  const facts = factsOf(scenarioText, scenarioList, schemes)
  return { ...names, result, summary: summarize(result), scenarioText, facts }
}

function factsOf(scenarioText: string, listOf: StoredResult['scenarioList'], schemes: Schemes): ScenarioFacts | null {
  try {
    const scenario = parseScenario(scenarioText, {
      ...schemes,
      readFile: (name) => {
        const list = listOf(name)
        if (list !== undefined) return list
        throw new Error('no such file in the result')
      },
    })
    return scenarioFacts(scenario)
  } catch (error) {
    if (error instanceof InputError) return null
    throw error
  }
}

/** Facts of a result, from the scenario that it holds; null: this version cannot read that. */
export function resultFacts({ scenario }: Result, schemes: Schemes = {}): ScenarioFacts | null {
  return factsOf(JSON.stringify(scenario), () => undefined, schemes)
}

export function scenarioFacts(scenario: Scenario): ScenarioFacts {
  const topology = topologyOf(scenario)
  return {
    networkText: networkText(scenario, topology),
    schemesText: schemesText(scenario),
    losslessClasses: scenario.pfc.classes,
    graph: graphOf(topology),
    hasClosedLoop: hasClosedLoop(scenario),
  }
}

function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count} ${count === 1 ? word : plural}`
}

/** "a leaf-spine network of 16 hosts, 4 switches and 20 links". */
function networkText({ topology: { kind } }: Scenario, { hostPorts, nodeCount, endpoints, links }: Topology): string {
  const switches = counted(nodeCount - endpoints.length, 'switch', 'switches')
  return `a ${kind} network of ${counted(hostPorts.length, 'host')}, ${switches} and ${counted(links.length, 'link')}`
}

/** "with dcqcn, go-back-n and PFC in class 3"; of several sets of schemes each once. */
function schemesText(scenario: Scenario): string {
  const sets = schemeSets(scenario).map(({ scenario: { congestion, recovery } }) =>
    congestion.kind === 'none' ? recovery.kind : `${congestion.kind} on ${recovery.kind}`,
  )
  const withControl = schemeSets(scenario).some(({ scenario: { congestion } }) => congestion.kind !== 'none')
  const { classes } = scenario.pfc
  const word = classes.length === 1 ? 'class' : 'classes'
  const parts = [...new Set(sets), ...(classes.length === 0 ? [] : [`PFC in ${word} ${classes.join(', ')}`])]
  const without = [...(withControl ? [] : ['congestion control']), ...(classes.length === 0 ? ['PFC'] : [])]
  const text = `with ${parts.slice(0, -1).join(', ')}${parts.length > 1 ? ' and ' : ''}${parts.at(-1)!}`
  return without.length === 0 ? text : `${text}, without ${without.join(' and ')}`
}

function graphOf(topology: Topology): NetworkGraph {
  const ports = portsByNode(topology)
  const next = new Int32Array(topology.nodeCount)
  return {
    names: topology.names,
    tiers: topology.tiers,
    hostNodes: topology.hostPorts.map((own) => own.map((position) => topology.endpoints[position]!)),
    hostTitles: hostNamesWithIds(topology),
    ports: topology.links.flatMap(({ a, b }) => {
      const [portA, portB] = [ports[a]![next[a]!++]!, ports[b]![next[b]!++]!]
      return [
        { node: a, port: portA.index, peerNode: b, peerPort: portB.index, rateBps: portA.rateBps },
        { node: b, port: portB.index, peerNode: a, peerPort: portA.index, rateBps: portB.rateBps },
      ]
    }),
  }
}
