/**
 * Host delay: the time of one packet between the wire and the application of a host, in one direction, as a declared
 * distribution: NIC, PCIe, and a kernel where the transport has one. An input of a scenario, not a result.
 * Units: picoseconds.
 */
import type { Definition, ParamFields, ValuesOf } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'

export interface HostDelay {
  /** The time of the next packet, a whole number of picoseconds. Draws at most one number. */
  drawPs(random: RandomStream): number
}

export interface HostDelayDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** null: packets take no time. @throws InputError for values that contradict each other, with paths of its params. */
  create(values: ValuesOf<F>): HostDelay | null
}

/** Gives a definition its type. */
export function defineHostDelay<const N extends string, F extends ParamFields>(
  definition: HostDelayDefinition<N, F>,
): HostDelayDefinition<N, F> {
  return definition
}
