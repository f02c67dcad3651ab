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
  /** Index 0..candidates-1, at least two of them, for a packet at a node. */
  choose(node: number, packet: number, candidates: number): number
}

export interface BalanceContext {
  readonly nodeCount: number
  /** Of a number: whether it is the node id of a switch. */
  readonly isSwitch: (node: number) => boolean
  readonly random: RandomStreams
  /** Packets may name their virtual path, a UDP source port of their own. */
  readonly hasPaths: boolean
}

export interface BalanceDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  readonly create: (values: ValuesOf<F>, context: BalanceContext) => Balance
}

/** Gives the definition its type. List it in balance/index.ts. */
export function defineBalance<const N extends string, F extends ParamFields>(
  definition: BalanceDefinition<N, F>,
): BalanceDefinition<N, F> {
  return definition
}
