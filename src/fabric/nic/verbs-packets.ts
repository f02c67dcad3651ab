/**
 * HOT. Headers and payloads of verbs packets, beside the records of packets; and the contract between a queue pair of the
 * fabric and the verbs ends whose packets it carries.
 * Units: bytes.
 */
import { DOUBLES, INTS, type Memory } from '../../base/memory.ts'
import { Hops } from '../../transport/hops.ts'
import { VerbsPacket } from '../../verbs/index.ts'
import { ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, isAtomic } from '../../wire/opcodes.ts'
import { ORDINAL, PAYLOAD } from '../packets.ts'

const ints = INTS
const doubles = DOUBLES

/**
 * Integers of a packet's headers, two cache lines, of which atomics alone use the second; all other fields are
 * in the packet's own record.
 */
const OPCODE = 0
/** Bits: an ACK is requested, solicited, has payload. */
const BITS = 1
const DESTINATION_QP = 2
const MSN = 3
const LSN = 4
const KEY = 5
const LENGTH_BYTES = 6
const IMMEDIATE = 7
const INVALIDATE_KEY = 8
const RECEIVE_SN = 9
const MESSAGE_OFFSET = 10
const READ_SN = 11
/** A double. */
const VIRTUAL_ADDRESS = 6
const SWAP_HIGH = 16
const SWAP_LOW = 17
const COMPARE_HIGH = 18
const COMPARE_LOW = 19
const HEADERS = 32
/** Initial number of rows. */
const FIRST_ROWS = 1024

const ASKED = 1
const SOLICITED = 2
const WITH_PAYLOAD = 4

/**
 * Headers and payloads of the verbs packets of one network, by the number of the packet's record. Headers are
 * adjacent integers: packets in flight are seldom in the nearest caches, and an object would take several lines.
 */
export class VerbsPackets {
  /** The packet that is being filled. */
  readonly scratch: VerbsPacket
  /** The packet that has arrived. */
  private readonly arrived: VerbsPacket
  private readonly memory: Memory
  /** Payloads by record, where packets have any. */
  private readonly payloads: (Uint8Array | undefined)[] = []
  private readonly mtuBytes: number
  private rows = FIRST_ROWS
  private at: number

  /** @param hasTelemetry whether ACKs return telemetry. */
  constructor(mtuBytes: number, memory: Memory, hasTelemetry: boolean) {
    this.mtuBytes = mtuBytes
    this.memory = memory
    this.at = memory.takeWhole(FIRST_ROWS * HEADERS)
    this.scratch = new VerbsPacket(mtuBytes)
    this.arrived = new VerbsPacket(mtuBytes)
    if (hasTelemetry) for (const packet of [this.scratch, this.arrived]) packet.hops = new Hops()
  }

  /** Stores `scratch` as the headers and payload of a packet. */
  stow(packet: number): void {
    const ordinal = ints[packet | ORDINAL]!
    if (ordinal >= this.rows) this.grow(ordinal)
    const { scratch } = this
    const row = this.at + ordinal * HEADERS
    const { opcode } = scratch
    ints[row + OPCODE] = opcode
    ints[row + DESTINATION_QP] = scratch.destinationQp
    ints[row + MSN] = scratch.msn
    ints[row + LSN] = scratch.lsn
    if (opcode === ACKNOWLEDGE) return
    ints[row + BITS] =
      (scratch.isAckRequested ? ASKED : 0) |
      (scratch.isSolicited ? SOLICITED : 0) |
      (scratch.hasPayload ? WITH_PAYLOAD : 0)
    ints[row + KEY] = scratch.key
    ints[row + LENGTH_BYTES] = scratch.lengthBytes
    ints[row + IMMEDIATE] = scratch.immediate
    ints[row + INVALIDATE_KEY] = scratch.invalidateKey
    ints[row + RECEIVE_SN] = scratch.receiveSn
    ints[row + MESSAGE_OFFSET] = scratch.messageOffset
    ints[row + READ_SN] = scratch.readSn
    doubles[(row >> 1) + VIRTUAL_ADDRESS] = scratch.virtualAddress
    if (isAtomic(opcode) || opcode === ATOMIC_ACKNOWLEDGE) {
      ints[row + SWAP_HIGH] = scratch.swapHigh
      ints[row + SWAP_LOW] = scratch.swapLow
      ints[row + COMPARE_HIGH] = scratch.compareHigh
      ints[row + COMPARE_LOW] = scratch.compareLow
    }
    if (scratch.hasPayload)
      (this.payloads[ordinal] ??= new Uint8Array(this.mtuBytes)).set(scratch.payload.subarray(0, scratch.payloadBytes))
  }

  /** Headers and payload of a packet, valid until the next call with the same object. */
  of(packet: number, arrived: VerbsPacket = this.arrived): VerbsPacket {
    const ordinal = ints[packet | ORDINAL]!
    const row = this.at + ordinal * HEADERS
    const opcode = ints[row + OPCODE]!
    arrived.opcode = opcode
    arrived.destinationQp = ints[row + DESTINATION_QP]!
    arrived.msn = ints[row + MSN]!
    arrived.lsn = ints[row + LSN]! >>> 0
    if (opcode === ACKNOWLEDGE) return arrived
    const bits = ints[row + BITS]!
    arrived.isAckRequested = (bits & ASKED) !== 0
    arrived.isSolicited = (bits & SOLICITED) !== 0
    arrived.hasPayload = (bits & WITH_PAYLOAD) !== 0
    arrived.key = ints[row + KEY]! >>> 0
    arrived.lengthBytes = ints[row + LENGTH_BYTES]! >>> 0
    arrived.immediate = ints[row + IMMEDIATE]! >>> 0
    arrived.invalidateKey = ints[row + INVALIDATE_KEY]! >>> 0
    arrived.receiveSn = ints[row + RECEIVE_SN]!
    arrived.messageOffset = ints[row + MESSAGE_OFFSET]!
    arrived.readSn = ints[row + READ_SN]!
    arrived.virtualAddress = doubles[(row >> 1) + VIRTUAL_ADDRESS]!
    if (isAtomic(opcode) || opcode === ATOMIC_ACKNOWLEDGE) {
      arrived.swapHigh = ints[row + SWAP_HIGH]! >>> 0
      arrived.swapLow = ints[row + SWAP_LOW]! >>> 0
      arrived.compareHigh = ints[row + COMPARE_HIGH]! >>> 0
      arrived.compareLow = ints[row + COMPARE_LOW]! >>> 0
    }
    if (arrived.hasPayload) {
      const bytes = ints[packet | PAYLOAD]!
      arrived.payload.set(this.payloads[ordinal]!.subarray(0, bytes))
    }
    return arrived
  }

  /** Doubles the rows, or more; the former memory is freed with the whole network. */
  private grow(ordinal: number): void {
    let rows = 2 * this.rows
    while (rows <= ordinal) rows *= 2
    const more = this.memory.takeWhole(rows * HEADERS)
    ints.copyWithin(more, this.at, this.at + this.rows * HEADERS)
    this.at = more
    this.rows = rows
  }
}

/** One end of a verbs connection, as the NICs call it (verbs-end.ts). */
export interface VerbsSide {
  /** The queue pair at this end. */
  readonly pair: { readonly number: number }
  /** A half has received something, or its deadline has passed, at this endpoint of the host. */
  follow(nowPs: number, endpoint: number): void
  /** Schedules `follow` for this instant, after the port's current action. */
  look(): void
  /** A request or response has left by this endpoint of the host. */
  onSent(endpoint: number): void
}

/** Verbs side of a queue pair of the fabric that carries packets of verbs. */
export interface VerbsDirection {
  readonly packets: VerbsPackets
  /** Format of its packets (wire/opcodes.ts). */
  readonly format: number
  /** The ends whose sender and whose receiver it has. */
  readonly near: VerbsSide
  readonly far: VerbsSide
  /** Size of a packet's frame. */
  frameBytes(packet: Readonly<VerbsPacket>): number
}
