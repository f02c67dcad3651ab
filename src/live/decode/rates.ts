/**
 * Bytes over time in bounded memory: when the bins do not reach, two become one of twice the width.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'

const BINS_MAX = 128
/** Width at the start. */
const WIDTH_PS = 1e9

export interface Rate {
  /** When the first bin begins. */
  readonly startPs: number
  readonly binPs: number
  readonly bytes: readonly number[]
}

export class RateBins {
  #startPs = 0
  #widthPs = WIDTH_PS
  #bytes: number[] = []

  add(timePs: number, bytes: number): void {
    if (!Number.isFinite(timePs)) return
    if (this.#bytes.length === 0) {
      this.#startPs = timePs
      this.#bytes = [0]
    }
    let bin = Math.max(0, Math.floor((timePs - this.#startPs) / this.#widthPs))
    while (bin >= BINS_MAX) {
      const before = this.#bytes
      this.#bytes = Array.from(
        { length: Math.ceil(before.length / 2) },
        (_, i) => before[2 * i]! + (before[2 * i + 1] ?? 0),
      )
      if (CHECKED) assert(sumOf(this.#bytes) === sumOf(before), 'rates: bytes are lost as two bins become one')
      this.#widthPs *= 2
      bin = Math.floor((timePs - this.#startPs) / this.#widthPs)
    }
    while (this.#bytes.length <= bin) this.#bytes.push(0)
    if (CHECKED) assert(this.#bytes.length <= BINS_MAX, 'rates: more bins than have room')
    this.#bytes[bin]! += bytes
  }

  /** Bits per second in the whole bins around a time: before it and after it; null where there is no bin. */
  around(timePs: number): { readonly beforeBps: number | null; readonly afterBps: number | null } {
    const bin = Math.floor((timePs - this.#startPs) / this.#widthPs)
    const rateOf = (bytes: number | undefined): number | null =>
      bytes === undefined ? null : (bytes * 8e12) / this.#widthPs
    return { beforeBps: rateOf(this.#bytes[bin - 1]), afterBps: rateOf(this.#bytes[bin + 1]) }
  }

  rate(): Rate {
    return { startPs: this.#startPs, binPs: this.#widthPs, bytes: this.#bytes }
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)
