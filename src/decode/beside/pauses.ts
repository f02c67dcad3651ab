/** Pause frames by device and class: how many, and how long between a pause and its end. Source: 802.1Qbb, 802.3 annex 31B. */
import { captureFindings, type Finding } from '../../findings/index.ts'
import type { MacControl } from '../../wire/index.ts'
import { Found, type Place } from '../found.ts'

const { congestion } = captureFindings
const STATIONS_MAX = 4096
/** Stands for all classes in pauses of a whole link. */
const LINK = -1

interface Pausing {
  readonly found: Found
  readonly device: string
  readonly trafficClass: number
  sincePs: number | null
  longestPs: number
  pausedPs: number
  resumes: number
  quanta: number
}

export class Pauses {
  readonly #pausing = new Map<string, Pausing>()

  add(control: MacControl, place: Place): void {
    if (control.kind === 'pause') return this.#note(control.source, LINK, control.quanta, place)
    for (let c = 0; c < 8; c++)
      if ((control.vector & (1 << c)) !== 0) this.#note(control.source, c, control.quanta[c]!, place)
  }

  findings(): Finding[] {
    return [...this.#pausing.values()].flatMap(
      ({ found, device, trafficClass, sincePs, pausedPs, longestPs, resumes, quanta }) => {
        found.set(congestion.paused, { pausedPs, longestPs, resumes, quanta })
        if (sincePs !== null) found.rename(congestion.paused, congestion.pausedToEnd)
        return found.findings(trafficClass === LINK ? { device } : { device, trafficClass })
      },
    )
  }

  #note(source: number, trafficClass: number, quanta: number, place: Place): void {
    const key = `${source} ${trafficClass}`
    let pausing = this.#pausing.get(key)
    if (pausing === undefined) {
      if (this.#pausing.size >= STATIONS_MAX) return
      const device = source
        .toString(16)
        .padStart(12, '0')
        .replaceAll(/..(?=.)/g, '$&:')
      const zero = { longestPs: 0, pausedPs: 0, resumes: 0, quanta: 0 }
      pausing = { found: new Found(), device, trafficClass, sincePs: null, ...zero }
      this.#pausing.set(key, pausing)
    }
    if (quanta > 0) {
      pausing.quanta += quanta
      pausing.sincePs ??= place.timePs
      pausing.found.add(congestion.paused, place, { resumes: 0, pausedPs: 0, longestPs: 0, quanta: 0 })
      return
    }
    pausing.resumes++
    if (pausing.sincePs === null) return
    const tookPs = place.timePs - pausing.sincePs
    pausing.pausedPs += tookPs
    pausing.longestPs = Math.max(pausing.longestPs, tookPs)
    pausing.sincePs = null
  }
}
