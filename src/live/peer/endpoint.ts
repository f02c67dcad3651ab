/**
 * Endpoint: a station with a verbs device, whose queue pairs speak RoCEv2 on frames, without sockets and clocks.
 * A packet counts only if its ICRC is right and it comes from the address of the queue pair's partner; everything else is
 * dropped silently and counted. Frames leave in this order: answers of the station, ACKs and NAKs, management datagrams,
 * and at most 16 data packets each time that frames are polled until there is none, so that arrivals get their share.
 * Source: IBTA 9.6.1, annex A17; addresses and ports as Linux's soft RoCE has them.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import { expectPsn } from '../../core/transport/psn.ts'
import { CNP } from '../../core/transport/segment.ts'
import { icrcOf, ICRC_BYTES } from '../../core/wire/icrc.ts'
import { ROCE_PORT, writeRoceFrame } from '../../core/wire/frame.ts'
import { ipBytes, type IpHeader, PROTOCOL_UDP, UDP_BYTES } from '../../core/wire/ip.ts'
import { ACKNOWLEDGE, LIVE_BITS, SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../../core/wire/index.ts'
import { decodePacket, encodePacket, packetBytes, type QueuePairPlan, VerbsPacket } from '../../core/verbs/index.ts'
import type { ManagementAgent, Party, PeerAddress } from '../party.ts'
import { isSameAddress } from '../link/addresses.ts'
import { type Arrived, type Neighbour, Station, type StationOptions } from '../link/station.ts'
import { LivePair, type Partner } from './live-pair.ts'
import { readManagement, writeManagement } from './management.ts'
import { type Draw, LiveDevice } from './memory.ts'

export interface EndpointOptions extends StationOptions {
  readonly draw: Draw
  /** Serves queue pair 1; by default its packets are dropped. */
  readonly agent?: ManagementAgent
}

/** Who uses the queue pairs: it is called after each packet and timer, polls completions and posts work. */
export interface Application {
  advance(nowPs: number): void
  /** When it has to be called without either; Infinity: never. */
  readonly nextPs: number
}

interface Datagram {
  readonly to: PeerAddress
  readonly mad: Uint8Array
  readonly neighbour: Neighbour
}

/** Why packets were dropped. */
export type DropReason = 'icrc' | 'queue pair' | 'source' | 'packet' | 'full'

const BATCH_PACKETS = 16
const PAYLOAD_BYTES_MAX = 4096
const PAIRS_MAX = 4096
const FRAMES_MAX = 8192
const DATAGRAMS_MAX = 64
const HOP_LIMIT = 64
const MANAGEMENT_QP = 1
/** Numbers below it are those of management and of multicasts. */
const FIRST_QP = 16

export class LiveEndpoint implements Party {
  readonly station: Station
  readonly device: LiveDevice
  readonly drops: Record<DropReason, number> = { icrc: 0, 'queue pair': 0, source: 0, packet: 0, full: 0 }
  application: Application | null = null
  readonly order: { draw(): number }
  readonly #options: EndpointOptions
  readonly #pairs = new Map<number, LivePair>()
  #ring: LivePair[] = []
  readonly #replies: Uint8Array[] = []
  /** To addresses that are looked for. */
  readonly #datagrams: Datagram[] = []
  readonly #in = new VerbsPacket(PAYLOAD_BYTES_MAX)
  readonly #out = new VerbsPacket(PAYLOAD_BYTES_MAX)
  #batch = BATCH_PACKETS
  #managementPsn = 0

  constructor(options: EndpointOptions) {
    this.#options = options
    this.station = new Station(options)
    let orders = 0
    this.order = { draw: () => ++orders }
    this.device = new LiveDevice(this.order, options.draw)
  }

  get pairs(): readonly LivePair[] {
    return [...this.#pairs.values()]
  }

  draw(below: number): number {
    return this.#options.draw(below)
  }

  /** null: there are too many. */
  createPair(plan: QueuePairPlan): LivePair | null {
    if (this.#pairs.size === PAIRS_MAX) return null
    let number = 0
    while (number < FIRST_QP || this.#pairs.has(number)) number = this.#options.draw(2 ** 24 - 1)
    assert(number < 2 ** 24 - 1, 'endpoint: a queue pair has the number of a multicast')
    const live = new LivePair(number, this.device.createQueuePair(plan))
    this.#pairs.set(number, live)
    this.#ring.push(live)
    return live
  }

  destroyPair(live: LivePair): void {
    assert(this.#pairs.get(live.number) === live, 'endpoint: a queue pair is destroyed twice')
    live.keepCounts()
    this.device.destroyQueuePair(live.pair)
    this.#pairs.delete(live.number)
    this.#ring = this.#ring.filter((each) => each !== live)
    assert(this.#ring.length === this.#pairs.size, 'endpoint: a queue pair has no turn, or two')
    if (live.partner !== null) this.station.release(live.partner.ip)
    live.partner = live.neighbour = null
  }

  /** Names the partner of a queue pair, and looks for its hardware address. */
  setPartner(nowPs: number, live: LivePair, partner: Partner): void {
    if (live.partner !== null) this.station.release(live.partner.ip)
    this.station.keep(nowPs, partner.ip)
    live.neighbour = this.station.neighbourOf(partner.ip)
    live.partner = partner
  }

  onFrame(nowPs: number, frame: Uint8Array): void {
    const arrived = this.station.onFrame(nowPs, frame)
    if (arrived === null || arrived.destinationPort !== ROCE_PORT) return
    if (this.#onPacket(nowPs, arrived)) this.application?.advance(nowPs)
  }

  pollFrame(nowPs: number): Uint8Array | null {
    const frame = this.station.pollFrame() ?? this.#replies.shift() ?? this.#pollDatagram(nowPs)
    if (frame !== null) return frame
    if (this.#batch > 0) {
      for (let n = this.#ring.length; n > 0; n--) {
        const live = this.#ring.shift()!
        this.#ring.push(live)
        const data = this.#pollPair(nowPs, live)
        if (data === null) continue
        this.#batch--
        return data
      }
    }
    this.#batch = BATCH_PACKETS
    return null
  }

  get nextPs(): number {
    if (this.#replies.length > 0) return 0
    let nextPs = Math.min(
      this.station.nextPs,
      this.#options.agent?.nextPs ?? Infinity,
      this.application?.nextPs ?? Infinity,
    )
    for (const live of this.#ring) {
      nextPs = Math.min(nextPs, live.pair.nextTimeoutPs)
      if (live.neighbour?.mac != null) nextPs = Math.min(nextPs, live.pair.nextSendPs)
    }
    if (this.#datagrams.some(({ neighbour }) => neighbour.mac !== null)) return 0
    assert(!Number.isNaN(nextPs), 'endpoint: nobody knows when something is to be done')
    return nextPs
  }

  onTime(nowPs: number): void {
    this.station.onTime(nowPs)
    this.#options.agent?.onTime(nowPs)
    for (const live of this.#ring) {
      // Late calls serve one deadline each.
      for (let n = 0; n < 8 && live.pair.nextTimeoutPs <= nowPs; n++) live.pair.onTimeout(nowPs)
      this.#takeReplies(nowPs, live)
    }
    this.application?.advance(nowPs)
  }

  /** False: it was dropped. */
  #onPacket(nowPs: number, arrived: Arrived): boolean {
    const { ip, packet } = arrived
    const start = ipBytes(ip)
    const end = packet.length - ICRC_BYTES
    const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength)
    const at = start + UDP_BYTES
    if (end < at + 12) return this.#drop('packet')
    if (view.getUint32(end, true) !== icrcOf(packet.subarray(0, end), start)) return this.#drop('icrc')
    const bytes = packet.subarray(at, end)
    const qp = view.getUint32(at + 4) & 0xffffff
    if (qp === MANAGEMENT_QP) {
      const mad = readManagement(bytes)
      if (mad === null) return this.#drop('packet')
      this.#options.agent?.onMad(nowPs, { ip: ip.source, port: arrived.sourcePort }, mad)
      return true
    }
    const live = this.#pairs.get(qp)
    if (live === undefined || live.partner === null) return this.#drop('queue pair')
    if (!isSameAddress(ip.source, live.partner.ip)) return this.#drop('source')
    const segment = this.#in
    if (!decodePacket(bytes, bytes.length, live.format, segment)) return this.#drop('packet')
    if (CHECKED) expectPsn(segment.psn)
    if (CHECKED) assert(segment.payloadBytes <= PAYLOAD_BYTES_MAX, 'endpoint: a packet holds more than its room')
    segment.ecn = ip.ecn
    count(live, segment, 'Received')
    live.counts.received++
    segment.destinationQp = live.pair.number
    live.pair.onSegment(nowPs, segment)
    this.#takeReplies(nowPs, live)
    return true
  }

  #drop(reason: DropReason): false {
    this.drops[reason]++
    return false
  }

  /** ACKs and NAKs leave before the next packet is taken in: only one is stored. */
  #takeReplies(nowPs: number, live: LivePair): void {
    while (live.pair.hasReply) {
      const frame = this.#pollPair(nowPs, live)
      if (frame === null) return
      if (this.#replies.length < FRAMES_MAX) this.#replies.push(frame)
      else this.#drop('full')
    }
  }

  #pollPair(nowPs: number, live: LivePair): Uint8Array | null {
    const { partner } = live
    const mac = live.neighbour?.mac ?? null
    const out = this.#out
    if (mac === null || partner === null || !live.pair.pollTransmit(nowPs, out)) return null
    if (CHECKED) expectPsn(out.psn)
    if (CHECKED) assert(out.payloadBytes <= live.mtuBytes, 'endpoint: a packet is longer than the MTU')
    count(live, out, 'Sent')
    live.counts.sent++
    const bytes = new Uint8Array(packetBytes(out, live.format))
    encodePacket(out, live.format, bytes, LIVE_BITS)
    const ecn = out.kind === CNP ? partner.trafficClass & 3 : out.ecn | (partner.trafficClass & 3)
    return this.#frame(mac, partner.ip, partner.port, (partner.trafficClass & 0xfc) | ecn, bytes)
  }

  #pollDatagram(nowPs: number): Uint8Array | null {
    const waiting = this.#datagrams
    for (let at = 0; at < waiting.length; at++) {
      const { mac, nextPs } = waiting[at]!.neighbour
      if (mac === null && nextPs < Infinity) continue
      const [datagram] = waiting.splice(at--, 1)
      if (mac !== null && datagram !== undefined) return this.#datagramFrame(mac, datagram)
    }
    const { agent } = this.#options
    for (let next = agent?.pollMad(nowPs) ?? null; next !== null; next = agent?.pollMad(nowPs) ?? null) {
      const neighbour = this.station.resolve(nowPs, next.to.ip) ? this.station.neighbourOf(next.to.ip) : null
      if (neighbour === null) continue
      if (neighbour.mac !== null) return this.#datagramFrame(neighbour.mac, next)
      waiting.push({ ...next, neighbour })
      // Neighbours answer in moments: who has waited longest is the likeliest not to be there.
      if (waiting.length <= DATAGRAMS_MAX) continue
      waiting.shift()
      this.#drop('full')
    }
    return null
  }

  #datagramFrame(mac: number, { to, mad }: Omit<Datagram, 'neighbour'>): Uint8Array {
    this.#managementPsn = (this.#managementPsn + 1) & 0xffffff
    return this.#frame(mac, to.ip, to.port, 0, writeManagement(this.#managementPsn, mad))
  }

  #frame(mac: number, to: Uint8Array, sourcePort: number, trafficClass: number, packet: Uint8Array): Uint8Array {
    const fields = {
      source: this.station.ownFor(to) ?? to,
      destination: to,
      dscp: trafficClass >> 2,
      ecn: trafficClass & 3,
      hopLimit: HOP_LIMIT,
      protocol: PROTOCOL_UDP,
    }
    const ip: IpHeader =
      to.length === 4
        ? { ...fields, version: 4, identification: this.station.nextIdentification(), isUnfragmented: true }
        : { ...fields, version: 6, flowLabel: 0 }
    return writeRoceFrame({
      link: { destination: mac, source: this.station.mac, tag: null },
      ip,
      sourcePort,
      destinationPort: ROCE_PORT,
      hasChecksum: false,
      packet,
    })
  }
}

function count({ counts }: LivePair, { opcode, kind, syndrome }: VerbsPacket, where: 'Sent' | 'Received'): void {
  if (kind === CNP || opcode !== ACKNOWLEDGE) return
  if (syndrome < SYNDROME_RNR) counts[`acks${where}`]++
  else if (syndrome < SYNDROME_PSN_ERROR) counts[`rnrNaks${where}`]++
  else counts[`naks${where}`]++
}
