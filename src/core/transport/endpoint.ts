/**
 * Endpoint: the interface of the transport. Sans-IO: time is an argument; there is no clock, randomness or timer
 * inside. The simulated NIC and a live driver use the same five calls.
 */
import { CNP, READ_REQUEST, RETH, RTT_REQUEST, RTT_RESPONSE, SACK, SEND, type Segment } from './segment.ts'

/** `S`: type of its segments; verbs packets carry more than those of the simulated transport. */
export interface Endpoint<S extends Segment = Segment> {
  /** A decoded segment arrived; `segment` belongs to the caller and is not retained. */
  onSegment(nowPs: number, segment: S): void
  /** Fills `out` with the next segment, or returns false. */
  pollTransmit(nowPs: number, out: S): boolean
  /** Earliest time at which pollTransmit can return true, or NEVER_PS. */
  readonly nextSendPs: number
  /** Nearest deadline, or NEVER_PS. */
  readonly nextTimeoutPs: number
  /** Serves the nearest deadline if it is due. Late or spurious calls are harmless. */
  onTimeout(nowPs: number): void
}

/** Frame sizes by payload, up to a full packet's, where they are not the sum of payload and overhead. */
interface FrameTable {
  /** Frames of WRITEs and READ responses. */
  readonly placed: Uint16Array
  readonly sends: Uint16Array
}

/** Frame sizes that the endpoints need for pacing, bytes. */
export interface FrameSizes {
  /** Payload of a full packet. */
  readonly payloadBytes: number
  /** Bytes of a data frame besides its payload. */
  readonly dataOverheadBytes: number
  /** RETH in the first packet of a WRITE. */
  readonly writeOverheadBytes: number
  /** Replaces the two overheads; null: the overheads apply. */
  readonly table: FrameTable | null
  readonly ackBytes: number
  /** An ACK with SACK. */
  readonly sackAckBytes: number
  readonly readRequestBytes: number
  readonly cnpBytes: number
  /** RTT request and response. */
  readonly rttProbeBytes: number
  /** Shortest frame. */
  readonly minimumBytes: number
  /** Preamble and interframe gap: on the wire, but not part of the frame. */
  readonly gapBytes: number
}

/** Bytes of a data frame, as counted by queues. */
export function dataFrameBytes(frames: FrameSizes, payloadBytes: number, flags: number): number {
  const { table } = frames
  const bytes =
    table === null
      ? payloadBytes + frames.dataOverheadBytes + ((flags & RETH) === 0 ? 0 : frames.writeOverheadBytes)
      : ((flags & SEND) === 0 ? table.placed : table.sends)[payloadBytes]!
  return bytes < frames.minimumBytes ? frames.minimumBytes : bytes
}

/** Bytes of any other frame sent by an endpoint. */
export function controlFrameBytes(frames: FrameSizes, kind: Segment['kind'], flags: number): number {
  const bytes =
    kind === CNP
      ? frames.cnpBytes
      : kind === READ_REQUEST
        ? frames.readRequestBytes
        : kind === RTT_REQUEST || kind === RTT_RESPONSE
          ? frames.rttProbeBytes
          : (flags & SACK) === 0
            ? frames.ackBytes
            : frames.sackAckBytes
  return bytes < frames.minimumBytes ? frames.minimumBytes : bytes
}
