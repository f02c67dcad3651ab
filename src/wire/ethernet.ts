/**
 * Ethernet: the tag of 802.1Q, the PFC frame of 802.1Qbb, and the fields of a frame from which its priority is read.
 * Frames are bytes from the destination address on, without preamble and FCS.
 * Source: 802.1Q 9.6, 802.1Qbb (802.1Q 36), RFC 2474; [MS-Scale] section 3, figure 3.
 */
const TPID = 0x8100
const MAC_CONTROL = 0x8808
const IPV4 = 0x0800
const IPV6 = 0x86dd
const OPCODE_PFC = 0x0101
/** Group address of MAC control frames. */
const PFC_DESTINATION = [0x01, 0x80, 0xc2, 0x00, 0x00, 0x01]
const ADDRESSES_BYTES = 12
/** Shortest frame without its FCS. */
const MINIMUM_BYTES = 60

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

/**
 * A PFC frame. It has no tag, and nothing in it depends on how the classes of data are told apart.
 * @param source MAC address of the port, 6 bytes
 * @param quanta pause time by class, 0 to resume; null: the frame does not concern the class
 */
export function pfcFrame(source: readonly number[], quanta: readonly (number | null)[]): Uint8Array {
  const vector = quanta.reduce<number>((bits, time, c) => bits | (time === null ? 0 : 1 << c), 0)
  const words = [MAC_CONTROL, OPCODE_PFC, vector, ...quanta.map((time) => time ?? 0)]
  const frame = new Uint8Array(MINIMUM_BYTES)
  frame.set([...PFC_DESTINATION, ...source, ...words.flatMap((word) => [word >> 8, word & 0xff])])
  return frame
}

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}
