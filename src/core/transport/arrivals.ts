/**
 * HOT. Arrivals at the receiver of one PSN space that keeps packets out of order: the packets that have arrived, up to
 * where they are in order, and the messages and completions that this makes (IRN's receiveData). PSNs are unbounded.
 * The owner first classifies a packet (place) and then accepts it (take), so that it can refuse a packet that it cannot
 * use; a refused packet leaves no trace. Two bits per packet: 10 received, 01 last packet that counts as a message, 11
 * last packet that also completes a Receive WQE.
 * Invariant: bits are set only in epsn < psn < epsn + bits.
 * Source: [IRN] 3.1, 5.3.3 and the authors' module receiveData.
 */
import { PsnBitmap } from './psn-bitmap.ts'

/** Classes of an arriving packet. IN_ORDER: the next one expected. */
export const IN_ORDER = 0
/** Ahead of a hole, and new. */
export const EARLY = 1
/** Ahead of a hole, and a duplicate. */
export const HELD = 2
export const DUPLICATE = 3
/** Further ahead than the bitmap reaches; cannot happen while the sender keeps to its cap. */
export const BEYOND = 4
export type Position = typeof IN_ORDER | typeof EARLY | typeof HELD | typeof DUPLICATE | typeof BEYOND

/** The two bits of a packet: b1 is 2, b2 is 1. */
export const PACKET = 2
export const MESSAGE_END = 1
export const COMPLETION_END = 3
export type PacketClass = typeof PACKET | typeof MESSAGE_END | typeof COMPLETION_END

interface ArrivalsOptions {
  /** Minimum capacity of the bitmaps in packets, from the expected one on: the sender's cap or more. */
  readonly bitmapBits: number
  /** False: one bit per packet suffices, as messages are counted elsewhere (READ responses). */
  readonly hasMessages: boolean
}

export class Arrivals {
  /** Next PSN expected. */
  epsn = 0
  /** Messages complete, in order (MSN). Unbounded. */
  msn = 0
  /** Messages among these that complete a Receive WQE. Unbounded. */
  completions = 0
  /** Packets ahead of a hole that have arrived. */
  held = 0
  private readonly hasMessages: boolean
  private readonly b1: PsnBitmap
  private readonly b2: PsnBitmap

  constructor(options: ArrivalsOptions, firstPsn = 0) {
    this.hasMessages = options.hasMessages
    this.b1 = new PsnBitmap(options.bitmapBits)
    this.b2 = options.hasMessages ? new PsnBitmap(options.bitmapBits) : this.b1
    this.epsn = firstPsn
  }

  /** Bits of all bitmaps, for the accounting of NIC state. */
  get bitmapBits(): number {
    return this.hasMessages ? 2 * this.b1.size : this.b1.size
  }

  /** The two bits of a packet ahead of a hole, 0 if it has not arrived. */
  classOf(psn: number): PacketClass | 0 {
    if (psn <= this.epsn || psn >= this.epsn + this.b1.size) return 0
    return ((this.b1.has(psn) ? PACKET : 0) | (this.hasMessages && this.b2.has(psn) ? MESSAGE_END : 0)) as
      | PacketClass
      | 0
  }

  position(psn: number): Position {
    const epsn = this.epsn
    if (psn === epsn) return IN_ORDER
    if (psn < epsn) return DUPLICATE
    if (psn >= epsn + this.b1.size) return BEYOND
    return this.b1.has(psn) || this.b2.has(psn) ? HELD : EARLY
  }

  /**
   * Accepts a packet that is IN_ORDER or EARLY. If in order, `epsn` advances over all packets that have arrived behind
   * it.
   */
  take(psn: number, bits: PacketClass): void {
    if (psn !== this.epsn) {
      this.held++
      if ((bits & PACKET) !== 0 || !this.hasMessages) this.b1.set(psn)
      if ((bits & MESSAGE_END) !== 0 && this.hasMessages) this.b2.set(psn)
      return
    }
    const { b1, b2 } = this
    const next = psn + 1
    if (this.held === 0) {
      this.epsn = next
      if (this.hasMessages && (bits & MESSAGE_END) !== 0) this.count(bits)
      return
    }
    if (!this.hasMessages) {
      const absent = b1.firstAbsent(next, psn + b1.size)
      const past = absent < 0 ? psn + b1.size : absent
      b1.clearRange(next, past)
      this.held -= past - next
      this.epsn = past
      return
    }
    if ((bits & MESSAGE_END) !== 0) this.count(bits)
    let past = next
    for (;;) {
      const first = b1.has(past)
      const second = b2.has(past)
      if (!first && !second) break
      if (first) b1.clear(past)
      if (second) {
        b2.clear(past)
        this.count(first ? COMPLETION_END : MESSAGE_END)
      }
      this.held--
      past++
    }
    this.epsn = past
  }

  /** Counts a message completed by its last packet. */
  private count(bits: PacketClass): void {
    this.msn++
    if (bits === COMPLETION_END) this.completions++
  }

  /** Grows the bitmaps for a packet that is BEYOND. */
  grow(psn: number): void {
    this.b1.grow(this.epsn, psn - this.epsn + 1)
    if (this.hasMessages) this.b2.grow(this.epsn, psn - this.epsn + 1)
  }
}
