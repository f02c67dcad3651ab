/**
 * PFC: both ends of a pause on one port.
 * The paused end (egress) keeps which classes may not start a frame; the pausing end (ingress) keeps which classes
 * it has told to stop. Frames in flight are never cut; PFC frames are never paused.
 * Units: picoseconds, quanta of 512 bit times. Source: 802.1Qbb; S2 section 2.
 */

export interface PfcRules {
  /** Bit per lossless class; 0: PFC off. */
  readonly lossless: number
  readonly quanta: number
  /** A pause ends by itself. */
  readonly expires: boolean
  /** Share of the pause time after which a pause frame is sent again; 0: never. */
  readonly refreshShare: number
  /** A new pause frame for each packet that arrives over XOFF. */
  readonly repeats: boolean
  readonly reactionPs: number
}

/** Pause time in picoseconds. */
export function pauseDurationPs(quanta: number, rateBps: number): number {
  return Math.round((quanta * 512e12) / rateBps)
}

/** The paused end of a port. */
export class PausedEnd {
  /** Bit per class that may not start. */
  mask = 0
  readonly untilPs = new Float64Array(8)
  readonly sincePs = new Float64Array(8)
  /** Paused time so far, by class, of pauses that have ended. */
  readonly totalPs = new Float64Array(8)
  pauses = 0

  pause(nowPs: number, trafficClass: number, untilPs: number): boolean {
    this.untilPs[trafficClass] = untilPs
    const bit = 1 << trafficClass
    if ((this.mask & bit) !== 0) return false
    this.mask |= bit
    this.sincePs[trafficClass] = nowPs
    this.pauses++
    return true
  }

  resume(nowPs: number, trafficClass: number): boolean {
    const bit = 1 << trafficClass
    if ((this.mask & bit) === 0) return false
    this.mask &= ~bit
    this.totalPs[trafficClass]! += nowPs - this.sincePs[trafficClass]!
    return true
  }

  /** Paused time up to now, over all classes. */
  pausedPs(nowPs: number): number {
    let sum = 0
    for (let c = 0; c < 8; c++) {
      sum += this.totalPs[c]!
      if ((this.mask & (1 << c)) !== 0) sum += nowPs - this.sincePs[c]!
    }
    return sum
  }
}
