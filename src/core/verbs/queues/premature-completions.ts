/**
 * HOT. Premature completions: CQEs created when the last packet of a message arrives, stored by recv_WQE_SN until all
 * earlier packets have arrived ([IRN] 5.3.3). They are in main memory, not in the NIC ([IRN] 6.1).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { OP_RECEIVE } from './operation.ts'

/** Contents of the CQE that the last packet of a message determines. */
export class PrematureCompletion {
  /** recv_WQE_SN, or -1. */
  sn = -1
  /** PSN of the last packet. */
  psn = 0
  operation: number = OP_RECEIVE
  lengthBytes = DOUBLE_ZERO
  hasImmediate = false
  immediate = DOUBLE_ZERO
  /** Key to invalidate, or -1. */
  invalidateKey = DOUBLE_ZERO
  isSolicited = false
}

export class PrematureCompletions {
  private readonly capacity: number
  /** Entries are created on first use. */
  private readonly ring: PrematureCompletion[] = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** The entry of a recv_WQE_SN. */
  slot(sn: number): PrematureCompletion {
    return (this.ring[sn % this.capacity] ??= new PrematureCompletion())
  }

  /** PSN of the completion with that SN, or Infinity while its last packet has not arrived. */
  psnOf(sn: number): number {
    const slot = this.ring[sn % this.capacity]
    return slot !== undefined && slot.sn === sn ? slot.psn : Infinity
  }
}
