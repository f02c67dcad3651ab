/**
 * Packet frames: packets of the fabric as frames in bytes, and files of them, as an observer asks for them. The lab has the
 * answers: it knows queue pairs, addresses and formats.
 * Units: bytes, picoseconds.
 */

/** A frame without FCS: `head`, then zeros, then `tail`. Payload and padding are zeros and are not stored. */
export interface FrameBytes {
  readonly head: Uint8Array
  readonly zeroBytes: number
  readonly tail: Uint8Array
}

export interface EncodedFrame extends FrameBytes {
  /** The packet's kind in words: "RDMA WRITE First", "Acknowledge", "PFC". */
  readonly kind: string
  /** Number of its queue pair; -1: none. */
  readonly pair: number
  /** 24 bits; -1: it has none. */
  readonly psn: number
}

/** A port, as one interface of a capture file. */
export interface CapturePort {
  readonly name: string
  readonly rateBps: number
  /** Frames that passed in the time that is captured, and how many of these are not in the file. */
  readonly seen: number
  readonly leftOut: number
}

/** A frame as one record of a capture file. */
export interface FileFrame extends FrameBytes {
  /** Index of its port. */
  readonly port: number
  readonly timePs: number
  readonly direction: 'in' | 'out'
  /** Its FCS was wrong. */
  readonly hasCrcError: boolean
  /** Empty: none. */
  readonly comment: string
}

export interface CaptureFile {
  readonly ports: readonly CapturePort[]
  /** In order of time. */
  readonly frames: { readonly count: number; at(index: number): FileFrame }
  /** Most bytes kept of a frame; null: all. */
  readonly snapBytes: number | null
  /** Frames end with their FCS. */
  readonly hasFcs: boolean
}

export interface PacketFrames {
  /** Reason of drops of frames whose FCS was wrong. */
  readonly damageReason: number
  /** Key of a packet that is alive: no other has it at the same time. */
  keyOf(packet: number): number
  /** Facts that tell a packet from a later one with the same key. */
  markOf(packet: number): number
  sizeOf(packet: number): number
  isPfc(packet: number): boolean
  /** It has a congestion mark. */
  isMarked(packet: number): boolean
  isTrimmed(packet: number): boolean
  /** Number of the port that it goes to, or has come in by. */
  arrivalPort(packet: number): number
  /** The frame as it is on the link. @param from number of the port that sent it, `to` that it goes to */
  encode(packet: number, from: number, to: number): EncodedFrame
  /** A pcapng file, part by part (results/file-parts.ts). */
  file(capture: CaptureFile): Iterable<Uint8Array>
}
