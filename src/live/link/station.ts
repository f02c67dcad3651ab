/**
 * Station: a host on an Ethernet, with a hardware address and an address of IPv4, of IPv6 or of both, without sockets and
 * clocks. It answers ARP, neighbour solicitations and echo, finds the hardware addresses that it is asked for, and gives
 * datagrams of UDP to whoever is above it. Learns only from answers to its own questions; all else is dropped silently.
 * Source: RFC 826, RFC 4861; retries 1 s apart, three in all, are Linux's (net.ipv4.neigh.default).
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import {
  ARP,
  multicastMac,
  NEIGHBOUR_HOP_LIMIT,
  PROTOCOL_ICMP,
  PROTOCOL_ICMPV6,
  readArp,
} from '../../core/wire/neighbours/index.ts'
import {
  readEcho,
  readNeighbour,
  solicitedNode,
  writeArp,
  writeEcho,
  writeNeighbour,
} from '../../core/wire/neighbours/index.ts'
import { ethernetBytes, IPV4, IPV6, readEthernet, writeEthernet } from '../../core/wire/ethernet.ts'
import {
  contentChecksum,
  ipBytes,
  type IpHeader,
  PROTOCOL_UDP,
  readIp,
  UDP_BYTES,
  writeIp,
} from '../../core/wire/ip.ts'
import { writeIpFrame } from '../../core/wire/frame.ts'
import { isHost, isSameAddress } from './addresses.ts'
import { RateLimit } from './rate-limit.ts'

export interface StationOptions {
  /** 48 bits. */
  readonly mac: number
  /** 4 bytes; null: none. */
  readonly ip4: Uint8Array | null
  /** 16 bytes; null: none. */
  readonly ip6: Uint8Array | null
}

/** A datagram of UDP for this station. Its bytes belong to the frame. */
export interface Arrived {
  readonly ip: IpHeader
  readonly sourcePort: number
  readonly destinationPort: number
  /** From the IP header to the last byte of the datagram. */
  readonly packet: Uint8Array
}

/** A neighbour whose hardware address is known, looked for or given up. */
export interface Neighbour {
  /** null: not known. */
  readonly mac: number | null
  /** When it is asked for again; Infinity: it is known, or was given up. */
  readonly nextPs: number
}

interface Entry extends Neighbour {
  readonly ip: Uint8Array
  mac: number | null
  /** Questions asked; after the last one's wait it is given up. */
  asked: number
  nextPs: number
  /** Queue pairs whose partner it is. */
  uses: number
}

const BROADCAST = 2 ** 48 - 1
const RETRY_PS = 1e12
const QUESTIONS_MAX = 3
/** Neighbours that are kept, and answers that wait to be sent. */
const NEIGHBOURS_MAX = 1024
const REPLIES_MAX = 64
const HOP_LIMIT = 64

export class Station {
  /** A frame came from a station with the same hardware address. */
  hasTwin = false
  readonly #options: StationOptions
  readonly #neighbours = new Map<string, Entry>()
  readonly #out: Uint8Array[] = []
  /** Questions on behalf of strangers, and answers. */
  readonly #questions = new RateLimit()
  readonly #answers = new RateLimit()
  /** Time of the next question; one that is put off for lack of room may leave it too early. */
  #deadlinePs = Infinity
  #identification = 0

  constructor(options: StationOptions) {
    this.#options = options
  }

  get mac(): number {
    return this.#options.mac
  }

  /** Own address of the version that an address is of; null: it has none. */
  ownFor(ip: Uint8Array): Uint8Array | null {
    return ip.length === 4 ? this.#options.ip4 : this.#options.ip6
  }

  /** Begins to look for a hardware address, unless it is known or looked for. False: the table is full. */
  resolve(nowPs: number, ip: Uint8Array): boolean {
    const key = ip.toString()
    const found = this.#neighbours.get(key)
    if (found !== undefined && (found.mac !== null || found.nextPs !== Infinity)) return true
    if (found === undefined && this.#neighbours.size === NEIGHBOURS_MAX && !this.#forgetOne()) return false
    const neighbour: Entry = found ?? { ip: ip.slice(), mac: null, asked: 0, nextPs: nowPs, uses: 0 }
    neighbour.asked = 0
    this.#neighbours.set(key, neighbour)
    assert(this.#neighbours.size <= NEIGHBOURS_MAX, 'station: more neighbours than have room')
    this.#ask(nowPs, neighbour)
    return true
  }

  /** The same for the partner of a queue pair: it is not forgotten until release(). */
  keep(nowPs: number, ip: Uint8Array): boolean {
    if (!this.resolve(nowPs, ip)) return false
    this.#neighbours.get(ip.toString())!.uses++
    return true
  }

  release(ip: Uint8Array): void {
    const neighbour = this.#neighbours.get(ip.toString())
    if (neighbour !== undefined && neighbour.uses > 0) neighbour.uses--
  }

  /** Addresses that are known, looked for or given up. */
  get neighbourCount(): number {
    return this.#neighbours.size
  }

  /** null: it is not looked for. */
  neighbourOf(ip: Uint8Array): Neighbour | null {
    return this.#neighbours.get(ip.toString()) ?? null
  }

  /** The hardware address of an IP address; null: not known. */
  macOf(ip: Uint8Array): number | null {
    return this.#neighbours.get(ip.toString())?.mac ?? null
  }

  /** Nobody has answered for an address, or it has been forgotten. */
  hasFailed(ip: Uint8Array): boolean {
    const found = this.#neighbours.get(ip.toString())
    return found === undefined || (found.mac === null && found.nextPs === Infinity)
  }

  /** The next identification of IPv4: rising, never 0. */
  nextIdentification(): number {
    this.#identification = (this.#identification % 0xffff) + 1
    return this.#identification
  }

  /** Takes a frame. Gives a datagram for this station, or null: it was something else, which may have been answered. */
  onFrame(nowPs: number, frame: Uint8Array): Arrived | null {
    const link = readEthernet(frame)
    // Stations without VLANs take untagged frames; a group is no sender.
    if (link === null || link.tag !== null || isGroup(link.source)) return null
    if (link.source === this.mac) this.hasTwin = true
    const content = frame.subarray(ethernetBytes(null))
    if (link.etherType === ARP) this.#onArp(nowPs, link, content)
    if (link.etherType !== IPV4 && link.etherType !== IPV6) return null
    const read = readIp(content)
    if (read === null || !read.isSumRight || (read.ip.version === 4) !== (link.etherType === IPV4)) return null
    const { ip, contentBytes } = read
    // Nobody who could be answered (RFC 1122 3.2.1.3).
    if (!isHost(ip.source) || isSameAddress(ip.source, this.ownFor(ip.source))) return null
    const start = ipBytes(ip)
    if (contentBytes < 0 || start + contentBytes > content.length) return null
    const body = content.subarray(start, start + contentBytes)
    if (ip.protocol === PROTOCOL_ICMPV6 && this.#onNeighbour(nowPs, link, ip, body)) return null
    if (link.destination !== this.mac || !isSameAddress(ip.destination, this.ownFor(ip.destination))) return null
    if (ip.protocol === PROTOCOL_UDP) return datagramOf(ip, content.subarray(0, start + contentBytes), start)
    if (ip.protocol === (ip.version === 4 ? PROTOCOL_ICMP : PROTOCOL_ICMPV6)) this.#onEcho(nowPs, link.source, ip, body)
    return null
  }

  /** The next frame of its own, or null. */
  pollFrame(): Uint8Array | null {
    return this.#out.shift() ?? null
  }

  get nextPs(): number {
    return this.#out.length > 0 ? 0 : this.#deadlinePs
  }

  onTime(nowPs: number): void {
    if (nowPs < this.#deadlinePs) return
    for (const neighbour of this.#neighbours.values()) if (neighbour.nextPs <= nowPs) this.#ask(nowPs, neighbour)
    this.#findDeadline()
  }

  #findDeadline(): void {
    this.#deadlinePs = Infinity
    for (const { mac, nextPs } of this.#neighbours.values()) {
      assert(mac === null || nextPs === Infinity, 'station: a neighbour that is known is asked for')
      this.#deadlinePs = Math.min(this.#deadlinePs, nextPs)
    }
  }

  #ask(nowPs: number, neighbour: Entry): void {
    const own = this.ownFor(neighbour.ip)
    if (neighbour.asked === QUESTIONS_MAX || own === null) {
      neighbour.nextPs = Infinity
      return
    }
    assert(neighbour.asked < QUESTIONS_MAX && neighbour.mac === null, 'station: a question too many')
    neighbour.asked++
    neighbour.nextPs = nowPs + RETRY_PS
    this.#deadlinePs = Math.min(this.#deadlinePs, neighbour.nextPs)
    if (neighbour.uses === 0 && !this.#questions.takes(nowPs)) return
    if (own.length === 4) {
      const message = { operation: 'request', senderMac: this.mac, senderIp: own, targetMac: 0 } as const
      this.#sendArp(BROADCAST, { ...message, targetIp: neighbour.ip })
      return
    }
    const group = solicitedNode(neighbour.ip)
    const ip = this.#header(own, group, PROTOCOL_ICMPV6, NEIGHBOUR_HOP_LIMIT)
    const message = { kind: 'solicitation', target: neighbour.ip, mac: this.mac, isSolicited: false } as const
    this.#sendIp(multicastMac(group), ip, writeNeighbour(ip, message))
  }

  /** Makes room: of those whom no queue pair needs the oldest leaves, first one that has not answered. */
  #forgetOne(): boolean {
    let oldest: Entry | null = null
    for (const neighbour of this.#neighbours.values()) {
      if (neighbour.uses > 0) continue
      oldest ??= neighbour
      if (neighbour.mac !== null) continue
      oldest = neighbour
      break
    }
    if (oldest === null) return false
    assert(oldest.uses === 0, 'station: the partner of a queue pair is forgotten')
    oldest.nextPs = Infinity
    return this.#neighbours.delete(oldest.ip.toString())
  }

  #onArp(nowPs: number, { destination }: { readonly destination: number }, content: Uint8Array): void {
    if (destination !== this.mac && destination !== BROADCAST) return
    const message = readArp(content)
    const { ip4 } = this.#options
    if (message === null || !isSameAddress(message.targetIp, ip4) || isGroup(message.senderMac)) return
    if (message.operation === 'reply') {
      this.#learn(message.senderIp, message.senderMac)
      return
    }
    if (!this.#answers.takes(nowPs)) return
    const { senderMac: targetMac, senderIp: targetIp } = message
    this.#sendArp(targetMac, { operation: 'reply', senderMac: this.mac, senderIp: ip4!, targetMac, targetIp })
  }

  /** True: it was a message of neighbour discovery. */
  #onNeighbour(
    nowPs: number,
    link: { readonly destination: number; readonly source: number },
    ip: IpHeader,
    body: Uint8Array,
  ): boolean {
    const message = readNeighbour(ip, body)
    const { ip6 } = this.#options
    if (message === null) return false
    if (ip6 === null) return true
    if (message.kind === 'advertisement') {
      const isOurs = link.destination === this.mac && isSameAddress(ip.destination, ip6) && message.isSolicited
      if (isOurs && message.mac !== null && !isGroup(message.mac)) this.#learn(message.target, message.mac)
      return true
    }
    const isForUs = link.destination === this.mac || link.destination === multicastMac(solicitedNode(ip6))
    if (!isForUs || !isSameAddress(message.target, ip6)) return true
    const to = message.mac ?? link.source
    if (isGroup(to) || !this.#answers.takes(nowPs)) return true
    const header = this.#header(ip6, ip.source, PROTOCOL_ICMPV6, NEIGHBOUR_HOP_LIMIT)
    const answer = { kind: 'advertisement', target: ip6, mac: this.mac, isSolicited: true } as const
    this.#sendIp(to, header, writeNeighbour(header, answer))
    return true
  }

  #onEcho(nowPs: number, to: number, ip: IpHeader, body: Uint8Array): void {
    const message = readEcho(ip, body)
    if (message === null || message.isReply || !this.#answers.takes(nowPs)) return
    const header = this.#header(ip.destination, ip.source, ip.protocol, HOP_LIMIT)
    this.#sendIp(to, header, writeEcho(header, { isReply: true, rest: message.rest }))
  }

  #learn(ip: Uint8Array, mac: number): void {
    const neighbour = this.#neighbours.get(ip.toString())
    // An answer that nobody waits for changes nothing.
    if (neighbour === undefined || neighbour.nextPs === Infinity) return
    neighbour.mac = mac
    neighbour.nextPs = Infinity
    this.#findDeadline()
  }

  #header(source: Uint8Array, destination: Uint8Array, protocol: number, hopLimit: number): IpHeader {
    const fields = { source, destination, dscp: 0, ecn: 0, hopLimit, protocol }
    return source.length === 4
      ? { ...fields, version: 4, identification: this.nextIdentification(), isUnfragmented: true }
      : { ...fields, version: 6, flowLabel: 0 }
  }

  #sendArp(destination: number, message: Parameters<typeof writeArp>[0]): void {
    this.#send(writeEthernet({ destination, source: this.mac, tag: null, etherType: ARP }, writeArp(message)))
  }

  #sendIp(destination: number, ip: IpHeader, body: Uint8Array): void {
    const packet = new Uint8Array(ipBytes(ip) + body.length)
    writeIp(packet, ip, body.length)
    packet.set(body, ipBytes(ip))
    this.#send(writeIpFrame({ destination, source: this.mac, tag: null }, ip, packet))
  }

  #send(frame: Uint8Array): void {
    if (CHECKED) assert(readEthernet(frame)?.source === this.mac, 'station: a frame is in the name of another')
    if (this.#out.length < REPLIES_MAX) this.#out.push(frame)
  }
}

/** null: the lengths contradict each other, or the checksum is neither 0 nor right. */
function datagramOf(ip: IpHeader, packet: Uint8Array, start: number): Arrived | null {
  if (packet.length < start + UDP_BYTES) return null
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength)
  if (view.getUint16(start + 4) !== packet.length - start) return null
  if (view.getUint16(start + 6) !== 0 && contentChecksum(ip, packet.subarray(start)) !== 0) return null
  return { ip, sourcePort: view.getUint16(start), destinationPort: view.getUint16(start + 2), packet }
}

const isGroup = (mac: number): boolean => Math.floor(mac / 2 ** 40) % 2 === 1
