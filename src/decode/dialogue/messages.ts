/**
 * Messages of a requester: order of opcodes and lengths of new packets, counts by operation, and the latest requests, for
 * NAKs that name them.
 * Source: IBTA 9.7.4.1.
 */
import { captureFindings } from '../../findings/index.ts'
import { isAtomic, isFirst, isLast, isSend, opcodeName, READ_REQUEST_OPCODE } from '../../wire/index.ts'
import type { Found } from '../found.ts'
import { type Packet, sightOf } from '../packet.ts'

const { opcodeOrder, lengthWrong } = captureFindings.sequence
const RECENT_MAX = 256

/** A request as its first packet says it. */
export interface Request {
  readonly from: number
  /** One past its last PSN, as far as it was seen. */
  to: number
  readonly name: string
  readonly address: bigint | null
  readonly key: number | null
  readonly lengthBytes: number | null
}

interface Open {
  readonly isSend: boolean
  readonly lengthBytes: number | null
  bytes: number
}

export interface MessageCounts {
  send: number
  write: number
  read: number
  atomic: number
}

export class Messages {
  readonly counts: MessageCounts = { send: 0, write: 0, read: 0, atomic: 0 }
  readonly #found: Found
  /** State after the packets before: a message that is open, none, or not known. */
  #open: Open | 'none' | 'unknown' = 'unknown'
  #last = ''
  readonly #recent: Request[] = []
  /** Keys, and the addresses that requests with them used. */
  readonly #ranges = new Map<number, [bigint, bigint]>()

  constructor(found: Found) {
    this.#found = found
  }

  /** PSNs before the next packet were not seen. */
  gap(): void {
    this.#open = 'unknown'
  }

  /** A packet for the first time. @param mtuBytes null: not known */
  add(packet: Packet, from: number, to: number, mtuBytes: number | null): void {
    const { opcode, roce } = packet
    this.#note(packet, from, to)
    if (opcode === READ_REQUEST_OPCODE || isAtomic(opcode)) {
      this.counts[opcode === READ_REQUEST_OPCODE ? 'read' : 'atomic']++
      if (typeof this.#open === 'object') this.#outOfOrder(packet)
      const address = roce.headers.atomic?.address
      if (address !== undefined && address % 8n !== 0n) this.#wrong(packet, 'atomic', Number(address % 8n), 0)
      this.#open = 'none'
    } else this.#part(packet, mtuBytes)
    this.#last = opcodeName(opcode)
  }

  /** The request that a PSN is of. */
  requestAt(psn: number): Request | null {
    return this.#recent.findLast(({ from, to }) => from <= psn && psn < to) ?? null
  }

  /** Addresses that requests before one used with the same key. */
  rangeBefore(request: Request): readonly [bigint, bigint] | null {
    const others = this.#recent.filter((one) => one.key === request.key && one.from < request.from)
    return others.length === 0 || request.key === null ? null : (this.#ranges.get(request.key) ?? null)
  }

  /** The last request turned out to have more PSNs. */
  extend(from: number, to: number): void {
    const request = this.#recent.findLast((one) => one.from === from)
    if (request !== undefined) request.to = Math.max(request.to, to)
  }

  #note({ opcode, roce: { headers } }: Packet, from: number, to: number): void {
    const last = this.#recent.at(-1)
    if (!isFirst(opcode) && opcode !== READ_REQUEST_OPCODE && !isAtomic(opcode)) {
      if (last !== undefined && last.to === from) last.to = to
      return
    }
    const memory = headers.reth ?? headers.atomic
    const lengthBytes = headers.reth?.lengthBytes ?? null
    const [address, key] = [memory?.address ?? null, memory?.key ?? null]
    // The newest request may be the one that is refused: ranges are those before it.
    if (last !== undefined && last.key !== null && last.address !== null) this.#widen(last.key, last)
    if (this.#recent.length >= RECENT_MAX) this.#recent.shift()
    this.#recent.push({ from, to, name: opcodeName(opcode), address, key, lengthBytes })
  }

  #widen(key: number, { address, lengthBytes }: Request): void {
    const [start, end] = [address!, address! + BigInt(lengthBytes ?? 8)]
    const known = this.#ranges.get(key)
    if (known === undefined && this.#ranges.size >= RECENT_MAX) return
    const [low, high] = known ?? [start, end]
    this.#ranges.set(key, [start < low ? start : low, end > high ? end : high])
  }

  #part(packet: Packet, mtuBytes: number | null): void {
    const { opcode, roce } = packet
    const isStart = isFirst(opcode)
    const isEnd = isLast(opcode)
    const isOpen = typeof this.#open === 'object'
    if (isStart ? isOpen : this.#open === 'none' || (isOpen && (this.#open as Open).isSend !== isSend(opcode))) {
      this.#outOfOrder(packet)
      this.#open = 'unknown'
    }
    if (isStart) this.#open = { isSend: isSend(opcode), lengthBytes: roce.headers.reth?.lengthBytes ?? null, bytes: 0 }
    const open = this.#open
    if (mtuBytes !== null && roce.payloadBytes > mtuBytes) this.#wrong(packet, 'mtu', roce.payloadBytes, mtuBytes)
    else if (mtuBytes !== null && !isEnd && roce.payloadBytes < mtuBytes)
      this.#wrong(packet, 'middle', roce.payloadBytes, mtuBytes)
    else if (isEnd && !isStart && roce.payloadBytes === 0) this.#wrong(packet, 'empty', 0, null)
    if (typeof open === 'object') {
      open.bytes += roce.payloadBytes
      if (isEnd && open.lengthBytes !== null && open.lengthBytes !== open.bytes)
        this.#wrong(packet, 'message', open.bytes, open.lengthBytes)
    }
    if (!isEnd) return
    this.counts[isSend(opcode) ? 'send' : 'write']++
    this.#open = 'none'
  }

  #outOfOrder(packet: Packet): void {
    this.#found.add(opcodeOrder, sightOf(packet), { opcode: opcodeName(packet.opcode), after: this.#last })
  }

  #wrong(packet: Packet, rule: string, bytes: number, expectedBytes: number | null): void {
    this.#found.add(lengthWrong, sightOf(packet), { rule, bytes, expectedBytes })
  }
}
