/**
 * HOT. Scheduler of switch ports: which class sends next. The round-robin pointer is in the port's record, so
 * that one scheduler serves all ports; a weighted scheduler keeps deficits and serves one.
 * Strict classes first, highest number first; then round robin (one packet each) or deficit weighted round robin
 * (Shreedhar and Varghese 1995; deficits in bytes, the deficit of an empty class is reset).
 */
import { INTS } from '../../base/memory.ts'
import { CLASSES, type EgressQueues } from './egress-queue.ts'
import { LAST_SHIFT, STATE, type PortRecords } from './port-records.ts'

const ints = INTS

export interface SchedulerOptions {
  /** Bit per strict class. */
  readonly strict: number
  /** Bytes that a class may send per round; null: one packet each. */
  readonly quantumBytes: Float64Array | null
}

export class Scheduler {
  private readonly strict: number
  private readonly quantumBytes: Float64Array | null
  private readonly deficit = new Float64Array(CLASSES)
  private readonly queues: EgressQueues
  /** Base offset of the port records. */
  private readonly records: number

  constructor(options: SchedulerOptions, records: PortRecords, queues: EgressQueues) {
    this.records = records.base
    this.queues = queues
    this.strict = options.strict
    this.quantumBytes = options.quantumBytes
  }

  /** No deficits: a class that is the only one with packets may send at once. */
  get isPlain(): boolean {
    return this.quantumBytes === null
  }

  /** Picks the class that sends its head packet. @param ready bits of the port's classes that may send; not 0. */
  pick(ready: number, port: number): number {
    const strict = ready & this.strict
    if (strict !== 0) return 31 - Math.clz32(strict)
    if (this.quantumBytes !== null) return this.pickWeighted(ready, port, this.quantumBytes)
    const at = this.records | (port << 4) | STATE
    const state = ints[at]!
    if ((ready & (ready - 1)) === 0) {
      const only = 31 - Math.clz32(ready)
      ints[at] = (state & ~(7 << LAST_SHIFT)) | (only << LAST_SHIFT)
      return only
    }
    // First ready class after the one served last, wrapping around: rotated so that it is the lowest bit.
    const shift = ((state >> LAST_SHIFT) + 1) & 7
    const turned = ((ready >>> shift) | (ready << (8 - shift))) & 0xff
    const picked = (31 - Math.clz32(turned & -turned) + shift) & 7
    ints[at] = (state & ~(7 << LAST_SHIFT)) | (picked << LAST_SHIFT)
    return picked
  }

  private pickWeighted(ready: number, port: number, quantumBytes: Float64Array): number {
    const deficit = this.deficit
    const queues = this.queues
    const full = queues.full(port)
    const at = this.records | (port << 4) | STATE
    for (let c = 0; c < CLASSES; c++) if ((full & (1 << c)) === 0) deficit[c] = 0
    let c = (ints[at]! >> LAST_SHIFT) & 7
    let visits = 0
    for (;;) {
      if ((ready & (1 << c)) !== 0) {
        const bytes = queues.headBytes(port, c)
        if (deficit[c]! >= bytes) {
          deficit[c]! -= bytes
          ints[at] = (ints[at]! & ~(7 << LAST_SHIFT)) | (c << LAST_SHIFT)
          return c
        }
      }
      if (++visits === CLASSES) this.skipRounds(ready, port, quantumBytes)
      c = (c + 1) & 7
      if ((ready & (1 << c)) !== 0) deficit[c]! += quantumBytes[c]!
    }
  }

  /** After a round without a packet: adds all rounds at once in which no deficit reaches the class's head packet. */
  private skipRounds(ready: number, port: number, quantumBytes: Float64Array): void {
    const deficit = this.deficit
    let rounds = Infinity
    for (let c = 0; c < CLASSES; c++) {
      if ((ready & (1 << c)) === 0) continue
      const needed = Math.ceil((this.queues.headBytes(port, c) - deficit[c]!) / quantumBytes[c]!)
      if (needed < rounds) rounds = needed
    }
    for (let c = 0; c < CLASSES; c++) if ((ready & (1 << c)) !== 0) deficit[c]! += (rounds - 1) * quantumBytes[c]!
  }
}
