/**
 * Ethernet: the tag of 802.1Q, and the fields of a frame from which its priority is read.
 * Frames are bytes from the destination address on, without preamble and FCS.
 * Source: 802.1Q 9.6, RFC 2474; [MS-Scale] section 3, figure 3.
 */
const TPID = 0x8100
const IPV4 = 0x0800
const IPV6 = 0x86dd
const ADDRESSES_BYTES = 12

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

function wordAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}
