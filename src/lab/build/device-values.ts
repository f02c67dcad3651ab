/**
 * Device values: the scenario as it holds at each device and port now, with those of its changes that are in force there.
 * Without changes it is the scenario itself everywhere, at no cost. Devices with the same changes share one object, so
 * that it may be the key of what is made from it.
 */
import { InputError, type Issue } from '../../base/issue.ts'
import { withChanges } from '../../scenario/changes.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Topology } from '../../topology/topology.ts'
import { expectPorts, type PortOf, portsByNode, selectNodes, selectPorts } from './selection/node-selection.ts'

/** Ports that a change applies to; null: to all of the node, and to the node itself. */
type Reach = ReadonlyMap<number, ReadonlySet<number> | null>

export class DeviceValues {
  readonly #scenario: Scenario
  /** By change. */
  readonly #reach: readonly Reach[]
  /** Changes in force, ascending. */
  #active: number[]
  readonly #known = new Map<string, Scenario>()

  /** @throws InputError for nodes and ports that do not exist */
  constructor(scenario: Scenario, topology: Topology) {
    this.#scenario = scenario
    const issues: Issue[] = []
    const ports = scenario.changes.length === 0 ? [] : portsByNode(topology)
    this.#reach = scenario.changes.map(({ nodes, ports: selected }, index) => {
      try {
        expectPorts(selected, topology, `changes.${index}.ports`)
        const found = selectNodes(nodes, topology, `changes.${index}.nodes`)
        if (selected === 'all') return new Map(found.map((node) => [node, null]))
        return reachOf(found, ports, selected, topology, index)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        issues.push(...error.issues)
        return new Map()
      }
    })
    if (issues.length > 0) throw new InputError(issues)
    this.#active = scenario.changes.flatMap(({ at }, index) => (at === 0 ? [index] : []))
  }

  /** The scenario with the values in force at a node. */
  of(node: number): Scenario {
    if (this.#active.length === 0) return this.#scenario
    return this.#with(this.#active.filter((index) => this.#reach[index]!.get(node) === null))
  }

  /** The scenario with the values in force at a port of a node; `index` counts from 1. */
  ofPort(node: number, index: number): Scenario {
    if (this.#active.length === 0) return this.#scenario
    return this.#with(
      this.#active.filter((change) => {
        const ports = this.#reach[change]!.get(node)
        return ports === null || (ports !== undefined && ports.has(index))
      }),
    )
  }

  /** The scenario with the values in force for queue pairs that open now. */
  ofPairs(): Scenario {
    return this.#with(this.#active.filter((index) => this.#scenario.changes[index]!.nodes === 'all'))
  }

  /** Puts a change into force. @returns the nodes that it concerns, ascending */
  begin(change: number): number[] {
    this.#active = [...this.#active, change].toSorted((a, b) => this.#timeOf(a) - this.#timeOf(b) || a - b)
    return [...this.#reach[change]!.keys()]
  }

  #timeOf(change: number): number {
    return this.#scenario.changes[change]!.at
  }

  #with(changes: readonly number[]): Scenario {
    if (changes.length === 0) return this.#scenario
    const key = changes.join()
    let known = this.#known.get(key)
    if (known === undefined) this.#known.set(key, (known = withChanges(this.#scenario, changes)))
    return known
  }
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
