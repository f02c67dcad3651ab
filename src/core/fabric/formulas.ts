/**
 * Formulas of the fabric, pure: headroom, dynamic threshold, marking probability.
 * Units: bytes, bit/s, picoseconds.
 */

export interface HeadroomInput {
  readonly rateBps: number
  /** One way. */
  readonly delayPs: number
  /** Largest frame with preamble and gap: on the wire in each direction when the pause is decided. */
  readonly wireBytes: number
  /** Largest frame as a queue counts it. */
  readonly frameBytes: number
  /** PFC frames that may be sent back to back, one per lossless class, with preamble and gap. */
  readonly pfcWireBytes: number
  /** From the decision to pause until the peer obeys, beside the time on the wire. */
  readonly reactionPs: number
}

/**
 * Bytes that can still arrive after the XOFF threshold is crossed, without the packet that crosses it:
 * the cable there and back, a frame that delays the pause frame, the pause frames, the peer's reaction,
 * and a frame the peer has just started; rounded up to whole frames as a queue counts them.
 * Source: 802.1Qbb annex O; [MS-Scale] section 2.
 */
export function headroomBytes(input: HeadroomInput): number {
  const bytesPerPs = input.rateBps / 8e12
  const wire =
    2 * input.delayPs * bytesPerPs +
    input.wireBytes +
    input.pfcWireBytes +
    input.reactionPs * bytesPerPs +
    input.wireBytes
  return Math.ceil(wire / input.wireBytes) * input.frameBytes
}

/** Threshold of dynamic buffer sharing: maximum of a counter, in whole bytes. Source: [MS-Scale] 6.2, Choudhury and Hahne 1998. */
export function dynamicThresholdBytes(alpha: number, freeBytes: number): number {
  return Math.floor(alpha * freeBytes)
}

/** Fixed point of `counters` equally congested counters. */
export function dynamicFixedPointBytes(alpha: number, poolBytes: number, counters: number): number {
  return (alpha * poolBytes) / (1 + counters * alpha)
}

/** Probability that RED marks at queue `queueBytes`; `atLeast`: 0 below kmin and 1 from kmax on, else up to and above. */
export function markingProbability(
  queueBytes: number,
  kminBytes: number,
  kmaxBytes: number,
  pmax: number,
  atLeast: boolean,
): number {
  if (atLeast ? queueBytes >= kmaxBytes : queueBytes > kmaxBytes) return 1
  if (atLeast ? queueBytes < kminBytes : queueBytes <= kminBytes) return 0
  return (pmax * (queueBytes - kminBytes)) / (kmaxBytes - kminBytes)
}
