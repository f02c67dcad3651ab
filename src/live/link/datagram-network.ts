/**
 * Datagram network: lets a party that speaks frames live on plain UDP datagrams, whose content is a packet from the BTH to its
 * ICRC. The network of the party is made up: hardware addresses, and an IPv6 address for each address and port of another end.
 * Headers that the real network has are known, so that the ICRC of each datagram is right for IPv6; that of IPv4 is computed
 * with identification 0, since nobody can know the one that the kernel writes. Right ICRCs stay right, wrong ones wrong.
 * Neither DSCP nor ECN of datagrams can be read or set by Node.
 * Source: IBTA annex A17; addresses of RFC 6666, which no network routes.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import { readFrame, type RoceFrame, ROCE_PORT, writeIpFrame, writeRoceFrame } from '../../core/wire/frame.ts'
import { ethernetBytes } from '../../core/wire/ethernet.ts'
import { ICRC_BYTES } from '../../core/wire/icrc.ts'
import { ipBytes, type IpHeader, PROTOCOL_UDP, UDP_BYTES, writeIp } from '../../core/wire/ip.ts'
import {
  NEIGHBOUR_HOP_LIMIT,
  PROTOCOL_ICMPV6,
  readNeighbour,
  writeNeighbour,
} from '../../core/wire/neighbours/index.ts'

/** Address of IPv4 or IPv6, 4 or 16 bytes, and a port of UDP. */
export interface DatagramAddress {
  readonly ip: Uint8Array
  readonly port: number
}

export interface Datagram {
  readonly to: DatagramAddress
  /** Port of this end that it leaves from. */
  readonly localPort: number
  readonly payload: Uint8Array
}

const MAC = 0x020000000000
const HOP_LIMIT = 64
/** Shortest packet: a BTH and its ICRC. */
const PAYLOAD_BYTES_MIN = 12 + ICRC_BYTES
const OWN = 1

export class DatagramNetwork {
  /** Addresses of the party. */
  readonly mac: number = MAC + OWN
  readonly ip: Uint8Array = madeUp(OWN)
  /** Datagrams of nobody who is known. */
  strangers = 0
  readonly #own: Uint8Array
  readonly #ports: readonly number[]
  /** By number of their made-up address, from 2 on; undefined: free. */
  readonly #others: (DatagramAddress | undefined)[] = []
  readonly #numbers = new Map<string, number>()

  /** @param ports of this end; datagrams leave from the source port of their frame, or else from the first */
  constructor(own: Uint8Array, ports: readonly number[]) {
    this.#own = own
    this.#ports = ports
  }

  /** The address by which the party knows another end, which is made up if it is new. */
  aliasOf({ ip, port }: DatagramAddress): Uint8Array {
    const key = keyOf(ip, port)
    const known = this.#numbers.get(key)
    if (known !== undefined) return madeUp(known)
    const free = this.#others.indexOf(undefined)
    const at = free < 0 ? this.#others.length : free
    assert(this.#others[at] === undefined, 'datagram network: two ends have one address')
    this.#others[at] = { ip, port }
    this.#numbers.set(key, at + 2)
    return madeUp(at + 2)
  }

  /** Forgets another end: its datagrams are those of a stranger, its number can be had by others. */
  release({ ip, port }: DatagramAddress): void {
    const number = this.#numbers.get(keyOf(ip, port))
    if (number === undefined) return
    this.#numbers.delete(keyOf(ip, port))
    assert(this.#others[number - 2]?.port === port, 'datagram network: another end is forgotten')
    this.#others[number - 2] = undefined
  }

  releaseAll(): void {
    this.#numbers.clear()
    this.#others.fill(undefined)
  }

  /** The datagram of a frame, or the frame that answers it; null: neither. */
  onFrame(frame: Uint8Array): { readonly datagram: Datagram } | { readonly answer: Uint8Array } | null {
    const read = readFrame(frame)
    if (read?.kind === 'roce') {
      const to = this.#others[numberOf(read.ip.destination) - 2]
      if (to === undefined) return null
      const localPort = this.#ports.includes(read.sourcePort) ? read.sourcePort : this.#ports[0]!
      const real = this.#real(this.#own, to.ip, {
        sourcePort: localPort,
        destinationPort: to.port,
        packet: read.packet,
      })
      const payload = real.subarray(ethernetBytes(null) + (to.ip.length === 4 ? 20 : 40) + UDP_BYTES)
      if (CHECKED)
        assert(payload.length === read.packet.length + ICRC_BYTES, 'datagram network: a packet changes its length')
      if (!read.isIcrcRight) spoil(payload)
      return { datagram: { to, localPort, payload } }
    }
    return read?.kind === 'ip' ? this.#onNeighbour(read.ip, read.content) : null
  }

  /** The frame of a datagram; null: it is too short, or of a stranger. */
  onDatagram(from: DatagramAddress, localPort: number, payload: Uint8Array): Uint8Array | null {
    const number = this.#numbers.get(keyOf(from.ip, from.port))
    if (number === undefined) this.strangers++
    if (number === undefined || payload.length < PAYLOAD_BYTES_MIN) return null
    const packet = payload.subarray(0, -ICRC_BYTES)
    const real = this.#real(from.ip, this.#own, { sourcePort: from.port, destinationPort: localPort, packet })
    const isRight = payload.subarray(-ICRC_BYTES).every((byte, at) => byte === real.at(at - ICRC_BYTES))
    const frame = writeRoceFrame({
      link: { destination: this.mac, source: MAC + number, tag: null },
      ip: header(madeUp(number), this.ip, PROTOCOL_UDP, HOP_LIMIT),
      sourcePort: from.port,
      destinationPort: ROCE_PORT,
      hasChecksum: false,
      packet,
    })
    if (!isRight) spoil(frame)
    return frame
  }

  #real(
    source: Uint8Array,
    destination: Uint8Array,
    rest: Pick<RoceFrame, 'sourcePort' | 'destinationPort' | 'packet'>,
  ): Uint8Array {
    const link = { destination: 0, source: 0, tag: null }
    return writeRoceFrame({
      link,
      ip: header(source, destination, PROTOCOL_UDP, HOP_LIMIT),
      hasChecksum: false,
      ...rest,
    })
  }

  #onNeighbour(ip: IpHeader, content: Uint8Array): { readonly answer: Uint8Array } | null {
    const message = ip.protocol === PROTOCOL_ICMPV6 ? readNeighbour(ip, content) : null
    if (message?.kind !== 'solicitation') return null
    const number = numberOf(message.target)
    if (this.#others[number - 2] === undefined) return null
    const mac = MAC + number
    const back = header(message.target, this.ip, PROTOCOL_ICMPV6, NEIGHBOUR_HOP_LIMIT)
    const body = writeNeighbour(back, { kind: 'advertisement', target: message.target, mac, isSolicited: true })
    const packet = new Uint8Array(ipBytes(back) + body.length)
    writeIp(packet, back, body.length)
    packet.set(body, ipBytes(back))
    return { answer: writeIpFrame({ destination: this.mac, source: mac, tag: null }, back, packet) }
  }
}

function header(source: Uint8Array, destination: Uint8Array, protocol: number, hopLimit: number): IpHeader {
  const fields = { source, destination, dscp: 0, ecn: 0, hopLimit, protocol }
  return destination.length === 4
    ? { ...fields, version: 4, identification: 0, isUnfragmented: true }
    : { ...fields, version: 6, flowLabel: 0 }
}

const keyOf = (ip: Uint8Array, port: number): string => `${ip.join('.')} ${port}`

/** 100::NUMBER. */
function madeUp(number: number): Uint8Array {
  const ip = new Uint8Array(16)
  ip[0] = 1
  new DataView(ip.buffer).setUint32(12, number)
  return ip
}

const numberOf = (ip: Uint8Array): number =>
  ip.length === 16 && ip[0] === 1 ? new DataView(ip.buffer, ip.byteOffset).getUint32(12) : 0

/** Makes an ICRC wrong that was right. */
function spoil(bytes: Uint8Array): void {
  bytes[bytes.length - 1]! ^= 0xff
}
