/**
 * HOT. Response sender: the responder's Read WQE buffer, and the packet space of READ responses and atomic
 * acknowledgements.
 * The slot of a request is its read_WQE_SN mod depth. A request may be stored before earlier ones arrive; it is
 * executed in order: an atomic once, a READ as its responses leave ([IRN] 5.3.2).
 * Units: unbounded PSNs of the responses; bytes.
 * Source: IBTA 9.4.4, 9.4.5, 9.7.5.1; [IRN] 5. Deviations: docs/models/verbs.md.
 */
import { assert } from '../../base/assert.ts'
import { DOUBLE_ZERO } from '../../base/double.ts'
import { ReadResponder } from '../../transport/send/read-responder.ts'
import { ACK_REQUEST, FIRST, LAST, READ_REQUEST, RETRANSMITTED } from '../../transport/segment.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
} from '../../wire/opcodes.ts'
import type { ConnectionValues } from '../connection/values.ts'
import type { MemoryRegion } from '../memory-region.ts'
import type { VerbsPacket } from '../packet.ts'
import type { Schemes } from '../schemes.ts'

class ResponseSlot {
  /** read_WQE_SN of the stored request, or -1. */
  sn = -1
  opcode = READ_REQUEST_OPCODE
  /** PSN of the request. */
  psn = 0
  /** First PSN of the responses, in the response space. */
  firstResponse = 0
  responses = 0
  address = DOUBLE_ZERO
  lengthBytes = DOUBLE_ZERO
  region: MemoryRegion | null = null
  /** Operands of an atomic; after its execution, the original value. */
  swapHigh = DOUBLE_ZERO
  swapLow = DOUBLE_ZERO
  compareHigh = DOUBLE_ZERO
  compareLow = DOUBLE_ZERO
  /** Response bytes before it ([LDCP] 3.1). */
  firstLsn = DOUBLE_ZERO
}

const NO_REQUEST = new ResponseSlot()

/** The responder, as seen by its response sender. */
export interface ResponseHost {
  /** AETH of a first, last or only response: credits, and MSN. */
  readonly creditSyndrome: number
  readonly msn: number
  /**
   * A READ's memory was invalidated before all its responses had left. `isAgain`: the blocked response had left before,
   * so the requester may have it; else no response from there on leaves any more.
   * @param psn of the request.
   */
  onDenied(nowPs: number, psn: number, isAgain: boolean): void
  /** The retry limit is reached without an ACK. */
  onRetriesExceeded(): void
}

export class ResponseSender extends ReadResponder<VerbsPacket> {
  /** READs and atomics executed; the next read_WQE_SN to execute. */
  executed = 0
  /** Sum of responses - 1 over the executed requests. */
  furtherPsns = 0
  /** Entries are created on first use. */
  private readonly slots: ResponseSlot[] = []
  private readonly depth: number
  private readonly host: ResponseHost
  private readonly values: ConnectionValues
  private readonly schemes: Schemes
  private endLsn = DOUBLE_ZERO

  constructor(host: ResponseHost, values: ConnectionValues, schemes: Schemes) {
    super(schemes.senderOptions('responses'))
    this.host = host
    this.values = values
    this.schemes = schemes
    this.depth = Math.max(1, values.readsIn)
    schemes.equip(this, 'responses')
  }

  /** All executed requests have sent all their responses, or were denied. */
  get hasLeft(): boolean {
    return this.isClosed || this.nxt >= this.end
  }

  /** All responses have left, and are acknowledged where they are acknowledged at all. */
  override get isIdle(): boolean {
    return this.ackInterval > 0 ? this.isClosed || this.una >= this.end : this.hasLeft
  }

  /** PSN of the next request to execute, or Infinity if it has not arrived. */
  get nextPsn(): number {
    const slot = this.slotOf(this.executed)
    return slot.sn === this.executed ? slot.psn : Infinity
  }

  /**
   * Whether a request may be stored: the requester keeps to the agreed number outstanding. A request whose responses
   * have not all left counts as outstanding (IBTA 9.4.4).
   */
  hasRoom(sn: number): boolean {
    if (sn < this.executed || sn >= this.executed + this.values.readsIn) return false
    const before = this.slotOf(sn)
    return before.sn < 0 || before.sn === sn || before.firstResponse + before.responses <= this.highest
  }

  /** Stores a checked request. */
  store(nowPs: number, sn: number, psn: number, packet: Readonly<VerbsPacket>, region: MemoryRegion | null): void {
    const slot = (this.slots[sn % this.depth] ??= new ResponseSlot())
    // A requester that uses this slot again has all responses of the request stored in it.
    if (slot.sn >= 0 && slot.firstResponse + slot.responses > this.una) {
      this.settleTo(nowPs, slot.firstResponse + slot.responses)
      this.refresh()
    }
    const isRead = packet.opcode === READ_REQUEST_OPCODE
    const { mtuBytes } = this.values
    slot.sn = sn
    slot.opcode = packet.opcode
    slot.psn = psn
    slot.address = packet.virtualAddress
    slot.lengthBytes = isRead ? packet.lengthBytes : 8
    slot.responses = isRead && packet.lengthBytes > mtuBytes ? Math.ceil(packet.lengthBytes / mtuBytes) : 1
    slot.region = region
    slot.swapHigh = packet.swapHigh
    slot.swapLow = packet.swapLow
    slot.compareHigh = packet.compareHigh
    slot.compareLow = packet.compareLow
  }

  /** Executes the next request, which must be stored. False: its region has been invalidated. */
  execute(nowPs: number): boolean {
    const slot = this.slotOf(this.executed)
    assert(slot.sn === this.executed, 'a request is executed that has not come')
    if (slot.region !== null && !slot.region.isValid) return false
    if (slot.opcode !== READ_REQUEST_OPCODE) executeAtomic(slot)
    slot.firstResponse = this.end
    slot.firstLsn = this.endLsn
    if (slot.opcode === READ_REQUEST_OPCODE) this.endLsn += slot.lengthBytes
    this.executed++
    this.furtherPsns += slot.responses - 1
    this.extend(nowPs, slot.responses, 'read')
    this.refresh()
    return true
  }

  /**
   * A duplicate of an executed request arrives: its responses, and all after them, are sent again. As it arrived in
   * order with earlier duplicates, it acknowledges no responses.
   */
  replay(nowPs: number, psn: number, packet: VerbsPacket): void {
    for (let sn = Math.max(0, this.executed - this.depth); sn < this.executed; sn++) {
      const slot = this.slotOf(sn)
      if (slot.sn !== sn || slot.psn !== psn || slot.firstResponse >= this.nxt || this.una >= this.end) continue
      this.goBackTo(nowPs, slot.firstResponse, packet)
      this.refresh()
    }
  }

  /** The requester has all responses before this one and requests it and all later ones again. */
  sendAgainFrom(nowPs: number, response: number, packet: VerbsPacket): void {
    packet.kind = READ_REQUEST
    packet.flags = RETRANSMITTED
    packet.psn = response
    this.onSegment(nowPs, packet)
  }

  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    if (this.isFailed) this.host.onRetriesExceeded()
  }

  override firstPsnOf(psn: number): number {
    return this.slotWith(psn).firstResponse
  }

  override lsnOf(psn: number): number {
    if (psn >= this.end) return this.endLsn
    const slot = this.slotWith(psn)
    return slot.firstLsn + (slot.opcode === READ_REQUEST_OPCODE ? (psn - slot.firstResponse) * this.values.mtuBytes : 0)
  }

  /** The executed request of a response PSN. */
  slotWith(psn: number): Readonly<ResponseSlot> {
    let sn = this.executed - 1
    while (psn < this.slotOf(sn).firstResponse) sn--
    return this.slotOf(sn)
  }

  /** The slot of a request, executed or not; it may hold another one by now. */
  slotOf(sn: number): ResponseSlot {
    return this.slots[sn % this.depth] ?? NO_REQUEST
  }

  protected override fill(_nowPs: number, psn: number, out: VerbsPacket): number {
    const slot = this.slotWith(psn)
    assert(psn < slot.firstResponse + slot.responses, 'a response of a request that is forgotten')
    // An invalidated key gives no access, even to a READ that has begun (IBTA 10.6).
    if (slot.region !== null && !slot.region.isValid && slot.opcode === READ_REQUEST_OPCODE) return 0
    this.fillResponse(out, slot, psn - slot.firstResponse)
    return this.schemes.wireBytes(out)
  }

  protected override skip(nowPs: number, psn: number, isAgain: boolean, out: VerbsPacket): void {
    const slot = this.slotWith(psn)
    const hadLeft = psn < this.highest
    if (!hadLeft) {
      // Permanently: neither this response nor later ones leave any more.
      this.end = this.openEnd = this.nxt
    } else if (isAgain) this.passOver(nowPs, psn, out)
    else {
      // If part of the request has not left yet, its check decides.
      const slotEnd = slot.firstResponse + slot.responses
      this.nxt = slotEnd < this.highest ? slotEnd : this.highest
    }
    this.refresh()
    this.host.onDenied(nowPs, slot.psn, hadLeft)
  }

  protected override onAcknowledged(): void {}

  private fillResponse(out: VerbsPacket, slot: Readonly<ResponseSlot>, index: number): void {
    const { mtuBytes, remoteQp } = this.values
    const isFirst = index === 0
    const isLast = index === slot.responses - 1
    out.destinationQp = remoteQp
    out.isAckRequested = false
    out.isSolicited = false
    out.hasPayload = false
    out.payloadBytes = 0
    const { ackInterval } = this
    const requestsAck = ackInterval > 0 && (isLast || (index + 1) % ackInterval === 0)
    out.flags = (isFirst ? FIRST : 0) | (isLast ? LAST : 0) | (requestsAck ? ACK_REQUEST : 0)
    out.syndrome = this.host.creditSyndrome
    out.msn = this.host.msn & 0xffffff
    out.lsn = this.lsnOf(slot.firstResponse + index) >>> 0
    if (slot.opcode !== READ_REQUEST_OPCODE) {
      out.opcode = ATOMIC_ACKNOWLEDGE
      out.swapHigh = slot.swapHigh
      out.swapLow = slot.swapLow
      return
    }
    const offset = index * mtuBytes
    out.opcode = responseOpcode(isFirst, isLast)
    out.payloadBytes = isLast ? slot.lengthBytes - offset : mtuBytes
    if (slot.region !== null) out.hasPayload = slot.region.read(slot.address + offset, out.payload, out.payloadBytes)
  }
}

/** Opcode of a READ response. */
export function responseOpcode(isFirst: boolean, isLast: boolean): number {
  if (isFirst) return isLast ? READ_RESPONSE_ONLY : READ_RESPONSE_FIRST
  return isLast ? READ_RESPONSE_LAST : READ_RESPONSE_MIDDLE
}

/** Atomic within the memory of one device: the simulation executes nothing else meanwhile (IBTA 9.4.5). */
function executeAtomic(slot: ResponseSlot): void {
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
