/**
 * HOT. Packets: what exists by the million, as integer handles.
 * Shape: one record of 16 integers per packet in one column, so that a packet is one cache line; a handle is the
 * offset of its record, a multiple of 16, and a field is data[packet | FIELD], which cannot overflow.
 * A packet has one owner at a time: a queue, the wire (an arrival event), or the code that just took it.
 * An event's code is a handle and its kind, so that there are 16 million packets at most at a time.
 * Invariant: made = freed + alive; a freed handle is used again before a new one.
 */

import { alignedInts } from '../base/aligned.ts'
import { assert } from '../base/assert.ts'
import { DOUBLE_ZERO } from '../base/double.ts'
import { KIND_BITS } from './event-codes.ts'

/** Packet kind beyond transport's segment kinds (0..5, 7, 9, 10). */
export const PFC = 6

/** Frame bytes, without preamble and gap. */
export const SIZE = 0
export const KIND = 1
/** Class in the device it is in. */
export const CLASS = 2
/** What switches classify by: DSCP, or PCP. */
export const CODEPOINT = 3
export const ECN = 4
/** Bits of transport/segment.ts; from PATH_SHIFT up the virtual path of a packet that names one. */
export const FLAGS = 5
export const SYNDROME = 6
export const PSN = 7
export const PAYLOAD = 8
/** NAK, ACK with SACK: the PSN it reports as arrived, where other kinds have their payload. */
export const SACK_PSN = 8
/** Queue pair * 2, + 1 on the way back; the ECMP hash and the demultiplexer go by it. PFC: class vector. */
export const FLOW = 9
/** Position of the destination host. PFC: quanta. */
export const DESTINATION = 10
/** IP identification, 16 bits, counted per host. */
export const IP_ID = 11
/** Port it arrives at, or arrived at. */
export const AT = 12
/** In a switch: local index of the port it is to leave by. */
export const OUT = 13
/** In a switch: local index of the port it came in by. */
export const INPUT = 14
/** Next in whatever list it is in, -1 at the end. */
export const NEXT = 15

/** A handle shifted right by so much counts packets. */
export const RECORD_BITS = 4
const RECORD = 1 << RECORD_BITS

export class Packets {
  data = alignedInts(1024 * RECORD)
  made = DOUBLE_ZERO
  freed = DOUBLE_ZERO
  private firstFree = -1
  private used = 0
  /** Transmission start of the data packet it is, or answers, and how long that was under way; for the hosts only. */
  private times = new Float64Array(2 * 1024)

  constructor() {
    this.made = 0
    this.freed = 0
  }

  get alive(): number {
    return this.made - this.freed
  }

  alloc(): number {
    this.made++
    const packet = this.firstFree
    if (packet >= 0) {
      this.firstFree = this.data[packet | NEXT]!
      return packet
    }
    if (this.used === this.data.length) this.grow()
    const made = this.used
    this.used += RECORD
    return made
  }

  free(packet: number): void {
    this.freed++
    this.data[packet | NEXT] = this.firstFree
    this.firstFree = packet
  }

  sentPs(packet: number): number {
    return this.times[packet >> (RECORD_BITS - 1)]!
  }

  delayPs(packet: number): number {
    return this.times[(packet >> (RECORD_BITS - 1)) | 1]!
  }

  setTimes(packet: number, sentPs: number, delayPs: number): void {
    const at = packet >> (RECORD_BITS - 1)
    this.times[at] = sentPs
    this.times[at | 1] = delayPs
  }

  private grow(): void {
    assert(this.data.length < 1 << (31 - KIND_BITS), 'more than 16 million packets at a time')
    const data = alignedInts(this.data.length * 2)
    data.set(this.data)
    this.data = data
    const times = new Float64Array(this.times.length * 2)
    times.set(this.times)
    this.times = times
  }
}
