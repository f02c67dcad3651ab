/**
 * Balance: which of the equal-cost ports a packet takes. Never leaves the route's candidates.
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
  /** A flow of this number exists from now on. */
  addFlow(flow: number, tuple: FlowTuple): void
  /**
   * Told of a switch's routes, and again whenever they change; left out by a balance that looks at no port.
   * @param ports that lists of candidates consist of: local indexes, from 1.
   * @param portBase number in the fabric of the port of local index 0, if there were one.
   */
  useRoutes?(node: number, ports: Int32Array, portBase: number): void
  /**
   * Index 0..candidates-1, at least two of them, for a packet at a node.
   * @param first where the candidates begin in `ports` of the routes.
   */
  choose(node: number, packet: number, candidates: number, first: number): number
}

/** What a balance may see of the fabric's egress queues. Ports by their number in the fabric. */
export interface EgressView {
  /** Ports of the fabric. */
  readonly ports: number
  /** Frame bytes that wait in a class. */
  bytesOf(port: number, trafficClass: number): number
  /** The cable of the port is cut. */
  isDown(port: number): boolean
}

/**
 * How many ways packets of one flow take: `known` one, which its tuple tells; `kept` one, which the run tells;
 * `several`: one packet may overtake another.
 */
export type PathVariety = 'known' | 'kept' | 'several'

export interface BalanceContext {
  readonly nodeCount: number
  /** Of a number: whether it is the node id of a switch. */
  readonly isSwitch: (node: number) => boolean
  readonly random: RandomStreams
  /** Packets may name their virtual path, a UDP source port of their own. */
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
