/**
 * HOT. Response queue: the responder's Read WQE buffer, and the sender of READ responses and atomic acknowledgements.
 * A slot belongs to read_WQE_SN mod depth. A request may be stored before those ahead of it have come; it is executed
 * when its turn has come, an atomic then and once, a READ as its responses leave (S3 5.3.2).
 * RoCE: responses take the request's PSNs and follow one another in order; a request that comes again moves the queue
 * back to its slot. IRN: a selective-repeat space of its own, with its own timeouts (S3 5.2, 5.4).
 * Source: IBTA 9.4.4, 9.4.5, 9.7.5.1; S3 5.
 */
import { assert } from '../base/assert.ts'
import { DOUBLE_ZERO } from '../base/double.ts'
import { NEVER_PS } from '../base/params.ts'
import { PSN_MASK, unwrapPsn } from '../transport/psn.ts'
import { FIRST, LAST, NOT_ECT, RETRANSMITTED } from '../transport/segment.ts'
import { NO_PSN, SelectiveRepeatSender } from '../transport/selective-repeat/index.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
} from '../wire/opcodes.ts'
import { kindOf } from './codec.ts'
import type { ConnectionValues } from './connection-values.ts'
import type { MemoryRegion } from './memory-region.ts'
import type { VerbsPacket } from './packet.ts'

class ResponseSlot {
  /** read_WQE_SN of the request that is stored here, or -1. */
  sn = -1
  opcode = READ_REQUEST_OPCODE
  /** PSN of the request. */
  psn = 0
  /** First PSN of the responses, in their space. */
  firstResponse = 0
  responses = 0
  address = DOUBLE_ZERO
  lengthBytes = DOUBLE_ZERO
  region: MemoryRegion | null = null
  /** Operands of an atomic; once executed, the value that was there. */
  swapHigh = DOUBLE_ZERO
  swapLow = DOUBLE_ZERO
  compareHigh = DOUBLE_ZERO
  compareLow = DOUBLE_ZERO
  /** Bytes of response space before it (S4 3.1). */
  firstLsn = DOUBLE_ZERO
}

export class ResponseQueue {
  /** READs and atomics executed: the next read_WQE_SN to execute. */
  executed = 0
  retransmissions = 0
  /**
   * PSN of the NAK for a READ whose memory was taken away before all its responses had left, or -1. RoCE: of the response
   * that cannot leave; IRN, where responses have PSNs of their own: of the request.
   */
  deniedPsn = -1
  /** What cannot leave had left before: who asked may have it. Else no response from there on leaves any more. */
  isDeniedAgain = false
  /** IRN. */
  readonly space: SelectiveRepeatSender | null
  private readonly slots: ResponseSlot[]
  private readonly values: ConnectionValues
  /** IRN: one past the last response there is. */
  private end: number
  private highest: number
  /** RoCE: what is being answered, and the next response's PSN. */
  private current = 0
  private currentPsn = 0
  private retriesLeft: number
  private endLsn = DOUBLE_ZERO
  private lsnUna = DOUBLE_ZERO

  constructor(values: ConnectionValues) {
    this.values = values
    this.slots = Array.from({ length: Math.max(1, values.readsIn) }, () => new ResponseSlot())
    this.space = values.mode === 'irn' ? new SelectiveRepeatSender(values.selectiveRepeat, values.receivePsn) : null
    this.end = this.highest = values.receivePsn
    this.retriesLeft = values.retryLimit ?? Infinity
  }

  /** All that was executed, and not denied for good, has been answered; IRN: and acknowledged. */
  get isIdle(): boolean {
    return this.space === null ? this.current === this.executed : this.space.una >= this.end
  }

  /** PSN of the request that is executed next, or Infinity when it has not come. */
  get nextPsn(): number {
    const slot = this.slotOf(this.executed)
    return slot.sn === this.executed ? slot.psn : Infinity
  }

  /**
   * Whether a request with that number may be stored: the requester has no more outstanding than was agreed. One whose
   * responses have not all left yet is outstanding, whatever the requester says (IBTA 9.4.4).
   */
  hasRoom(sn: number): boolean {
    if (sn < this.executed || sn >= this.executed + this.values.readsIn) return false
    const before = this.slotOf(sn)
    return before.sn < 0 || before.sn === sn || before.firstResponse + before.responses <= this.highest
  }

  /** Stores a request that was checked. */
  store(nowPs: number, sn: number, psn: number, packet: Readonly<VerbsPacket>, region: MemoryRegion | null): void {
    const slot = this.slotOf(sn)
    // Whoever asks for one more has all the responses of the one before it in this slot.
    if (slot.sn >= 0 && this.space !== null && slot.firstResponse + slot.responses > this.space.una) {
      this.space.onAck(nowPs, slot.firstResponse + slot.responses)
    }
    if (this.space === null && slot.sn >= 0 && this.current <= slot.sn) this.moveTo(slot.sn + 1)
    const isRead = packet.opcode === READ_REQUEST_OPCODE
    slot.sn = sn
    slot.opcode = packet.opcode
    slot.psn = psn
    slot.address = packet.virtualAddress
    slot.lengthBytes = isRead ? packet.lengthBytes : 8
    slot.responses = isRead ? this.responsesOf(packet.lengthBytes) : 1
    slot.region = region
    slot.swapHigh = packet.swapHigh
    slot.swapLow = packet.swapLow
    slot.compareHigh = packet.compareHigh
    slot.compareLow = packet.compareLow
  }

  responsesOf(lengthBytes: number): number {
    return lengthBytes === 0 ? 1 : Math.ceil(lengthBytes / this.values.mtuBytes)
  }

  /** Executes the next request, which is stored, and returns whether its region still allows it. */
  execute(): boolean {
    const slot = this.slotOf(this.executed)
    assert(slot.sn === this.executed, 'a request is executed that has not come')
    if (slot.region !== null && !slot.region.isValid) return false
    if (slot.opcode !== READ_REQUEST_OPCODE) this.executeAtomic(slot)
    slot.firstResponse = this.space === null ? slot.psn : this.end
    slot.firstLsn = this.endLsn
    if (slot.opcode === READ_REQUEST_OPCODE) this.endLsn += slot.lengthBytes
    this.end = slot.firstResponse + slot.responses
    if (this.space === null && this.current === this.executed) this.currentPsn = slot.psn
    this.executed++
    return true
  }

  /** RoCE: a request for `psn` comes again: its responses, and all after them, leave once more. */
  replay(psn: number): void {
    for (let sn = Math.max(0, this.executed - this.slots.length); sn < this.executed; sn++) {
      const slot = this.slotOf(sn)
      if (slot.sn !== sn || psn < slot.psn || psn >= slot.psn + slot.responses) continue
      // It asks because it has all before.
      const lsn = this.lsnOf(slot, psn - slot.firstResponse)
      if (lsn > this.lsnUna) this.lsnUna = lsn
      if (sn < this.current || (sn === this.current && psn < this.currentPsn)) {
        this.current = sn
        this.currentPsn = psn
      }
      return
    }
  }

  /** Earliest time poll() gives a packet (0: at once), or NEVER_PS. */
  nextSendPs(nowPs: number): number {
    const { space } = this
    if (space !== null) return space.nextSendPs(nowPs, space.nxt < this.end)
    return this.current < this.executed && this.isInWindow() ? 0 : NEVER_PS
  }

  /** The next response. False: there is none, or it is denied. */
  poll(nowPs: number, out: VerbsPacket): boolean {
    let slot: ResponseSlot
    let psn: number
    const { space } = this
    out.flags = 0
    if (space !== null) {
      do {
        psn = space.take(nowPs, space.nxt < this.end)
        if (psn === NO_PSN) return false
      } while (psn >= this.end)
      let sn = this.executed - 1
      while (psn < this.slotOf(sn).firstResponse) sn--
      slot = this.slotOf(sn)
      assert(psn < slot.firstResponse + slot.responses, 'a response of a request that is forgotten')
    } else {
      if (this.current === this.executed || !this.isInWindow()) return false
      slot = this.slotOf(this.current)
      psn = this.currentPsn++
      if (this.currentPsn === slot.psn + slot.responses) this.moveTo(this.current + 1)
    }
    const isAgain = psn < this.highest
    if (slot.region !== null && !slot.region.isValid && slot.opcode === READ_REQUEST_OPCODE) {
      this.deny(slot, psn, isAgain)
      return false
    }
    if (isAgain) {
      out.flags |= RETRANSMITTED
      this.retransmissions++
    } else this.highest = psn + 1
    this.fill(out, slot, psn - slot.firstResponse)
    out.psn = psn & PSN_MASK
    out.sentPs = nowPs
    out.ecn = NOT_ECT
    return true
  }

  /** READ-ACK or READ-NACK. */
  onReadAck(nowPs: number, packet: Readonly<VerbsPacket>): void {
    const { space } = this
    if (space === null) {
      if (this.values.lsnWindowBytes === null) return
      const reached = this.lsnUna + ((packet.lsn - this.lsnUna) | 0)
      if (reached > this.lsnUna && reached <= this.endLsn) this.lsnUna = reached
      return
    }
    const before = space.una
    const isNack = packet.opcode === READ_NACK
    const psn = unwrapPsn(packet.psn, before)
    const cumulative = isNack ? psn : psn + 1
    if (cumulative > this.highest) return
    if (isNack) space.onNack(nowPs, cumulative, unwrapPsn(packet.sackPsn, cumulative))
    else space.onAck(nowPs, cumulative)
    if (space.una > before) this.retriesLeft = this.values.retryLimit ?? Infinity
  }

  /** The space's deadline has passed. False: the requester is taken for dead. */
  onTimeout(nowPs: number): boolean {
    if (this.space === null || !this.space.onTimeout(nowPs, false)) return true
    return this.retriesLeft-- > 0
  }

  /** A key that was taken away gives no access, not to a READ that has begun either (IBTA 10.6). */
  private deny(slot: ResponseSlot, psn: number, isAgain: boolean): void {
    this.deniedPsn = this.space === null ? psn : slot.psn
    this.isDeniedAgain = isAgain
    // For good: neither it nor what is behind it leaves any more.
    if (!isAgain && this.space === null) this.current = this.executed
    else if (!isAgain) this.end = slot.firstResponse
    else if (this.space === null) {
      this.moveTo(slot.sn + 1)
      if (this.highest >= slot.psn + slot.responses) return
      // Some of it has not left yet: that decides.
      this.current = slot.sn
      this.currentPsn = this.highest
    }
  }

  private slotOf(sn: number): ResponseSlot {
    return this.slots[sn % this.slots.length]!
  }

  private moveTo(sn: number): void {
    this.current = sn
    if (sn < this.executed) this.currentPsn = this.slotOf(sn).psn
  }

  /** RoCE with byte sequence numbers: the window holds responses back. */
  private isInWindow(): boolean {
    const { lsnWindowBytes } = this.values
    if (lsnWindowBytes === null) return true
    const slot = this.slotOf(this.current)
    return this.lsnOf(slot, this.currentPsn - slot.firstResponse) - this.lsnUna < lsnWindowBytes
  }

  private lsnOf(slot: ResponseSlot, index: number): number {
    return slot.opcode === READ_REQUEST_OPCODE ? slot.firstLsn + index * this.values.mtuBytes : slot.firstLsn
  }

  /** Atomic within the memory of one device: nothing else happens meanwhile (IBTA 9.4.5). */
  private executeAtomic(slot: ResponseSlot): void {
    const region = slot.region!
    const { address } = slot
    const high = region.high(address)
    const low = region.low(address)
    if (slot.opcode === COMPARE_SWAP) {
      if (high === slot.compareHigh && low === slot.compareLow) region.setWord(address, slot.swapHigh, slot.swapLow)
    } else {
      const sum = low + slot.swapLow
      region.setWord(address, (high + slot.swapHigh + (sum >= 2 ** 32 ? 1 : 0)) % 2 ** 32, sum % 2 ** 32)
    }
    slot.swapHigh = high
    slot.swapLow = low
  }

  private fill(out: VerbsPacket, slot: ResponseSlot, index: number): void {
    const { mtuBytes, remoteQp } = this.values
    const isLast = index === slot.responses - 1
    out.destinationQp = remoteQp
    out.isAckRequested = false
    out.isSolicited = false
    out.hasPayload = false
    out.payloadBytes = 0
    out.flags |= (index === 0 ? FIRST : 0) | (isLast ? LAST : 0)
    out.lsn = this.lsnOf(slot, index) >>> 0
    if (slot.opcode !== READ_REQUEST_OPCODE) {
      out.opcode = ATOMIC_ACKNOWLEDGE
      out.swapHigh = slot.swapHigh
      out.swapLow = slot.swapLow
    } else {
      const offset = index * mtuBytes
      const payloadBytes = isLast ? slot.lengthBytes - offset : mtuBytes
      out.opcode =
        index === 0
          ? isLast
            ? READ_RESPONSE_ONLY
            : READ_RESPONSE_FIRST
          : isLast
            ? READ_RESPONSE_LAST
            : READ_RESPONSE_MIDDLE
      out.payloadBytes = payloadBytes
      if (slot.region !== null) out.hasPayload = slot.region.read(slot.address + offset, out.payload, payloadBytes)
    }
    out.kind = kindOf(out.opcode, 0)
  }
}
