/**
 * Buffer of a switch: admission of packets, and accounting of their bytes.
 * Units: bytes of frames. Ports are local indexes 1..ports; classes 0..7.
 */

/** Results of `admit`: no room, nothing charged. */
export const REFUSED = 0
export const ADMITTED = 1
/** Charged, and the use of (port, class) is at or over XOFF now. */
export const ADMITTED_OVER_XOFF = 2

export interface Buffer {
  /** Charges a packet that came in by `port` and goes out by `out`. */
  admit(port: number, trafficClass: number, out: number, sizeBytes: number): number
  /** Whether the use of (port, class) is at or over XOFF. */
  isOverXoff(port: number, trafficClass: number): boolean
  /** Gives back what `admit` charged. */
  release(port: number, trafficClass: number, out: number, sizeBytes: number): void
  /** One more copy of a packet that is charged, for another port out: stored once, but in one more queue. @returns whether the queue takes it. */
  admitCopy(trafficClass: number, out: number, sizeBytes: number): boolean
  /** A copy has left its queue, and others of the packet are left. */
  releaseCopy(trafficClass: number, out: number, sizeBytes: number): void
  /** After a release: the use of (port, class) is at or below XON. */
  isUnderXon(port: number, trafficClass: number): boolean
  /** Bytes charged to (port, class). */
  usedBy(port: number, trafficClass: number): number
  /** Headroom bytes in use by (port, class); 0 where there is none. */
  headroomUsedBy(port: number, trafficClass: number): number
  /** Bytes charged in all. */
  readonly usedBytes: number
  /**
   * Follows these options, of its own kind, from now on; what is stored stays charged as it is. Nothing that is stored is
   * dropped where a limit falls below it: admission and XOFF follow the new limits at once.
   */
  configure(options: object): void
  /** Bytes that a packet takes: its own, or those of whole cells. */
  chargeOf(sizeBytes: number): number
  /** Bytes of (port, class) in the shared pool, beyond its reserve and beside its headroom. */
  sharedUsedBy(port: number, trafficClass: number): number
  /** Whether the limit of an egress queue refuses a packet of this size now. */
  isQueueFull(out: number, trafficClass: number, sizeBytes: number): boolean
  /** Names of its pools. */
  readonly pools: readonly string[]
  /** Bytes in use of the pool with this index in `pools`. */
  poolUsedBytes(pool: number): number
  /** Errors in the accounting, found by recomputing it from scratch; empty when there are none. */
  audit(): string[]
}
