/**
 * Fault site: the inputs of the functions that attach faults, one for each kind.
 */
import type { RandomStreams } from '../../../core/base/random.ts'
import type { LinkFault } from '../../../core/fabric/link/fault.ts'
import type { FaultValues } from '../../../core/fabric/params.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Direction } from '../../network/selection/link-selection.ts'
import type { BuiltNetwork } from '../../network/network-builder.ts'
import type { HostStates } from './host-states.ts'
import type { LinkStates } from './link-states.ts'

/** The parts of a run that a fault is attached to. */
export interface FaultSite {
  readonly scenario: Scenario
  readonly built: BuiltNetwork
  readonly random: RandomStreams
  /** Which links are up, under all faults together. */
  readonly links: LinkStates
  /** Which hosts are down or stand still, under all faults together. */
  readonly hosts: HostStates
  /** Index of the fault in the scenario, for the names of its random streams; and its path. */
  readonly index: number
  readonly path: string
  /** Lets the packets of one direction of a link suffer from this fault, too. */
  readonly addLoss: (direction: Direction, fault: LinkFault) => void
}

export type FaultOf<K extends FaultValues['kind']> = Extract<FaultValues, { readonly kind: K }>
