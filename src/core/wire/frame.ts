/**
 * Frames: whole Ethernet frames of RoCEv2, composed of their parts and taken apart again.
 * A frame is bytes from the destination address on; it ends with the FCS only where that is said. RoCEv2 is UDP whose
 * content is the packet from the BTH to the last pad byte, and the ICRC.
 * Source: IBTA annex A17.
 */
import { emptyFrame, ethernetBytes, type EthernetHeader, IPV4, IPV6, readEthernet, writeEthernet } from './ethernet.ts'
import { ICRC_BYTES, icrcOf } from './icrc.ts'
import { contentChecksum, ipBytes, type IpHeader, PROTOCOL_UDP, readIp, UDP_BYTES, writeIp } from './ip.ts'
import { type MacControl, readMacControl } from './mac-control.ts'

/** UDP destination port of RoCEv2 (IBTA annex A17). */
export const ROCE_PORT = 4791

/** Link and network header of a frame. */
export interface FrameHeaders {
  readonly link: Omit<EthernetHeader, 'etherType'>
  readonly ip: IpHeader
}

export interface RoceFrame extends FrameHeaders {
  readonly sourcePort: number
  readonly destinationPort: number
  /** UDP checksum: 0, as senders of RoCEv2 write it, or computed. */
  readonly hasChecksum: boolean
  /** From the BTH to the last pad byte. */
  readonly packet: Uint8Array
}

/** A frame that was read. */
export type ReadFrame =
  | { readonly kind: 'mac-control'; readonly control: MacControl }
  | ({ readonly kind: 'roce'; readonly icrc: number; readonly isIcrcRight: boolean } & RoceFrame)
  | ({ readonly kind: 'ip'; readonly content: Uint8Array } & FrameHeaders)
  | { readonly kind: 'other'; readonly link: EthernetHeader }

/** A RoCEv2 frame without FCS. */
export function writeRoceFrame(frame: RoceFrame): Uint8Array {
  const { link, ip, packet } = frame
  const start = ipBytes(ip)
  const udpBytes = UDP_BYTES + packet.length + ICRC_BYTES
  const whole = emptyFrame({ ...link, etherType: typeOf(ip) }, start + udpBytes)
  const ipAt = ethernetBytes(link.tag)
  const bytes = whole.subarray(ipAt, ipAt + start + udpBytes)
  const view = new DataView(bytes.buffer, ipAt)
  writeIp(bytes, ip, udpBytes)
  view.setUint16(start, frame.sourcePort)
  view.setUint16(start + 2, frame.destinationPort)
  view.setUint16(start + 4, udpBytes)
  bytes.set(packet, start + UDP_BYTES)
  const end = bytes.length - ICRC_BYTES
  view.setUint32(end, icrcOf(bytes, start, end), true)
  // 0 says that there is no checksum, so a sum of 0 is written as its other form.
  if (frame.hasChecksum) view.setUint16(start + 6, contentChecksum(ip, bytes.subarray(start)) || 0xffff)
  return whole
}

/** A frame without FCS around an IP packet. */
export function writeIpFrame(link: FrameHeaders['link'], ip: IpHeader, packet: Uint8Array): Uint8Array {
  return writeEthernet({ ...link, etherType: typeOf(ip) }, packet)
}

function typeOf({ version }: IpHeader): number {
  return version === 4 ? IPV4 : IPV6
}

/**
 * Takes a frame without FCS apart. null: it is too short, has options of IP, or its lengths contradict each other. Whether the
 * header checksum of IPv4 is right, readIp() says.
 * A frame that was cut off after the BTH, by a switch that trims or by a capture, is one of kind `ip`.
 */
export function readFrame(bytes: Uint8Array): ReadFrame | null {
  const control = readMacControl(bytes)
  if (control !== null) return { kind: 'mac-control', control }
  const ethernet = readEthernet(bytes)
  if (ethernet === null) return null
  const { etherType, ...link } = ethernet
  if (etherType !== IPV4 && etherType !== IPV6) return { kind: 'other', link: ethernet }
  const packet = bytes.subarray(ethernetBytes(link.tag))
  const read = readIp(packet)
  if (read === null) return null
  const { ip, contentBytes } = read
  const start = ipBytes(ip)
  const isWhole = start + contentBytes <= packet.length
  const content = packet.subarray(start, start + contentBytes)
  if (ip.protocol !== PROTOCOL_UDP || !isWhole || contentBytes < UDP_BYTES + ICRC_BYTES)
    return { kind: 'ip', link, ip, content }
  return readRoce({ link, ip }, packet.subarray(0, start + contentBytes))
}

/** @param packet from the IP header to the ICRC */
function readRoce({ link, ip }: FrameHeaders, packet: Uint8Array): ReadFrame | null {
  const start = ipBytes(ip)
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength)
  if (view.getUint16(start + 4) !== packet.length - start) return null
  const end = packet.length - ICRC_BYTES
  const icrc = view.getUint32(end, true)
  return {
    kind: 'roce',
    link,
    ip,
    sourcePort: view.getUint16(start),
    destinationPort: view.getUint16(start + 2),
    hasChecksum: view.getUint16(start + 6) !== 0,
    packet: packet.slice(start + UDP_BYTES, end),
    icrc,
    isIcrcRight: icrc === icrcOf(packet.subarray(0, end), start),
  }
}
