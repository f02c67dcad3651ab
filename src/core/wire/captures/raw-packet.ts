/** Facts that pcap and pcapng have of packets and interfaces, before link types and times are understood. */
import type { Clock } from './clock.ts'

export interface CapturingInterface {
  /** Index, over all sections of a file. */
  readonly port: number
  /** Empty: none. */
  readonly name: string
  /** Number of the link type. */
  readonly linkType: number
  readonly clock: Clock
  /** Bytes of FCS at the end of each frame. */
  readonly fcsBytes: number
  /** Rate of the link, bits per second; 0: not known. */
  readonly rateBps: number
}

export interface RawPacket<I extends CapturingInterface> {
  readonly from: I
  /** Halves of the time; null: there is none. */
  readonly time: { readonly high: number; readonly low: number } | null
  /** Picoseconds above it. */
  readonly restPs: number
  /** Length on the wire, and how much of it is there: from `at` on in `bytes`, which are not the packet's own. */
  readonly sizeBytes: number
  readonly keptBytes: number
  readonly bytes: Uint8Array
  readonly at: number
  /** As in pcapng's option epb_flags. */
  readonly flags: number
  readonly comment: string
}
