/**
 * Watched buffer: a buffer whose highest uses and refusals are counted, as switches do in watermarks and drop counters.
 * It holds the buffer that it watches, so that a switch without one pays nothing.
 * Units: bytes as the buffer charges them (whole cells where it has cells). Tables are indexed port * 8 + class.
 * Source: SONiC's counters SHARED_WATERMARK_BYTES and XOFF_ROOM_WATERMARK_BYTES of priority groups,
 * SHARED_WATERMARK_BYTES and DROPPED_PACKETS of queues, WATERMARK_BYTES of pools.
 */
import { REFUSED, type Buffer } from './buffer.ts'

export class WatchedBuffer implements Buffer {
  readonly watched: Buffer
  readonly ports: number
  /** Highest shared bytes and headroom bytes of each (port in, class), since the last `collect`. */
  readonly sharedPeak: Float64Array
  readonly headroomPeak: Float64Array
  /** Packets for which (port in, class) had no room. */
  readonly ingressDrops: Float64Array
  /** Bytes of each (port out, class) now, the highest since the last `collect`, and packets for which the queue had no room. */
  readonly queueBytes: Float64Array
  readonly queuePeak: Float64Array
  readonly egressDrops: Float64Array
  /** Peaks before the last `collect`; null: there was none. */
  private before: Readonly<Record<'shared' | 'headroom' | 'queue', Float64Array>> | null = null
  /** In the order of `pools`. */
  readonly poolPeak: Float64Array

  /** @param hasPools pools are watched too, which costs two more looks per packet */
  constructor(watched: Buffer, ports: number, hasPools = true) {
    const table = (): Float64Array => new Float64Array((ports + 1) * 8)
    this.watched = watched
    this.ports = ports
    this.sharedPeak = table()
    this.headroomPeak = table()
    this.ingressDrops = table()
    this.queueBytes = table()
    this.queuePeak = table()
    this.egressDrops = table()
    this.poolPeak = new Float64Array(hasPools ? watched.pools.length : 0)
  }

  admit(port: number, trafficClass: number, out: number, sizeBytes: number): number {
    const { watched } = this
    const admission = watched.admit(port, trafficClass, out, sizeBytes)
    const at = (port << 3) | trafficClass
    const queue = (out << 3) | trafficClass
    if (admission === REFUSED) {
      if (watched.isQueueFull(out, trafficClass, sizeBytes)) this.egressDrops[queue]!++
      else this.ingressDrops[at]!++
      return REFUSED
    }
    this.queueBytes[queue]! += watched.chargeOf(sizeBytes)
    raise(this.queuePeak, queue, this.queueBytes[queue]!)
    raise(this.sharedPeak, at, watched.sharedUsedBy(port, trafficClass))
    raise(this.headroomPeak, at, watched.headroomUsedBy(port, trafficClass))
    for (let pool = 0; pool < this.poolPeak.length; pool++) raise(this.poolPeak, pool, watched.poolUsedBytes(pool))
    return admission
  }

  release(port: number, trafficClass: number, out: number, sizeBytes: number): void {
    this.queueBytes[(out << 3) | trafficClass]! -= this.watched.chargeOf(sizeBytes)
    this.watched.release(port, trafficClass, out, sizeBytes)
  }

  admitCopy(trafficClass: number, out: number, sizeBytes: number): boolean {
    const { watched } = this
    const queue = (out << 3) | trafficClass
    const isAdmitted = watched.admitCopy(trafficClass, out, sizeBytes)
    if (isAdmitted) {
      this.queueBytes[queue]! += watched.chargeOf(sizeBytes)
      raise(this.queuePeak, queue, this.queueBytes[queue]!)
    } else this.egressDrops[queue]!++
    return isAdmitted
  }

  releaseCopy(trafficClass: number, out: number, sizeBytes: number): void {
    this.queueBytes[(out << 3) | trafficClass]! -= this.watched.chargeOf(sizeBytes)
    this.watched.releaseCopy(trafficClass, out, sizeBytes)
  }

  /** Watermarks of ports and classes begin anew at what is in use now, for the next reading; `most` keeps the highest. */
  collect(): void {
    this.before ??= {
      shared: this.sharedPeak.slice(),
      headroom: this.headroomPeak.slice(),
      queue: this.queuePeak.slice(),
    }
    const { before } = this
    for (let at = 8; at < this.sharedPeak.length; at++) {
      raise(before.shared, at, this.sharedPeak[at]!)
      raise(before.headroom, at, this.headroomPeak[at]!)
      raise(before.queue, at, this.queuePeak[at]!)
    }
    this.restart()
  }

  /** The highest use since the start, or since `clear`. */
  most(part: 'shared' | 'headroom' | 'queue', at: number): number {
    const peaks = { shared: this.sharedPeak, headroom: this.headroomPeak, queue: this.queuePeak }[part]
    return Math.max(peaks[at]!, this.before === null ? 0 : this.before[part][at]!)
  }

  /** Starts all watermarks at what is in use now, and all counters at 0. */
  clear(): void {
    this.before = null
    this.restart()
    const { watched } = this
    for (let pool = 0; pool < this.poolPeak.length; pool++) this.poolPeak[pool] = watched.poolUsedBytes(pool)
    this.ingressDrops.fill(0)
    this.egressDrops.fill(0)
  }

  private restart(): void {
    const { watched } = this
    this.queuePeak.set(this.queueBytes)
    for (let at = 8; at < this.sharedPeak.length; at++) {
      this.sharedPeak[at] = watched.sharedUsedBy(at >> 3, at & 7)
      this.headroomPeak[at] = watched.headroomUsedBy(at >> 3, at & 7)
    }
  }

  get usedBytes(): number {
    return this.watched.usedBytes
  }

  get pools(): readonly string[] {
    return this.watched.pools
  }

  configure(options: object): void {
    this.watched.configure(options)
  }

  isOverXoff(port: number, trafficClass: number): boolean {
    return this.watched.isOverXoff(port, trafficClass)
  }

  isUnderXon(port: number, trafficClass: number): boolean {
    return this.watched.isUnderXon(port, trafficClass)
  }

  usedBy(port: number, trafficClass: number): number {
    return this.watched.usedBy(port, trafficClass)
  }

  headroomUsedBy(port: number, trafficClass: number): number {
    return this.watched.headroomUsedBy(port, trafficClass)
  }

  sharedUsedBy(port: number, trafficClass: number): number {
    return this.watched.sharedUsedBy(port, trafficClass)
  }

  isQueueFull(out: number, trafficClass: number, sizeBytes: number): boolean {
    return this.watched.isQueueFull(out, trafficClass, sizeBytes)
  }

  chargeOf(sizeBytes: number): number {
    return this.watched.chargeOf(sizeBytes)
  }

  poolUsedBytes(pool: number): number {
    return this.watched.poolUsedBytes(pool)
  }

  audit(): string[] {
    return this.watched.audit()
  }
}

function raise(peaks: Float64Array, at: number, value: number): void {
  if (value > peaks[at]!) peaks[at] = value
}
