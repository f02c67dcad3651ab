/**
 * HOT. Premature completions: CQEs made when the last packet of a message arrives, kept by recv_WQE_SN until all
 * packets before it have come ([IRN] 5.3.3). In main memory, not in the NIC ([IRN] 6.1).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { OP_RECEIVE } from './operation.ts'

/** What the last packet of a message knows of it. */
export class PrematureCompletion {
  /** recv_WQE_SN, or -1. */
  sn = -1
  /** PSN of the last packet. */
  psn = 0
  operation: number = OP_RECEIVE
  lengthBytes = DOUBLE_ZERO
  hasImmediate = false
  immediate = DOUBLE_ZERO
  /** Key to take away, or -1. */
  invalidateKey = DOUBLE_ZERO
  isSolicited = false
}

export class PrematureCompletions {
  private readonly capacity: number
  /** Made as they are needed. */
  private readonly ring: PrematureCompletion[] = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** The place for that SN. */
  slot(sn: number): PrematureCompletion {
    return (this.ring[sn % this.capacity] ??= new PrematureCompletion())
  }

  /** PSN of the completion with that SN, or Infinity when its last packet has not come. */
  psnOf(sn: number): number {
    const slot = this.ring[sn % this.capacity]
    return slot !== undefined && slot.sn === sn ? slot.psn : Infinity
  }
}
