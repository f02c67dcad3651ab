/**
 * What a NIC is told when it is made.
 */
import type { PairTable } from './pair-table.ts'
import type { CompletionSink } from './queue-pair.ts'

export interface NicOptions {
  readonly node: number
  /** Position among the hosts. */
  readonly position: number
  /** Class that holds back here what answers, and the codepoint that gives it its class in switches; -1: those of its flow. */
  readonly ackClass: number
  readonly ackCodepoint: number
  readonly cnpClass: number
  readonly cnpCodepoint: number
  /** The turn is an index into the list and stays when finished QPs leave it. */
  readonly isCompacting: boolean
  /** Packets that a QP may send before the turn passes to the next. */
  readonly packetsPerTurn: number
  /** What a NIC that waits for pacing arms; single-wake.ts has the two that arm only one wake-up. */
  readonly wake: 'earliest' | 'single' | 'single-ahead'
  readonly pairs: PairTable
  readonly sink: CompletionSink
}
