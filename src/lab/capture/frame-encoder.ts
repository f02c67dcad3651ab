/**
 * Frame encoder: packets of the fabric as Ethernet frames in bytes, and files of them.
 * Headers of work requests are those of the simulation; those of messages are made up (message-headers.ts), and so are MAC
 * addresses, TTL and payload. docs/models/capture.md lists which.
 * Units: bytes, picoseconds.
 */
import { INTS } from '../../core/base/memory.ts'
import { VERSION } from '../../core/base/version.ts'
import { DROP_FCS } from '../../core/fabric/counters.ts'
import { pfcFrame, stationAddressOf } from '../../core/fabric/link/control-frames.ts'
import type { Network } from '../../core/fabric/network.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import {
  AT,
  BROADCAST,
  CODEPOINT,
  COPY,
  DESTINATION,
  DIRECTION,
  ECN,
  FLAGS,
  IP_ID,
  KIND,
  ORDINAL,
  PFC,
  PSN,
  SIZE,
  SYNDROME,
  TRIMMED_BYTES,
} from '../../core/fabric/packets.ts'
import { pcpOf, TAGGED, untagged } from '../../core/fabric/vlan/codepoints.ts'
import type { CaptureFile, EncodedFrame, PacketFrames } from '../metrics/index.ts'
import { usesVlans } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import {
  CE,
  CNM,
  CNP,
  NAK,
  PATH_MASK,
  PATH_PORT,
  PATH_SHIFT,
  RNR_NAK,
  RTT_REQUEST,
  RTT_RESPONSE,
  TRIMMED,
} from '../../core/transport/segment.ts'
import { BTH_BYTES, CNP_OPCODE, writeBth, writeCnp } from '../../core/wire/bth.ts'
import { CN_TAG, writeCongestionMessage } from '../../core/wire/congestion-message.ts'
import {
  ethernetBytes,
  type EthernetHeader,
  FCS_BYTES,
  fcsOf,
  type VlanTag,
  writeEthernet,
} from '../../core/wire/ethernet.ts'
import { ROCE_PORT, type RoceFrame, writeIpFrame, writeRoceFrame } from '../../core/wire/frame.ts'
import { IPV4_BYTES, ipv4Bytes, type Ipv4Header, PROTOCOL_TCP, PROTOCOL_UDP, UDP_BYTES } from '../../core/wire/ip.ts'
import { opcodeName } from '../../core/wire/opcode-names.ts'
import { ACKNOWLEDGE } from '../../core/wire/opcodes.ts'
import { headerBytes, writeHeaders } from '../../core/wire/rc-headers.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { HeaderReader } from './header-reader.ts'
import { type TagSizes, tcpFrameOf } from './tcp-frames.ts'
import { withFormats } from '../../core/wire/captures/formats.ts'
import { pcapngParts } from '../../core/wire/captures/pcapng.ts'

/** The run that a file is of. */
interface CaptureSource {
  readonly application: string
  readonly name: string
  readonly seed: number
}

/** A pcapng file, made anew at each call. */
function captureFile(
  { ports, frames, snapBytes, hasFcs }: CaptureFile,
  { application, name, seed }: CaptureSource,
): Iterable<Uint8Array> {
  const leftOut = ports.reduce((sum, port) => sum + port.leftOut, 0)
  const kept = leftOut === 0 ? '' : `; the first ${frames.count} frames, ${leftOut} more are left out`
  const comment = `simulated: ${name}, seed ${seed}; times are nanoseconds of simulated time${kept}`
  const fcsBytes = hasFcs ? FCS_BYTES : 0
  const interfaces = ports.map((port) => ({ ...port, snapBytes: snapBytes ?? 0, fcsBytes }))
  // Used again for each frame, which is copied before the next.
  let room = new Uint8Array(0)
  return pcapngParts({ application, comment, interfaces }, frames.count, (index) => {
    const { head, zeroBytes, tail, ...frame } = frames.at(index)
    const tailAt = head.length + zeroBytes
    const sizeBytes = tailAt + tail.length
    if (sizeBytes + fcsBytes > room.length) room = new Uint8Array(2 * (sizeBytes + fcsBytes))
    const bytes = room.subarray(0, sizeBytes + fcsBytes)
    bytes.set(head)
    bytes.fill(0, head.length, tailAt)
    bytes.set(tail, tailAt)
    if (hasFcs) bytes.set(checked(fcsOf(bytes.subarray(0, sizeBytes)), frame.hasCrcError), sizeBytes)
    return { ...frame, sizeBytes: bytes.length, bytes: bytes.subarray(0, snapBytes ?? bytes.length) }
  })
}

/** The FCS as it arrived: after an error on the link it does not fit. */
function checked(fcs: Uint8Array, hasCrcError: boolean): Uint8Array {
  return hasCrcError ? fcs.map((byte) => byte ^ 0xff) : fcs
}

/**
 * RTT probes as packets: [LDCP] 3.2 has them and gives no format, so they have an opcode that the standard leaves to
 * manufacturers. Source: IBTA 9.2.1 (opcodes 0xc0 to 0xff); the 16 bytes of `frames.rttProbe`.
 */
const RTT_PROBE_OPCODE = 0xc0
const CONTENT_BYTES = 16

/** From the BTH to its end. @param sentPs time of the request, in whole picoseconds */
function rttProbe(destinationQp: number, sentPs: number): Uint8Array {
  const bytes = new Uint8Array(BTH_BYTES + CONTENT_BYTES)
  const view = new DataView(bytes.buffer)
  const fields = { psn: 0, isAckRequested: false, isSolicited: false, padBytes: 0 }
  writeBth(view, 0, { ...fields, opcode: RTT_PROBE_OPCODE, destinationQp })
  view.setUint32(BTH_BYTES, Math.floor(sentPs / 2 ** 32))
  view.setUint32(BTH_BYTES + 4, sentPs % 2 ** 32)
  return bytes
}

const ints = INTS
const TTL = 64
/** VLAN of all frames with a tag: the simulation has priorities, and no numbers of VLANs. */
const VLAN = 1
const BROADCAST_ADDRESS = 0xffffffffffff
/** Type for local experiments (802): content that the simulation does not have. */
const LOCAL_EXPERIMENT = 0x88b5

type Link = Omit<EthernetHeader, 'etherType'>

/** A frame as it is composed: where its payload is, which is zeros. */
interface Composed {
  readonly kind: string
  readonly bytes: Uint8Array
  readonly payloadAt: number
  readonly payloadBytes: number
}

export class FrameEncoder implements PacketFrames {
  readonly damageReason = DROP_FCS
  readonly #network: Network
  readonly #addresses: Int32Array
  readonly #scenario: Scenario
  readonly #hasPcp: boolean
  /** By host: its endpoints. */
  readonly #hostPorts: readonly (readonly number[])[]
  readonly #headers = new HeaderReader()
  /** Queue pairs that packets went to, and the formats of those packets. */
  readonly #formats = new Map<number, readonly [number, number]>()

  constructor(scenario: Scenario, { network, addresses, topology }: BuiltNetwork) {
    this.#hostPorts = topology.hostPorts
    this.#scenario = scenario
    this.#network = network
    this.#addresses = addresses
    this.#hasPcp = scenario.classes.classify === 'pcp' && !usesVlans(scenario)
  }

  keyOf(packet: number): number {
    return ints[packet | ORDINAL]!
  }

  markOf(packet: number): number {
    return ints[packet | DIRECTION]! * 2 ** 24 + ints[packet | PSN]!
  }

  sizeOf(packet: number): number {
    return ints[packet | SIZE]!
  }

  isPfc(packet: number): boolean {
    return ints[packet | KIND] === PFC
  }

  isMarked(packet: number): boolean {
    return ints[packet | ECN] === CE
  }

  isTrimmed(packet: number): boolean {
    return ints[packet | KIND] === TRIMMED
  }

  arrivalPort(packet: number): number {
    return ints[packet | AT]!
  }

  encode(packet: number, from: number, to: number): EncodedFrame {
    const kind = ints[packet | KIND]!
    const isOfPair = kind !== PFC && kind !== BROADCAST
    const { kind: name, bytes, payloadAt, payloadBytes } = this.#compose(packet, kind, from, to)
    const end = payloadAt + payloadBytes
    // A trimmed frame ends anywhere.
    const size = kind === TRIMMED ? Math.min(bytes.length, ints[packet | SIZE]! - FCS_BYTES) : bytes.length
    return {
      kind: kind === TRIMMED ? `${name} (trimmed)` : name,
      pair: isOfPair ? ints[packet | DIRECTION]! >> 1 : -1,
      psn: isOfPair && kind !== CNM && kind !== COPY ? ints[packet | PSN]! : -1,
      head: bytes.slice(0, Math.min(payloadAt, size)),
      zeroBytes: Math.max(0, Math.min(end, size) - payloadAt),
      tail: bytes.slice(Math.min(end, size), size),
    }
  }

  file(capture: CaptureFile): Iterable<Uint8Array> {
    return captureFile(capture, {
      application: withFormats(`rocelab ${VERSION}`, this.#formats.values()),
      name: this.#scenario.name,
      seed: this.#scenario.seed,
    })
  }

  #compose(packet: number, kind: number, from: number, to: number): Composed {
    const link = this.#link(packet, from, kind === BROADCAST ? BROADCAST_ADDRESS : stationAddressOf(to))
    switch (kind) {
      case PFC:
        return whole('PFC', pfcFrame(from, ints[packet | DIRECTION]!, ints[packet | DESTINATION]!))
      case BROADCAST:
        return this.#unknown(packet, 'broadcast', link)
      case COPY:
        return this.#unknown(packet, 'flooded copy', link)
      case CNM:
        return whole('CNM', writeEthernet({ ...link, etherType: CN_TAG }, congestionMessage(packet, link)))
      default: {
        const pair = this.#network.pairs.byNumber[ints[packet | DIRECTION]! >> 1]!
        return pair.frames.table === null ? this.#roce(packet, pair, link) : this.#tcp(packet, pair, link)
      }
    }
  }

  #roce(packet: number, pair: QueuePair, link: Link): Composed {
    const { kind, content, headBytes } = this.#roceContent(packet, pair)
    const ip = this.#ip(packet, pair, PROTOCOL_UDP)
    const bytes = writeRoceFrame({ link, ip, ...portsOf(packet, pair), hasChecksum: false, packet: content })
    const payloadAt = ethernetBytes(link.tag) + IPV4_BYTES + UDP_BYTES + headBytes
    return { kind, bytes, payloadAt, payloadBytes: content.length - headBytes }
  }

  /** From the BTH to the last pad byte. */
  #roceContent(
    packet: number,
    pair: QueuePair,
  ): { readonly kind: string; readonly content: Uint8Array; readonly headBytes: number } {
    const kind = ints[packet | KIND]!
    const destinationQp = this.#headers.destinationQp(pair, (ints[packet | DIRECTION]! & 1) !== 0)
    if (kind === CNP) {
      const content = writeCnp(destinationQp)
      return { kind: opcodeName(CNP_OPCODE), content, headBytes: content.length }
    }
    if (kind === RTT_REQUEST || kind === RTT_RESPONSE) {
      const content = rttProbe(destinationQp, this.#network.fabric.packets.sentPs(packet))
      return { kind: kind === RTT_REQUEST ? 'RTT request' : 'RTT response', content, headBytes: content.length }
    }
    const cutBytes = kind === TRIMMED ? ints[packet | TRIMMED_BYTES]! : 0
    const { inFrame, inTable } = this.#tags(packet)
    const wholeBytes = ints[packet | SIZE]! + cutBytes - inFrame + inTable
    const { fields, format, payloadBytes } = this.#headers.read(packet, pair, wholeBytes)
    this.#formats.set(4 * destinationQp + format, [destinationQp, format])
    fields.padBytes = -payloadBytes & 3
    const headBytes = headerBytes(fields.opcode, format)
    const content = new Uint8Array(headBytes + payloadBytes + fields.padBytes)
    writeHeaders(new DataView(content.buffer), 0, format, fields)
    const isPlain = fields.opcode === ACKNOWLEDGE
    const suffix = isPlain && kind === NAK ? ' NAK' : kind === RNR_NAK ? ' RNR NAK' : ''
    return { kind: `${opcodeName(fields.opcode)}${suffix}`, content, headBytes }
  }

  #tcp(packet: number, pair: QueuePair, link: Link): Composed {
    const ip = this.#ip(packet, pair, PROTOCOL_TCP)
    const { kind, bytes, headBytes } = tcpFrameOf(packet, pair, ip, portsOf(packet, pair), this.#tags(packet))
    const payloadAt = ethernetBytes(link.tag) + headBytes
    return { kind, bytes: writeIpFrame(link, ip, bytes), payloadAt, payloadBytes: bytes.length - headBytes }
  }

  /** A frame of which only the size is known. */
  #unknown(packet: number, kind: string, link: Link): Composed {
    const payloadAt = ethernetBytes(link.tag)
    const content = new Uint8Array(Math.max(0, ints[packet | SIZE]! - FCS_BYTES - payloadAt))
    const bytes = writeEthernet({ ...link, etherType: LOCAL_EXPERIMENT }, content)
    return { kind, bytes, payloadAt, payloadBytes: bytes.length - payloadAt }
  }

  #link(packet: number, from: number, destination: number): Link {
    return { source: stationAddressOf(from), destination, tag: this.#tag(packet) }
  }

  #tag(packet: number): VlanTag | null {
    if (ints[packet | KIND] === PFC) return null
    const codepoint = ints[packet | CODEPOINT]!
    if (this.#hasPcp) return { pcp: codepoint & 7, dei: false, vid: VLAN }
    return (codepoint & TAGGED) === 0 ? null : { pcp: pcpOf(codepoint), dei: false, vid: VLAN }
  }

  #tags(packet: number): TagSizes {
    const { vlanTag } = this.#scenario.frames
    return { inFrame: this.#tag(packet) === null ? 0 : vlanTag, inTable: this.#hasPcp ? vlanTag : 0 }
  }

  /** Endpoint that a packet comes from. Where hosts have several ports, the one from which packets go to its destination. */
  #sourceOf(packet: number, pair: QueuePair): number {
    const isBack = (ints[packet | DIRECTION]! & 1) === 0 ? 0 : 1
    const home = isBack === 0 ? pair.source : pair.destination
    const { ports } = pair
    if (ports === null) return home
    const destination = ints[packet | DESTINATION]!
    const own = this.#hostPorts[this.#network.hostOf[home]!]!
    const isFrom = (number: number): boolean => ports.endpointFrom(number, isBack) === destination
    if (isFrom(own.indexOf(home))) return home
    return own.find((_, number) => isFrom(number)) ?? home
  }

  #ip(packet: number, pair: QueuePair, protocol: number): Ipv4Header {
    const destination = ints[packet | DESTINATION]!
    return {
      version: 4,
      source: ipv4Bytes(this.#addresses[this.#sourceOf(packet, pair)]!),
      destination: ipv4Bytes(this.#addresses[destination]!),
      dscp: this.#hasPcp ? 0 : untagged(ints[packet | CODEPOINT]!),
      ecn: ints[packet | ECN]!,
      hopLimit: TTL,
      protocol,
      identification: ints[packet | IP_ID]!,
      isUnfragmented: true,
    }
  }
}

/** A frame without payload. */
function whole(kind: string, bytes: Uint8Array): Composed {
  return { kind, bytes, payloadAt: bytes.length, payloadBytes: 0 }
}

/** Ports of UDP or TCP. RoCE has its own port as the destination in both directions. */
function portsOf(
  packet: number,
  { sourcePort, destinationPort, frames }: QueuePair,
): Pick<RoceFrame, 'sourcePort' | 'destinationPort'> {
  const isBack = (ints[packet | DIRECTION]! & 1) !== 0
  if (frames.table !== null)
    return isBack ? { sourcePort: destinationPort, destinationPort: sourcePort } : { sourcePort, destinationPort }
  // Responses of work requests have a queue pair of the fabric whose ports are swapped.
  const isSwapped = sourcePort === ROCE_PORT && destinationPort !== ROCE_PORT
  const path = (ints[packet | FLAGS]! & PATH_MASK) >> PATH_SHIFT
  const ownPort = isSwapped ? destinationPort : sourcePort
  return {
    sourcePort: path === 0 ? ownPort : PATH_PORT + path,
    destinationPort: isSwapped ? sourcePort : destinationPort,
  }
}

function congestionMessage(packet: number, { source, destination }: Link): Uint8Array {
  return writeCongestionMessage({
    flow: (ints[packet | DIRECTION]! >> 1) & 0xffff,
    feedback: ints[packet | SYNDROME]!,
    point: source,
    trafficClass: 0,
    destination,
  })
}
