/**
 * dissect(): a captured frame taken apart as far as its bytes go; see dissected.ts. Lengths are those of the IP and UDP headers,
 * so that a frame cut off by the capture, or padded by Ethernet, has the payload that was on the wire.
 * Source: IBTA 9.2, annex A17; 802.1Q 9; Linux cooked captures: tcpdump.org/linktypes.html.
 */
import { BTH_BYTES, readBth } from './bth.ts'
import type { LinkType } from './captures/record.ts'
import type { Addressed, Dissected, DissectedRoce } from './dissected.ts'
import { type EthernetHeader, IPV4, IPV6, readAddress, type VlanTag } from './ethernet.ts'
import { readExtended } from './extended-headers.ts'
import { ROCE_PORT } from './frame.ts'
import { ICRC_BYTES, icrcOf, identificationFor } from './icrc.ts'
import { ipBytes, IPV4_BYTES, IPV6_BYTES, PROTOCOL_TCP, PROTOCOL_UDP, readIp, UDP_BYTES } from './ip.ts'
import { MAC_CONTROL, MAC_CONTROL_BYTES, readMacControl } from './mac-control.ts'
import { FORMAT_ROCE } from './opcodes.ts'
import { layoutOf } from './services.ts'

const ARP = 0x0806
const ROCE_1 = 0x8915
const CUSTOMER_TAG = 0x8100
/** Types of the tag that service providers add: of 802.1ad, and an older one. */
const SERVICE_TAGS: readonly number[] = [0x88a8, 0x9100]
const TAGS_MAX = 2
/** Where Ethernet and Linux's cooked headers have the type of their content, and where they end. */
const LINKS = {
  ethernet: { typeAt: 12, bytes: 14 },
  cooked: { typeAt: 14, bytes: 16 },
  'cooked-2': { typeAt: 0, bytes: 20 },
} as const
/** As much of a MAC control frame as has a meaning; the rest is padding. */
const MAC_CONTROL_MEANING_BYTES = 34
const TCP_BYTES_MIN = 20
/** IPv6 extension headers other than fragments (IANA: IPv6 Extension Header Types; without encrypted content, 50). */
const EXTENSION_HEADERS: readonly number[] = [0, 43, 51, 60, 135, 139, 140]
const FRAGMENT_HEADER = 44

export interface DissectOptions {
  /** FORMAT_ bits of opcodes.ts that the connection of a destination QP speaks; without it RoCE's own. */
  readonly formatOf?: (destinationQp: number) => number
}

type Damaged = Extract<Dissected, { kind: 'damaged' }>

export function dissect(bytes: Uint8Array, link: LinkType, options: DissectOptions = {}): Dissected {
  const view = viewOf(bytes)
  const below = readLink(view, link)
  if (below === null) return damaged('short')
  const { etherType, at, ...ends } = below
  switch (etherType) {
    case IPV4:
    case IPV6:
      return readNetwork({ bytes, view, at }, etherType, ends, options)
    case ARP:
      return { kind: 'arp' }
    case ROCE_1:
      return { kind: 'roce-1' }
    case MAC_CONTROL: {
      if (bytes.length < MAC_CONTROL_MEANING_BYTES) return damaged('short')
      const padded = new Uint8Array(MAC_CONTROL_BYTES)
      padded.set(bytes.subarray(0, MAC_CONTROL_BYTES))
      const control = readMacControl(padded)
      return control === null ? { kind: 'other', etherType } : { kind: 'mac-control', control }
    }
    default:
      return { kind: 'other', etherType }
  }
}

type Ends = Pick<Addressed, 'ethernet' | 'serviceTag'>

/** The header of the link, and its tags; null: it is not whole. */
function readLink(view: DataView, link: LinkType): (Ends & { etherType: number; at: number }) | null {
  if (link === 'ip') {
    if (view.byteLength === 0) return null
    const etherType = view.getUint8(0) >> 4 === 6 ? IPV6 : IPV4
    return { ethernet: null, serviceTag: null, etherType, at: 0 }
  }
  const { typeAt, bytes } = LINKS[link]
  if (view.byteLength < bytes) return null
  let etherType = view.getUint16(typeAt)
  let at: number = bytes
  let tag: VlanTag | null = null
  let serviceTag: VlanTag | null = null
  for (let tags = 0; tags < TAGS_MAX; tags++) {
    const isService = SERVICE_TAGS.includes(etherType)
    if (!isService && etherType !== CUSTOMER_TAG) break
    if (view.byteLength < at + 4) return null
    const control = view.getUint16(at)
    // The outer one of two tags is the provider's, whatever its type.
    if (tag !== null) serviceTag = tag
    const read = { pcp: control >> 13, dei: (control & 0x1000) !== 0, vid: control & 0xfff }
    if (isService && serviceTag === null) serviceTag = read
    else tag = read
    etherType = view.getUint16(at + 2)
    at += 4
  }
  const ethernet: EthernetHeader | null =
    link === 'ethernet' ? { destination: readAddress(view, 0), source: readAddress(view, 6), tag, etherType } : null
  return { ethernet, serviceTag, etherType, at }
}

/** A frame, and where its network header begins. */
interface Frame {
  readonly bytes: Uint8Array
  /** The same bytes. */
  readonly view: DataView
  readonly at: number
}

function readNetwork(frame: Frame, etherType: number, ends: Ends, options: DissectOptions): Dissected {
  const { bytes, view, at } = frame
  const packet = bytes.subarray(at)
  const flaw = networkFlaw(packet, etherType)
  if (flaw !== null) return flaw
  const read = readIp(packet, true)
  if (read === null) return damaged('short')
  const { ip, contentBytes } = read
  const start = at + ipBytes(ip)
  const addressed: Addressed = { ethernet: ends.ethernet, serviceTag: ends.serviceTag, ip }
  // All that is there, without the padding of Ethernet.
  const thereBytes = Math.min(bytes.length - start, contentBytes)
  if (ip.protocol === PROTOCOL_TCP) return readTcpContent(addressed, frame, contentBytes)
  if (ip.protocol !== PROTOCOL_UDP) return { kind: 'ip', ...addressed }
  if (contentBytes < UDP_BYTES) return damaged('length')
  if (thereBytes < UDP_BYTES) return damaged('short')
  if (view.getUint16(start + 2) !== ROCE_PORT) return { kind: 'ip', ...addressed }
  if (view.getUint16(start + 4) !== contentBytes) return damaged('length')
  if (contentBytes < UDP_BYTES + BTH_BYTES + ICRC_BYTES) return damaged('length')
  if (thereBytes < UDP_BYTES + BTH_BYTES) return damaged('short')
  return readRoce(addressed, frame, packet, contentBytes, options)
}

/** Why the content behind an IP header cannot be read; null: it can. */
function networkFlaw(packet: Uint8Array, etherType: number): Damaged | null {
  if (packet.length === 0) return damaged('short')
  const version = packet[0]! >> 4
  if (version !== (etherType === IPV4 ? 4 : 6)) return damaged('version')
  if (version === 6) {
    if (packet.length < IPV6_BYTES) return damaged('short')
    if (packet[6] === FRAGMENT_HEADER) return damaged('fragment')
    return EXTENSION_HEADERS.includes(packet[6]!) ? damaged('options') : null
  }
  const headerBytes = 4 * (packet[0]! & 15)
  if (headerBytes < IPV4_BYTES) return damaged('length')
  if (packet.length < IPV4_BYTES) return damaged('short')
  if (((packet[2]! << 8) | packet[3]!) < headerBytes) return damaged('length')
  if (headerBytes > IPV4_BYTES) return damaged('options')
  // All but the bit that forbids fragments.
  return (packet[6]! & 0xbf) === 0 && packet[7] === 0 ? null : damaged('fragment')
}

/** @param packet from the IP header to the end of the frame @param contentBytes that the IP header gives */
function readRoce(
  addressed: Addressed,
  { bytes, view, at }: Frame,
  packet: Uint8Array,
  contentBytes: number,
  options: DissectOptions,
): DissectedRoce {
  const headerBytes = ipBytes(addressed.ip)
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
  const icrc = found === null ? 'cut' : found === icrcOf(packet, headerBytes, end - at) ? 'right' : 'wrong'
  return {
    kind: 'roce',
    ethernet: addressed.ethernet,
    serviceTag: addressed.serviceTag,
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

/** @param contentBytes that the IP header gives */
function readTcpContent(addressed: Addressed, { bytes, view, at }: Frame, contentBytes: number): Dissected {
  const start = at + ipBytes(addressed.ip)
  if (contentBytes < TCP_BYTES_MIN) return damaged('length')
  if (bytes.length < start + TCP_BYTES_MIN) return damaged('short')
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
