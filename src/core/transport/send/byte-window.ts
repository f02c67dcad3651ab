/**
 * HOT (isClosed). Byte window: limit of the payload in flight, fixed or scaled with the rate.
 * Units: bytes of payload, bit/s. A variable window shrinks with the rate, as a share of the line rate.
 * Source: HPCC fork, HAS_WIN and VAR_WIN.
 */
import type { SenderOptions } from './sender-options.ts'

export class ByteWindow {
  private readonly bytes: number
  private readonly isVariable: boolean
  /** A variable window does not close before a packet has requested an ACK. */
  private readonly leastBytes: number
  private readonly payloadBytes: number
  private readonly lineRateBps: number

  /** @param bytes of payload allowed in flight at line rate. */
  constructor(bytes: number, options: SenderOptions) {
    const { payloadBytes } = options.frames
    this.bytes = bytes
    this.isVariable = options.windowVariable
    this.leastBytes = Math.max(0, options.ackInterval - 1) * payloadBytes + 1
    this.payloadBytes = payloadBytes
    this.lineRateBps = options.lineRateBps
  }

  /** Whether no packet may follow with `inFlight` packets unacknowledged. */
  isClosed(inFlight: number, rateBps: number): boolean {
    const inFlightBytes = inFlight * this.payloadBytes
    if (!this.isVariable) return inFlightBytes >= this.bytes
    const scaled = Math.floor((this.bytes * rateBps) / this.lineRateBps)
    return inFlightBytes >= (scaled < this.leastBytes ? this.leastBytes : scaled)
  }
}
