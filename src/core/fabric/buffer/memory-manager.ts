/**
 * Memory manager: the buffer of a switch as its hardware accounts for it. Whole cells, a pool of input ports and one of
 * egress queues, priority groups with a profile each, a headroom pool that all of them share.
 * Units: bytes of cells, integers; `usedBytes` counts bytes of frames. Tables are indexed port * 8 + group (or class, for
 * queues). A packet counts twice: in its group (port in, group of its class) and in its queue (port out, class).
 *   group: reserve, then its ingress pool up to the limit, then headroom; else the packet is refused.
 *   queue: reserve, then its egress pool up to the limit; else the packet is refused.
 *   limit: a fixed one, or alpha * (free bytes of the pool); in both cases no more than is free.
 *   XOFF: use of the group >= reserve + limit.  XON: use <= max(xon, reserve + limit - xonOffset).
 * Invariant: poolUsed and headroomUsed are the sums of max(0, ordinary - reserve) and of headroom over all groups, and of
 * max(0, bytes - reserve) over all queues.
 * Source: SAI saibuffer.h and SONiC's BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and BUFFER_QUEUE; [MS-Scale 6.2].
 * Deviates: limits follow every cell; chips refresh them periodically.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import { dynamicThresholdBytes } from '../formulas.ts'
import { ADMITTED, ADMITTED_OVER_XOFF, REFUSED, type Buffer } from './buffer.ts'

/** Pools, as indexes of `poolBytes` and of the buffer's list of pools. */
export const INGRESS_LOSSLESS = 0
export const INGRESS_LOSSY = 1
export const EGRESS_LOSSLESS = 2
export const EGRESS_LOSSY = 3
const POOLS = 4

/** Limits of all priority groups, or of all queues, with one entry for each. */
export interface Limits {
  readonly reserveBytes: Float64Array
  /** Share of the free bytes of the pool; NaN: `fixedBytes` holds. */
  readonly alpha: Float64Array
  readonly fixedBytes: Float64Array
  /** Index of the pool. */
  readonly pool: Uint8Array
}

export interface MemoryManagerOptions {
  readonly ports: number
  /** A packet takes whole cells; 1: its bytes. */
  readonly cellBytes: number
  /** Shared bytes of the four pools, without reserves. */
  readonly poolBytes: Float64Array
  /** Shared by the headroom of all groups; Infinity: each has its own. */
  readonly headroomPoolBytes: number
  /** Priority group of each class. */
  readonly groupOf: Uint8Array
  readonly groups: Limits
  /** Headroom by group; 0 where the group is lossy. */
  readonly headroomBytes: Float64Array
  /** 1 where the group is lossless. */
  readonly isLossless: Uint8Array
  readonly xonBytes: Float64Array
  readonly xonOffsetBytes: Float64Array
  readonly queues: Limits
}

export class MemoryManager implements Buffer {
  usedBytes = 0
  readonly pools = ['ingress-lossless', 'ingress-lossy', 'egress-lossless', 'egress-lossy', 'headroom'] as const
  private o!: MemoryManagerOptions
  private readonly cellBytes: number
  private readonly poolUsed = new Float64Array(POOLS)
  private headroomUsed = 0
  /** Bytes in queues of packets that are charged to their group once and have copies in other queues. */
  private copyBytes = 0
  /** By group: bytes of reserve and pool, bytes of headroom. */
  private readonly ordinary: Float64Array
  private readonly headroom: Float64Array
  /** By queue. */
  private readonly queued: Float64Array

  constructor(options: MemoryManagerOptions) {
    const length = (options.ports + 1) * 8
    this.cellBytes = options.cellBytes
    this.ordinary = new Float64Array(length)
    this.headroom = new Float64Array(length)
    this.queued = new Float64Array(length)
    this.configure(options)
  }

  /** `ports`, `cellBytes` and `groupOf` have to stay as they are. */
  configure(options: MemoryManagerOptions): void {
    this.o = options
    const { poolUsed, headroomUsed } = this.sums()
    this.poolUsed.set(poolUsed)
    this.headroomUsed = headroomUsed
  }

  chargeOf(sizeBytes: number): number {
    const cell = this.cellBytes
    return Math.ceil(sizeBytes / cell) * cell
  }

  admit(port: number, trafficClass: number, out: number, sizeBytes: number): number {
    const bytes = this.chargeOf(sizeBytes)
    const { o } = this
    const queue = (out << 3) | trafficClass
    const fromEgress = this.excess(o.queues, this.queued, queue, bytes)
    if (fromEgress > 0 && !this.mayTake(o.queues, this.queued, queue, fromEgress)) return REFUSED
    const at = (port << 3) | o.groupOf[trafficClass]!
    const fromIngress = this.excess(o.groups, this.ordinary, at, bytes)
    if (fromIngress <= 0 || this.mayTake(o.groups, this.ordinary, at, fromIngress)) {
      this.ordinary[at]! += bytes
      if (fromIngress > 0) this.poolUsed[o.groups.pool[at]!]! += fromIngress
    } else {
      const headroom = this.headroom[at]! + bytes
      if (headroom > o.headroomBytes[at]! || this.headroomUsed + bytes > o.headroomPoolBytes) return REFUSED
      this.headroom[at] = headroom
      this.headroomUsed += bytes
    }
    this.queued[queue]! += bytes
    if (fromEgress > 0) this.poolUsed[o.queues.pool[queue]!]! += fromEgress
    this.usedBytes += sizeBytes
    return o.isLossless[at] === 1 && this.isGroupOverXoff(at) ? ADMITTED_OVER_XOFF : ADMITTED
  }

  release(port: number, trafficClass: number, out: number, sizeBytes: number): void {
    const bytes = this.chargeOf(sizeBytes)
    const { o } = this
    const at = (port << 3) | o.groupOf[trafficClass]!
    const queue = (out << 3) | trafficClass
    // Headroom drains first.
    const fromHeadroom = Math.min(this.headroom[at]!, bytes)
    this.headroom[at]! -= fromHeadroom
    this.headroomUsed -= fromHeadroom
    this.giveBack(o.groups, this.ordinary, at, bytes - fromHeadroom)
    this.giveBack(o.queues, this.queued, queue, bytes)
    this.usedBytes -= sizeBytes
  }

  admitCopy(trafficClass: number, out: number, sizeBytes: number): boolean {
    const bytes = this.chargeOf(sizeBytes)
    const { queues } = this.o
    const queue = (out << 3) | trafficClass
    const fromEgress = this.excess(queues, this.queued, queue, bytes)
    if (fromEgress > 0 && !this.mayTake(queues, this.queued, queue, fromEgress)) return false
    this.queued[queue]! += bytes
    if (fromEgress > 0) this.poolUsed[queues.pool[queue]!]! += fromEgress
    this.copyBytes += bytes
    return true
  }

  releaseCopy(trafficClass: number, out: number, sizeBytes: number): void {
    const bytes = this.chargeOf(sizeBytes)
    this.giveBack(this.o.queues, this.queued, (out << 3) | trafficClass, bytes)
    this.copyBytes -= bytes
  }

  isOverXoff(port: number, trafficClass: number): boolean {
    return this.isGroupOverXoff((port << 3) | this.o.groupOf[trafficClass]!)
  }

  isUnderXon(port: number, trafficClass: number): boolean {
    const { o } = this
    const at = (port << 3) | o.groupOf[trafficClass]!
    const resumeBytes = o.groups.reserveBytes[at]! + this.limit(o.groups, this.ordinary, at) - o.xonOffsetBytes[at]!
    const xon = o.xonBytes[at]!
    return this.ordinary[at]! + this.headroom[at]! <= (xon > resumeBytes ? xon : resumeBytes)
  }

  /** Bytes that the group of (port, class) may take from its pool now. */
  limitBytes(port: number, trafficClass: number): number {
    return this.limit(this.o.groups, this.ordinary, (port << 3) | this.o.groupOf[trafficClass]!)
  }

  usedBy(port: number, trafficClass: number): number {
    const at = (port << 3) | this.o.groupOf[trafficClass]!
    return this.ordinary[at]! + this.headroom[at]!
  }

  headroomUsedBy(port: number, trafficClass: number): number {
    return this.headroom[(port << 3) | this.o.groupOf[trafficClass]!]!
  }

  sharedUsedBy(port: number, trafficClass: number): number {
    return shared(this.o.groups, this.ordinary, (port << 3) | this.o.groupOf[trafficClass]!)
  }

  isQueueFull(out: number, trafficClass: number, sizeBytes: number): boolean {
    const queue = (out << 3) | trafficClass
    const bytes = this.excess(this.o.queues, this.queued, queue, this.chargeOf(sizeBytes))
    return bytes > 0 && !this.mayTake(this.o.queues, this.queued, queue, bytes)
  }

  poolUsedBytes(pool: number): number {
    return pool < POOLS ? this.poolUsed[pool]! : this.headroomUsed
  }

  audit(): string[] {
    const wrong: string[] = []
    const sums = this.sums()
    for (let pool = 0; pool < POOLS; pool++) {
      const used = this.poolUsed[pool]!
      if (used !== sums.poolUsed[pool])
        wrong.push(`pool ${this.pools[pool]} holds ${used}, its parts ${sums.poolUsed[pool]}`)
    }
    if (this.headroomUsed !== sums.headroomUsed)
      wrong.push(`the headroom pool holds ${this.headroomUsed}, its parts ${sums.headroomUsed}`)
    let inGroups = 0
    let inQueues = 0
    for (let at = 0; at < this.ordinary.length; at++) {
      const [ordinary, headroom, queued] = [this.ordinary[at]!, this.headroom[at]!, this.queued[at]!]
      if (ordinary < 0 || headroom < 0 || queued < 0) wrong.push(`port ${at >> 3} class ${at & 7}: negative counter`)
      inGroups += ordinary + headroom
      inQueues += queued
    }
    if (inGroups + this.copyBytes !== inQueues)
      wrong.push(`groups hold ${inGroups}, queues ${inQueues}, ${this.copyBytes} of them copies`)
    // A cell has at least one byte of a frame.
    if (inGroups < this.usedBytes || inGroups > this.usedBytes * this.cellBytes)
      wrong.push(`cells hold ${inGroups} bytes, the frames in them ${this.usedBytes}`)
    return wrong
  }

  private isGroupOverXoff(at: number): boolean {
    const { groups } = this.o
    const used = this.ordinary[at]! + this.headroom[at]!
    return used >= groups.reserveBytes[at]! + this.limit(groups, this.ordinary, at)
  }

  /** Bytes that one group or queue may hold of its pool now: no more than it has and the pool can give. */
  private limit(of: Limits, held: Float64Array, at: number): number {
    const pool = of.pool[at]!
    const left = this.o.poolBytes[pool]! - this.poolUsed[pool]!
    const free = left > 0 ? left : 0
    const most = shared(of, held, at) + free
    const configured = configuredLimit(of, at, free)
    return configured < most ? configured : most
  }

  /** Bytes that a packet needs from the pool of one group or queue; 0 or less: its reserve is enough. */
  private excess(of: Limits, held: Float64Array, at: number, bytes: number): number {
    const over = held[at]! + bytes - of.reserveBytes[at]!
    return over < bytes ? over : bytes
  }

  private mayTake(of: Limits, held: Float64Array, at: number, bytes: number): boolean {
    return shared(of, held, at) + bytes <= this.limit(of, held, at)
  }

  private giveBack(of: Limits, held: Float64Array, at: number, bytes: number): void {
    const fromPool = shared(of, held, at)
    held[at]! -= bytes
    if (CHECKED) assert(held[at]! >= 0, 'a buffer releases more than it holds')
    this.poolUsed[of.pool[at]!]! -= bytes < fromPool ? bytes : fromPool
  }

  /** All sums anew, from what each holds. */
  private sums(): { readonly poolUsed: Float64Array; readonly headroomUsed: number } {
    const { groups, queues } = this.o
    const poolUsed = new Float64Array(POOLS)
    let headroomUsed = 0
    for (let at = 8; at < this.ordinary.length; at++) {
      poolUsed[groups.pool[at]!]! += shared(groups, this.ordinary, at)
      poolUsed[queues.pool[at]!]! += shared(queues, this.queued, at)
      headroomUsed += this.headroom[at]!
    }
    return { poolUsed, headroomUsed }
  }
}

/** Bytes that one group or queue holds beyond its reserve. */
function shared(of: Limits, held: Float64Array, at: number): number {
  const over = held[at]! - of.reserveBytes[at]!
  return over > 0 ? over : 0
}

/** The configured limit of one group or queue, whatever it holds. */
function configuredLimit(of: Limits, at: number, freeBytes: number): number {
  const alpha = of.alpha[at]!
  return alpha === alpha ? dynamicThresholdBytes(alpha, freeBytes) : of.fixedBytes[at]!
}
