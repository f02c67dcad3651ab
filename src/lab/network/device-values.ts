/**
 * Device values: the scenario as it holds at each device and port now, with those of its changes that are in force there.
 * Without changes it is the scenario itself everywhere, at no cost. Devices with the same changes share one object, so
 * that it may be the key of what is made from it.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'
import { withChanges } from '../scenario/changes.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { expectPorts, type PortOf, portsByNode, selectNodes, selectPorts } from './selection/node-selection.ts'

/** Ports that a change applies to; null: to all of the node, and to the node itself. */
type Reach = ReadonlyMap<number, ReadonlySet<number> | null>

export class DeviceValues {
  /** Changes that are not in force from the start, in the order in which they begin. */
  readonly later: readonly number[]
  readonly #scenario: Scenario
  readonly #topology: Topology
  /** By change. */
  readonly #reach: readonly Reach[]
  /** By node, where changes are in force. */
  readonly #ofNode = new Map<number, Scenario>()
  /** By node and port, where a change of single ports is in force. */
  readonly #ofPort = new Map<number, Map<number, Scenario>>()
  #ofPairs: Scenario
  /** A scenario with one change more, by both. */
  readonly #known: Map<Scenario, Map<number, Scenario>>

  /**
   * @param like values of the same scenario and topology: what they have found is used again
   * @throws InputError for nodes and ports that do not exist, and values that do not go together
   */
  constructor(scenario: Scenario, topology: Topology, like: DeviceValues | null = null) {
    this.#scenario = scenario
    this.#topology = topology
    this.#ofPairs = scenario
    this.#known = like === null ? new Map() : like.#known
    this.#reach = like === null ? reachesOf(scenario, topology) : like.#reach
    const { changes } = scenario
    this.later = changes
      .flatMap(({ at }, index) => (at > 0 ? [index] : []))
      .toSorted((a, b) => changes[a]!.at - changes[b]!.at || a - b)
    const issues: Issue[] = []
    changes.forEach(({ at }, index) => {
      if (at > 0) return
      try {
        this.begin(index)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        issues.push(...error.issues)
      }
    })
    if (issues.length > 0) throw new InputError(issues)
  }

  /** The values as they are at the start. */
  restarted(): DeviceValues {
    return new DeviceValues(this.#scenario, this.#topology, this)
  }

  /** The scenario with the values in force at a node. */
  of(node: number): Scenario {
    return this.#ofNode.get(node) ?? this.#scenario
  }

  /** The scenario with the values in force at a port of a node; `index` counts from 1. */
  ofPort(node: number, index: number): Scenario {
    return this.#ofPort.get(node)?.get(index) ?? this.of(node)
  }

  /** Ports of a node at which a change of single ports is in force. */
  portsOf(node: number): number[] {
    return [...(this.#ofPort.get(node)?.keys() ?? [])].toSorted((a, b) => a - b)
  }

  /** The scenario with the values in force everywhere, which hold for queue pairs that open now. */
  ofPairs(): Scenario {
    return this.#ofPairs
  }

  /**
   * Puts a change into force. Changes begin in the order of `later`.
   * @returns the nodes that it concerns, ascending
   * @throws InputError for a value that does not go with those before it
   */
  begin(change: number): number[] {
    const reach = this.#reach[change]!
    const { nodes, ports } = this.#scenario.changes[change]!
    if (nodes === 'all' && ports === 'all') this.#ofPairs = this.#with(this.#ofPairs, change)
    for (const [node, only] of reach) {
      const own = this.#ofPort.get(node)
      if (only === null) {
        if (own !== undefined) for (const [port, values] of own) own.set(port, this.#with(values, change))
        this.#ofNode.set(node, this.#with(this.of(node), change))
        continue
      }
      const single = own ?? new Map<number, Scenario>()
      this.#ofPort.set(node, single)
      for (const port of only) single.set(port, this.#with(single.get(port) ?? this.of(node), change))
    }
    return [...reach.keys()]
  }

  #with(values: Scenario, change: number): Scenario {
    let after = this.#known.get(values)
    if (after === undefined) this.#known.set(values, (after = new Map()))
    let known = after.get(change)
    if (known === undefined) after.set(change, (known = withChanges(values, [change])))
    return known
  }
}

/** By change. @throws InputError with all mistakes */
function reachesOf({ changes }: Scenario, topology: Topology): Reach[] {
  if (changes.length === 0) return []
  const issues: Issue[] = []
  const ports = portsByNode(topology)
  /** Changes often select the same nodes. */
  const known = new Map<string, Reach>()
  const reaches = changes.map(({ nodes, ports: selected }, index): Reach => {
    const key = `${nodes}\n${selected}`
    let reach = known.get(key)
    if (reach !== undefined) return reach
    try {
      expectPorts(selected, topology, `changes.${index}.ports`)
      const found = selectNodes(nodes, topology, `changes.${index}.nodes`)
      reach =
        selected === 'all'
          ? new Map(found.map((node) => [node, null]))
          : reachOf(found, ports, selected, topology, index)
      known.set(key, reach)
      return reach
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      issues.push(...error.issues)
      return new Map()
    }
  })
  if (issues.length > 0) throw new InputError(issues)
  return reaches
}

/** @throws InputError where none of the nodes has such a port */
function reachOf(
  nodes: readonly number[],
  ports: readonly (readonly PortOf[])[],
  selected: string,
  topology: Topology,
  index: number,
): Reach {
  const reach = new Map<number, ReadonlySet<number>>()
  for (const node of nodes) {
    const found = selectPorts(selected, ports[node]!, topology)
    if (found.length > 0) reach.set(node, new Set(found.map((port) => port.index)))
  }
  if (reach.size > 0) return reach
  const path = `changes.${index}.ports`
  const received = `"${selected}", which none of the nodes "${topology.names[nodes[0]!] ?? ''}" ... has`
  throw new InputError([{ path, expected: 'ports of the selected nodes', received, hint: '' }])
}
