/**
 * HOT. Verbs at NICs: a verbs queue pair sends and hears through queue pairs of the fabric, one for each direction of
 * requests and one for each of READ responses; NICs, switches and observers see nothing else. Here is what is the queue
 * pair's own: headers and payloads, which stand beside the records of packets, and what follows for its other halves
 * and for the application when one half has heard something.
 * Units: picoseconds, bytes.
 */
import { DOUBLES, INTS, type Memory } from '../../base/memory.ts'
import { Hops } from '../../transport/hops.ts'
import { VerbsPacket, type QueuePair as VerbsQueuePair } from '../../verbs/index.ts'
import { ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, isAtomic } from '../../wire/opcodes.ts'
import type { Fabric } from '../fabric.ts'
import type { Network } from '../network.ts'
import type { Nic } from './nic.ts'
import { ORDINAL, PAYLOAD } from '../packets.ts'
import type { QueuePair } from './queue-pair.ts'
import type { Actor } from '../watch.ts'

const ints = INTS
const doubles = DOUBLES

/** Ethernet with FCS, IPv4, UDP and ICRC around what packetBytes() counts. */
export const AROUND_BYTES: number = 18 + 20 + 8 + 4
/** BTH and the longest headers behind it. */
const HEADERS_BYTES_MAX = 64

/** The longest frame of queue pairs with this MTU, whatever else frames carry. */
export function verbsFrameLimit(mtuBytes: number): number {
  return mtuBytes + HEADERS_BYTES_MAX + AROUND_BYTES
}

/**
 * Integers of a packet's headers, two cache lines, of which atomics alone use the second; what is not named here stands
 * in the packet's own record.
 */
const OPCODE = 0
/** Bits: an ACK is asked for, solicited, has payload. */
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
/** Rows to begin with. */
const FIRST_ROWS = 1024

const ASKED = 1
const SOLICITED = 2
const WITH_PAYLOAD = 4

/**
 * Headers and payloads of the verbs packets of one network, by the number of the packet's record. Headers are integers
 * side by side: packets under way are seldom in the nearest caches, and an object with its numbers lies all over them.
 */
export class VerbsPackets {
  /** The packet that is being filled. */
  readonly scratch: VerbsPacket
  /** The packet that has arrived. */
  private readonly arrived: VerbsPacket
  private readonly memory: Memory
  /** Payloads by record, where there are any. */
  private readonly payloads: (Uint8Array | undefined)[] = []
  private readonly mtuBytes: number
  private rows = FIRST_ROWS
  private at: number

  constructor(mtuBytes: number, fabric: Fabric) {
    this.mtuBytes = mtuBytes
    this.memory = fabric.memory
    this.at = fabric.memory.takeWhole(FIRST_ROWS * HEADERS)
    this.scratch = new VerbsPacket(mtuBytes)
    this.arrived = new VerbsPacket(mtuBytes)
    if (fabric.telemetry !== null) for (const packet of [this.scratch, this.arrived]) packet.hops = new Hops()
  }

  /** What was filled is now what that record's packet carries. */
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

  /** What that record's packet carries, till the next is asked for. */
  of(packet: number): VerbsPacket {
    const ordinal = ints[packet | ORDINAL]!
    const { arrived } = this
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

  /** Twice as many rows, or more; what it had before is given back with everything else. */
  private grow(ordinal: number): void {
    let rows = 2 * this.rows
    while (rows <= ordinal) rows *= 2
    const more = this.memory.takeWhole(rows * HEADERS)
    ints.copyWithin(more, this.at, this.at + this.rows * HEADERS)
    this.at = more
    this.rows = rows
  }
}

/** What a queue pair of the fabric has where it carries packets of verbs. */
export interface VerbsDirection {
  readonly packets: VerbsPackets
  /** Whose sender and whose receiver it has. */
  readonly near: VerbsEnd
  readonly far: VerbsEnd
  /** Of a packet's frame. */
  frameBytes(packet: Readonly<VerbsPacket>): number
}

/** Queue pairs of the fabric that one end of a connection takes part in; null: nobody uses that direction. */
export interface VerbsHalves {
  /** What it sends: its requests, and responses to theirs. */
  readonly sends: readonly [requests: QueuePair | null, responses: QueuePair | null]
  /** What it hears: their requests, and responses to its own. */
  readonly hears: readonly [requests: QueuePair | null, responses: QueuePair | null]
}

/** Tells the ends of verbs queue pairs what was posted, at the instant when it was, and behind what is in progress. */
export class VerbsPosts implements Actor {
  private readonly network: Network
  private readonly actor: number
  private readonly waiting: VerbsEnd[] = []

  constructor(network: Network) {
    this.network = network
    this.actor = network.addActor(this)
  }

  add(end: VerbsEnd): void {
    if (this.waiting.push(end) === 1) this.network.actAt(this.network.fabric.queue.nowPs, this.actor)
  }

  onEvent(nowPs: number): void {
    const { waiting } = this
    // Who is told may post more, and stands at the end.
    for (let k = 0; k < waiting.length; k++) {
      const end = waiting[k]!
      end.follow(nowPs)
      end.nic.kick()
    }
    waiting.length = 0
  }
}

export interface VerbsEndOptions {
  readonly pair: VerbsQueuePair
  readonly nic: Nic
  readonly posts: VerbsPosts
  /** Told when something has happened to the queue pair. */
  readonly onActivity: (nowPs: number, pair: VerbsQueuePair) => void
}

/** One end of a connection, at its NIC. */
export class VerbsEnd {
  readonly pair: VerbsQueuePair
  readonly nic: Nic
  private readonly posts: VerbsPosts
  private readonly onActivity: VerbsEndOptions['onActivity']
  private halves: VerbsHalves | null = null
  private isWaiting = false
  private isTelling = false
  private hasPosted = false

  constructor(options: VerbsEndOptions) {
    this.pair = options.pair
    this.nic = options.nic
    this.posts = options.posts
    this.onActivity = options.onActivity
  }

  /** It is connected by these. */
  join(halves: VerbsHalves): void {
    this.halves = halves
    this.pair.driver = this
  }

  /** The queue pair is connected by others from now on: what is still under way here is for nobody. */
  leave(): void {
    this.halves = null
  }

  /** Whoever posted: a callback of another host's, or a program between two slices of the run. */
  onPosted(): void {
    // What is posted from a callback of ours is seen behind it.
    this.hasPosted = this.pair.hasUpdates = true
    if (!this.isTelling) this.look()
  }

  /** It is looked at in this instant, but not in the midst of what its port is at. */
  look(): void {
    if (this.isWaiting || this.halves === null) return
    this.isWaiting = true
    this.posts.add(this)
  }

  /**
   * A half has heard something, or work was posted: the others and the application hear what follows. The port may have
   * something to send then.
   */
  follow(nowPs: number): void {
    this.isWaiting = false
    const { halves, pair } = this
    if (halves === null) return
    pair.onProcessed(nowPs)
    this.bringUpToDate(halves)
    if (!pair.hasUpdates) return
    pair.hasUpdates = false
    this.isTelling = true
    this.hasPosted = false
    try {
      this.onActivity(nowPs, pair)
    } finally {
      this.isTelling = false
    }
    if (this.hasPosted) this.bringUpToDate(halves)
  }

  /** A request or response of ours has left. */
  onSent(): void {
    const { halves, pair } = this
    if (halves === null) return
    const { state } = pair
    // An answer may have waited for it.
    const [requests] = halves.hears
    if (requests !== null && requests.receiver.owes !== 0) this.nic.answer(requests)
    if (pair.state !== state) this.look()
  }

  private bringUpToDate({ sends, hears }: VerbsHalves): void {
    const { nic } = this
    const [requests, responses] = sends
    const [theirRequests, theirResponses] = hears
    if (theirRequests !== null) nic.answer(theirRequests)
    if (theirResponses !== null) nic.answer(theirResponses)
    if (requests !== null) nic.enlist(requests)
    if (responses !== null) nic.enlist(responses)
  }
}
