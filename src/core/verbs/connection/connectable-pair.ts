/** The part of a queue pair that a connection manager works with. */
import type { QueuePairState } from '../queue-pair-state.ts'
import type { ConnectionValues } from './values.ts'

/** Observer of the first request that arrives before this end is ready to send (IBTA 11.6.3, 12.9). */
export interface EstablishmentListener {
  onEstablished(nowPs: number): void
}

export interface ConnectablePair {
  readonly number: number
  readonly state: QueuePairState
  /** Posted Receive WQEs have the sequence numbers from `head` up to and excluding `tail`. */
  readonly receives: { readonly head: number; readonly tail: number }
  listener: EstablishmentListener | null
  /** Moves to another state; false: there is no such transition. `values` go with ready-to-receive. */
  modify(nowPs: number, state: QueuePairState, values?: ConnectionValues): boolean
}
