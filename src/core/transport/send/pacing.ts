/**
 * HOT. Pacing: earliest start of the next packet, from the size of the last one and the rate; the last gap is cached,
 * as most packets repeat it.
 * Units: wire bytes, bit/s, picoseconds. Shape: a record of PACING integers, provided by its owner.
 */
import { DOUBLES, INTS } from '../../base/memory.ts'
import type { Serialization } from '../../base/serialization.ts'

const doubles = DOUBLES
const ints = INTS

/** Doubles: earliest start of the next packet, and start of the last one. */
const AVAILABLE_PS = 0
const START_PS = 1
/** The last gap, and the rate it was computed for. */
const GAP_PS = 2
const GAP_RATE_BPS = 3
/** Integers: the last packet's bytes (0: there was none), and the bytes the last gap was computed for. */
const WIRE_BYTES = 8
const GAP_BYTES = 9
/** Integers of the record. */
export const PACING = 10

export class Pacing {
  private readonly serialization: Serialization
  private readonly record: number

  /** @param record offset in the memory, at the start of a cache line. */
  constructor(serialization: Serialization, record: number) {
    this.serialization = serialization
    this.record = record
  }

  get availablePs(): number {
    return doubles[(this.record >> 1) | AVAILABLE_PS]!
  }

  /** Moves the next start to this time or later. */
  notBefore(timePs: number): void {
    const at = (this.record >> 1) | AVAILABLE_PS
    if (doubles[at]! < timePs) doubles[at] = timePs
  }

  /** A packet starts. */
  start(nowPs: number, wireBytes: number, rateBps: number): void {
    const { record } = this
    const at = record >> 1
    doubles[at | START_PS] = nowPs
    ints[record | WIRE_BYTES] = wireBytes
    if (wireBytes !== ints[record | GAP_BYTES]! || rateBps !== doubles[at | GAP_RATE_BPS]!) this.compute(rateBps)
    doubles[at | AVAILABLE_PS] = nowPs + doubles[at | GAP_PS]!
  }

  /** The rate may have changed: recomputes the deadline behind the last packet. */
  move(rateBps: number): void {
    const { record } = this
    const at = record >> 1
    const wireBytes = ints[record | WIRE_BYTES]!
    if (wireBytes === 0 || (rateBps === doubles[at | GAP_RATE_BPS]! && wireBytes === ints[record | GAP_BYTES]!)) return
    this.compute(rateBps)
    doubles[at | AVAILABLE_PS] = doubles[at | START_PS]! + doubles[at | GAP_PS]!
  }

  private compute(rateBps: number): void {
    const { record } = this
    const wireBytes = ints[record | WIRE_BYTES]!
    ints[record | GAP_BYTES] = wireBytes
    doubles[(record >> 1) | GAP_RATE_BPS] = rateBps
    doubles[(record >> 1) | GAP_PS] = this.serialization.durationPs(wireBytes, rateBps)
  }
}
