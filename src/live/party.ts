/**
 * Party: anything that takes frames and makes frames, without sockets and clocks. Drivers connect parties to real links, tests
 * to each other. A frame is an Ethernet frame without FCS.
 * Units: picoseconds of a clock that never goes back.
 */

export interface Party {
  /** Takes a frame from the link. The bytes may be used again by the caller. */
  onFrame(nowPs: number, frame: Uint8Array): void
  /** The next frame that is due, or null. Drivers call it until it gives null, after each other call and at `nextPs`. */
  pollFrame(nowPs: number): Uint8Array | null
  /** When a frame may be due next, or a timer ends; Infinity: not before something arrives. */
  readonly nextPs: number
  /** Handles timers that have ended by now. */
  onTime(nowPs: number): void
}

/** Address of the other end of a conversation between queue pairs, as IP has it: 4 or 16 bytes. */
export interface PeerAddress {
  readonly ip: Uint8Array
  /** Source port of UDP, to be used towards it or seen from it. */
  readonly port: number
}

/** Serves queue pair 1: management datagrams of 256 bytes. */
export interface ManagementAgent {
  onMad(nowPs: number, from: PeerAddress, mad: Uint8Array): void
  pollMad(nowPs: number): { readonly to: PeerAddress; readonly mad: Uint8Array } | null
  readonly nextPs: number
  onTime(nowPs: number): void
}
