/**
 * Sent times: when packets left, for a sender whose ACKs do not echo that, as on a real wire. A packet gives one round
 * trip at most, and none if it was sent more than once, as nobody knows which of them is acknowledged (Karn; RFC 6298 3).
 * Where an ACK gives none, the control sees the last one again.
 * Units: picoseconds; PSNs of 24 bits. Shape: a ring; a packet that is older than its size gives no round trip.
 */
import { RETRANSMITTED, type Segment } from '../segment.ts'

/** A power of two. */
const SLOTS = 1024
const NO_PSN = -1

export class SentTimes {
  private readonly psns = new Int32Array(SLOTS).fill(NO_PSN)
  private readonly timesPs = new Float64Array(SLOTS)
  private lastRttPs: number

  /** @param baseRttPs round trip until the first one is measured. */
  constructor(baseRttPs: number) {
    this.lastRttPs = baseRttPs
  }

  /** A packet leaves. */
  onSent(nowPs: number, { psn, flags }: Readonly<Segment>): void {
    const slot = psn & (SLOTS - 1)
    this.psns[slot] = (flags & RETRANSMITTED) === 0 ? psn : NO_PSN
    this.timesPs[slot] = nowPs
  }

  /**
   * Gives an ACK or NAK for the arrival of packet `psn` the time at which that left, and where it has none to give, marks it
   * as the answer to a retransmission. NO_PSN: it is for no arrival.
   */
  stamp(nowPs: number, psn: number, answer: Segment): void {
    const slot = psn & (SLOTS - 1)
    if (psn >= 0 && this.psns[slot] === psn) {
      this.psns[slot] = NO_PSN
      this.lastRttPs = nowPs - this.timesPs[slot]!
    } else answer.flags |= RETRANSMITTED
    answer.sentPs = nowPs - this.lastRttPs
  }
}
