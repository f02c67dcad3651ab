/**
 * HOT. Delivered: the payload that a receiver has accepted, and when.
 * Units: bytes, picoseconds. Shape: three doubles of its owner's record.
 */
import { DOUBLES } from '../../base/memory.ts'

const doubles = DOUBLES

const BYTES = 0
const LAST_PS = 1
/** Highest byte count before payload was discarded. */
const FORGOTTEN_PEAK_BYTES = 2

export class Delivered {
  private readonly at: number
  /** Content of the record when it was returned; null while it exists. */
  private closed: { readonly bytes: number; readonly lastPs: number; readonly peakBytes: number } | null = null

  /** @param at offset of its record, in doubles. */
  constructor(at: number) {
    this.at = at
  }

  get bytes(): number {
    return this.closed === null ? doubles[this.at + BYTES]! : this.closed.bytes
  }

  /** Time the last packet was accepted, also of an incomplete message. */
  get lastPs(): number {
    return this.closed === null ? doubles[this.at + LAST_PS]! : this.closed.lastPs
  }

  /** The highest count of bytes delivered. */
  get peakBytes(): number {
    if (this.closed !== null) return this.closed.peakBytes
    return Math.max(this.bytes, doubles[this.at + FORGOTTEN_PEAK_BYTES]!)
  }

  add(nowPs: number, bytes: number): void {
    doubles[this.at + BYTES]! += bytes
    doubles[this.at + LAST_PS] = nowPs
  }

  /** Discards `bytes` of the delivered payload. */
  forget(bytes: number): void {
    doubles[this.at + FORGOTTEN_PEAK_BYTES] = this.peakBytes
    doubles[this.at + BYTES]! -= bytes
  }

  /** Its record is returned; the values remain readable. */
  close(): void {
    this.closed = { bytes: this.bytes, lastPs: this.lastPs, peakBytes: this.peakBytes }
  }
}
