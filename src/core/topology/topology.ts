/**
 * Topology: nodes and the links between them. Pure data, no behaviour.
 * Nodes are numbered from 0. A node's ports are numbered from 1 in the order in which its links appear
 * in `links` (0 is kept free, as for a loopback), so a text file of links fixes every port number.
 */
import type { DeviceNames } from '../base/device-names.ts'
import { type Definition, list, type ParamFields, text, type ValuesOf } from '../base/params.ts'

export interface LinkSpec {
  readonly a: number
  readonly b: number
  readonly rateBps: number
  readonly delayPs: number
  /** Probability that a packet is lost on it; 0 for none. */
  readonly lossRatio: number
}

/** Candidate ports fixed by hand: at `node`, towards each of `destinations`, in the order the hash uses. */
export interface FixedRoute {
  readonly node: number
  readonly destinations: readonly number[]
  readonly ports: readonly number[]
}

export interface Topology extends DeviceNames {
  readonly nodeCount: number
  /**
   * Node ids of the ports of the hosts' NICs: each is a node of its own, with one link. Routes, addresses and queue pairs
   * number them by position in this list.
   */
  readonly endpoints: readonly number[]
  /** Per host, as workloads number them: the positions of its ports in `endpoints`, port 0 first. Most hosts have one. */
  readonly hostPorts: readonly (readonly number[])[]
  /** Per node: 0 host, 1 the switch a host hangs on (ToR), 2 the next stage, ... */
  readonly tiers: readonly number[]
  /** Per node: "host", or what its switch is called without its place: "leaf". */
  readonly kinds: readonly string[]
  readonly links: readonly LinkSpec[]
  /** Overrides computed routes where given. */
  readonly fixedRoutes: readonly FixedRoute[]
}

export interface TopologyDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** Builds the graph; problems that limits cannot express are thrown as InputError. */
  build(values: ValuesOf<F>): Topology
}

/**
 * Parameter of topologies whose other parameters give all links of a tier one rate. It is applied after `build`, when
 * the links are known by the names of their ends.
 */
export const ratesParam = list(text({ help: '"A-B: RATE" or "A: RATE", nodes by name or id' }), {
  default: [],
  help: 'rates of single links in both directions, such as "leaf 0-spine 1: 40Gbps", or of all links of a node, "spine 2: 100Gbps"; of lines that name one link the last holds',
})

/** Devices of one role are those of one tier and kind. */
export const roleOf = ({ tiers, kinds }: Topology, node: number): string => `${tiers[node]!} ${kinds[node]!}`

/** Registers nothing: gives the definition its type. List it in topology/index.ts. */
export function defineTopology<const N extends string, F extends ParamFields>(
  definition: TopologyDefinition<N, F>,
): TopologyDefinition<N, F> {
  return definition
}
