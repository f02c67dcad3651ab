/**
 * Decoder: records of a capture become connections and findings. Memory follows the number of connections and what is
 * outstanding, not the length of the file.
 */
import { captureFindings, type Finding, foundAt, isAtLeast, SEVERITIES, type Subject } from '../findings/index.ts'
import {
  type CaptureFacts,
  type CaptureRecord,
  dissect,
  type DissectedRoce,
  FORMAT_IRN,
  FORMAT_ROCE,
  formatsIn,
} from '../wire/index.ts'
import { addressText } from './addresses.ts'
import { Copies } from './beside/copies.ts'
import { Exchanges } from './beside/exchanges.ts'
import { Management } from './beside/management.ts'
import { Pauses } from './beside/pauses.ts'
import { configurationFindings } from './configuration.ts'
import type { ConnectionFacts, Decoded } from './decoded.ts'
import { isAnswer } from './dialogue/dialogue.ts'
import { Direction } from './flows/direction.ts'
import { keyOf, Pairs } from './flows/pairs.ts'
import type { DecodeObserver } from './observer.ts'
import type { Packet } from './packet.ts'

const { connections: kinds } = captureFindings
/** Directions that are followed at once, and connections that are listed. */
const DIRECTIONS_MAX = 100_000
const LISTED_MAX = 50_000
const FINDINGS_MAX = 10_000
/** Share of the directions, those idle for longest, that are closed to make room. */
const CLOSED_SHARE = 0.1
const MANAGEMENT_QP = 1
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
}

export class Decoder {
  readonly #options: DecoderOptions
  readonly #directions = new Map<string, Direction>()
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
  #connections: ConnectionFacts[] = []
  #unlisted = 0
  #findings: Finding[] = []
  #directionCount = 0
  #endPs = 0
  #longestBytes = 0
  readonly #count = {
    frames: 0,
    rocePackets: 0,
    badIcrc: 0,
    cutPackets: 0,
    macControl: 0,
    tcp: 0,
    arp: 0,
    roce1: 0,
    damaged: 0,
    others: 0,
  }
  /** Addresses of the packet before: text is made once. */
  #ends: { source: Uint8Array; destination: Uint8Array; texts: [string, string] } | null = null

  /** Program of the section that is read, and what that says of the formats of packets. */
  #application = ''
  #formatOf: (destinationQp: number) => number

  constructor(options: DecoderOptions = {}) {
    this.#options = options
    this.#formatOf = options.isIrn === true ? () => FORMAT_IRN : () => FORMAT_ROCE
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
    this.#longestBytes = Math.max(this.#longestBytes, record.sizeBytes)
    const frame = dissect(record.bytes, record.link, { formatOf: this.#formatOf })
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
        return this.#exchanges.add(frame)
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
    }
  }

  end(facts: CaptureFacts): Decoded {
    this.#management.end()
    const open = [...this.#directions.values()]
    for (const direction of open) this.#close(direction)
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
      ...configurationFindings(this.#connections, this.#longestBytes),
    ] as Finding[]
    return {
      facts,
      durationPs: this.#endPs,
      counts: { ...this.#count, macControl: this.#count.macControl - this.#pauses.copies, copies },
      connections: this.#connections.toSorted((a, b) => bytesOf(b) - bytesOf(a) || a.number - b.number),
      connectionsUnlisted: this.#unlisted,
      findings: [...this.#findings, ...fileFindings].toSorted(
        (a, b) =>
          Number(BOUNDING.has(b.id)) - Number(BOUNDING.has(a.id)) ||
          SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
          (a.subject.atPs ?? Infinity) - (b.subject.atPs ?? Infinity) ||
          0,
      ),
    }
  }

  #roce(record: CaptureRecord, roce: DissectedRoce): void {
    const count = this.#count
    const { bth } = roce
    const { timePs } = record
    const packet: Packet = { record, roce, frame: count.frames, timePs, opcode: bth.opcode & 31, psn: bth.psn }
    const copy = this.#copies.look(packet)
    const [source, destination] = this.#endsOf(roce)
    const key = keyOf(source, destination, bth.destinationQp)
    if (copy !== 'first') {
      if (copy === 'marked') this.#directions.get(key)?.marked(packet)
      this.#options.observer?.onPacket?.(packet, key, 'at another interface')
      return
    }
    count.rocePackets++
    if (roce.icrc === 'wrong') count.badIcrc++
    if (roce.icrc === 'cut') count.cutPackets++
    const direction = this.#directions.get(key) ?? this.#open(key, [source, destination], packet)
    const isAnswering = isAnswer(packet.opcode) && (roce.service === 'rc' || roce.service === 'xrc')
    if (isAnswering && direction.partner === null) this.#pairs.guess(direction, packet.psn)
    const message = roce.service === 'ud' ? this.#datagram(packet, direction) : null
    const note = direction.add(packet, message !== null)
    if (isAnswering && roce.flaw === null && roce.icrc !== 'wrong') direction.partner?.dialogue.answer(packet)
    this.#options.observer?.onPacket?.(packet, key, message ?? note)
  }

  #datagram(packet: Packet, direction: Direction): string | null {
    const { deth } = packet.roce.headers
    if (deth !== undefined) this.#pairs.datagram(direction, deth.sourceQp)
    if (direction.destinationQp !== MANAGEMENT_QP) return null
    return this.#management.add(packet, direction)
  }

  #open(key: string, ends: readonly [string, string], packet: Packet): Direction {
    if (this.#directions.size >= (this.#options.directionsMax ?? DIRECTIONS_MAX)) this.#makeRoom()
    const direction = new Direction(
      key,
      ends,
      this.#directionCount++,
      packet,
      this.#formatOf(packet.roce.bth.destinationQp),
    )
    const { observer } = this.#options
    if (observer?.onSight !== undefined)
      direction.dialogue.found.onSight = (...sight) => observer.onSight?.(key, ...sight)
    this.#directions.set(key, direction)
    this.#pairs.add(direction)
    return direction
  }

  #makeRoom(): void {
    const idle = [...this.#directions.values()].toSorted((a, b) => a.lastPs - b.lastPs)
    for (const direction of idle.slice(0, Math.ceil(idle.length * CLOSED_SHARE))) this.#close(direction)
  }

  /** Ends a direction and its partner, and lists them as a connection. */
  #close(direction: Direction): void {
    if (this.#directions.get(direction.key) !== direction) return
    const { partner } = direction
    const both = partner === null ? [direction] : [direction, partner].toSorted((a, b) => a.number - b.number)
    for (const each of both) each.end()
    const joinedBy = this.#pairs.joinedBy(direction)
    for (const each of both) {
      this.#directions.delete(each.key)
      this.#pairs.forget(each)
      const subject: Subject = { device: endsText(each.source, each.destination), queuePair: each.destinationQp }
      this.#keep(each.dialogue.found.findings(subject))
    }
    if (this.#connections.length >= (this.#options.listedMax ?? LISTED_MAX)) {
      this.#unlisted++
      return
    }
    const [first] = both
    this.#connections.push({
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
      // Where there are too many, the grave ones are kept.
      if (this.#findings.length < FINDINGS_MAX) this.#findings.push(finding)
      else if (isAtLeast(finding.severity, 'error') && this.#findings.length < 2 * FINDINGS_MAX)
        this.#findings.push(finding)
    }
  }

  #endsOf({ ip }: DissectedRoce): [string, string] {
    const known = this.#ends
    if (known !== null && isSame(known.source, ip.source) && isSame(known.destination, ip.destination))
      return known.texts
    const { source, destination } = ip
    const texts: [string, string] = [addressText(source), addressText(destination)]
    this.#ends = { source, destination, texts }
    return texts
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function endsText(source: string, destination: string): string {
  return `${source} to ${destination}`
}

function bytesOf({ directions }: ConnectionFacts): number {
  return directions.reduce((sum, { wireBytes }) => sum + wireBytes, 0)
}
