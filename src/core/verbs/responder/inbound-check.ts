/**
 * HOT. Inbound check: whether a request may be executed, and the addresses and numbers that its execution needs. It
 * changes no state, except that it takes Receive WQEs from a shared queue.
 * RoCE: the offset of a SEND and the address of a WRITE follow from earlier packets. IRN: from the packet alone.
 * Source: IBTA 9.7.4.1 (checks and their order), 9.7.5.2.8 (NAK codes); [IRN] 5.3.1, 5.3.2, B.2.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { unwrapPsn } from '../../transport/psn.ts'
import {
  SYNDROME_INVALID_REQUEST,
  SYNDROME_REMOTE_ACCESS,
  SYNDROME_REMOTE_OPERATION,
  SYNDROME_RNR,
} from '../../wire/aeth.ts'
import {
  HAS_IETH,
  HAS_IMMEDIATE,
  headersOf,
  FORMAT_ROCE,
  isAtomic,
  isFirst,
  isLast,
  isSend,
  isWrite,
  READ_REQUEST_OPCODE,
} from '../../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE } from '../access.ts'
import type { ConnectionValues } from '../connection/values.ts'
import type { MemoryRegion } from '../memory-region.ts'
import { isMessageLength } from '../queues/operation.ts'
import type { VerbsPacket } from '../packet.ts'
import type { ReceiveQueue, SharedReceiveQueue } from '../queues/receive-queue.ts'
import type { ResponseSender } from './response-sender.ts'

export interface InboundHost {
  readonly domain: number
  /** Numbered Receive WQEs of the queue pair. */
  readonly receives: ReceiveQueue
  /** Shared queue that they are taken from, or null: they are posted directly. */
  readonly shared: SharedReceiveQueue | null
  readonly isShared: boolean
  regionOf(key: number): MemoryRegion | null
}

const REMOTE_RIGHTS = REMOTE_READ | REMOTE_WRITE | REMOTE_ATOMIC

const BETWEEN = 0
const IN_SEND = 1
const IN_WRITE = 2

export class InboundCheck {
  /** Destination of the payload of the last packet judged. */
  region: MemoryRegion | null = null
  address = DOUBLE_ZERO
  readSn = 0
  receiveSn = 0
  /** The packet ends a message of `messageBytes` that completes a Receive WQE. */
  hasCompletion = false
  messageBytes = DOUBLE_ZERO
  hasImmediate = false
  hasInvalidate = false
  /** Refused because the Receive WQE is too short. */
  isTooLong = false
  private ahead = 0
  private readonly host: InboundHost
  private readonly mtuBytes: number
  private readonly responses: ResponseSender
  private readonly isIrn: boolean
  /** RoCE: kind of the unfinished message, its bytes received, and its RETH. */
  private within = BETWEEN
  private receivedBytes = DOUBLE_ZERO
  private writeAddress = DOUBLE_ZERO
  private writeBytes = DOUBLE_ZERO
  private writeRegion: MemoryRegion | null = null

  constructor(host: InboundHost, values: ConnectionValues, responses: ResponseSender) {
    this.host = host
    this.mtuBytes = values.mtuBytes
    this.responses = responses
    this.isIrn = values.mode === 'irn'
  }

  /**
   * Returns 0 for a valid packet, else the syndrome of the NAK to send.
   * @param ahead earlier packets that have not arrived; with 0, the WQE sequence numbers must be the next ones
   */
  judge(packet: Readonly<VerbsPacket>, ahead: number): number {
    const { opcode } = packet
    this.ahead = ahead
    this.region = null
    this.hasCompletion = this.isTooLong = this.hasImmediate = this.hasInvalidate = false
    if (opcode === READ_REQUEST_OPCODE || isAtomic(opcode)) return this.judgeRead(packet)
    if (!isSend(opcode) && !isWrite(opcode)) return SYNDROME_INVALID_REQUEST
    const { payloadBytes } = packet
    const { mtuBytes } = this
    if (isLast(opcode) ? payloadBytes > mtuBytes : payloadBytes !== mtuBytes) return SYNDROME_INVALID_REQUEST
    if (payloadBytes === 0 && isLast(opcode) && !isFirst(opcode)) return SYNDROME_INVALID_REQUEST
    if (this.isIrn) {
      if (!isConsistent(packet, mtuBytes)) return SYNDROME_INVALID_REQUEST
    } else {
      const within = isSend(opcode) ? IN_SEND : IN_WRITE
      if (isFirst(opcode) ? this.within !== BETWEEN : this.within !== within) return SYNDROME_INVALID_REQUEST
    }
    return isSend(opcode) ? this.judgeSend(packet) : this.judgeWrite(packet)
  }

  /** RoCE: the packet judged last was accepted. */
  onAccepted(packet: Readonly<VerbsPacket>): void {
    const { opcode } = packet
    if (!isSend(opcode) && !isWrite(opcode)) return
    if (isFirst(opcode)) {
      this.receivedBytes = 0
      this.writeAddress = packet.virtualAddress
      this.writeBytes = packet.lengthBytes
      this.writeRegion = this.region
    }
    this.receivedBytes += packet.payloadBytes
    this.within = isLast(opcode) ? BETWEEN : isSend(opcode) ? IN_SEND : IN_WRITE
  }

  /** The last `packets` packets of the unfinished message are discarded and will be sent again. */
  forget(packets: number): void {
    this.receivedBytes -= packets * this.mtuBytes
    if (this.receivedBytes === 0) this.within = BETWEEN
  }

  private judgeSend(packet: Readonly<VerbsPacket>): number {
    const { opcode, payloadBytes } = packet
    const { host } = this
    if (this.isMisnumbered(packet)) return SYNDROME_INVALID_REQUEST
    if (!this.findReceive(packet)) return SYNDROME_RNR
    const wqe = host.receives.at(this.receiveSn)
    const before = isFirst(opcode) ? 0 : this.receivedBytes
    const offset = this.isIrn ? packet.messageOffset * this.mtuBytes : before
    if (offset + payloadBytes > wqe.lengthBytes) {
      this.isTooLong = true
      return SYNDROME_INVALID_REQUEST
    }
    if (wqe.region !== null && payloadBytes > 0) {
      const isOurs = host.regionOf(wqe.region.key) === wqe.region
      if (!isOurs || !wqe.region.allows(host.domain, LOCAL_WRITE, wqe.address, wqe.lengthBytes)) {
        return SYNDROME_REMOTE_OPERATION
      }
    }
    this.region = wqe.region
    this.address = wqe.address + offset
    const headers = headersOf(opcode, FORMAT_ROCE)
    if ((headers & HAS_IETH) !== 0) {
      const region = host.regionOf(packet.invalidateKey)
      if (region === null || !region.isValid || region.domain !== host.domain) return SYNDROME_REMOTE_ACCESS
      // Memory without remote rights has no R_Key that the other end could name (IBTA 11.2.8.2).
      if ((region.access & REMOTE_RIGHTS) === 0) return SYNDROME_REMOTE_ACCESS
      this.hasInvalidate = true
    }
    this.hasCompletion = isLast(opcode)
    this.hasImmediate = (headers & HAS_IMMEDIATE) !== 0
    this.messageBytes = offset + payloadBytes
    return 0
  }

  private judgeWrite(packet: Readonly<VerbsPacket>): number {
    const { opcode, payloadBytes } = packet
    const { host } = this
    const hasOwn = this.isIrn || isFirst(opcode)
    const before = isFirst(opcode) ? 0 : this.receivedBytes
    const address = hasOwn ? packet.virtualAddress : this.writeAddress + before
    const lengthBytes = hasOwn ? packet.lengthBytes : this.writeBytes
    if (!isMessageLength(lengthBytes)) return SYNDROME_INVALID_REQUEST
    // RoCE knows how many bytes must have arrived; IRN only how many can.
    if (this.isIrn ? payloadBytes > lengthBytes : before + payloadBytes > lengthBytes) return SYNDROME_INVALID_REQUEST
    if (!this.isIrn && isLast(opcode) && before + payloadBytes !== lengthBytes) return SYNDROME_INVALID_REQUEST
    if (lengthBytes > 0) {
      const region = hasOwn ? host.regionOf(packet.key) : this.writeRegion
      if (region === null) return SYNDROME_REMOTE_ACCESS
      // RoCE checks the whole WRITE with its first packet, after which only the key may become invalid; IRN each packet
      // by itself.
      const reach = this.isIrn ? payloadBytes : lengthBytes
      if (hasOwn ? !region.allows(host.domain, REMOTE_WRITE, address, reach) : !region.isValid)
        return SYNDROME_REMOTE_ACCESS
      this.region = region
    }
    this.address = address
    if ((headersOf(opcode, FORMAT_ROCE) & HAS_IMMEDIATE) === 0) return 0
    if (this.isMisnumbered(packet)) return SYNDROME_INVALID_REQUEST
    if (!this.findReceive(packet)) return SYNDROME_RNR
    this.hasCompletion = this.hasImmediate = true
    this.messageBytes = lengthBytes
    return 0
  }

  private judgeRead(packet: Readonly<VerbsPacket>): number {
    const { host, responses } = this
    if (!this.isIrn && this.within !== BETWEEN) return SYNDROME_INVALID_REQUEST
    this.readSn = this.isIrn ? unwrapPsn(packet.readSn, responses.executed) : responses.executed
    if (!responses.hasRoom(this.readSn)) return SYNDROME_INVALID_REQUEST
    if (this.ahead === 0 && this.readSn !== responses.executed) return SYNDROME_INVALID_REQUEST
    const isRead = packet.opcode === READ_REQUEST_OPCODE
    if (!isRead && packet.virtualAddress % 8 !== 0) return SYNDROME_INVALID_REQUEST
    const lengthBytes = isRead ? packet.lengthBytes : 8
    if (!isMessageLength(lengthBytes)) return SYNDROME_INVALID_REQUEST
    if (lengthBytes === 0) return 0
    const region = host.regionOf(packet.key)
    const access = isRead ? REMOTE_READ : REMOTE_ATOMIC
    if (region === null || !region.allows(host.domain, access, packet.virtualAddress, lengthBytes)) {
      return SYNDROME_REMOTE_ACCESS
    }
    this.region = region
    return 0
  }

  /** Each missing packet may have used one Receive WQE, not more. */
  private isMisnumbered(packet: Readonly<VerbsPacket>): boolean {
    const { head } = this.host.receives
    const before = unwrapPsn(packet.receiveSn, head) - head
    return this.isIrn && (before > this.ahead || (this.ahead === 0 && before < 0))
  }

  /**
   * Finds the Receive WQE of a message. From a shared queue it takes as many as it needs to reach that number ([IRN]
   * B.2).
   */
  private findReceive(packet: Readonly<VerbsPacket>): boolean {
    const { receives, shared } = this.host
    const sn = this.isIrn ? unwrapPsn(packet.receiveSn, receives.head) : receives.head
    this.receiveSn = sn
    if (sn < receives.head) return false
    if (shared !== null) while (sn >= receives.tail && shared.moveTo(receives));
    return sn < receives.tail
  }
}

/** IRN: whether a packet's position in the message fits its opcode. */
function isConsistent(
  { opcode, payloadBytes, messageOffset, lengthBytes }: Readonly<VerbsPacket>,
  mtuBytes: number,
): boolean {
  if (isSend(opcode)) return isFirst(opcode) === (messageOffset === 0)
  // A single-packet message has exactly its payload; one of several packets is longer than the MTU.
  if (isFirst(opcode) && isLast(opcode)) return payloadBytes === lengthBytes
  return lengthBytes > mtuBytes
}
