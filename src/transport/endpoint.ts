/**
 * Endpoint: the transport's whole face. Sans-IO: time is an argument, there is no clock, no randomness and no timer
 * inside; the simulated NIC and a live driver use the same five calls.
 */
import { CNP, READ_REQUEST, RETH, RTT_REQUEST, RTT_RESPONSE, SACK, SEND, type Segment } from './segment.ts'

/** `S`: what a segment carries; verbs' packets carry more than the simulated transport's. */
export interface Endpoint<S extends Segment = Segment> {
  /** A decoded segment arrived; `segment` is the caller's scratch and is not kept. */
  onSegment(nowPs: number, segment: S): void
  /** Fills `out` with the next segment, or says false. */
  pollTransmit(nowPs: number, out: S): boolean
  /** Earliest time pollTransmit can say true, or NEVER_PS. */
  readonly nextSendPs: number
  /** Nearest deadline, or NEVER_PS. */
  readonly nextTimeoutPs: number
  /** A deadline may have passed: serves the nearest one that is due. Late or spurious calls are harmless. */
  onTimeout(nowPs: number): void
}

/** Data frames where they are no sum of payload and overhead: bytes by payload, up to that of a full packet. */
interface FrameTable {
  /** Of WRITEs and READ responses. */
  readonly placed: Uint16Array
  readonly sends: Uint16Array
}

/** Frame sizes the endpoints need to pace by, bytes. */
export interface FrameSizes {
  /** Payload of a full packet. */
  readonly payloadBytes: number
  /** Everything of a data frame but its payload. */
  readonly dataOverheadBytes: number
  /** RETH in the first packet of a WRITE. */
  readonly writeOverheadBytes: number
  /** Takes the place of the two overheads; null: they count. */
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
  /** Preamble and gap: on the wire, not in the frame. */
  readonly gapBytes: number
}

/** Bytes of a data frame, as queues count it. */
export function dataFrameBytes(frames: FrameSizes, payloadBytes: number, flags: number): number {
  const { table } = frames
  const bytes =
    table === null
      ? payloadBytes + frames.dataOverheadBytes + ((flags & RETH) === 0 ? 0 : frames.writeOverheadBytes)
      : ((flags & SEND) === 0 ? table.placed : table.sends)[payloadBytes]!
  return bytes < frames.minimumBytes ? frames.minimumBytes : bytes
}

/** Bytes of any other frame of an endpoint. */
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
