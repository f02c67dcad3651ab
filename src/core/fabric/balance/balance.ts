/**
 * Balance: path choice of a packet among equal-cost ports. Never leaves the route's candidates.
 */
import type { Definition, ParamFields, ValuesOf } from '../../base/params.ts'
import type { RandomStreams } from '../../base/random.ts'

/** Five-tuple of a flow in one direction, for hashing. */
export interface FlowTuple {
  readonly sourceAddress: number
  readonly destinationAddress: number
  readonly sourcePort: number
  readonly destinationPort: number
}

export interface Balance {
  /** Adds a flow. */
  addFlow(flow: number, tuple: FlowTuple): void
  /**
   * Called with a switch's routes, and again whenever they change; left out where the choice does not depend on ports.
   * @param ports local indexes, from 1, of which the lists of candidates consist.
   * @param portBase port number in the fabric minus local index.
   */
  useRoutes?(node: number, ports: Int32Array, portBase: number): void
  /**
   * Index 0..candidates-1, at least two of them, for a packet at a node.
   * @param first index of the first candidate in `ports` of the routes.
   */
  choose(node: number, packet: number, candidates: number, first: number): number
}

/** Read access to the fabric's egress queues. Ports by their number in the fabric. */
export interface EgressView {
  /** Number of ports of the fabric. */
  readonly ports: number
  /** Frame bytes queued in a class. */
  bytesOf(port: number, trafficClass: number): number
  /** The link of the port is down. */
  isDown(port: number): boolean
}

/**
 * Number of paths of one flow's packets. `known`: one, given by its tuple; `kept`: one, chosen during the run;
 * `several`: packets may overtake each other.
 */
export type PathVariety = 'known' | 'kept' | 'several'

export interface BalanceContext {
  readonly nodeCount: number
  /** Whether a number is the node id of a switch. */
  readonly isSwitch: (node: number) => boolean
  readonly random: RandomStreams
  /** Packets may carry a virtual path, a UDP source port of their own. */
  readonly hasPaths: boolean
  /** Class by codepoint. */
  readonly classOf: Uint8Array
  readonly egress: EgressView
  readonly clock: { readonly nowPs: number }
}

export interface BalanceDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** While routes stay as they are. */
  paths(values: ValuesOf<F>): PathVariety
  create(values: ValuesOf<F>, context: BalanceContext): Balance
}

/** Gives the definition its type. List it in balance/index.ts. */
export function defineBalance<const N extends string, F extends ParamFields>(
  definition: BalanceDefinition<N, F>,
): BalanceDefinition<N, F> {
  return definition
}
