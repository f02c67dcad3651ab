/**
 * Topology: which nodes there are and which cables join them. Pure data, no behaviour.
 * Nodes are numbered from 0. A node's ports are numbered from 1 in the order in which its links appear
 * in `links` (0 is kept free, as for a loopback), so a text file of links fixes every port number.
 */
import type { Definition, ParamFields, ValuesOf } from '../base/params.ts'

export interface LinkSpec {
  readonly a: number
  readonly b: number
  readonly rateBps: number
  readonly delayPs: number
  /** Probability that a packet is lost on it; 0 for a sound cable. */
  readonly lossRatio: number
}

/** Candidate ports fixed by hand: at `node`, towards each of `destinations`, in the order the hash uses. */
export interface FixedRoute {
  readonly node: number
  readonly destinations: readonly number[]
  readonly ports: readonly number[]
}

export interface Topology {
  readonly nodeCount: number
  /** Node ids of the hosts, ascending. Workloads number hosts by position in this list. */
  readonly hosts: readonly number[]
  /** Per node: 0 host, 1 the switch a host hangs on (ToR), 2 the next stage, ... */
  readonly tiers: readonly number[]
  /** Per node: a short name for people ("host 3", "tor 1.2"). */
  readonly names: readonly string[]
  readonly links: readonly LinkSpec[]
  /** Overrides computed routes where given. */
  readonly fixedRoutes: readonly FixedRoute[]
}

export interface TopologyDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** Builds the graph; problems that limits cannot express are thrown as InputError. */
  readonly build: (values: ValuesOf<F>) => Topology
}

/** Registers nothing: gives the definition its type. List it in topology/index.ts. */
export function defineTopology<const N extends string, F extends ParamFields>(
  definition: TopologyDefinition<N, F>,
): TopologyDefinition<N, F> {
  return definition
}
