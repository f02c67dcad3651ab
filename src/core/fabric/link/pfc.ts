/**
 * PFC: both ends of a pause on one port.
 * The paused end (egress) keeps the classes that may not start a frame; the pausing end (ingress) keeps the classes
 * that it has paused. Frames in flight are never cut; PFC frames are never paused.
 * Units: picoseconds, quanta of 512 bit times. Source: 802.1Qbb; [MS-Scale] section 2.
 */

export interface PfcRules {
  /** Bit per lossless class; 0: PFC off. */
  readonly lossless: number
  /** Packets of all classes leave as class 0: a pause of class 0 holds all of them back, one of another class none. */
  readonly isOneClass: boolean
  /** Pause time by class. */
  readonly quanta: readonly number[]
  /** A pause ends by itself after its quanta. */
  readonly expires: boolean
  /** Share of the pause time after which a pause frame is sent again; 0: never. */
  readonly refreshShare: number
  /** Each packet that arrives above XOFF causes a new pause frame. */
  readonly repeats: boolean
  readonly reactionPs: number
  /** Every PFC frame is sent; else at most two of a class wait, the last with its newest state. */
  readonly keepsAll: boolean
  /** From the decision to pause or resume until the frame may be sent. */
  readonly sendPs: number
}

/** Pause time in picoseconds. */
export function pauseDurationPs(quanta: number, rateBps: number): number {
  return Math.round((quanta * 512e12) / rateBps)
}

/** Minimum time of a PFC frame, whatever the clock rounds to; 84 bytes at 400 Gb/s are 1.68 ns. */
const FRAME_MIN_PS = 1000

/**
 * Time after which a pause of `quanta` is sent again, picoseconds: a share of its length, but long enough that the PFC
 * frames of eight classes, `frameTimePs` each, do not fill the link.
 */
export function refreshIntervalPs(quanta: number, refreshShare: number, rateBps: number, frameTimePs: number): number {
  const sharePs = Math.round(pauseDurationPs(quanta, rateBps) * refreshShare)
  return Math.max(sharePs, 8 * Math.max(frameTimePs, FRAME_MIN_PS))
}

/** Pauses of a port, given or received, by class: start, end and total time. */
export class PauseBook {
  readonly untilPs = new Float64Array(8)
  /** At the pausing end: time when a pause is to be sent again. */
  readonly refreshPs = new Float64Array(8)
  private readonly sincePs = new Float64Array(8).fill(-1)
  private readonly totalPs = new Float64Array(8)
  pauses = 0

  /** Classes whose last pause had no end of its own. */
  get endless(): number {
    return this.untilPs.reduce((bits, untilPs, c) => (untilPs === Infinity ? bits | (1 << c) : bits), 0)
  }

  /** The class may not start frames from now on. */
  open(nowPs: number, trafficClass: number): void {
    this.sincePs[trafficClass] = nowPs
    this.pauses++
  }

  /** The class may start frames again. */
  close(nowPs: number, trafficClass: number): void {
    this.totalPs[trafficClass]! += nowPs - this.sincePs[trafficClass]!
    this.sincePs[trafficClass] = -1
  }

  /** Start of the present pause; -1: none. */
  startPs(trafficClass: number): number {
    return this.sincePs[trafficClass]!
  }

  /** Paused time up to now, over all classes. */
  pausedPs(nowPs: number): number {
    let sum = 0
    for (let c = 0; c < 8; c++) sum += this.pausedPsOf(nowPs, c)
    return sum
  }

  /** Paused time of a class up to now. */
  pausedPsOf(nowPs: number, trafficClass: number): number {
    const sincePs = this.sincePs[trafficClass]!
    return this.totalPs[trafficClass]! + (sincePs >= 0 ? nowPs - sincePs : 0)
  }
}
