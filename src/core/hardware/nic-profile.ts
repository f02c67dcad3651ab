/** A profile of a NIC: what is known of its path from a work request to the wire, of its timers and of how it takes a loss. */
import type { RetryPolicy } from '../transport/retry.ts'
import type { Known } from './known.ts'

export interface NicProfile {
  readonly name: string
  readonly help: string
  /** Rate of a port. */
  readonly rateBps?: Known<number>
  /** Generation and lanes of its slot. */
  readonly pcie?: Known<{ readonly generation: number; readonly lanes: number }>
  /** Least time between two work requests of a queue pair. */
  readonly workRequestGapNs?: Known<number>
  /** From a NIC to the other one, cable between them, small messages. */
  readonly oneWayNs?: Known<number>
  /** Whether, by default, each loss cuts the rate as a CNP would (register roce_slow_restart_en). */
  readonly hasSlowRestart?: Known<boolean>
  /** Share by which a loss cuts the rate there. */
  readonly lossCut?: Known<number>
  /** Waits where the peer is silent, milliseconds. */
  readonly retryMs?: Known<RetryPolicy>
  /** Congestion control that is on by default, as a scenario names it. */
  readonly congestion?: Known<string>
  /** Measured share of the link that two senders into one port carry together where nothing protects from loss. */
  readonly lossyShare?: Known<readonly [from: number, to: number]>
}

export const defineNic = (profile: NicProfile): NicProfile => profile
