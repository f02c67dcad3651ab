/** Work requests as an application posts them. Units: bytes; addresses are whole numbers below 2^53. */
import type { MemoryRegion } from '../memory-region.ts'
import type { Operation } from './operation.ts'

/** A work request for the send queue. */
export interface SendWork {
  readonly id: number
  readonly operation: Operation
  /** Local memory: source of the data, or destination of a READ or atomic; null: bytes are only counted. */
  readonly region?: MemoryRegion | null
  readonly address?: number
  /** READ, WRITE, SEND. Ignored for atomics, which have 8. */
  readonly lengthBytes?: number
  readonly remoteAddress?: number
  readonly remoteKey?: number
  readonly immediate?: number
  /** SEND with invalidate: the remote key to invalidate. */
  readonly invalidateKey?: number
  readonly compare?: bigint
  /** Value to swap in, or to add. */
  readonly swap?: bigint
  /** Success produces no CQE. */
  readonly isUnsignalled?: boolean
  /** Starts only when all READs and atomics posted earlier are complete. */
  readonly isFenced?: boolean
  readonly isSolicited?: boolean
}

/**
 * A work request for a receive queue. Without a region no payload can be stored, which suffices for a WRITE with
 * immediate.
 */
export interface ReceiveWork {
  readonly id: number
  readonly region?: MemoryRegion | null
  readonly address?: number
  readonly lengthBytes: number
}

/**
 * Result of posting a work request. 'no reads': the connection allows no outstanding READ or atomic, so that one would
 * wait forever. 'wrong value': an unknown operation, or a number out of the range of its field.
 */
export type PostResult = 'posted' | 'full' | 'wrong state' | 'wrong length' | 'wrong value' | 'no reads'
