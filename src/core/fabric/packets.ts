/**
 * HOT. Packets: records of the packets in the network, as integer handles, since there are millions.
 * Shape: one record of 32 integers per packet, two cache lines; a handle is the offset of its record, a multiple of 32,
 * and a field is ints[packet | FIELD], which cannot overflow. In front is the packet's event (engine/event-queue.ts), in one
 * cache line with the fields that a switch reads.
 * A packet has one owner at a time: a queue, the link (an arrival event), or the code that has just taken it.
 * Invariant: made = freed + alive; a freed handle is used again before a new one.
 */

import { assert, CHECKED } from '../base/assert.ts'
import { DOUBLE_ZERO } from '../base/double.ts'
import { DOUBLES, INTS, type Memory } from '../base/memory.ts'
import { EVENT_CODE, EVENT_ORDER, EVENT_PS, expectIdle } from '../engine/event-record.ts'

const ints = INTS
const doubles = DOUBLES

/** Packet kind beyond transport's segment kinds (0..5, 7, 9..11). */
export const PFC = 6
/** Broadcast or multicast frame: of no queue pair, for every host of its switch. */
export const BROADCAST = 12
/** Copy of a flooded frame beyond the one that may find its destination: every receiver drops it. */
export const COPY = 13

/** Frame bytes, without preamble and gap. */
export const SIZE = 6
export const KIND = 7
/** Codepoint that switches classify by: DSCP, or PCP. */
export const CODEPOINT = 8
export const ECN = 9
/** Direction: queue pair * 2, + 1 for packets back to its source; key of the ECMP hash and of demultiplexing. PFC: class vector. */
export const DIRECTION = 10
/** Position of the destination host. PFC: quanta. */
export const DESTINATION = 11
/** Port that it arrives at, or has arrived at. */
export const AT = 12
/** In a switch: local index of the port it came in by. */
export const INPUT = 13
/** Next packet of the list that it is in, -1 at the end. */
export const NEXT = 14
export const PSN = 15
/** In a switch's pipeline: traffic class. */
export const CLASS = 16
/** In a switch's pipeline: local index of the port it is to leave by. PFC that waits for its time: 1 before it is sent, 0 after its arrival. */
export const OUT = 17
/** Bits of transport/segment.ts; from PATH_SHIFT up the virtual path of a packet that has one. */
export const FLAGS = 18
export const SYNDROME = 19
export const PAYLOAD = 20
/** NAK, ACK with SACK: PSN that is reported as arrived, in the field of other kinds' payload. */
export const SACK_PSN = 20
/** IP identification, 16 bits, counted per host. */
export const IP_ID = 21
/** Doubles: transmission start of the data packet that it is or acknowledges, and time that packet was in flight; for hosts only. */
const SENT_PS = 11
const IN_FLIGHT_PS = 12
/** Number of the packet record, from 0, an index for tables that hold further fields. */
export const ORDINAL = 26
/** Trimmed packet: bytes of its frame that were cut off. */
export const TRIMMED_BYTES = 27

/** In a cut-through switch: stage of the frame (link/cut-through.ts). */
export const STAGE = 28
/** Work requests only: opcode and header bits (pairs/verbs-packets.ts), MSN, byte sequence number. */
export const VERBS = 29
export const MSN = 30
export const LSN = 31

/** In the checked program, the kind of a record that is free. */
const FREE = -1
/** Integers. */
const RECORD = 32
/** Initial number of records. */
const FIRST = 1024

/** For the checked program, wherever a packet goes from one room or device to another. */
export function expectAlive(packet: number): void {
  assert(
    packet >= 0 && (packet & (RECORD - 1)) === 0 && ints[packet | KIND]! >= 0,
    'a packet is used that is not alive',
  )
}

/** A packet that is alive is on a link: its arrival is to come. @param order of the event in progress */
export function isOnLink(packet: number, nowPs: number, order: number): boolean {
  if (ints[packet | EVENT_CODE] !== packet) return false
  const slot = packet >> 1
  const atPs = doubles[slot | EVENT_PS]!
  return atPs > nowPs || (atPs === nowPs && doubles[slot | EVENT_ORDER]! > order)
}

export class Packets {
  made = DOUBLE_ZERO
  freed = DOUBLE_ZERO
  private readonly memory: Memory
  private firstFree = -1
  /** Regions of records: offset and length. */
  private readonly regions: { readonly from: number; readonly records: number }[] = []
  /** Number of records. */
  private count = 0

  constructor(memory: Memory) {
    this.memory = memory
    this.made = 0
    this.freed = 0
  }

  /** Number of records. */
  get room(): number {
    return this.count
  }

  get alive(): number {
    return this.made - this.freed
  }

  /** Makes a packet with all fields initialized: those not among the parameters are 0, and it is in no list. */
  make(kind: number, direction: number, destination: number, sizeBytes: number, codepoint: number): number {
    const packet = this.alloc()
    ints[packet | SIZE] = sizeBytes
    ints[packet | KIND] = kind
    ints[packet | CODEPOINT] = codepoint
    ints[packet | ECN] = 0
    ints[packet | DIRECTION] = direction
    ints[packet | DESTINATION] = destination
    ints[packet | NEXT] = -1
    ints[packet | PSN] = 0
    ints[packet | FLAGS] = 0
    ints[packet | SYNDROME] = 0
    ints[packet | PAYLOAD] = 0
    ints[packet | IP_ID] = 0
    this.setTimes(packet, 0, 0)
    return packet
  }

  /** Takes a record without clearing it: its fields are those of the last owner. */
  alloc(): number {
    this.made++
    if (this.firstFree < 0) this.grow()
    const packet = this.firstFree
    this.firstFree = ints[packet | NEXT]!
    if (CHECKED) ints[packet | KIND] = 0
    return packet
  }

  free(packet: number): void {
    if (CHECKED) expectAlive(packet)
    if (CHECKED) expectIdle(packet)
    if (CHECKED) ints[packet | KIND] = FREE
    this.freed++
    ints[packet | NEXT] = this.firstFree
    this.firstFree = packet
  }

  /** Another packet with the same fields; it is in no list. */
  copy(packet: number): number {
    if (CHECKED) expectAlive(packet)
    const twin = this.alloc()
    // A record holds the event in front, and a number of its own: fields lie between and behind.
    ints.copyWithin(twin | SIZE, packet | SIZE, packet | ORDINAL)
    ints.copyWithin(twin | TRIMMED_BYTES, packet | TRIMMED_BYTES, packet + RECORD)
    ints[twin | NEXT] = -1
    return twin
  }

  sentPs(packet: number): number {
    return doubles[(packet >> 1) | SENT_PS]!
  }

  delayPs(packet: number): number {
    return doubles[(packet >> 1) | IN_FLIGHT_PS]!
  }

  setTimes(packet: number, sentPs: number, delayPs: number): void {
    doubles[(packet >> 1) | SENT_PS] = sentPs
    doubles[(packet >> 1) | IN_FLIGHT_PS] = delayPs
  }

  /** All packets that are alive, found by walking every record; for checkers. */
  living(): number[] {
    const isFree = new Uint8Array(this.count)
    for (let packet = this.firstFree; packet >= 0; packet = ints[packet | NEXT]!) isFree[ints[packet | ORDINAL]!] = 1
    const living: number[] = []
    for (const { from, records } of this.regions) {
      for (let packet = from; packet < from + records * RECORD; packet += RECORD)
        if (isFree[ints[packet | ORDINAL]!] === 0) living.push(packet)
    }
    return living
  }

  /** Doubles the number of records; new ones are used from the lowest on. */
  private grow(): void {
    const more = this.count === 0 ? FIRST : this.count
    const from = this.memory.take(more * RECORD, RECORD)
    this.regions.push({ from, records: more })
    for (let i = more - 1; i >= 0; i--) {
      const packet = from + i * RECORD
      ints[packet | ORDINAL] = this.count + i
      if (CHECKED) ints[packet | KIND] = FREE
      ints[packet | NEXT] = this.firstFree
      this.firstFree = packet
    }
    this.count += more
  }
}
