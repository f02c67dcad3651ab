/**
 * Headroom sums: bytes that may arrive after XOFF, as named terms that can be argued with one by one.
 * Units: bytes, bit/s, picoseconds, metres of cable.
 */

/** One summand. Bytes may be negative (what a sum counts on the wire and a buffer does not store) and fractions. */
export interface HeadroomTerm {
  readonly name: string
  readonly bytes: number
  /** How the bytes come about, with the numbers put in: "2 x 1.5us x 400Gbps / 8". */
  readonly formula: string
  /** Standard, paper or table that the term is taken from. */
  readonly source: string
}

export interface HeadroomSum {
  readonly terms: readonly HeadroomTerm[]
  /** Sum of the terms, whole bytes. */
  readonly bytes: number
}

/** @throws nothing; the terms of a sum add up to whole bytes, up to rounding of doubles. */
export function sumOf(terms: readonly HeadroomTerm[]): HeadroomSum {
  return { terms, bytes: Math.round(terms.reduce((sum, { bytes }) => sum + bytes, 0)) }
}

/** A link and the frames on it, as one end sees them. */
export interface HeadroomLink {
  readonly rateBps: number
  /** One way. */
  readonly delayPs: number
  /** Largest frame that may cross the threshold, as a queue counts it. */
  readonly crossingBytes: number
  /** Largest frame of the lossless class, as a queue counts it. */
  readonly frameBytes: number
  /** Largest frame of any class, in the direction of the pause. */
  readonly delayingBytes: number
  /** Smallest frame as a queue counts it. */
  readonly leastBytes: number
  /** Preamble, start delimiter and gap around each frame on the wire. */
  readonly gapBytes: number
  /** PFC frame without them. */
  readonly pfcBytes: number
  /** PFC frames that may be sent back to back before the pause of one class is, that one included. */
  readonly pfcFrames: number
  /** From the decision to pause until the PFC frame may be sent. */
  readonly sendPs: number
  /** Bytes that the peer still sends after the arrival of the pause. */
  readonly reaction: HeadroomTerm
  /** Size of the cells in which the buffer counts; 0: bytes. */
  readonly cellBytes: number
}

/** A port of a switch that is bought: values that it has whatever its ASIC. */
export interface AsicPort {
  readonly rateBps: number
  readonly metres: number
  /** Longest frame of any class at the port. */
  readonly portMtuBytes: number
  /** Longest frame of the lossless class. */
  readonly losslessMtuBytes: number
  /** Lossless classes. */
  readonly classes: number
}

/** Wire bytes that a link carries in a time. */
export function wireBytes(rateBps: number, timePs: number): number {
  return (rateBps * timePs) / 8e12
}

/** Speed of light in the links of scenarios: 5 ns per metre. Source: 476 ns per 100 m of copper, 513 ns of fibre (Cisco). */
export const LINK_PS_PER_METRE = 5000

/** Length of the cable whose delay is that of a link. */
export function metresOf(delayPs: number): number {
  return delayPs / LINK_PS_PER_METRE
}
