/**
 * HOT. Pacing: when the next packet may start, by the last one and the rate; most packets repeat the last gap.
 * Units: wire bytes, bit/s, picoseconds.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import type { Serialization } from '../base/serialization.ts'

export class Pacing {
  availablePs = DOUBLE_ZERO
  private readonly serialization: Serialization
  private startPs = DOUBLE_ZERO
  /** Of the last packet; 0: there was none. */
  private wireBytes = 0
  /** The last gap, and what it was for. */
  private gapBytes = 0
  private gapRateBps = DOUBLE_ZERO
  private gapPs = DOUBLE_ZERO

  constructor(serialization: Serialization) {
    this.serialization = serialization
  }

  /** A packet starts. */
  start(nowPs: number, wireBytes: number, rateBps: number): void {
    this.startPs = nowPs
    this.wireBytes = wireBytes
    if (wireBytes !== this.gapBytes || rateBps !== this.gapRateBps) this.reckon(rateBps)
    this.availablePs = nowPs + this.gapPs
  }

  /** The rate may have changed: the deadline of the packet in the gap moves with it. */
  move(rateBps: number): void {
    if (this.wireBytes === 0 || (rateBps === this.gapRateBps && this.wireBytes === this.gapBytes)) return
    this.reckon(rateBps)
    this.availablePs = this.startPs + this.gapPs
  }

  private reckon(rateBps: number): void {
    this.gapBytes = this.wireBytes
    this.gapRateBps = rateBps
    this.gapPs = this.serialization.durationPs(this.wireBytes, rateBps)
  }
}
