/**
 * Ethernet: header, the tag of 802.1Q, the FCS, and the fields of a frame from which its priority is read.
 * Frames are bytes from the destination address on, without preamble, and without FCS where nothing else is said.
 * Addresses are numbers of 48 bits.
 * Source: 802.3 3.1, 802.1Q 9.6, RFC 2474; [MS-Scale] section 3, figure 3.
 */
import { crc32 } from './crc32.ts'

const TPID = 0x8100
export const IPV4 = 0x0800
export const IPV6 = 0x86dd
const ADDRESSES_BYTES = 12
const TAG_BYTES = 4
export const FCS_BYTES = 4
/** The shortest frame, without FCS; shorter ones are padded with zeros. */
const FRAME_BYTES_MIN = 60

export interface EthernetHeader {
  readonly destination: number
  readonly source: number
  readonly tag: VlanTag | null
  /** Type of the frame's content. */
  readonly etherType: number
}

export interface VlanTag {
  /** Priority, 0..7. */
  readonly pcp: number
  /** Drop eligible indicator. */
  readonly dei: boolean
  /** VLAN identifier, 0..4095. */
  readonly vid: number
}

/** The four bytes of a tag. */
export function writeVlanTag({ pcp, dei, vid }: VlanTag): Uint8Array {
  const control = (pcp << 13) | ((dei ? 1 : 0) << 12) | vid
  return Uint8Array.of(TPID >> 8, TPID & 0xff, control >> 8, control & 0xff)
}

/** The tag of a frame; null: it has none. */
export function readVlanTag(frame: Uint8Array): VlanTag | null {
  if (wordAt(frame, ADDRESSES_BYTES) !== TPID) return null
  const control = wordAt(frame, ADDRESSES_BYTES + 2)
  return { pcp: control >> 13, dei: (control & 0x1000) !== 0, vid: control & 0xfff }
}

/** DSCP of a frame; null: it has no IP header, as in FCoE. */
export function readDscp(frame: Uint8Array): number | null {
  const type = ADDRESSES_BYTES + (readVlanTag(frame) === null ? 0 : 4)
  switch (wordAt(frame, type)) {
    case IPV4:
      return frame[type + 3]! >> 2
    case IPV6:
      // Version 4 bits, traffic class 8 bits, of which the upper six are the DSCP.
      return (wordAt(frame, type + 2) >> 6) & 0x3f
    default:
      return null
  }
}

/** Writes a header in front of a frame's content and pads the frame to the shortest that Ethernet has. */
export function writeEthernet(header: EthernetHeader, content: Uint8Array): Uint8Array {
  const frame = emptyFrame(header, content.length)
  frame.set(content, ethernetBytes(header.tag))
  return frame
}

/** The same, with zeros in place of the content. */
export function emptyFrame({ destination, source, tag, etherType }: EthernetHeader, contentBytes: number): Uint8Array {
  const start = ethernetBytes(tag)
  const frame = new Uint8Array(Math.max(FRAME_BYTES_MIN, start + contentBytes))
  const view = new DataView(frame.buffer)
  writeAddress(view, 0, destination)
  writeAddress(view, 6, source)
  if (tag !== null) frame.set(writeVlanTag(tag), ADDRESSES_BYTES)
  view.setUint16(start - 2, etherType)
  return frame
}

/** Header of a frame; null: the frame is shorter than a header. */
export function readEthernet(frame: Uint8Array): EthernetHeader | null {
  const tag = readVlanTag(frame)
  const start = ethernetBytes(tag)
  if (frame.length < start) return null
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  return { destination: readAddress(view, 0), source: readAddress(view, 6), tag, etherType: view.getUint16(start - 2) }
}

/** Length of the header with this tag. */
export function ethernetBytes(tag: VlanTag | null): number {
  return ADDRESSES_BYTES + (tag === null ? 0 : TAG_BYTES) + 2
}

/** FCS of a frame, as the four bytes on the wire. */
export function fcsOf(frame: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(FCS_BYTES)
  new DataView(bytes.buffer).setUint32(0, crc32(frame), true)
  return bytes
}

export function writeAddress(view: DataView, at: number, address: number): void {
  view.setUint16(at, Math.floor(address / 2 ** 32))
  view.setUint32(at + 2, address % 2 ** 32)
}

export function readAddress(view: DataView, at: number): number {
  return view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2)
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}
