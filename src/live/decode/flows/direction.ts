/** Direction: packets from one address to a queue pair of another, counted; requests among them are a dialogue. */
import { assert } from '../../../core/base/assert.ts'
import { captureFindings } from '../../../core/findings/index.ts'
import { FORMAT_IRN, isReadResponse, type Service } from '../../../core/wire/index.ts'
import { gidKindOf } from '../addresses.ts'
import type { DirectionFacts } from '../decoded.ts'
import { Dialogue, isAnswer, isLater } from '../dialogue/dialogue.ts'
import type { Limits } from '../limits.ts'
import { type Packet, sightOf } from '../packet.ts'
import { unwrapped, wrapped } from '../psn.ts'
import { RateBins } from '../rates.ts'
import { Spans } from '../spans.ts'
import { Doubles } from './doubles.ts'
import { icrcFieldOf } from './icrc-field.ts'

const { sequence, congestion, losses } = captureFindings
const CE = 3
/** From this number of packets on, wrong ICRCs of all of them are the sender's. */
const ALL_WRONG_MIN = 4

export class Direction {
  readonly key: string
  readonly source: string
  readonly destination: string
  readonly destinationQp: number
  readonly service: Service
  readonly dialogue: Dialogue
  readonly rate = new RateBins()
  readonly doubles = new Doubles()
  /** Order of its first packet among all directions. */
  readonly number: number
  readonly startPs: number
  lastPs: number
  partner: Direction | null = null
  /** Its packets belong to it; false: it was closed and listed. */
  isOpen = true
  /** Trials to find a partner by PSNs. */
  trials = 0
  sourcePort: number
  dscp: number
  packets = 0
  cnps = 0
  cePackets = 0
  mads = 0
  connectPs: number | null = null
  #sourcePortNow: number
  #portChanges = 0
  #wireBytes = 0
  #payloadBytes = 0
  #goodputBytes = 0
  /** Its first packets: when the first and the last of them came, and payload of the last. */
  readonly #fresh = { firstPs: 0, lastPs: 0, lastBytes: 0 }
  #requests = 0
  #firstPsn: number | null = null
  #lastPsn: number | null = null
  #responses = 0
  #responsesAgain = 0
  #responsePsn: number | null = null
  readonly #responsesSeen: Spans
  #acks = 0
  readonly #naks: Record<string, number> = {}
  readonly #rnrNaks: Record<string, number> = {}
  #ect = 0
  /** Copies at the same interface. */
  readonly #copied = { packets: 0, wireBytes: 0, payloadBytes: 0, requests: 0, responses: 0, acks: 0 }
  badIcrc = 0
  #firstCnpPs: number | null = null
  #lastCnpPs = 0

  /** @param first its first packet @param format FORMAT_ bits of its packets @param limits of its memory, which may change */
  constructor(
    key: string,
    ends: readonly [string, string],
    number: number,
    first: Packet,
    format: number,
    limits: Limits,
  ) {
    const { roce, timePs } = first
    this.key = key
    ;[this.source, this.destination] = ends
    this.destinationQp = roce.bth.destinationQp
    this.service = roce.service
    this.number = number
    this.#responsesSeen = new Spans(limits)
    this.startPs = timePs
    this.lastPs = timePs
    this.sourcePort = this.#sourcePortNow = roce.sourcePort
    this.dscp = roce.ip.dscp
    this.dialogue = new Dialogue(limits, roce.service === 'rc' || roce.service === 'xrc', (format & FORMAT_IRN) !== 0)
  }

  get wireBytes(): number {
    return this.#wireBytes
  }

  /** Counts a packet. The result is what it was, for lists of packets. @param isManagement it is of a connection manager */
  add(packet: Packet, isManagement = false): string {
    const { roce, timePs, record } = packet
    this.doubles.note(packet)
    this.packets++
    this.lastPs = timePs
    this.#wireBytes += record.sizeBytes
    this.rate.add(timePs, record.sizeBytes)
    if (roce.sourcePort !== this.#sourcePortNow) this.#portChanges++
    this.#sourcePortNow = roce.sourcePort
    if (roce.ip.ecn === CE) this.marked(packet)
    else if (roce.ip.ecn !== 0) this.#ect++
    if (roce.icrc === 'wrong') this.#wrongIcrc(packet)
    if (roce.service === 'cnp') {
      this.#notified(packet)
      return 'CNP'
    }
    if (isManagement) {
      this.mads++
      return 'management'
    }
    this.#payloadBytes += roce.payloadBytes
    if (roce.flaw === 'length') {
      const values = { rule: 'header', bytes: roce.payloadBytes, expectedBytes: null }
      this.dialogue.found.add(sequence.lengthWrong, sightOf(packet), values)
    }
    if (roce.flaw === 'opcode' || roce.service === 'unknown' || roce.service === 'rd') {
      this.dialogue.found.add(sequence.opcodeUnknown, sightOf(packet), { opcode: roce.bth.opcode })
      return isLater(packet) ? this.#request(packet) : 'unknown'
    }
    if (roce.service === 'ud') return this.#datagram(packet)
    return isAnswer(packet.opcode) && roce.service !== 'uc' ? this.#answer(packet) : this.#request(packet)
  }

  /** Whether a packet that is equal to one before it at the same interface is a copy of it. */
  isDoubled(psn: number, opcode: number, sincePs: number): boolean {
    const { dialogue, partner } = this
    return this.doubles.isCopy(psn, opcode, sincePs, {
      isAnswer: isAnswer(opcode),
      isAsked: dialogue.isRefused(psn),
      shortestPs: dialogue.roundTrips.shortestPs,
      partner: partner?.doubles ?? null,
    })
  }

  /** Counts a copy at the same interface. */
  double(packet: Packet): void {
    const { roce, record, opcode } = packet
    this.lastPs = packet.timePs
    this.dialogue.found.add(losses.duplicated, sightOf(packet), {})
    const copied = this.#copied
    copied.packets++
    copied.wireBytes += record.sizeBytes
    copied.payloadBytes += roce.payloadBytes
    if (!isAnswer(opcode)) copied.requests++
    else if (isReadResponse(opcode) || roce.headers.original !== undefined) copied.responses++
    else if ((roce.headers.aeth?.syndrome ?? 0) < 0x20) copied.acks++
  }

  marked(packet: Packet): void {
    this.cePackets++
    this.dialogue.found.add(congestion.marked, { ...sightOf(packet), psn: null }, { share: 0 })
  }

  #wrongIcrc(packet: Packet): void {
    this.badIcrc++
    const field = this.badIcrc === 1 ? icrcFieldOf(packet) : ''
    this.dialogue.found.add(sequence.icrcWrong, sightOf(packet), { ofPackets: 0, field })
  }

  #notified(packet: Packet): void {
    this.cnps++
    this.#firstCnpPs ??= packet.timePs
    this.#lastCnpPs = packet.timePs
    const values = { perSecond: null, beforeBps: null, afterBps: null }
    this.dialogue.found.add(congestion.notified, { ...sightOf(packet), psn: null }, values)
  }

  #datagram(packet: Packet): string {
    this.#countRequest(packet)
    this.#goodput(packet)
    this.dialogue.messages.counts.send++
    return 'datagram'
  }

  #goodput({ timePs, roce: { payloadBytes } }: Packet): void {
    if (payloadBytes === 0) return
    const fresh = this.#fresh
    if (this.#goodputBytes === 0) fresh.firstPs = timePs
    this.#goodputBytes += payloadBytes
    fresh.lastPs = timePs
    fresh.lastBytes = payloadBytes
  }

  #countRequest({ psn }: Packet): void {
    this.#requests++
    this.#firstPsn ??= psn
    this.#lastPsn = psn
  }

  #request(packet: Packet): string {
    this.#countRequest(packet)
    const note = this.dialogue.request(packet)
    if (note !== 'again' && note !== 'copy' && note !== 'reused') this.#goodput(packet)
    return note
  }

  #answer(packet: Packet): string {
    const { opcode, roce, psn } = packet
    const { aeth } = roce.headers
    const syndrome = (aeth?.syndrome ?? 0) & 0x7f
    const isResponse = isReadResponse(opcode) || roce.headers.original !== undefined
    if (isResponse) {
      this.#responses++
      const at = unwrapped(psn, this.#responsePsn)
      this.#responsePsn = Math.max(at, this.#responsePsn ?? 0)
      const isAgain = this.#responsesSeen.add(at, at + 1) > 0
      if (isAgain) this.#responsesAgain++
      else this.#goodput(packet)
      return isAgain ? 'again' : ''
    }
    if (syndrome >= 0x60) this.#naks[syndrome.toString(16)] = (this.#naks[syndrome.toString(16)] ?? 0) + 1
    else if (syndrome >= 0x20 && syndrome < 0x40) {
      const code = String(syndrome & 0x1f)
      this.#rnrNaks[code] = (this.#rnrNaks[code] ?? 0) + 1
      return `RNR ${code}`
    } else this.#acks++
    return syndrome >= 0x60 ? `NAK ${syndrome.toString(16)}` : ''
  }

  /** Ends the analysis: findings that need the whole of it. */
  end(): void {
    const { found } = this.dialogue
    this.dialogue.end()
    if (this.isMirrored) found.rename(losses.duplicated, losses.mirrored)
    if (this.cePackets > 0) found.raise(congestion.marked, 'share', this.cePackets / this.packets)
    const marks = this.partner === null ? 0 : this.partner.cePackets
    if (this.cePackets > 0 && this.partner !== null && this.partner.cnps === 0 && this.service === 'rc') {
      const values = { share: this.cePackets / this.packets }
      found.copy(congestion.marked, congestion.markedWithoutCnp, values)
    }
    if (this.cnps > 0) {
      const perSecond =
        this.cnps < 2 ? null : ((this.cnps - 1) * 1e12) / Math.max(1, this.#lastCnpPs - this.#firstCnpPs!)
      const rates = this.partner?.rate.around(this.#firstCnpPs!) ?? { beforeBps: null, afterBps: null }
      found.set(congestion.notified, { perSecond, ...rates })
      if (marks === 0 && this.partner !== null) found.copy(congestion.notified, congestion.notifiedWithoutMark, {})
    }
    if (this.badIcrc === 0) return
    found.set(sequence.icrcWrong, { ofPackets: this.packets })
    if (this.badIcrc === this.packets && this.packets >= ALL_WRONG_MIN && !this.source.includes(':'))
      found.rename(sequence.icrcWrong, sequence.icrcAllWrong)
  }

  /** Most of its packets are in the capture twice, and count once. */
  get isMirrored(): boolean {
    return this.doubles.isMirrored(this.partner?.doubles ?? null)
  }

  #expectSums(): void {
    const naks = [...Object.values(this.#naks), ...Object.values(this.#rnrNaks)].reduce((sum, one) => sum + one, 0)
    const known = this.#requests + this.#responses + this.#acks + naks + this.mads + this.cnps
    assert(known <= this.packets, 'direction: a packet counts twice')
    assert(this.badIcrc <= this.packets, 'direction: more wrong ICRCs than packets')
    assert(this.dialogue.requestsAgain <= this.#requests, 'direction: more requests came again than came')
    assert(this.#responsesAgain <= this.#responses, 'direction: more responses came again than came')
    assert(this.#goodputBytes <= this.#payloadBytes, 'direction: more payload came first than came')
  }

  facts(): DirectionFacts {
    const { dialogue } = this
    const copied = this.isMirrored ? null : this.#copied
    const { firstPs, lastPs, lastBytes } = this.#fresh
    this.#expectSums()
    return {
      source: this.source,
      destination: this.destination,
      destinationQp: this.destinationQp,
      gidKind: gidKindOf(this.source),
      sourcePort: this.sourcePort,
      sourcePortChanges: this.#portChanges,
      dscp: this.dscp,
      packets: this.packets + (copied?.packets ?? 0),
      wireBytes: this.#wireBytes + (copied?.wireBytes ?? 0),
      payloadBytes: this.#payloadBytes + (copied?.payloadBytes ?? 0),
      goodputBytes: this.#goodputBytes,
      goodputBps: lastPs > firstPs ? ((this.#goodputBytes - lastBytes) * 8e12) / (lastPs - firstPs) : null,
      requests: this.#requests + (copied?.requests ?? 0),
      firstRequestPsn: this.#firstPsn,
      lastRequestPsn: dialogue.high === null ? this.#lastPsn : wrapped(dialogue.last),
      requestsAgain: dialogue.requestsAgain + (copied?.requests ?? 0),
      responses: this.#responses + (copied?.responses ?? 0),
      responsesAgain: this.#responsesAgain + (copied?.responses ?? 0),
      acks: this.#acks + (copied?.acks ?? 0),
      naks: this.#naks,
      rnrNaks: this.#rnrNaks,
      mads: this.mads,
      cnps: this.cnps,
      ectPackets: this.#ect,
      cePackets: this.cePackets,
      badIcrc: this.badIcrc,
      messages: dialogue.messages.counts,
      roundTrips: dialogue.roundTrips.facts(),
      outstandingMax: dialogue.outstandingMax,
      rate: this.rate.rate(),
    }
  }
}
