/**
 * HOT. Shared buffer: reserve, shared pool with dynamic thresholds, headroom.
 * Units: bytes of frames. Shapes: columns are indexed [port * 8 + class], ports from 1.
 * A counter pays from its reserve, then from the shared pool while it is not over its threshold
 * alpha * (pool - shared in use), then (lossless) from headroom; a lossy packet over the threshold is dropped.
 * Invariant: sum of min(ordinary, reserve) + sharedUsed + sum of headroom = bytes in the switch, where
 * sharedUsed = sum of max(0, ordinary - reserve).
 * Source: S2 6.2; Choudhury and Hahne 1998; bookkeeping in the order of the HPCC fork (docs/models/shared-buffer.md).
 * Deviates: thresholds follow every byte; real chips refresh them periodically and count cells.
 */
import type { Buffer } from './buffer.ts'

export interface SharedBufferOptions {
  readonly ports: number
  /** Shared pool: what is left of the memory after reserves and headroom. */
  readonly poolBytes: number
  readonly reserveBytes: number
  /** By port. */
  readonly alpha: Float64Array
  /** Headroom of one class, by port. */
  readonly headroomBytes: Float64Array
  /** Bit per lossless class. */
  readonly lossless: number
  readonly xonOffsetBytes: number
  /** Bit per class whose egress queues are limited. */
  readonly egressLimited: number
  readonly egressAlpha: number
  readonly egressReserveBytes: number
}

export class SharedBuffer implements Buffer {
  usedBytes = 0
  readonly #options: SharedBufferOptions
  /** Reserve and shared bytes of each counter. */
  readonly #ordinary: Float64Array
  readonly #headroom: Float64Array
  /** Of limited classes only. */
  readonly #egress: Float64Array
  #sharedUsed = 0
  #egressUsed = 0

  constructor(options: SharedBufferOptions) {
    this.#options = options
    const length = (options.ports + 1) * 8
    this.#ordinary = new Float64Array(length)
    this.#headroom = new Float64Array(length)
    this.#egress = new Float64Array(length)
  }

  /** What a counter of `port` may take of the shared pool now; whole bytes. */
  thresholdBytes(port: number): number {
    const free = this.#options.poolBytes - this.#sharedUsed
    return free <= 0 ? 0 : Math.floor(this.#options.alpha[port]! * free)
  }

  admit(port: number, trafficClass: number, out: number, sizeBytes: number): boolean {
    const o = this.#options
    const at = port * 8 + trafficClass
    const ordinary = this.#ordinary[at]!
    const after = ordinary + sizeBytes
    const reserve = o.reserveBytes
    const bit = 1 << trafficClass
    if ((o.egressLimited & bit) !== 0 && !this.#mayEgress(out, trafficClass, sizeBytes)) return false
    if (after <= reserve) this.#ordinary[at] = after
    else {
      const threshold = this.thresholdBytes(port)
      if (after - reserve > threshold) {
        if ((o.lossless & bit) === 0) return false
        const shared = ordinary > reserve ? ordinary - reserve : 0
        const headroom = this.#headroom[at]! + sizeBytes
        if (headroom > o.headroomBytes[port]! && sizeBytes + shared > threshold) return false
        this.#headroom[at] = headroom
      } else {
        this.#ordinary[at] = after
        this.#sharedUsed += after - reserve < sizeBytes ? after - reserve : sizeBytes
      }
    }
    if ((o.egressLimited & bit) !== 0) {
      this.#egress[out * 8 + trafficClass]! += sizeBytes
      this.#egressUsed += sizeBytes
    }
    this.usedBytes += sizeBytes
    return true
  }

  isOverXoff(port: number, trafficClass: number): boolean {
    const at = port * 8 + trafficClass
    if (this.#headroom[at]! > 0) return true
    const shared = this.#ordinary[at]! - this.#options.reserveBytes
    return (shared > 0 ? shared : 0) >= this.thresholdBytes(port)
  }

  release(port: number, trafficClass: number, out: number, sizeBytes: number): void {
    const at = port * 8 + trafficClass
    const reserve = this.#options.reserveBytes
    const headroom = this.#headroom[at]!
    // Headroom drains first.
    const fromHeadroom = headroom < sizeBytes ? headroom : sizeBytes
    const ordinary = this.#ordinary[at]!
    const shared = ordinary > reserve ? ordinary - reserve : 0
    const rest = sizeBytes - fromHeadroom
    this.#headroom[at] = headroom - fromHeadroom
    this.#ordinary[at] = ordinary - rest
    this.#sharedUsed -= rest < shared ? rest : shared
    this.usedBytes -= sizeBytes
    if ((this.#options.egressLimited & (1 << trafficClass)) !== 0) {
      this.#egress[out * 8 + trafficClass]! -= sizeBytes
      this.#egressUsed -= sizeBytes
    }
  }

  isUnderXon(port: number, trafficClass: number): boolean {
    const at = port * 8 + trafficClass
    if (this.#headroom[at]! > 0) return false
    const shared = this.#ordinary[at]! - this.#options.reserveBytes
    return shared <= 0 || shared + this.#options.xonOffsetBytes <= this.thresholdBytes(port)
  }

  usedBy(port: number, trafficClass: number): number {
    const at = port * 8 + trafficClass
    return this.#ordinary[at]! + this.#headroom[at]!
  }

  headroomUsedBy(port: number, trafficClass: number): number {
    return this.#headroom[port * 8 + trafficClass]!
  }

  audit(): string[] {
    const wrong: string[] = []
    const reserve = this.#options.reserveBytes
    let shared = 0
    let total = 0
    let egress = 0
    for (let at = 8; at < this.#ordinary.length; at++) {
      const ordinary = this.#ordinary[at]!
      const headroom = this.#headroom[at]!
      if (ordinary < 0 || headroom < 0) wrong.push(`port ${at >> 3} class ${at & 7}: negative counter`)
      shared += ordinary > reserve ? ordinary - reserve : 0
      total += ordinary + headroom
      egress += this.#egress[at]!
    }
    if (shared !== this.#sharedUsed) wrong.push(`counters share ${shared}, the pool says ${this.#sharedUsed}`)
    if (total !== this.usedBytes) wrong.push(`counters hold ${total}, the switch ${this.usedBytes}`)
    if (egress !== this.#egressUsed) wrong.push(`egress queues hold ${egress}, their pool says ${this.#egressUsed}`)
    return wrong
  }

  #mayEgress(out: number, trafficClass: number, sizeBytes: number): boolean {
    const o = this.#options
    const used = this.#egress[out * 8 + trafficClass]! + sizeBytes
    return used <= o.egressReserveBytes || used - o.egressReserveBytes <= o.egressAlpha * (o.poolBytes - this.#egressUsed)
  }
}
