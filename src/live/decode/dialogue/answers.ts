/**
 * Answers to the requests of a dialogue: ACKs, NAKs, responses of READs and atomics.
 * Source: IBTA 9.7.5, 9.7.6; syndromes 9.7.5.2.
 */
import { assert, CHECKED } from '../../../core/base/assert.ts'
import { captureFindings } from '../../../core/findings/index.ts'
import {
  ACKNOWLEDGE,
  isAtomic,
  isReadResponse,
  READ_REQUEST_OPCODE,
  RNR_WAIT_US,
  SYNDROME_INVALID_REQUEST,
  SYNDROME_PSN_ERROR,
  SYNDROME_REMOTE_ACCESS,
  SYNDROME_REMOTE_OPERATION,
  SYNDROME_RNR,
} from '../../../core/wire/index.ts'
import type { OpenSighting, Sight } from '../found.ts'
import { type Packet, sightOf } from '../packet.ts'
import { psnDistance, wrapped } from '../psn.ts'
import { Spans } from '../spans.ts'
import type { Asked } from './asked.ts'

const { answers: kinds, losses, sequence } = captureFindings
const ATOMICS_MAX = 128
const ADVANCES_MAX = 16
const LACKS_MAX = 16
const STALL_PS = 1e9
const STALL_ROUND_TRIPS = 100
/** Two clocks, or two queues of one host, may show an answer this much before its request. */
const SKEW_PS = 10e6

type Refused = typeof kinds.nakRemoteAccess

export const REFUSALS: ReadonlyMap<number, Refused> = new Map([
  [SYNDROME_INVALID_REQUEST, kinds.nakInvalidRequest],
  [SYNDROME_REMOTE_ACCESS, kinds.nakRemoteAccess],
  [SYNDROME_REMOTE_OPERATION, kinds.nakRemoteOperation],
])

export class Answers {
  readonly #dialogue: Asked
  count = 0
  lastPs = 0
  /** The latest, and what it is an answer to. */
  #latest = { psn: -1, timePs: 0 }
  /** PSNs of responses that were seen, of READs and atomics. */
  #responses: Spans
  #values: Map<number, bigint> | null = null
  #msn: { value: number; psn: number } | null = null
  #unsent: { readonly psn: number; readonly sight: Sight } | null = null
  #rnr: {
    readonly psn: number
    readonly code: number
    readonly sight: Sight
    readonly received: number
    times: number
  } | null = null
  /** Most RNR NAKs for one PSN. */
  #mostRnr = 0
  /** The latest answers that moved on: one past what they cover, and when. */
  #advances: { readonly to: number; readonly timePs: number }[] = []
  #missingSight: Sight | null = null
  /** Responses that lacked when later ones passed: how often they were asked for again, and came, since. */
  #lacks: { readonly psn: number; readonly sighting: OpenSighting; asked: number; came: number }[] = []
  /** PSN of the last NAK 60, until it is sent again. */
  #missedPsn: number | null = null
  /** NAK that ended the connection. */
  #refusal: { readonly id: string } | null = null

  constructor(dialogue: Asked) {
    this.#dialogue = dialogue
    this.#responses = new Spans(dialogue.limits)
  }

  /** PSNs begin anew. */
  begin(): void {
    this.#responses = new Spans(this.#dialogue.limits)
    this.#values = null
    this.#msn = null
    this.#unsent = null
    this.#rnr = null
    this.#missedPsn = null
    this.#advances = []
    this.#latest.psn = -1
    this.#settleLacks(0)
  }

  /** When the latest answer came, if it is beyond a PSN; null: it is not. */
  latestBeyond(psn: number): number | null {
    return this.#latest.psn > psn ? this.#latest.timePs : null
  }

  /** When a PSN was answered first; null: it was not, or long ago. */
  answeredAt(psn: number): number | null {
    const at = this.#advances.findIndex(({ to }) => to > psn)
    return at < 0 || (at === 0 && this.#advances.length === ADVANCES_MAX) ? null : this.#advances[at]!.timePs
  }

  hasResponse(psn: number): boolean {
    return this.#responses.has(psn)
  }

  /** A request passed. */
  requested(psn: number, timePs: number): void {
    for (const lack of this.#lacks) if (psn <= lack.psn) lack.asked++
    if (this.#refusal !== null) this.#dialogue.found.raise(this.#refusal, 'packetsAfter', 1)
    // NACKs of IRN that were on the way still come afterwards.
    if (psn === this.#missedPsn && !this.#dialogue.repeats.isSelective) this.#missedPsn = null
    if (this.#rnr !== null && psn === this.#rnr.psn) this.#rnr = { ...this.#rnr, times: -Math.abs(this.#rnr.times) }
    const unsent = this.#unsent
    if (unsent === null || psn > unsent.psn) return
    this.#unsent = null
    if (timePs - unsent.sight.timePs > SKEW_PS) this.#dialogue.found.add(sequence.ackUnsent, unsent.sight, {})
  }

  /** PSNs that were not seen before a request: those of an answer that came first are missing in the capture. */
  gap(from: number, to: number): void {
    const unsent = this.#unsent
    if (unsent === null) return
    this.#unsent = null
    this.#miss(from, Math.min(to, unsent.psn + 1), unsent.sight)
    this.#dialogue.answered = Math.max(this.#dialogue.answered, Math.min(to, unsent.psn + 1))
  }

  add(packet: Packet, psn: number): void {
    const sight = sightOf(packet)
    const { headers } = packet.roce
    const dialogue = this.#dialogue
    this.#stall(packet)
    this.count++
    this.lastPs = packet.timePs
    if (psn >= dialogue.high!) {
      const syndrome = headers.aeth?.syndrome ?? 0
      if (syndrome < SYNDROME_RNR || isReadResponse(packet.opcode)) this.#unsent ??= { psn, sight }
      return
    }
    if (this.#isUnsent(psn, packet)) {
      dialogue.found.add(sequence.ackUnsent, sight, {})
      return
    }
    dialogue.roundTrips.answered(psn, packet.timePs)
    const isResponse = isReadResponse(packet.opcode)
    if (isResponse || (headers.aeth?.syndrome ?? 0) < SYNDROME_RNR) {
      dialogue.repeats.answered(psn, isResponse || headers.original !== undefined)
    }
    this.#latest = { psn, timePs: packet.timePs }
    if (isResponse) this.#response(psn, sight)
    else if (headers.original !== undefined) this.#atomic(psn, headers.original, sight)
    else if (headers.aeth !== undefined) this.#acknowledge(psn, headers.aeth.syndrome & 0x7f, headers.aeth.msn, sight)
  }

  end(): void {
    const { found } = this.#dialogue
    this.#settleLacks(0)
    if (this.#unsent !== null) found.add(sequence.ackUnsent, this.#unsent.sight, {})
    const rnr = this.#rnr
    if (rnr !== null && rnr.times >= 2) {
      const { times: attempts, code, received } = rnr
      found.add(kinds.rnrLast, rnr.sight, { attempts, code, received })
    }
  }

  noteMissing(packets: number): void {
    const sight = this.#missingSight
    if (sight !== null) this.#dialogue.found.add(losses.packetsMissing, sight, { packets })
  }

  #acknowledge(psn: number, syndrome: number, msn: number, sight: Sight): void {
    const { found, repeats } = this.#dialogue
    if (syndrome < SYNDROME_RNR) {
      this.#advance(psn + 1, sight)
      this.#count(psn, msn, sight)
      return
    }
    this.#advance(psn, sight)
    if (syndrome < 0x40) {
      const code = syndrome & 0x1f
      const times = this.#rnr?.psn === psn ? Math.abs(this.#rnr.times) + 1 : 1
      const most = { attempts: Math.max(times, this.#mostRnr), received: msn }
      found.add(kinds.receiverNotReady, sight, { code, askedPs: RNR_WAIT_US[code]! * 1e6, ...most })
      if (times > this.#mostRnr) found.set(kinds.receiverNotReady, most)
      this.#mostRnr = most.attempts
      this.#rnr = { psn, code, sight, times, received: msn }
      repeats.refused(psn, sight.timePs, code)
    } else if (syndrome === SYNDROME_PSN_ERROR) this.#missed(psn, sight)
    else {
      const kind = REFUSALS.get(syndrome)
      if (kind === undefined) found.add(kinds.syndromeReserved, sight, { syndrome: syndrome.toString(16) })
      else this.#refuse(kind, psn, sight)
    }
  }

  /** NAK 60. */
  #missed(psn: number, sight: Sight): void {
    const { found, repeats, seen, damaged } = this.#dialogue
    // One loss may be refused many times, as IRN does.
    const isKnown = this.#missedPsn === psn
    this.#missedPsn = psn
    // Behind an RNR NAK the packets that follow are taken for a gap.
    if (repeats.wasLeftOut(psn)) found.add(losses.lossBefore, sight, {})
    else if (
      !isKnown &&
      seen.has(psn) &&
      !damaged.has(psn) &&
      !repeats.isHeldBack(psn) &&
      !repeats.hasComeLate(psn, sight.timePs, this.#dialogue.roundTrips.shortestPs)
    )
      found.add(losses.lossAfter, sight, {})
    repeats.refused(psn, sight.timePs, null)
  }

  #refuse(kind: Refused, psn: number, sight: Sight): void {
    const { found, messages } = this.#dialogue
    const request = messages.requestAt(psn)
    const range = request === null ? null : messages.rangeBefore(request)
    found.add(kind, sight, {
      request: request?.name ?? '',
      address: textOf(request?.address ?? null),
      key: textOf(request?.key ?? null),
      lengthBytes: request?.lengthBytes ?? null,
      usedFrom: textOf(range?.[0] ?? null),
      usedTo: textOf(range?.[1] ?? null),
      packetsAfter: 0,
    })
    this.#refusal = kind
  }

  #response(psn: number, sight: Sight): void {
    const { found, reads, first, messages } = this.#dialogue
    const isOfAtomic = isAtomic(messages.requestAt(psn)?.opcode ?? READ_REQUEST_OPCODE)
    if (reads.has(psn) && !isOfAtomic) this.#take(psn, sight)
    else if (psn >= first && reads.first !== null) found.add(sequence.responseOutsideRead, sight, {})
  }

  /** A response of a READ or atomic. */
  #take(psn: number, sight: Sight): void {
    // PSNs between the response before this one and this one that no response had.
    const gap = this.#responses.gaps(psn - 4096, psn).at(-1)
    const lacking = gap?.[1] === psn ? this.#dialogue.reads.firstIn(gap[0], psn) : null
    this.#responses.add(psn, psn + 1)
    for (const lack of this.#lacks) if (psn === lack.psn) lack.came++
    if (lacking !== null && this.#dialogue.answered <= lacking) {
      const values = { packets: psn - lacking }
      const sighting = this.#dialogue.found.open(kinds.responsesMissing, { ...sight, psn: wrapped(lacking) }, values)
      this.#lacks.push({ psn: lacking, sighting, asked: 0, came: 0 })
      this.#settleLacks(LACKS_MAX)
    }
    this.#advance(psn + 1, sight)
  }

  /** Settles all but the latest: responses that came more often than they were asked for again were late, and not missing. */
  #settleLacks(most: number): void {
    while (this.#lacks.length > most) {
      const { sighting, asked, came } = this.#lacks.shift()!
      if (came <= asked) this.#dialogue.found.close(sighting)
    }
  }

  #atomic(psn: number, value: bigint, sight: Sight): void {
    const { found } = this.#dialogue
    const values = (this.#values ??= new Map())
    const before = values.get(psn)
    if (before === undefined) {
      if (values.size >= ATOMICS_MAX) values.delete(values.keys().next().value!)
      values.set(psn, value)
    } else if (before === value) found.add(kinds.atomicAnsweredAgain, sight, { value: textOf(value) })
    else found.add(kinds.atomicAnsweredTwice, sight, { value: textOf(value), before: textOf(before) })
    this.#take(psn, sight)
  }

  /** MSN of an ACK. */
  #count(psn: number, msn: number, sight: Sight): void {
    const last = this.#msn
    if (last !== null && psn >= last.psn && psnDistance(msn, last.value) < 0)
      this.#dialogue.found.add(sequence.msnBack, sight, { msn, before: last.value })
    if (last === null) this.#msn = { value: msn, psn }
    else if (psn >= last.psn) {
      last.value = msn
      last.psn = psn
    }
  }

  /** All below `to` arrived; of READs and atomics those whose responses were seen are done. */
  #advance(to: number, sight: Sight): void {
    const dialogue = this.#dialogue
    if (to <= dialogue.answered) return
    for (const [from, end] of dialogue.seen.gaps(dialogue.answered, to)) this.#miss(from, end, sight)
    const lacking = this.#lackingIn(dialogue.answered, to)
    const before = dialogue.answered
    dialogue.answered = Math.max(before, lacking ?? to)
    dialogue.lastProgressPs = sight.timePs
    if (dialogue.answered === before) return
    if (this.#advances.length === ADVANCES_MAX) this.#advances.shift()
    if (CHECKED)
      assert(dialogue.answered > (this.#advances.at(-1)?.to ?? -Infinity), 'answers: what is answered goes back')
    this.#advances.push({ to: dialogue.answered, timePs: sight.timePs })
  }

  /** An ACK of a PSN below all that the capture has, although later ones were answered. */
  #isUnsent(psn: number, { opcode }: Packet): boolean {
    const { first, answered } = this.#dialogue
    return opcode === ACKNOWLEDGE && psn < first && answered > first
  }

  /** The first PSN of a READ or atomic from `from` to before `to` without a response. */
  #lackingIn(from: number, to: number): number | null {
    const { reads } = this.#dialogue
    for (let at = from; at < to;) {
      const read = reads.firstIn(at, to)
      if (read === null) return null
      const end = this.#responses.endAt(read)
      if (end === read) return read
      at = end
    }
    return null
  }

  #miss(from: number, to: number, sight: Sight): void {
    if (to <= from) return
    this.#dialogue.missing.add(from, to)
    this.#missingSight ??= { ...sight, psn: wrapped(from) }
  }

  #stall({ timePs, psn, frame }: Packet): void {
    const { found, outstanding, roundTrips, lastRequestPs } = this.#dialogue
    const quietPs = timePs - Math.max(lastRequestPs, this.lastPs)
    const usualPs = roundTrips.meanPs
    if (outstanding === 0 || usualPs === null || quietPs < Math.max(STALL_PS, STALL_ROUND_TRIPS * usualPs)) return
    found.add(losses.stall, { frame, timePs, psn }, { longestPs: quietPs })
  }
}

function textOf(value: bigint | number | null): string {
  return value === null ? '' : `0x${value.toString(16)}`
}
