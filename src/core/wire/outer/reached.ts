/** Where the reader of a frame is: which protocol begins at which byte, and what was around it. */
import type { Damaged, Unread } from '../dissected.ts'
import { type EthernetHeader, readAddress, type VlanTag } from '../ethernet.ts'

/** Protocols by their EtherType, as tunnels name their content, too. */
export const TRANSPARENT_ETHERNET = 0x6558
export const MPLS = 0x8847
export const PPP = 0x880b
const CUSTOMER_TAG = 0x8100
/** Types of the tag that service providers add: of 802.1ad, and older ones. */
const SERVICE_TAGS: readonly number[] = [0x88a8, 0x9100, 0x9200]
export const TAGS: readonly number[] = [CUSTOMER_TAG, ...SERVICE_TAGS]
const TAGS_MAX = 8
const ETHERNET_BYTES = 14

/** Ethernet around an IP packet. */
export interface Ends {
  readonly ethernet: EthernetHeader | null
  readonly serviceTag: VlanTag | null
}

export interface Reached extends Ends {
  readonly etherType: number
  readonly at: number
}

/** A header that was taken off: its name, and what begins behind it. */
export interface Step {
  readonly name: string
  readonly etherType: number
  readonly at: number
}

/** null: it is not the header that it was taken for. */
export type Taken = Step | Damaged | Unread | null

export const SHORT: Damaged = { kind: 'damaged', reason: 'short' }
export const NO_ENDS: Ends = { ethernet: null, serviceTag: null }

/** Behind a header of Ethernet and its tags. */
export function behindEthernet(view: DataView, start: number): Reached | Damaged {
  if (view.byteLength < start + ETHERNET_BYTES) return SHORT
  const below = behindTags(view, view.getUint16(start + 12), start + ETHERNET_BYTES)
  if ('kind' in below) return below
  const { tag, serviceTag, etherType, at } = below
  const ethernet = { destination: readAddress(view, start), source: readAddress(view, start + 6), tag, etherType }
  return { ethernet, serviceTag, etherType, at }
}

/** Behind the tags of VLANs: the innermost is the frame's, the outermost of several the provider's, whatever its type. */
export function behindTags(
  view: DataView,
  firstType: number,
  start: number,
): Damaged | (Omit<Reached, 'ethernet'> & { readonly tag: VlanTag | null }) {
  let [etherType, at] = [firstType, start]
  let tag: VlanTag | null = null
  let serviceTag: VlanTag | null = null
  for (let tags = 0; tags < TAGS_MAX && TAGS.includes(etherType); tags++) {
    if (view.byteLength < at + 4) return SHORT
    const control = view.getUint16(at)
    const read = { pcp: control >> 13, dei: (control & 0x1000) !== 0, vid: control & 0xfff }
    serviceTag ??= tag
    if (etherType !== CUSTOMER_TAG && tags === 0) serviceTag = read
    else tag = read
    etherType = view.getUint16(at + 2)
    at += 4
  }
  return { tag, serviceTag, etherType, at }
}
