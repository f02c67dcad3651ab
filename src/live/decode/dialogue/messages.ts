/**
 * Messages of a requester: order of opcodes and lengths of new packets, counts by operation, and the latest requests, for
 * NAKs that name them.
 * Source: IBTA 9.7.4.1.
 */
import { captureFindings } from '../../../core/findings/index.ts'
import { isAtomic, isFirst, isLast, isSend, opcodeName, READ_REQUEST_OPCODE } from '../../../core/wire/index.ts'
import type { Found } from '../found.ts'
import type { Limits } from '../limits.ts'
import { type Packet, sightOf } from '../packet.ts'

const { opcodeOrder, lengthWrong } = captureFindings.sequence
/** Requests that are answered and still remembered: a READ may be sent again then. */
const ANSWERED_MAX = 32

/** A request as its first packet says it. */
interface Noted {
  from: number
  /** One past its last PSN, as far as it was seen. */
  to: number
  opcode: number
  name: string
  address: bigint | null
  key: number | null
  lengthBytes: number | null
}

export type Request = Readonly<Noted>

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
  #recent: Noted[] = []
  /** Keys: the addresses that requests with them used, and PSN of the first of them. */
  #ranges: Map<number, { readonly from: number; low: bigint; high: bigint }> | null = null
  readonly #limits: Limits

  constructor(found: Found, limits: Limits) {
    this.#found = found
    this.#limits = limits
  }

  /** PSNs begin anew. */
  begin(): void {
    this.gap()
    this.#recent = []
    this.#ranges = null
  }

  /** PSNs before the next packet were not seen. */
  gap(): void {
    this.#open = 'unknown'
  }

  /** A packet for the first time. @param answered PSNs below are answered @param mtuBytes null: not known */
  add(packet: Packet, from: number, to: number, answered: number, mtuBytes: number | null): void {
    const { opcode, roce } = packet
    this.#note(packet, from, to, answered)
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
    const range = request.key === null ? undefined : this.#ranges?.get(request.key)
    return range === undefined || range.from >= request.from ? null : [range.low, range.high]
  }

  /** A request turned out to have PSNs up to here. */
  reach(from: number, to: number): void {
    const request = this.#recent.findLast((one) => one.from === from)
    if (request !== undefined) request.to = to
  }

  #note({ opcode, roce: { headers } }: Packet, from: number, to: number, answered: number): void {
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
    const kept = this.#recent.length
    const isRoom = kept < this.#limits.requests && (kept < ANSWERED_MAX || this.#recent[0]!.to > answered)
    if (kept > this.#limits.requests) this.#recent.splice(0, kept - this.#limits.requests)
    // Requests that are forgotten become new ones.
    const noted: Noted = (isRoom ? null : this.#recent.shift()) ?? {
      from,
      to,
      opcode,
      name: '',
      address,
      key,
      lengthBytes,
    }
    noted.from = from
    noted.to = to
    noted.opcode = opcode
    noted.name = opcodeName(opcode)
    noted.address = address
    noted.key = key
    noted.lengthBytes = lengthBytes
    if (kept === 0) this.#recent = [noted]
    else this.#recent.push(noted)
  }

  #widen(key: number, { from, address, lengthBytes }: Request): void {
    const [start, end] = [address!, address! + BigInt(lengthBytes ?? 8)]
    const ranges = (this.#ranges ??= new Map())
    const known = ranges.get(key)
    if (known === undefined) {
      if (ranges.size < this.#limits.requests) ranges.set(key, { from, low: start, high: end })
      return
    }
    if (start < known.low) known.low = start
    if (end > known.high) known.high = end
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
