/**
 * Decoder: records of a capture become connections and findings. Memory follows the number of connections and what is
 * outstanding, not the length of the file.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import { captureFindings, type Finding, foundAt, SEVERITIES, type Subject } from '../../core/findings/index.ts'
import {
  ACKNOWLEDGE,
  addressText,
  BTH_BYTES,
  type CaptureFacts,
  type CaptureRecord,
  type Dissected,
  dissect,
  type DissectedRoce,
  FORMAT_IRN,
  FORMAT_ROCE,
  formatsIn,
  headerBytes,
} from '../../core/wire/index.ts'
import { Copies } from './beside/copies.ts'
import { Exchanges } from './beside/exchanges.ts'
import { Management } from './beside/management.ts'
import { Pauses } from './beside/pauses.ts'
import { iwarpPort, NamedCounts, nameOf } from './beside/unread.ts'
import { configurationFindings } from './configuration.ts'
import { type ConnectionFacts, type Decoded, isOf } from './decoded.ts'
import { isAnswer } from './dialogue/dialogue.ts'
import { Direction } from './flows/direction.ts'
import { Lookup } from './flows/lookup.ts'
import { keyOf, Pairs } from './flows/pairs.ts'
import { type Limits, limitsOf } from './limits.ts'
import { Listed } from './listed.ts'
import type { DecodeObserver } from './observer.ts'
import type { Packet } from './packet.ts'

const { connections: kinds } = captureFindings
/** Directions that are followed at once, and connections and findings that are listed. */
const DIRECTIONS_MAX = 32_768
const LISTED_MAX = 20_000
const FINDINGS_MAX = 10_000
/** Share of the directions, those idle for longest, that are closed to make room. */
const CLOSED_SHARE = 0.1
const MANAGEMENT_QP = 1
const OWN_PORTS_MAX = 4096
const PROTOCOL_UDP = 17
/** The longest frames that switches pass, with headers. */
const JUMBO_MAX_BYTES = 9234
/** AETH and the PSN of IRN ([IRN] 5.3.2). */
const IRN_ACK_BYTES = headerBytes(ACKNOWLEDGE, FORMAT_IRN) - BTH_BYTES
/** Findings that say how far the others can be trusted, and come before them. */
const BOUNDING: ReadonlySet<string> = new Set([kinds.captureDamaged.id, kinds.captureLostFrames.id])

export interface DecoderOptions {
  /** Packets are those of a simulated run with IRN, whose headers have more fields. Files of the program's own runs say so. */
  readonly isIrn?: boolean
  /** Rate of the links, bits per second, where the file does not say it. */
  readonly rateBps?: number
  readonly observer?: DecodeObserver
  readonly directionsMax?: number
  readonly listedMax?: number
  readonly findingsMax?: number
}

export class Decoder {
  readonly #options: DecoderOptions
  readonly #directions = new Map<string, Direction>()
  readonly #lookup = new Lookup()
  /** Shared by all directions, and kept up to date. */
  readonly #limits: Limits = limitsOf(1)
  readonly #pairs = new Pairs(
    (key) => this.#directions.get(key),
    (direction) => this.#close(direction),
  )
  readonly #exchanges = new Exchanges(this.#pairs)
  readonly #management = new Management(this.#pairs, (found, client, server) =>
    this.#keep(found.findings({ device: endsText(client, server) })),
  )
  readonly #pauses = new Pauses()
  readonly #copies = new Copies()
  readonly #connections: Listed<ConnectionFacts>
  #unlisted = 0
  readonly #findings: Listed<Finding>
  /** Findings that are not listed, by kind, and what they count together. */
  readonly #more = new Map<string, { findings: number; times: number }>()
  #directionCount = 0
  #endPs = 0
  #longestBytes = 0
  readonly #count = {
    frames: 0,
    rocePackets: 0,
    badIcrc: 0,
    cutPackets: 0,
    irnAcks: 0,
    plainAcks: 0,
    macControl: 0,
    tcp: 0,
    arp: 0,
    roce1: 0,
    damaged: 0,
    others: 0,
  }
  readonly #outer = new NamedCounts()
  readonly #otherKinds = new NamedCounts()
  /** Ends that have sent from a port of their own: those that answers to it may be for. */
  readonly #ownPorts = new Set<string>()
  readonly #hasOwnPort = (address: Uint8Array, port: number): boolean =>
    this.#ownPorts.has(`${addressText(address)} ${port}`)
  /** Program of the section that is read, and what that says of the formats of packets. */
  #application = ''
  #formatOf: (destinationQp: number) => number

  constructor(options: DecoderOptions = {}) {
    this.#options = options
    this.#formatOf = options.isIrn === true ? () => FORMAT_IRN : () => FORMAT_ROCE
    const { listedMax = LISTED_MAX, findingsMax = FINDINGS_MAX } = options
    const byBytes = (a: ConnectionFacts, b: ConnectionFacts): number => bytesOf(b) - bytesOf(a) || a.number - b.number
    this.#connections = new Listed(listedMax, byBytes, () => this.#unlisted++)
    this.#findings = new Listed(findingsMax, byGravity, ({ id, values }) => {
      const { findings = 0, times = 0 } = this.#more.get(id) ?? {}
      const { count } = values
      this.#more.set(id, { findings: findings + 1, times: times + (typeof count === 'number' ? count : 1) })
    })
  }

  /** @param application the program that made this part of the file; "" where it is not known */
  add(record: CaptureRecord, application = ''): void {
    const count = this.#count
    if (application !== this.#application) {
      this.#application = application
      if (this.#options.isIrn !== true) this.#formatOf = formatsIn(application) ?? (() => FORMAT_ROCE)
    }
    count.frames++
    this.#endPs = Math.max(this.#endPs, record.timePs)
    const options = { formatOf: this.#formatOf, hasOwnPort: this.#hasOwnPort }
    const frame = dissect(record.bytes, record.link, options)
    // Hosts capture TCP before it is cut into segments: such frames never pass.
    const isDatagram = frame.kind === 'roce' || (frame.kind === 'ip' && frame.ip.protocol === PROTOCOL_UDP)
    if (isDatagram && record.sizeBytes <= JUMBO_MAX_BYTES)
      this.#longestBytes = Math.max(this.#longestBytes, record.sizeBytes)
    switch (frame.kind) {
      case 'roce':
        return this.#roce(record, frame)
      case 'mac-control':
        count.macControl++
        return this.#pauses.add(
          frame.control,
          { frame: count.frames, timePs: record.timePs, psn: null },
          this.#options.rateBps ?? record.rateBps ?? 0,
          record.port,
        )
      case 'tcp':
        count.tcp++
        this.#tcp(frame)
        return
      case 'arp':
        count.arp++
        return
      case 'roce-1':
        count.roce1++
        return
      case 'damaged':
        count.damaged++
        return
      default:
        count.others++
        this.#otherKinds.add(nameOf(frame))
    }
  }

  end(facts: CaptureFacts): Decoded {
    this.#management.end()
    for (const direction of this.#directions.values()) this.#close(direction)
    this.#expectSums()
    const findings = this.#findings.list()
    const connections = gravestFirst(this.#connections.list(), findings)
    const { damage, lostByCapture } = facts
    const copies = this.#copies.joined + this.#pauses.copies
    const fileFindings = [
      ...this.#pauses.findings(this.#endPs),
      ...(damage === null ? [] : [foundAt(kinds.captureDamaged, {}, damage)]),
      ...(lostByCapture === null || lostByCapture === 0
        ? []
        : [foundAt(kinds.captureLostFrames, {}, { frames: lostByCapture })]),
      ...(copies === 0 ? [] : [foundAt(kinds.copiesJoined, {}, { packets: copies })]),
      ...(this.#unlisted === 0 ? [] : [foundAt(kinds.connectionsUnlisted, {}, { connections: this.#unlisted })]),
      ...(this.#more.size === 0 ? [] : [foundAt(kinds.findingsUnlisted, {}, moreOf(this.#more))]),
      ...configurationFindings(connections, this.#longestBytes),
    ] as Finding[]
    return {
      facts,
      durationPs: this.#endPs,
      counts: {
        ...this.#count,
        macControl: this.#count.macControl - this.#pauses.copies,
        copies,
        outer: this.#outer.list(),
        otherKinds: this.#otherKinds.list(),
      },
      exchanged: this.#exchanges.first,
      connections,
      connectionsUnlisted: this.#unlisted,
      findings: [...findings, ...fileFindings].toSorted(
        (a, b) => Number(BOUNDING.has(b.id)) - Number(BOUNDING.has(a.id)) || byGravity(a, b),
      ),
    }
  }

  #expectSums(): void {
    const { frames, rocePackets, macControl, tcp, arp, roce1, damaged, others } = this.#count
    const all = rocePackets + this.#copies.joined + macControl + tcp + arp + roce1 + damaged + others
    assert(all === frames, 'decoder: a frame counts twice, or not at all')
    assert(this.#directions.size === 0, 'decoder: a direction is not listed')
  }

  #tcp(segment: Extract<Dissected, { kind: 'tcp' }>): void {
    const port = iwarpPort(segment)
    if (port !== null) this.#otherKinds.add(`iWARP on TCP port ${port}`)
    else this.#exchanges.add(segment)
  }

  #roce(record: CaptureRecord, roce: DissectedRoce): void {
    const count = this.#count
    const { bth } = roce
    const { timePs } = record
    const packet: Packet = { record, roce, frame: count.frames, timePs, opcode: bth.opcode & 31, psn: bth.psn }
    const known = this.#known(packet)
    const copy = this.#copies.look(packet, known)
    if (copy === 'copy' || copy === 'marked') {
      const key = keyOf(addressText(roce.ip.source), addressText(roce.ip.destination), bth.destinationQp)
      if (copy === 'marked') known?.marked(packet)
      this.#options.observer?.onPacket?.(packet, key, 'at another interface')
      return
    }
    count.rocePackets++
    if (roce.outer.length > 0) this.#outer.add(roce.outer.join(', '))
    if (roce.icrc === 'wrong') count.badIcrc++
    if (roce.icrc === 'cut') count.cutPackets++
    if (bth.opcode === ACKNOWLEDGE && roce.flaw === null) count.plainAcks++
    else if (bth.opcode === ACKNOWLEDGE && roce.payloadBytes === IRN_ACK_BYTES && roce.icrc === 'right') count.irnAcks++
    const direction = known ?? this.#open(packet)
    if (copy === 'doubled') {
      direction.double(packet)
      this.#options.observer?.onPacket?.(packet, direction.key, 'copy')
      return
    }
    const isAnswering = isAnswer(packet.opcode) && (roce.service === 'rc' || roce.service === 'xrc')
    if (isAnswering && direction.partner === null) this.#pairs.guess(direction, packet)
    const message = roce.service === 'ud' ? this.#datagram(packet, direction) : null
    const note = direction.add(packet, message !== null)
    if (isAnswering && roce.flaw === null && roce.icrc !== 'wrong') {
      if (direction.partner === null) direction.dialogue.lone.add(packet)
      else direction.partner.dialogue.answer(packet)
    }
    this.#options.observer?.onPacket?.(packet, direction.key, message ?? note)
  }

  #datagram(packet: Packet, direction: Direction): string | null {
    const { deth } = packet.roce.headers
    if (deth !== undefined) this.#pairs.datagram(direction, deth.sourceQp)
    if (direction.destinationQp !== MANAGEMENT_QP) return null
    return this.#management.add(packet, direction)
  }

  /** The direction of a packet; null: it is the first one. */
  #known({ roce }: Packet): Direction | null {
    const found = this.#lookup.find(roce)
    if (found !== null) return found
    const { ip, bth } = roce
    const direction = this.#directions.get(
      keyOf(addressText(ip.source), addressText(ip.destination), bth.destinationQp),
    )
    if (direction === undefined) return null
    this.#lookup.note(roce, direction)
    return direction
  }

  #open(packet: Packet): Direction {
    const { ip, bth } = packet.roce
    const ends = [addressText(ip.source), addressText(ip.destination)] as const
    const key = keyOf(...ends, bth.destinationQp)
    if (this.#directions.size >= (this.#options.directionsMax ?? DIRECTIONS_MAX)) this.#makeRoom()
    const direction = new Direction(
      key,
      ends,
      this.#directionCount++,
      packet,
      this.#formatOf(packet.roce.bth.destinationQp),
      this.#limits,
    )
    if (this.#ownPorts.size < OWN_PORTS_MAX) this.#ownPorts.add(`${direction.source} ${direction.sourcePort}`)
    const { observer } = this.#options
    if (observer?.onSight !== undefined)
      direction.dialogue.found.onSight = (...sight) => observer.onSight?.(key, ...sight)
    assert(!this.#directions.has(key), 'decoder: a direction is opened twice')
    this.#directions.set(key, direction)
    Object.assign(this.#limits, limitsOf(this.#directions.size))
    this.#pairs.add(direction)
    return direction
  }

  #makeRoom(): void {
    const all = [...this.#directions.values()]
    const closed = Math.ceil(all.length * CLOSED_SHARE)
    const lastPs = Float64Array.from(all, (direction) => direction.lastPs).sort()[closed - 1]!
    const idle = all.filter((direction) => direction.lastPs <= lastPs)
    for (const direction of idle.slice(0, closed)) this.#close(direction)
  }

  /** Ends a direction and its partner, and lists them as a connection. */
  #close(direction: Direction): void {
    if (this.#directions.get(direction.key) !== direction) return
    const { partner } = direction
    const both = partner === null ? [direction] : [direction, partner].toSorted((a, b) => a.number - b.number)
    for (const each of both) each.end()
    const joinedBy = this.#pairs.joinedBy(direction)
    assert((joinedBy === null) === (partner === null), 'decoder: nothing says how directions were joined')
    assert(
      both.every(({ isOpen }) => isOpen),
      'decoder: a direction is listed twice',
    )
    for (const each of both) {
      each.isOpen = false
      this.#directions.delete(each.key)
      this.#pairs.forget(each)
      const subject: Subject = { device: endsText(each.source, each.destination), queuePair: each.destinationQp }
      this.#keep(each.dialogue.found.findings(subject))
    }
    const [first] = both
    this.#connections.add({
      number: first!.number + 1,
      service: first!.service === 'cnp' ? (both[1]?.service ?? 'cnp') : first!.service,
      joinedBy,
      mtuBytes: first!.dialogue.mtuBytes ?? both[1]?.dialogue.mtuBytes ?? null,
      startPs: Math.min(...both.map(({ startPs }) => startPs)),
      endPs: Math.max(...both.map(({ lastPs }) => lastPs)),
      connectPs: first!.connectPs,
      directions: both.map((each) => each.facts()),
    })
  }

  #keep(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const { frame = 1 } = finding.subject
      if (CHECKED) assert(frame >= 1 && frame <= this.#count.frames, 'decoder: a finding is at no frame of the file')
      this.#findings.add(finding)
    }
  }
}

/** Connections with errors, then those with warnings, then the others; the order of a group stays. */
function gravestFirst(connections: readonly ConnectionFacts[], findings: readonly Finding[]): ConnectionFacts[] {
  const byEnds = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (finding.severity === 'note') continue
    const key = `${finding.subject.device}|${finding.subject.queuePair}`
    const known = byEnds.get(key)
    if (known === undefined) byEnds.set(key, [finding])
    else known.push(finding)
  }
  const gravityOf = (one: ConnectionFacts): number =>
    Math.max(
      0,
      ...one.directions
        .flatMap((each) => byEnds.get(`${endsText(each.source, each.destination)}|${each.destinationQp}`) ?? [])
        .filter(({ subject }) => isOf(subject, one))
        .map(({ severity }) => SEVERITIES.indexOf(severity)),
    )
  const gravities = new Map(connections.map((one) => [one, gravityOf(one)]))
  return connections.toSorted((a, b) => gravities.get(b)! - gravities.get(a)!)
}

/** The gravest first, then by time. */
function byGravity(a: Finding, b: Finding): number {
  const [aPs, bPs] = [a.subject.atPs ?? Infinity, b.subject.atPs ?? Infinity]
  return SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || (aPs === bPs ? 0 : aPs - bPs)
}

function moreOf(more: ReadonlyMap<string, { readonly findings: number; readonly times: number }>) {
  const kindsOfMore = [...more].map(([id, { findings, times }]) => ({ id, findings, times }))
  return {
    findings: kindsOfMore.reduce((sum, one) => sum + one.findings, 0),
    kinds: kindsOfMore.toSorted((a, b) => b.times - a.times),
  }
}

function endsText(source: string, destination: string): string {
  return `${source} to ${destination}`
}

function bytesOf({ directions }: ConnectionFacts): number {
  return directions.reduce((sum, { wireBytes }) => sum + wireBytes, 0)
}
