/**
 * HOT. Delivered: the payload that a receiver has taken, and when.
 * Units: bytes, picoseconds. Shape: three doubles of its owner's record.
 */
import { DOUBLES } from '../../base/memory.ts'

const doubles = DOUBLES

const BYTES = 0
const LAST_PS = 1
/** Most bytes at times when something was forgotten. */
const FORGOTTEN_PEAK_BYTES = 2

export class Delivered {
  private readonly at: number
  /** What the record said when it was given back; null: it is still there. */
  private closed: { readonly bytes: number; readonly lastPs: number; readonly peakBytes: number } | null = null

  /** @param at where its record is, in doubles. */
  constructor(at: number) {
    this.at = at
  }

  get bytes(): number {
    return this.closed === null ? doubles[this.at + BYTES]! : this.closed.bytes
  }

  /** Time the last packet was taken, also of a message that is not yet whole. */
  get lastPs(): number {
    return this.closed === null ? doubles[this.at + LAST_PS]! : this.closed.lastPs
  }

  /** The most bytes ever delivered at once. */
  get peakBytes(): number {
    if (this.closed !== null) return this.closed.peakBytes
    return Math.max(this.bytes, doubles[this.at + FORGOTTEN_PEAK_BYTES]!)
  }

  add(nowPs: number, bytes: number): void {
    doubles[this.at + BYTES]! += bytes
    doubles[this.at + LAST_PS] = nowPs
  }

  /** So many of them count no more. */
  forget(bytes: number): void {
    doubles[this.at + FORGOTTEN_PEAK_BYTES] = this.peakBytes
    doubles[this.at + BYTES]! -= bytes
  }

  /** Its record is given back; it can still be read. */
  close(): void {
    this.closed = { bytes: this.bytes, lastPs: this.lastPs, peakBytes: this.peakBytes }
  }
}
