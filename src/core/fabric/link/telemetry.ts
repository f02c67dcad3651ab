/**
 * HOT where it is used. Telemetry: in-band telemetry of data packets, kept beside the packets' records.
 * Exists only where the congestion control needs it; otherwise packets carry none.
 * Shape: per packet a count and room for MOST_HOPS records as in transport/hops.ts. A full header takes no further records.
 * Units: picoseconds, bytes, bit/s; times, sent bytes and queues are cut to whole units of the header's fields.
 * Source: HPCC's INT header: time, bytes sent, queue and rate of each egress port, written when the packet leaves.
 * Deviates: bytes sent include preamble and gap, so that a busy link reads as full; no field wraps (docs/models/hpcc.md).
 */
import { INTS } from '../../base/memory.ts'
import {
  HOP_PORT,
  HOP_QUEUE,
  HOP_RATE,
  HOP_RECORD,
  HOP_SENT,
  HOP_TIME,
  MOST_HOPS,
  type Hops,
} from '../../transport/hops.ts'
import { CLASSES } from './egress-queue.ts'
import { ORDINAL } from '../packets.ts'

const ints = INTS

const VALUES = MOST_HOPS * HOP_RECORD

export interface TelemetryOptions {
  /** Units of the fields. */
  readonly timeUnitPs: number
  readonly sentUnitBytes: number
  readonly queueUnitBytes: number
  /** Preamble and gap of each frame. */
  readonly gapBytes: number
}

/** State of a port that switches write into packets. */
export interface ObservedPort {
  readonly id: number
  readonly rateBps: number
  readonly sentBytes: number
  readonly sentFrames: number
  readonly queue: { bytesOf(trafficClass: number): number }
}

export class Telemetry {
  private counts = new Uint8Array(1024)
  private values = new Float64Array(1024 * VALUES)
  private readonly options: TelemetryOptions

  constructor(options: TelemetryOptions) {
    this.options = options
  }

  /** Clears the telemetry of a new packet. */
  clear(packet: number): void {
    const index = ints[packet | ORDINAL]!
    if (index >= this.counts.length) this.grow(index)
    this.counts[index] = 0
  }

  /** Gives a new ACK or NAK the telemetry of the data packet that it acknowledges. */
  store(packet: number, hops: Hops): void {
    this.clear(packet)
    const index = ints[packet | ORDINAL]!
    const count = hops.count
    const at = index * VALUES
    this.counts[index] = count
    for (let i = 0; i < count * HOP_RECORD; i++) this.values[at + i] = hops.values[i]!
  }

  load(packet: number, hops: Hops): void {
    const index = ints[packet | ORDINAL]!
    const count = this.counts[index]!
    const at = index * VALUES
    hops.count = count
    for (let i = 0; i < count * HOP_RECORD; i++) hops.values[i] = this.values[at + i]!
  }

  /** Adds a record as the packet leaves by a switch's port: it is no longer in the queue, and not yet among the bytes sent. */
  append(packet: number, port: ObservedPort, nowPs: number): void {
    const index = ints[packet | ORDINAL]!
    const count = this.counts[index]!
    if (count === MOST_HOPS) return
    const { timeUnitPs, sentUnitBytes, queueUnitBytes, gapBytes } = this.options
    const values = this.values
    const at = index * VALUES + count * HOP_RECORD
    let queueBytes = 0
    for (let c = 0; c < CLASSES; c++) queueBytes += port.queue.bytesOf(c)
    const sentBytes = port.sentBytes + gapBytes * port.sentFrames
    values[at + HOP_TIME] = nowPs - (nowPs % timeUnitPs)
    values[at + HOP_SENT] = sentBytes - (sentBytes % sentUnitBytes)
    values[at + HOP_QUEUE] = queueBytes - (queueBytes % queueUnitBytes)
    values[at + HOP_RATE] = port.rateBps
    values[at + HOP_PORT] = port.id
    this.counts[index] = count + 1
  }

  private grow(index: number): void {
    let length = this.counts.length
    while (length <= index) length *= 2
    const counts = new Uint8Array(length)
    counts.set(this.counts)
    this.counts = counts
    const values = new Float64Array(length * VALUES)
    values.set(this.values)
    this.values = values
  }
}
