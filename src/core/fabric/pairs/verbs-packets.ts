/**
 * HOT. Headers and payloads of verbs packets, beside the records of packets; and the contract between a queue pair of the
 * fabric and the verbs ends whose packets it carries.
 * Units: bytes.
 */
import { DOUBLES, INTS, type Memory } from '../../base/memory.ts'
import { Hops } from '../../transport/hops.ts'
import { type QueuePair as VerbsQueuePair, VerbsPacket } from '../../verbs/index.ts'
import { ATOMIC_ACKNOWLEDGE, HAS_AETH, HAS_LSN, HAS_SACK, headersOf, isAtomic } from '../../wire/opcodes.ts'
import { LSN, MSN, ORDINAL, PAYLOAD, VERBS } from '../packets.ts'

const ints = INTS
const doubles = DOUBLES

/** Bits of VERBS behind the opcode: an ACK is requested, solicited, has payload, has a row. */
const ASKED = 0x100
const SOLICITED = 0x200
const WITH_PAYLOAD = 0x400
const WITH_ROW = 0x800
const OPCODE = 0xff

/** Headers that a packet's own record has room for. */
const IN_RECORD = HAS_AETH | HAS_LSN | HAS_SACK

/** Integers of a row, which holds the other headers of a packet: one cache line, or two of an atomic. */
const KEY = 0
const LENGTH_BYTES = 1
/** A double. */
const VIRTUAL_ADDRESS = 1
const IMMEDIATE = 4
const INVALIDATE_KEY = 5
const RECEIVE_SN = 6
const MESSAGE_OFFSET = 7
const READ_SN = 8
const SWAP_HIGH = 16
const SWAP_LOW = 17
const COMPARE_HIGH = 18
const COMPARE_LOW = 19
const HEADERS = 32
/** Initial number of rows. */
const FIRST_ROWS = 1024

/**
 * Headers and payloads of the verbs packets of one network: in the packet's own record, and in a row of adjacent integers by
 * the number of the record.
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

  /** Stores `scratch` as the headers and payload of a packet of this format. */
  stow(packet: number, format: number): void {
    const { scratch } = this
    const { opcode } = scratch
    // Packets in flight are seldom in the nearest caches, and their records are needed anyway: ACKs, and packets within
    // a message of RoCE, have no row.
    const hasRow = (headersOf(opcode, format) & ~IN_RECORD) !== 0
    ints[packet | VERBS] =
      opcode |
      (scratch.isAckRequested ? ASKED : 0) |
      (scratch.isSolicited ? SOLICITED : 0) |
      (scratch.hasPayload ? WITH_PAYLOAD : 0) |
      (hasRow ? WITH_ROW : 0)
    ints[packet | MSN] = scratch.msn
    ints[packet | LSN] = scratch.lsn
    if (hasRow) this.stowRow(packet, opcode)
    if (scratch.hasPayload)
      (this.payloads[ints[packet | ORDINAL]!] ??= new Uint8Array(this.mtuBytes)).set(
        scratch.payload.subarray(0, scratch.payloadBytes),
      )
  }

  /**
   * Headers and payload of a packet, valid until the next call with the same object. Fields of headers that it does not
   * have are those of an earlier packet, as is the queue pair that it goes to, which its direction tells.
   */
  of(packet: number, arrived: VerbsPacket = this.arrived): VerbsPacket {
    const bits = ints[packet | VERBS]!
    const opcode = bits & OPCODE
    arrived.opcode = opcode
    arrived.msn = ints[packet | MSN]!
    arrived.lsn = ints[packet | LSN]! >>> 0
    arrived.isAckRequested = (bits & ASKED) !== 0
    arrived.isSolicited = (bits & SOLICITED) !== 0
    arrived.hasPayload = (bits & WITH_PAYLOAD) !== 0
    if ((bits & WITH_ROW) !== 0) this.readRow(packet, opcode, arrived)
    if ((bits & WITH_PAYLOAD) !== 0) {
      const bytes = ints[packet | PAYLOAD]!
      arrived.payload.set(this.payloads[ints[packet | ORDINAL]!]!.subarray(0, bytes))
    }
    return arrived
  }

  private stowRow(packet: number, opcode: number): void {
    const ordinal = ints[packet | ORDINAL]!
    if (ordinal >= this.rows) this.grow(ordinal)
    const { scratch } = this
    const row = this.at + ordinal * HEADERS
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
  }

  private readRow(packet: number, opcode: number, arrived: VerbsPacket): void {
    const row = this.at + ints[packet | ORDINAL]! * HEADERS
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

/** Nothing waits for `follow` after a half of a connection without READs has received a packet, but that half's own part. */
export function isSettled({ hasUpdates, state }: Pick<VerbsQueuePair, 'hasUpdates' | 'state'>): boolean {
  return !hasUpdates && state === 'ready to send'
}

/** One end of a verbs connection, as the NICs call it (verbs-end.ts). */
export interface VerbsSide {
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
  /** Their queue pairs, here too as a packet then need not read the ends. */
  readonly nearPair: VerbsQueuePair
  readonly farPair: VerbsQueuePair
  /** The connection has READ responses, which requests, their ACKs and responses may wait for. */
  readonly hasReads: boolean
  /** Size of a packet's frame. */
  frameBytes(packet: Readonly<VerbsPacket>): number
}
