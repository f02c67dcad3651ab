/**
 * Dialogue: the requests of one end of a connection, and the answers of the other to them.
 * PSNs count on without wrapping. Memory is bounded: spans, latest requests, pending round trips.
 * Source: IBTA 9.7.
 */
import { captureFindings } from '../../findings/index.ts'
import { ACKNOWLEDGE, isAtomic, isLast, isReadResponse, READ_REQUEST_OPCODE } from '../../wire/index.ts'
import { Found } from '../found.ts'
import type { Limits } from '../limits.ts'
import { type Packet, sightOf } from '../packet.ts'
import { unwrapped } from '../psn.ts'
import { Spans } from '../spans.ts'
import { Answers } from './answers.ts'
import { Messages } from './messages.ts'
import { Repeats, type Standing } from './repeats.ts'
import { RoundTripMeter } from './round-trips.ts'

const { losses, answers: kinds } = captureFindings
/** A PSN further from the last one is that of a queue pair made anew. */
const JUMP_MAX = 2 ** 18
const MTUS = [256, 512, 1024, 2048, 4096]

/** Fate of a request, for lists of packets. */
export type RequestNote = 'new' | 'again' | 'late' | 'gap before' | 'copy' | 'anew'

export class Dialogue {
  readonly limits: Limits
  readonly found: Found
  readonly messages: Messages
  readonly roundTrips: RoundTripMeter
  readonly repeats: Repeats
  readonly answers: Answers
  /** Requested PSNs; READ requests with those of their responses. */
  seen: Spans
  /** PSNs that the responses of READs have. */
  reads: Spans
  /** PSNs that were acknowledged and not seen. */
  missing: Spans
  /** PSNs whose packets had a wrong ICRC here. */
  damaged: Spans
  /** One past the highest PSN requested; null: none was. */
  high: number | null = null
  first = 0
  /** First PSN of the highest request. */
  last = 0
  /** PSNs below are answered. */
  answered = 0
  mtuBytes: number | null = null
  outstandingMax = 0
  requests = 0
  requestsAgain = 0
  #lastRequestPs = 0
  #lastNewPs = 0
  lastProgressPs = 0
  #openRead: { readonly from: number; readonly lengthBytes: number } | null = null
  readonly #isReliable: boolean

  /** @param isSelective IRN: packets are sent again one by one */
  constructor(limits: Limits, isReliable: boolean, isSelective = false) {
    this.#isReliable = isReliable
    this.limits = limits
    this.found = new Found(limits)
    this.messages = new Messages(this.found, limits)
    this.roundTrips = new RoundTripMeter(limits)
    this.repeats = new Repeats(this.found, isSelective)
    this.seen = new Spans(limits)
    this.reads = new Spans(limits)
    this.missing = new Spans(limits)
    this.damaged = new Spans(limits)
    this.answers = new Answers(this)
  }

  get lastRequestPs(): number {
    return this.#lastRequestPs
  }

  /** Packets sent and not answered. */
  get outstanding(): number {
    return this.high === null ? 0 : this.high - this.answered
  }

  request(packet: Packet): RequestNote {
    const { roce, opcode, timePs } = packet
    this.#learnMtu(packet)
    const from = unwrapped(packet.psn, this.high === null ? null : this.high - 1)
    if (this.high !== null && Math.abs(from - this.high) > JUMP_MAX && roce.icrc === 'wrong') return 'anew'
    const isAnew = this.high === null || Math.abs(from - this.high) > JUMP_MAX
    if (isAnew) this.#begin(from, timePs)
    this.#closeRead(from)
    const to = from + this.#spanOf(packet, from)
    const high = this.high!
    const known = this.seen.add(from, to)
    if (opcode === READ_REQUEST_OPCODE && this.#isReliable) this.reads.add(from, to)
    if (roce.icrc === 'wrong') this.damaged.add(from, to)
    const at = this.#standing()
    let note: RequestNote = isAnew && this.requests > 0 ? 'anew' : 'new'
    this.requests++
    if (from >= high) this.#fresh(packet, high, from, to, at)
    else if (known > 0) note = this.#again(packet, from, to, at)
    else note = this.#filled(packet, from, to, at)
    if (from > high && !isAnew) note = 'gap before'
    if (from >= high) this.last = from
    this.high = Math.max(high, to)
    if (to > high) this.#lastNewPs = timePs
    this.#lastRequestPs = timePs
    if (note !== 'copy') this.answers.requested(from, timePs)
    if (this.answers.count > 0) this.outstandingMax = Math.max(this.outstandingMax, this.outstanding)
    return note
  }

  /** A packet of the other end that answers this one. */
  answer(packet: Packet): void {
    this.#learnMtu(packet)
    this.repeats.alive()
    if (this.high === null) return
    const psn = unwrapped(packet.psn, this.high - 1)
    if (Math.abs(psn - this.high) > JUMP_MAX) return
    if (isReadResponse(packet.opcode)) this.#extendRead(psn)
    this.answers.add(packet, psn)
  }

  /** Whether an answer of this PSN fits requests that are outstanding or just answered. */
  fits(psn: number): boolean {
    if (this.high === null) return false
    const near = unwrapped(psn, this.high - 1)
    return this.seen.has(near) && this.high - near <= 4096
  }

  end(): void {
    this.repeats.end(this.answers.count === 0 ? null : this.answers.lastPs, this.#standing())
    this.answers.end()
    const { first, size } = this.missing
    if (first !== null) this.answers.noteMissing(size)
  }

  #begin(from: number, timePs: number): void {
    const { limits } = this
    if (this.high !== null) {
      this.seen = new Spans(limits)
      this.reads = new Spans(limits)
      this.missing = new Spans(limits)
      this.damaged = new Spans(limits)
      this.messages.begin()
      this.roundTrips.begin()
      this.answers.begin()
    }
    this.high = from
    this.first = from
    this.answered = from
    this.#lastNewPs = timePs
    this.#lastRequestPs = timePs
    this.lastProgressPs = timePs
  }

  #fresh(packet: Packet, high: number, from: number, to: number, at: Standing): void {
    this.repeats.fresh(packet, from, at)
    if (from > high) {
      this.messages.gap()
      this.answers.gap(high, from)
      if (!this.#isReliable) {
        this.found.add(losses.unreliableGap, { ...sightOf(packet), psn: high & 0xffffff }, { packets: 0 })
        this.found.raise(losses.unreliableGap, 'packets', from - high)
      }
    }
    this.messages.add(packet, from, to, this.answered, this.mtuBytes)
    const { opcode, timePs } = packet
    const isSingle = opcode === READ_REQUEST_OPCODE || isAtomic(opcode)
    if (isSingle || packet.roce.bth.isAckRequested || isLast(opcode)) this.roundTrips.asked(from, timePs)
  }

  #again(packet: Packet, from: number, to: number, at: Standing): RequestNote {
    this.requestsAgain++
    if (!this.repeats.again(packet, from, to, at)) return 'copy'
    this.roundTrips.repeated(from)
    if (packet.opcode === READ_REQUEST_OPCODE) {
      const isRest = (this.messages.requestAt(from)?.from ?? from) !== from
      this.found.add(kinds.readRepeated, sightOf(packet), { isRest, wasAnswered: this.answers.hasResponse(from) })
    } else if (isAtomic(packet.opcode)) this.found.add(kinds.atomicRepeated, sightOf(packet), {})
    return 'again'
  }

  #filled(packet: Packet, from: number, to: number, at: Standing): RequestNote {
    // Below all that was seen: the capture began in the middle.
    if (from < this.first) return 'late'
    this.missing.remove(from, to)
    this.roundTrips.repeated(from)
    this.repeats.filled(packet, from, to, packet.timePs - this.#lastNewPs, at)
    return 'late'
  }

  #standing(): Standing {
    return {
      answered: this.answered,
      lastRequestPs: this.#lastRequestPs,
      lastProgressPs: this.lastProgressPs,
      lastNewPs: this.#lastNewPs,
      high: this.high ?? 0,
      seen: this.seen,
    }
  }

  #learnMtu({ opcode, roce }: Packet): void {
    // FIRST and MIDDLE of SEND, WRITE and READ responses are as long as the MTU.
    const isFull = opcode === 0 || opcode === 1 || opcode === 6 || opcode === 7 || opcode === 13 || opcode === 14
    if (isFull && this.mtuBytes === null && roce.flaw === null && roce.payloadBytes > 0)
      this.mtuBytes = roce.payloadBytes
  }

  #spanOf({ opcode, roce }: Packet, from: number): number {
    if (opcode !== READ_REQUEST_OPCODE || !this.#isReliable) return 1
    const lengthBytes = roce.headers.reth?.lengthBytes ?? 0
    if (this.mtuBytes !== null) return Math.min(JUMP_MAX, Math.max(1, Math.ceil(lengthBytes / this.mtuBytes)))
    if (lengthBytes > MTUS[0]!) this.#openRead = { from, lengthBytes }
    return 1
  }

  /** A READ whose responses were not counted, as the MTU was not known: the next request tells. */
  #closeRead(next: number): void {
    const read = this.#openRead
    if (read === null || next <= read.from) return
    this.#openRead = null
    const mtuBytes = this.mtuBytes ?? MTUS.find((mtu) => Math.ceil(read.lengthBytes / mtu) === next - read.from) ?? null
    if (mtuBytes !== null) this.#setRead(read.from, Math.min(next, read.from + Math.ceil(read.lengthBytes / mtuBytes)))
  }

  /** A response tells the MTU. */
  #extendRead(psn: number): void {
    const read = this.#openRead
    if (read === null || psn < read.from) return
    this.#openRead = null
    const packets = this.mtuBytes === null ? 1 : Math.ceil(read.lengthBytes / this.mtuBytes)
    if (packets <= JUMP_MAX) this.#setRead(read.from, read.from + packets)
  }

  #setRead(from: number, to: number): void {
    this.seen.add(from, to)
    this.reads.add(from, to)
    this.messages.extend(from, to)
    this.high = Math.max(this.high!, to)
  }
}

export function isAnswer(opcode: number): boolean {
  return isReadResponse(opcode) || opcode === ACKNOWLEDGE || opcode === 18 || opcode === 24 || opcode === 25
}
