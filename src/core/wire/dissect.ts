/**
 * dissect(): a captured frame taken apart as far as its bytes go; see dissected.ts. Headers of tunnels and mirrors are taken off
 * (outer/). Lengths are those of the innermost IP and UDP headers, so that a frame cut off by the capture, or padded by
 * Ethernet, has the payload that was on the wire.
 * Source: IBTA 9.2, annex A17; 802.1Q 9.
 */
import { BTH_BYTES, readBth } from './bth.ts'
import type { Addressed, Damaged, Dissected, DissectedRoce } from './dissected.ts'
import { IPV4, IPV6 } from './ethernet.ts'
import { readExtended } from './extended-headers.ts'
import { ROCE_PORT } from './frame.ts'
import { ICRC_BYTES, icrcOf, icrcsWithOptions, identificationFor } from './icrc.ts'
import { IPV4_BYTES, ipBytes, PROTOCOL_TCP, PROTOCOL_UDP, UDP_BYTES } from './ip.ts'
import { MAC_CONTROL, MAC_CONTROL_BYTES, readMacControl } from './mac-control.ts'
import { FORMAT_ROCE } from './opcodes.ts'
import { behindLink, type LinkType } from './outer/links.ts'
import { type Network, readNetworkHeader } from './outer/network.ts'
import { behindEthernet, NO_ENDS, type Reached, SHORT, type Step, TRANSPARENT_ETHERNET } from './outer/reached.ts'
import { IN_ETHERNET, IN_IP, IN_UDP } from './outer/tunnels.ts'
import { layoutOf } from './services.ts'

const ARP = 0x0806
const ROCE_1 = 0x8915
/** Headers that are taken off; more are no network's. */
const OUTER_MAX = 8
const NO_HEADERS: readonly string[] = []
/** As much of a MAC control frame as has a meaning; the rest is padding. */
const MAC_CONTROL_MEANING_BYTES = 34
const TCP_BYTES_MIN = 20

export interface DissectOptions {
  /** FORMAT_ bits of opcodes.ts that the connection of a destination QP speaks; without it RoCE's own. */
  readonly formatOf?: (destinationQp: number) => number
  /**
   * Whether an end sends RoCEv2 from a port of its own, and is answered there from port 4791, as those of rocelab's own tools.
   * Without it, packets from that port are RoCEv2 whose ICRC is right.
   */
  readonly hasOwnPort?: (address: Uint8Array, port: number) => boolean
}

export function dissect(bytes: Uint8Array, link: LinkType, options: DissectOptions = {}): Dissected {
  const view = viewOf(bytes)
  let here = behindLink(view, link)
  let outer = NO_HEADERS
  for (;;) {
    if ('kind' in here) return here
    const read = readHere({ bytes, view, at: here.at }, here, outer, options)
    if ('kind' in read) return read
    if (outer.length === OUTER_MAX) return { kind: 'unread', what: `more than ${OUTER_MAX} outer headers` }
    outer = [...outer, read.name]
    here =
      read.etherType === TRANSPARENT_ETHERNET
        ? behindEthernet(view, read.at)
        : {
            ...(here.etherType === IPV4 || here.etherType === IPV6 ? NO_ENDS : here),
            etherType: read.etherType,
            at: read.at,
          }
  }
}

/** A frame, and where the header begins that is read. */
interface Frame {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly view: DataView
  readonly at: number
}

/** The frame, if this header says what it is, or what is behind the header. */
function readHere(frame: Frame, here: Reached, outer: readonly string[], options: DissectOptions): Dissected | Step {
  const { bytes, view, at } = frame
  const { etherType } = here
  switch (etherType) {
    case IPV4:
    case IPV6:
      return readNetwork(frame, here, outer, options)
    case ARP:
      return { kind: 'arp' }
    case ROCE_1:
      return { kind: 'roce-1' }
    case MAC_CONTROL: {
      if (outer.length > 0) return { kind: 'other', etherType }
      if (bytes.length < MAC_CONTROL_MEANING_BYTES) return SHORT
      const padded = new Uint8Array(MAC_CONTROL_BYTES)
      padded.set(bytes.subarray(0, MAC_CONTROL_BYTES))
      const control = readMacControl(padded)
      return control === null ? { kind: 'other', etherType } : { kind: 'mac-control', control }
    }
    default:
      return IN_ETHERNET.get(etherType)?.(view, at) ?? { kind: 'other', etherType }
  }
}

function readNetwork(frame: Frame, here: Reached, outer: readonly string[], options: DissectOptions): Dissected | Step {
  const { bytes, view, at } = frame
  const packet = at === 0 ? bytes : bytes.subarray(at)
  const network = readNetworkHeader(packet, here.etherType)
  if ('kind' in network) return network
  const { ip, contentBytes } = network
  const start = at + network.headerBytes
  const addressed: Addressed = { ethernet: here.ethernet, serviceTag: here.serviceTag, outer, ip }
  if (ip.protocol === PROTOCOL_TCP) return readTcpContent(addressed, frame, network)
  if (ip.protocol !== PROTOCOL_UDP)
    return IN_IP.get(ip.protocol)?.(view, start) ?? { kind: 'ip', ...addressed, destinationPort: null }
  if (contentBytes < UDP_BYTES) return damaged('length')
  // All that is there, without the padding of Ethernet.
  const thereBytes = Math.min(bytes.length - start, contentBytes)
  if (thereBytes < UDP_BYTES) return SHORT
  const destinationPort = view.getUint16(start + 2)
  const isAnswer = destinationPort !== ROCE_PORT && view.getUint16(start) === ROCE_PORT
  const other = { kind: 'ip' as const, ...addressed, destinationPort }
  if (destinationPort !== ROCE_PORT && !isAnswer) return IN_UDP.get(destinationPort)?.(view, start + UDP_BYTES) ?? other
  const isRight = view.getUint16(start + 4) === contentBytes && contentBytes >= UDP_BYTES + BTH_BYTES + ICRC_BYTES
  if (!isRight) return isAnswer ? other : damaged('length')
  if (thereBytes < UDP_BYTES + BTH_BYTES) return isAnswer ? other : SHORT
  const roce = readRoce(addressed, frame, packet, network, options)
  if (!isAnswer || roce.icrc === 'right' || roce.solvedIdentification === 0) return roce
  return options.hasOwnPort?.(ip.destination, destinationPort) === true ? roce : other
}

/** @param packet from the IP header to the end of the frame */
function readRoce(
  addressed: Addressed,
  { bytes, view, at }: Frame,
  packet: Uint8Array,
  { headerBytes, contentBytes }: Network,
  options: DissectOptions,
): DissectedRoce {
  const start = at + headerBytes
  const bthAt = start + UDP_BYTES
  const end = start + contentBytes - ICRC_BYTES
  // The callers have seen that it is there.
  const bth = readBth(view, bthAt)!
  const layout = layoutOf(bth.opcode, options.formatOf?.(bth.destinationQp) ?? FORMAT_ROCE)
  const contentAt = bthAt + BTH_BYTES
  const payloadBytes = end - contentAt - layout.headerBytes - bth.padBytes
  const isRightLength =
    payloadBytes >= 0 &&
    (payloadBytes + bth.padBytes) % 4 === 0 &&
    (layout.mayHavePayload || payloadBytes + bth.padBytes === 0)
  const flaw = layout.headers === null ? 'opcode' : isRightLength ? null : 'length'
  // In a packet with a flaw all that follows the BTH counts as payload.
  const payloadAt = contentAt + (flaw === null ? layout.headerBytes : 0)
  const payloadEnd = flaw === null ? payloadAt + payloadBytes : end
  const thereEnd = Math.min(end, bytes.length)
  const found = bytes.length < end + ICRC_BYTES ? null : view.getUint32(end, true)
  const baseBytes = ipBytes(addressed.ip)
  const isRight =
    headerBytes === baseBytes
      ? found !== null && found === icrcOf(packet, baseBytes, end - at)
      : found !== null && icrcsWithOptions(packet.subarray(0, end - at), headerBytes).includes(found)
  const icrc = found === null ? 'cut' : isRight ? 'right' : 'wrong'
  return {
    kind: 'roce',
    ethernet: addressed.ethernet,
    serviceTag: addressed.serviceTag,
    outer: addressed.outer,
    ip: addressed.ip,
    sourcePort: view.getUint16(start),
    hasChecksum: view.getUint16(start + 6) !== 0,
    service: layout.service,
    bth,
    headers: flaw === null ? readExtended(view, contentAt, layout.headers!) : {},
    payload: bytes.subarray(Math.min(payloadAt, thereEnd), Math.min(payloadEnd, thereEnd)),
    payloadBytes: payloadEnd - payloadAt,
    packet: bytes.subarray(bthAt, thereEnd),
    icrc,
    solvedIdentification:
      found !== null && icrc === 'wrong' && headerBytes === IPV4_BYTES
        ? identificationFor(packet.subarray(0, end - at), found)
        : null,
    flaw,
  }
}

function readTcpContent(
  addressed: Addressed,
  { bytes, view, at }: Frame,
  { headerBytes: ipHeaderBytes, contentBytes }: Network,
): Dissected {
  const start = at + ipHeaderBytes
  if (contentBytes < TCP_BYTES_MIN) return damaged('length')
  if (bytes.length < start + TCP_BYTES_MIN) return SHORT
  const headerBytes = 4 * (view.getUint8(start + 12) >> 4)
  if (headerBytes < TCP_BYTES_MIN || headerBytes > contentBytes) return damaged('length')
  return {
    kind: 'tcp',
    ...addressed,
    sourcePort: view.getUint16(start),
    destinationPort: view.getUint16(start + 2),
    sequence: view.getUint32(start + 4),
    payload: bytes.subarray(start + headerBytes, start + contentBytes),
  }
}

function damaged(reason: Damaged['reason']): Damaged {
  return { kind: 'damaged', reason }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
