/**
 * Pause frames by device and class: how many, and how long between a pause and its end: the frame that takes it back, or its
 * quanta where the rate of the link is known.
 * Source: 802.1Qbb, 802.3 annex 31B.
 */
import { captureFindings, type Finding } from '../../../core/findings/index.ts'
import type { MacControl } from '../../../core/wire/index.ts'
import { Found, type Sight } from '../found.ts'

const { congestion } = captureFindings
const STATIONS_MAX = 4096
/** Stands for all classes in pauses of a whole link. */
const LINK = -1
const QUANTUM_BITS = 512
/** The same frame at the other end of a link, within this time. */
const COPY_PS = 100e6

interface Pausing {
  readonly found: Found
  readonly device: string
  readonly trafficClass: number
  /** Since when the class is paused, and until when at most; Infinity: the rate is not known. null: it is not. */
  paused: { readonly sincePs: number; untilPs: number; frames: number } | null
  /** The frame before. */
  last: { readonly port: number; readonly timePs: number; readonly quanta: number } | null
  longestPs: number
  pausedPs: number
  resumes: number
  expired: number
  quanta: number
  isRateKnown: boolean
}

export class Pauses {
  readonly #pausing = new Map<string, Pausing>()
  /** Frames that were seen at a second interface. */
  copies = 0

  /** @param rateBps of the link, bits per second; 0: not known @param port the interface */
  add(control: MacControl, sight: Sight, rateBps: number, port: number): void {
    let isCopy = false
    const note = (trafficClass: number, quanta: number): void => {
      isCopy = this.#note(control.source, trafficClass, quanta, sight, rateBps, port) || isCopy
    }
    if (control.kind === 'pause') note(LINK, control.quanta)
    else for (let c = 0; c < 8; c++) if ((control.vector & (1 << c)) !== 0) note(c, control.quanta[c]!)
    if (isCopy) this.copies++
  }

  /** @param endPs time of the last record */
  findings(endPs: number): Finding[] {
    return [...this.#pausing.values()].flatMap((pausing) => {
      const { found, device, trafficClass } = pausing
      const { paused } = pausing
      // One pause may end by itself behind the capture; one that is renewed is held.
      const isOpen = paused !== null && paused.untilPs > endPs
      const isHeld = isOpen && paused.frames > 1
      if (paused !== null && (isHeld || paused.untilPs < Infinity)) this.#finish(pausing, endPs)
      const { pausedPs, longestPs, resumes, expired, quanta, isRateKnown } = pausing
      found.set(congestion.paused, { pausedPs, longestPs, resumes, expired, quanta, isRateKnown, isOpen })
      if (isHeld) found.rename(congestion.paused, congestion.pausedToEnd)
      return found.findings(trafficClass === LINK ? { device } : { device, trafficClass })
    })
  }

  /** The result is whether the frame is one that was seen at another interface before. */
  #note(source: number, trafficClass: number, quanta: number, sight: Sight, rateBps: number, port: number): boolean {
    const pausing = this.#of(source, trafficClass)
    if (pausing === null) return false
    const { last } = pausing
    const isSame = last !== null && last.quanta === quanta && last.port !== port
    if (isSame && sight.timePs - last.timePs <= COPY_PS) return true
    pausing.last = { port, timePs: sight.timePs, quanta }
    pausing.isRateKnown &&= rateBps > 0
    const { paused } = pausing
    if (paused !== null && paused.untilPs <= sight.timePs) this.#finish(pausing, sight.timePs)
    if (quanta > 0) {
      const untilPs = rateBps > 0 ? sight.timePs + (quanta * QUANTUM_BITS * 1e12) / rateBps : Infinity
      pausing.quanta += quanta
      const before = pausing.paused
      pausing.paused = { sincePs: before?.sincePs ?? sight.timePs, untilPs, frames: (before?.frames ?? 0) + 1 }
      const zero = { resumes: 0, pausedPs: 0, longestPs: 0, expired: 0, quanta: 0, isRateKnown: true, isOpen: false }
      pausing.found.add(congestion.paused, sight, zero)
      return false
    }
    pausing.resumes++
    this.#finish(pausing, sight.timePs)
    return false
  }

  /** Ends a pause: at its own end, or now. */
  #finish(pausing: Pausing, nowPs: number): void {
    const { paused } = pausing
    if (paused === null) return
    if (paused.untilPs <= nowPs) pausing.expired++
    const tookPs = Math.min(nowPs, paused.untilPs) - paused.sincePs
    pausing.pausedPs += tookPs
    pausing.longestPs = Math.max(pausing.longestPs, tookPs)
    pausing.paused = null
  }

  #of(source: number, trafficClass: number): Pausing | null {
    const key = `${source} ${trafficClass}`
    const known = this.#pausing.get(key)
    if (known !== undefined) return known
    if (this.#pausing.size >= STATIONS_MAX) return null
    const device = source
      .toString(16)
      .padStart(12, '0')
      .replaceAll(/..(?=.)/g, '$&:')
    const zero = { longestPs: 0, pausedPs: 0, resumes: 0, expired: 0, quanta: 0, isRateKnown: true }
    const pausing: Pausing = { found: new Found(), device, trafficClass, paused: null, last: null, ...zero }
    this.#pausing.set(key, pausing)
    return pausing
  }
}
