/**
 * Records of a capture file, of any format: a frame, when it was seen, and at which interface.
 * Units: picoseconds after the first record of the file, exact to what the file counts.
 */

import type { LinkType } from '../outer/links.ts'

export interface CaptureRecord {
  /** Index of the interface, in the order in which the file names them; 0 in a pcap file. */
  readonly port: number
  readonly link: LinkType
  /** Negative where a record is older than the first; that of the record before where the file has none (Simple Packet). */
  readonly timePs: number
  /** Length on the wire without FCS, as the file says it; more than there are bytes where the capture cut the frame. */
  readonly sizeBytes: number
  /** Owned by the record, unless its reader lends them; without FCS. */
  readonly bytes: Uint8Array
  /** The capturing device found its FCS wrong. */
  readonly hasCrcError: boolean
  /** Empty: none. */
  readonly comment: string
  /** Rate of the link, bits per second, as the interface says it; missing or 0: not known. */
  readonly rateBps?: number
}

/** Facts about a file, known when it has been read. */
export interface CaptureFacts {
  readonly format: 'pcap' | 'pcapng'
  /** Names; empty where the file has none. */
  readonly interfaces: readonly string[]
  /** Time of the first record since 1970, nanoseconds; null: no record. */
  readonly startNs: bigint | null
  /** Records that were passed on. */
  readonly recordCount: number
  /** Records of link types that are not read, by the number of the type. */
  readonly unreadable: ReadonlyMap<number, number>
  /** Frames that the capturing program says it, its system or its interface has lost; null: it says nothing. */
  readonly lostByCapture: number | null
  /** Where the file ends in the middle of a record or is damaged; null: it is whole. */
  readonly damage: { readonly atByte: number; readonly what: string } | null
}
