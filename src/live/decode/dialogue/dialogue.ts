/**
 * Dialogue: the requests of one end of a connection, and the answers of the other to them.
 * PSNs count on without wrapping. Memory is bounded: spans, latest requests, pending round trips.
 * Source: IBTA 9.7.
 */
import { assert, CHECKED } from '../../../core/base/assert.ts'
import { captureFindings } from '../../../core/findings/index.ts'
import {
  ACKNOWLEDGE,
  isAtomic,
  isFirst,
  isLast,
  isReadResponse,
  isSend,
  isWrite,
  opcodeName,
  READ_REQUEST_OPCODE,
  SYNDROME_PSN_ERROR,
} from '../../../core/wire/index.ts'
import { Found } from '../found.ts'
import type { Limits } from '../limits.ts'
import { type Packet, sightOf } from '../packet.ts'
import { psnText, unwrapped, wrapped } from '../psn.ts'
import { Spans } from '../spans.ts'
import { Answers } from './answers.ts'
import { LoneAnswers } from './lone-answers.ts'
import { Messages, type Request } from './messages.ts'
import { Repeats, SHORTEST_TIMEOUT_PS, type Standing } from './repeats.ts'
import { RoundTripMeter } from './round-trips.ts'

const { losses, sequence, answers: kinds } = captureFindings
/** A PSN further from the last one is that of a queue pair made anew. */
const JUMP_MAX = 2 ** 18
const FLUSH = 0x1c
const ATOMIC_WRITE = 0x1d
/** A last packet twice within this time, or directly behind itself within that, is no retransmission. */
const SENT_TWICE_PS = { always: SHORTEST_TIMEOUT_PS, direct: 100e6 }
const ENDS_MAX = 4
const MTUS = [256, 512, 1024, 2048, 4096]
/** READs whose responses were counted while the MTU was not known. */
const GUESSES_MAX = 16

/** Fate of a request, for lists of packets. */
export type RequestNote = 'new' | 'again' | 'late' | 'gap before' | 'copy' | 'reused' | 'anew'

export class Dialogue {
  readonly limits: Limits
  readonly found: Found
  readonly messages: Messages
  readonly roundTrips: RoundTripMeter
  readonly repeats: Repeats
  readonly answers: Answers
  /** Answers to requests that are not in the capture. */
  readonly lone: LoneAnswers
  /** Requested PSNs; READ requests with those of their responses. */
  seen: Spans
  /** PSNs that the responses of READs and atomics have. */
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
  /** Most packets without an answer; 0 where no answer is in the capture. */
  outstandingMax = 0
  #openAtFirst = 0
  /** The latest packets that end messages. */
  readonly #ends: { readonly psn: number; readonly timePs: number }[] = []
  requests = 0
  requestsAgain = 0
  #lastRequestPs = 0
  #lastNewPs = 0
  lastProgressPs = 0
  #openRead: { readonly from: number; readonly lengthBytes: number } | null = null
  /** The MTU is no less, by payloads and the PSNs between READs and what follows them. */
  #mtuLeast = 0
  #guesses: { readonly from: number; readonly to: number; readonly lengthBytes: number }[] = []
  readonly #isReliable: boolean

  /** @param isSelective IRN: packets are sent again one by one */
  constructor(limits: Limits, isReliable: boolean, isSelective = false) {
    this.#isReliable = isReliable
    this.limits = limits
    this.found = new Found(limits)
    this.messages = new Messages(this.found, limits)
    this.roundTrips = new RoundTripMeter(limits)
    this.repeats = new Repeats(this.found, limits, isSelective)
    this.seen = new Spans(limits)
    this.reads = new Spans(limits)
    this.missing = new Spans(limits)
    this.damaged = new Spans(limits)
    this.answers = new Answers(this)
    this.lone = new LoneAnswers(this.found)
  }

  get lastRequestPs(): number {
    return this.#lastRequestPs
  }

  /** Packets sent and not answered. */
  get outstanding(): number {
    return this.high === null ? 0 : this.high - this.answered
  }

  request(packet: Packet): RequestNote {
    const { roce, timePs } = packet
    this.#learnMtu(packet)
    const from = unwrapped(packet.psn, this.high === null ? null : this.high - 1)
    if (this.high !== null && Math.abs(from - this.high) > JUMP_MAX && roce.icrc === 'wrong') return 'anew'
    const isAnew = this.high === null || Math.abs(from - this.high) > JUMP_MAX
    if (isAnew) this.#begin(from, timePs)
    this.#closeRead(from)
    const to = from + this.#spanOf(packet, from)
    const high = this.high!
    this.requests++
    if (from < high && this.#isOfOther(packet, from)) return 'reused'
    const known = this.seen.add(from, to)
    if (hasResponses(packet) && this.#isReliable) this.reads.add(from, to)
    if (roce.icrc === 'wrong') this.damaged.add(from, to)
    const at = this.#standing()
    let note: RequestNote = isAnew && this.requests > 1 ? 'anew' : 'new'
    if (from >= high) this.#fresh(packet, high, from, to, at)
    else if (known > 0) note = this.#again(packet, from, to, at)
    else note = this.#filled(packet, from, to, at)
    if (from > high && !isAnew) note = 'gap before'
    if (from >= high) this.last = from
    this.high = Math.max(high, to)
    if (to > high) this.#lastNewPs = timePs
    this.#lastRequestPs = timePs
    if (CHECKED) this.#expectOrder()
    if (note === 'copy') return note
    // The copy of a late packet came before it.
    if (note !== 'late' && endsMessage(packet) && this.#ends.push({ psn: from, timePs }) > ENDS_MAX) this.#ends.shift()
    this.answers.requested(from, timePs)
    if (this.answers.count === 0) this.#openAtFirst = Math.max(this.#openAtFirst, this.outstanding)
    else this.outstandingMax = Math.max(this.outstandingMax, this.outstanding)
    return note
  }

  /** A packet of the other end that answers this one. */
  answer(packet: Packet): void {
    this.#learnMtu(packet)
    this.repeats.alive()
    if (this.high === null) return this.lone.add(packet)
    const psn = unwrapped(packet.psn, this.high - 1)
    if (Math.abs(psn - this.high) > JUMP_MAX) return
    if (isReadResponse(packet.opcode)) this.#extendRead(psn)
    this.outstandingMax = Math.max(this.outstandingMax, this.#openAtFirst)
    this.answers.add(packet, psn)
    if (CHECKED) this.#expectOrder()
  }

  /** Whether a NAK or RNR NAK for a PSN waits for its packet. */
  isRefused(psn: number): boolean {
    return this.high !== null && this.repeats.isRefused(unwrapped(psn, this.high - 1))
  }

  /** Whether an answer fits requests that are outstanding or just answered, or is a NAK for one between them that lacks. */
  fits({ psn, roce }: Packet): boolean {
    if (this.high === null) return false
    const near = unwrapped(psn, this.high - 1)
    const isOfHole = roce.headers.aeth?.syndrome === SYNDROME_PSN_ERROR && near > this.first && near < this.high
    return (isOfHole || this.seen.has(near)) && this.high - near <= 4096
  }

  end(): void {
    this.repeats.end(this.answers.count === 0 ? null : this.answers.lastPs, this.#standing())
    this.answers.end()
    const { first, size } = this.missing
    if (first !== null) this.answers.noteMissing(size)
  }

  #expectOrder(): void {
    assert(this.first <= this.last && this.last < this.high!, 'dialogue: the highest request is none of it')
    assert(this.answered <= this.high!, 'dialogue: more is answered than was requested')
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
    this.repeats.fresh(from, at)
    if (from > high) {
      this.messages.gap()
      this.answers.gap(high, from)
      if (!this.#isReliable) {
        this.found.add(losses.unreliableGap, { ...sightOf(packet), psn: high & 0xffffff }, { packets: 0 })
        this.found.raise(losses.unreliableGap, 'packets', from - high)
      }
    }
    const { timePs } = packet
    if (isLater(packet)) this.messages.gap()
    else this.messages.add(packet, from, to, this.answered, this.mtuBytes)
    if (packet.roce.bth.isAckRequested || endsMessage(packet)) this.roundTrips.asked(from, timePs)
  }

  #again(packet: Packet, from: number, to: number, at: Standing): RequestNote {
    this.requestsAgain++
    if (this.#isSentTwice(packet, from)) {
      this.found.add(losses.duplicated, sightOf(packet), {})
      return 'copy'
    }
    this.repeats.again(packet, from, to, at)
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
      lastAnswerPs: this.answers.lastPs,
      usualPs: this.roundTrips.meanPs ?? 0,
      high: this.high ?? 0,
      seen: this.seen,
      answeredAt: (psn) => this.answers.answeredAt(psn),
      overtakenPs: (psn) => (this.reads.has(psn) ? this.answers.latestBeyond(psn) : null),
    }
  }

  /** The last packet of a message sooner than any answer, with an identification of its own: its sender sends it twice. */
  #isSentTwice(packet: Packet, from: number): boolean {
    const { timePs } = packet
    const before = this.#ends.findLast(({ psn }) => psn === from)
    if (before === undefined || !endsMessage(packet) || this.repeats.isRefusedItself(from)) return false
    // The one of the two may have been overtaken.
    const isDirect = before.timePs === this.#lastRequestPs
    if (!isDirect && this.repeats.isRefused(from)) return false
    const shortestPs = this.roundTrips.shortestPs ?? (isDirect ? Infinity : 0)
    return timePs - before.timePs < Math.max(SENT_TWICE_PS.always, Math.min(SENT_TWICE_PS.direct, shortestPs))
  }

  /** A packet with the PSN of another part of a request: its sender counts wrongly. */
  #isOfOther(packet: Packet, from: number): boolean {
    if (!this.#isReliable || packet.roce.icrc === 'wrong' || !this.seen.has(from)) return false
    const request = this.messages.requestAt(from)
    if (request === null || fitsRequest(packet.opcode, request, from)) return false
    const values = {
      opcode: opcodeName(packet.opcode),
      request: request.name,
      requestPsn: psnText(wrapped(request.from)),
    }
    this.found.add(sequence.psnReused, sightOf(packet), values)
    return true
  }

  #learnMtu({ opcode, roce }: Packet): void {
    if (this.mtuBytes !== null && this.#guesses.length > 0) this.#boundMtu(this.mtuBytes)
    if (roce.flaw !== null || this.mtuBytes !== null) return
    // FIRST and MIDDLE of SEND, WRITE and READ responses are as long as the MTU.
    const isFull = opcode === 0 || opcode === 1 || opcode === 6 || opcode === 7 || opcode === 13 || opcode === 14
    if (isFull && roce.payloadBytes > 0) this.mtuBytes = roce.payloadBytes
    this.#boundMtu(roce.payloadBytes)
  }

  /** READs had no more responses than an MTU of this or more gives them; PSNs beyond were not requested. */
  #boundMtu(bytes: number): void {
    if (bytes <= this.#mtuLeast && this.mtuBytes === null) return
    this.#mtuLeast = Math.max(bytes, this.#mtuLeast)
    for (const guess of this.#guesses.splice(0)) {
      const to = guess.from + this.#responsesOf(guess.lengthBytes, guess.to - guess.from)
      this.seen.remove(to, guess.to)
      this.reads.remove(to, guess.to)
      this.#countRead(guess.from, to, guess.lengthBytes)
    }
  }

  #spanOf({ opcode, roce }: Packet, from: number): number {
    if (opcode !== READ_REQUEST_OPCODE || !this.#isReliable) return 1
    const lengthBytes = roce.headers.reth?.lengthBytes ?? 0
    if (this.mtuBytes !== null) return this.#responsesOf(lengthBytes, JUMP_MAX)
    if (from >= this.high! && lengthBytes > Math.max(MTUS[0]!, this.#mtuLeast)) this.#openRead = { from, lengthBytes }
    return 1
  }

  /** By the MTU, or the least that it can be. */
  #responsesOf(lengthBytes: number, most: number): number {
    return Math.min(most, Math.max(1, Math.ceil(lengthBytes / (this.mtuBytes ?? Math.max(1, this.#mtuLeast)))))
  }

  /** A READ whose responses were not counted, as the MTU was not known: the next request bounds them. */
  #closeRead(next: number): void {
    const read = this.#openRead
    if (read === null || next <= read.from) return
    this.#openRead = null
    const most = next - read.from
    const least = MTUS.find((mtu) => Math.ceil(read.lengthBytes / mtu) <= most)
    if (least === undefined && this.mtuBytes === null) return
    this.#boundMtu(least ?? 0)
    this.#countRead(read.from, read.from + this.#responsesOf(read.lengthBytes, most), read.lengthBytes)
  }

  /** A response tells the MTU. */
  #extendRead(psn: number): void {
    const read = this.#openRead
    if (read === null || psn < read.from || (this.mtuBytes === null && read.lengthBytes > this.#mtuLeast)) return
    this.#openRead = null
    this.#countRead(read.from, read.from + this.#responsesOf(read.lengthBytes, JUMP_MAX), read.lengthBytes)
  }

  #countRead(from: number, to: number, lengthBytes: number): void {
    this.seen.add(from, to)
    this.reads.add(from, to)
    this.messages.reach(from, to)
    this.high = Math.max(this.high!, to)
    if (this.mtuBytes === null && this.#guesses.push({ from, to, lengthBytes }) > GUESSES_MAX) this.#guesses.shift()
  }
}

/** Whether a packet is the same part of a request: the first one, or one behind it. READs are asked for from any PSN again. */
function fitsRequest(opcode: number, request: Request, psn: number): boolean {
  if (request.opcode === READ_REQUEST_OPCODE || psn === request.from) return opcode === request.opcode
  return !isFirst(opcode) && (isSend(request.opcode) ? isSend(opcode) : isWrite(opcode))
}

/**
 * FLUSH and ATOMIC WRITE of later versions of the standard, known by their opcodes alone: one PSN each, answered by a READ
 * response without payload. Source: Linux, rxe_opcode.h and send_read_response_ack().
 */
export function isLater({ opcode, roce: { service } }: Packet): boolean {
  return service === 'rc' && (opcode === FLUSH || opcode === ATOMIC_WRITE)
}

/** Requests of one packet that have responses instead of ACKs. */
function hasResponses(packet: Packet): boolean {
  return packet.opcode === READ_REQUEST_OPCODE || isAtomic(packet.opcode) || isLater(packet)
}

function endsMessage(packet: Packet): boolean {
  return isLast(packet.opcode) || hasResponses(packet)
}

export function isAnswer(opcode: number): boolean {
  return isReadResponse(opcode) || opcode === ACKNOWLEDGE || opcode === 18 || opcode === 24 || opcode === 25
}
