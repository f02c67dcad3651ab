/**
 * Options of a NIC.
 */
import type { PairTable } from '../pairs/pair-table.ts'
import type { CompletionSink } from '../pairs/queue-pair.ts'
import type { NicPackets } from '../nic-packets.ts'
import type { MessageGaps } from './send/message-gaps.ts'

export interface NicOptions {
  readonly node: number
  /** Position among the hosts. */
  readonly position: number
  /** Class of ACKs, NAKs and requests in this NIC, and the codepoint that gives their class in switches; -1: those of their flow. */
  readonly ackClass: number
  readonly ackCodepoint: number
  readonly cnpClass: number
  readonly cnpCodepoint: number
  /** The round-robin pointer is an index into the list and stays when finished QPs leave the list. */
  readonly isCompacting: boolean
  /** Packets that a QP may send before the next is served. */
  readonly packetsPerTurn: number
  /** Wake-ups of a NIC that waits for pacing; single-wake.ts has the two rules that arm only one. */
  readonly wake: 'earliest' | 'single' | 'single-ahead'
  /** Gaps between messages of a queue pair; null: none. */
  readonly messageGaps: MessageGaps | null
  readonly pairs: PairTable
  /** Maker of its packets; null: the fabric's, which gives them no VLAN tag. */
  readonly packets: NicPackets | null
  readonly sink: CompletionSink
}
