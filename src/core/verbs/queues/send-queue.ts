/**
 * HOT. Send queue: a ring of Request WQEs in posting order. Posting fixes all sequence numbers of a WQE: its PSNs, the
 * PSNs of its responses and the WQE sequence numbers of [IRN] 5.3.2.
 * Numbers are unbounded. Units: bytes, packets.
 */
import { assert } from '../../base/assert.ts'
import { DOUBLE_ZERO } from '../../base/double.ts'
import type { MemoryRegion } from '../memory-region.ts'
import { consumesReceive, isAnswered, OP_READ, OP_SEND, type Operation } from './operation.ts'
import { doubled, FIRST_ENTRIES } from './ring.ts'
import type { SendWork } from './work-request.ts'

/**
 * Most outstanding PSNs, half of the PSN range: with more, a late packet would look like a new one (IBTA 9.7.1).
 */
export const PSNS_MAX = 2 ** 23

/** A Request WQE. */
export class SendWqe {
  /** Count of WQEs posted before it; the message's MSN is one more. */
  sn = 0
  id = DOUBLE_ZERO
  operation: Operation = OP_SEND
  isUnsignalled = false
  isFenced = false
  isSolicited = false
  /** The check of its local memory failed when it was posted. */
  isRefused = false
  region: MemoryRegion | null = null
  address = DOUBLE_ZERO
  lengthBytes = DOUBLE_ZERO
  remoteAddress = DOUBLE_ZERO
  remoteKey = DOUBLE_ZERO
  immediate = DOUBLE_ZERO
  invalidateKey = DOUBLE_ZERO
  compareHigh = DOUBLE_ZERO
  compareLow = DOUBLE_ZERO
  swapHigh = DOUBLE_ZERO
  swapLow = DOUBLE_ZERO
  firstPsn = 0
  /** Request PSNs that it takes. */
  packets = 0
  /** First PSN of its responses in the response space. */
  firstResponse = 0
  /** RoCE: first PSN on the wire, where a READ takes the PSNs of its responses, and number of PSNs there. */
  firstWirePsn = 0
  wirePackets = 0
  /** Response packets: READ responses, or an atomic acknowledgement. */
  responses = 0
  /** Earlier messages that use a Receive WQE; if it uses one itself, its recv_WQE_SN. */
  receiveSn = 0
  /** Earlier READs and atomics; if it is one itself, its read_WQE_SN. */
  readSn = 0
  /** Bytes of request payload before it ([LDCP] 3.1). */
  firstLsn = DOUBLE_ZERO
}

interface SendQueueOptions {
  readonly capacity: number
  readonly mtuBytes: number
  readonly firstPsn: number
  /** First PSN of the responses. */
  readonly firstResponse: number
  /** RoCE: READs take the PSNs of their responses on the wire, at most half of the PSN range. */
  readonly isShared: boolean
}

export class SendQueue {
  /** SN of the oldest incomplete WQE. */
  head = 0
  /** SN of the next to be posted. */
  tail = 0
  /** Numbers of the next WQE to be posted. */
  endPsn: number
  endWirePsn: number
  nextReceiveSn = 0
  nextReadSn = 0
  private endResponse: number
  private endLsn = DOUBLE_ZERO
  /** WQE of the last ofPsn() call, where the next search starts. */
  private latest: SendWqe | null = null
  private readonly mtuBytes: number
  private readonly options: SendQueueOptions
  private ring: (SendWqe | undefined)[] = Array.from({ length: FIRST_ENTRIES })

  constructor(options: SendQueueOptions) {
    this.options = options
    this.mtuBytes = options.mtuBytes
    this.endPsn = this.endWirePsn = options.firstPsn
    this.endResponse = options.firstResponse
  }

  get isFull(): boolean {
    return this.tail - this.head === this.options.capacity
  }

  get isEmpty(): boolean {
    return this.tail === this.head
  }

  /** RoCE: PSN on the wire of the oldest incomplete WQE. */
  get firstWirePsn(): number {
    return this.isEmpty ? this.endWirePsn : this.at(this.head).firstWirePsn
  }

  at(sn: number): SendWqe {
    assert(sn >= this.head && sn < this.tail, 'no such Request WQE')
    return this.ring[sn & (this.ring.length - 1)]!
  }

  /** The WQE of a PSN between the oldest incomplete one and endPsn. */
  ofPsn(psn: number): SendWqe {
    const { latest } = this
    if (latest !== null && psn >= latest.firstPsn && psn < latest.firstPsn + latest.packets && latest.sn >= this.head)
      return latest
    let sn = latest !== null && latest.sn >= this.head ? latest.sn : this.head
    let wqe = this.at(sn)
    while (psn < wqe.firstPsn) wqe = this.at(--sn)
    while (psn >= wqe.firstPsn + wqe.packets) wqe = this.at(++sn)
    this.latest = wqe
    return wqe
  }

  /** The incomplete WQE with this PSN on the wire of RoCE, or null. */
  ofWirePsn(psn: number): SendWqe | null {
    for (let sn = this.head; sn < this.tail; sn++) {
      const wqe = this.at(sn)
      if (psn >= wqe.firstWirePsn && psn < wqe.firstWirePsn + wqe.wirePackets) return wqe
    }
    return null
  }

  /** Whether a PSN belongs to an incomplete WQE. */
  holds(psn: number): boolean {
    return !this.isEmpty && psn < this.endPsn && psn >= this.at(this.head).firstPsn
  }

  /** Byte sequence number of a packet: payload bytes before it. */
  lsnOf(psn: number): number {
    if (psn >= this.endPsn) return this.endLsn
    return this.lsnIn(this.ofPsn(psn), psn)
  }

  /** The same where the packet's WQE is at hand. */
  lsnIn(wqe: SendWqe, psn: number): number {
    return isAnswered(wqe.operation) ? wqe.firstLsn : wqe.firstLsn + (psn - wqe.firstPsn) * this.mtuBytes
  }

  /** A READ with more responses than PSNs may be outstanding. */
  isTooLong({ operation, lengthBytes = 0 }: SendWork): boolean {
    return operation === OP_READ && this.options.isShared && lengthBytes > PSNS_MAX * this.options.mtuBytes
  }

  post(work: SendWork, isRefused: boolean): SendWqe {
    assert(!this.isFull, 'the send queue is full')
    const { mtuBytes } = this.options
    if (this.tail - this.head === this.ring.length) this.ring = doubled(this.ring, this.head)
    const wqe = (this.ring[this.tail & (this.ring.length - 1)] ??= new SendWqe())
    const { operation } = work
    const lengthBytes = operation > OP_READ ? 8 : (work.lengthBytes ?? 0)
    const packets = operation > OP_READ || lengthBytes === 0 ? 1 : Math.ceil(lengthBytes / mtuBytes)
    wqe.sn = this.tail++
    wqe.id = work.id
    wqe.operation = operation
    wqe.isUnsignalled = work.isUnsignalled ?? false
    wqe.isFenced = work.isFenced ?? false
    wqe.isSolicited = work.isSolicited ?? false
    wqe.isRefused = isRefused
    wqe.region = work.region ?? null
    wqe.address = work.address ?? 0
    wqe.lengthBytes = lengthBytes
    wqe.remoteAddress = work.remoteAddress ?? 0
    wqe.remoteKey = work.remoteKey ?? 0
    wqe.immediate = work.immediate ?? 0
    wqe.invalidateKey = work.invalidateKey ?? 0
    if (operation > OP_READ) {
      wqe.compareHigh = high(work.compare)
      wqe.compareLow = low(work.compare)
      wqe.swapHigh = high(work.swap)
      wqe.swapLow = low(work.swap)
    }
    wqe.responses = operation > OP_READ ? 1 : operation === OP_READ ? packets : 0
    // A READ takes one request PSN and its responses have PSNs in their own space ([IRN] 5.4); on the wire of RoCE it
    // takes theirs (IBTA 9.7.2).
    wqe.packets = wqe.responses > 0 ? 1 : packets
    wqe.wirePackets = packets
    wqe.firstPsn = this.endPsn
    wqe.firstWirePsn = this.endWirePsn
    wqe.firstResponse = this.endResponse
    wqe.receiveSn = this.nextReceiveSn
    wqe.readSn = this.nextReadSn
    wqe.firstLsn = this.endLsn
    this.endPsn += wqe.packets
    this.endWirePsn += packets
    this.endResponse += wqe.responses
    if (consumesReceive(operation)) this.nextReceiveSn++
    if (wqe.responses > 0) this.nextReadSn++
    else this.endLsn += lengthBytes
    return wqe
  }
}

function high(word: bigint | undefined): number {
  return word === undefined ? 0 : Number((word >> 32n) & 0xffffffffn)
}

function low(word: bigint | undefined): number {
  return word === undefined ? 0 : Number(word & 0xffffffffn)
}
