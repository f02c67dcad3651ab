/**
 * HOT. Scheduler of switch ports: which class sends next. Round robin keeps its turn in the queue, so that one scheduler
 * serves all ports; the weighted kind keeps deficits and serves one.
 * Strict classes first, highest number first; then round robin (one packet each) or deficit weighted round robin
 * (Shreedhar and Varghese 1995; deficits in bytes, an empty class forgets its deficit).
 */
import { CLASSES, type EgressQueue } from './egress-queue.ts'

export interface SchedulerOptions {
  /** Bit per strict class. */
  readonly strict: number
  /** Bytes a class may send per turn; null: one packet each. */
  readonly turnBytes: Float64Array | null
}

export class Scheduler {
  private readonly strict: number
  private readonly turnBytes: Float64Array | null
  private readonly deficit = new Float64Array(CLASSES)

  constructor(options: SchedulerOptions) {
    this.strict = options.strict
    this.turnBytes = options.turnBytes
  }

  /** A class of `ready` (bits, not 0) that may send its head packet. */
  pick(ready: number, queue: EgressQueue): number {
    const strict = ready & this.strict
    if (strict !== 0) return 31 - Math.clz32(strict)
    if (this.turnBytes !== null) return this.pickWeighted(ready, queue, this.turnBytes)
    if ((ready & (ready - 1)) === 0) {
      const only = 31 - Math.clz32(ready)
      queue.lastClass = only
      return only
    }
    // First ready class after the last one served, going round: rotate so that it comes lowest.
    const shift = (queue.lastClass + 1) & 7
    const turned = ((ready >>> shift) | (ready << (8 - shift))) & 0xff
    const picked = (31 - Math.clz32(turned & -turned) + shift) & 7
    queue.lastClass = picked
    return picked
  }

  private pickWeighted(ready: number, queue: EgressQueue, turnBytes: Float64Array): number {
    const deficit = this.deficit
    for (let c = 0; c < CLASSES; c++) if ((queue.full & (1 << c)) === 0) deficit[c] = 0
    let c = queue.lastClass
    let visits = 0
    for (;;) {
      if ((ready & (1 << c)) !== 0) {
        const bytes = queue.headBytes(c)
        if (deficit[c]! >= bytes) {
          deficit[c]! -= bytes
          queue.lastClass = c
          return c
        }
      }
      if (++visits === CLASSES) this.skipRounds(ready, queue, turnBytes)
      c = (c + 1) & 7
      if ((ready & (1 << c)) !== 0) deficit[c]! += turnBytes[c]!
    }
  }

  /** After a round without a packet: gives all rounds at once that bring no class as far as its head packet. */
  private skipRounds(ready: number, queue: EgressQueue, turnBytes: Float64Array): void {
    const deficit = this.deficit
    let rounds = Infinity
    for (let c = 0; c < CLASSES; c++) {
      if ((ready & (1 << c)) === 0) continue
      const needed = Math.ceil((queue.headBytes(c) - deficit[c]!) / turnBytes[c]!)
      if (needed < rounds) rounds = needed
    }
    for (let c = 0; c < CLASSES; c++) if ((ready & (1 << c)) !== 0) deficit[c]! += (rounds - 1) * turnBytes[c]!
  }
}
