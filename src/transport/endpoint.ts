/**
 * Endpoint: the transport's whole face. Sans-IO: time is an argument, there is no clock, no randomness and no timer
 * inside; the simulated NIC and a live driver use the same five calls.
 */
import { RETH, type Segment } from './segment.ts'

export interface Endpoint {
  /** A decoded segment arrived; `segment` is the caller's scratch and is not kept. */
  onSegment(nowPs: number, segment: Segment): void
  /** Fills `out` with the next segment, or says false. */
  pollTransmit(nowPs: number, out: Segment): boolean
  /** Earliest time pollTransmit can say true, or NEVER_PS. */
  readonly nextSendPs: number
  /** Nearest deadline, or NEVER_PS. */
  readonly nextTimeoutPs: number
  /** A deadline may have passed: serves the nearest one that is due. Late or spurious calls are harmless. */
  onTimeout(nowPs: number): void
}

/** Frame sizes the endpoints need to pace by, bytes. */
export interface FrameSizes {
  /** Payload of a full packet. */
  readonly payloadBytes: number
  /** Everything of a data frame but its payload. */
  readonly dataOverheadBytes: number
  /** RETH in the first packet of a WRITE. */
  readonly writeOverheadBytes: number
  readonly ackBytes: number
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
  const bytes = payloadBytes + frames.dataOverheadBytes + ((flags & RETH) === 0 ? 0 : frames.writeOverheadBytes)
  return bytes < frames.minimumBytes ? frames.minimumBytes : bytes
}
