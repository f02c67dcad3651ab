/**
 * Port stats: counters of one port by class, as switches keep them for watchdogs and monitors. A port has them only after
 * Port.openStats(); until then they cost nothing.
 * Units: frames, picoseconds. Source: SAI_PORT_STAT_PFC_n_RX_PKTS, _TX_PKTS, _ON2OFF_RX_PKTS, _RX_PAUSE_DURATION.
 */
import { INTS } from '../../base/memory.ts'
import { DESTINATION, DIRECTION } from '../packets.ts'
import { pauseDurationPs, type PauseBook } from './pfc.ts'

export class PortStats {
  /** PFC frames received whose vector names the class: pauses and resumes, also those that the port does not obey. */
  readonly pfcRxPackets = new Float64Array(8)
  /** Pauses among the PFC frames received. */
  readonly pfcRxPauses = new Float64Array(8)
  /** Transitions of the class from paused to not paused. */
  readonly on2off = new Float64Array(8)
  /** PFC frames sent for the class: pauses and resumes. */
  readonly pfcTx = new Float64Array(8)
  /** Pauses among the PFC frames sent. */
  readonly pfcTxPauses = new Float64Array(8)
  /** Packets that have left the egress queue of the class for the link; switches only. */
  readonly txPackets = new Float64Array(8)
  /** Packets to this port that a watchdog has discarded. */
  readonly txDropped = new Float64Array(8)
  /** Packets received by this port and let through, and discarded, while a watchdog has the class in hand. */
  readonly rxPackets = new Float64Array(8)
  readonly rxDropped = new Float64Array(8)
  /** false: PFC frames are not counted while the port has PFC in no class (docs/models/watchdog.md). */
  countsWithoutPfc = true
  private readonly pauses: PauseBook
  private readonly rateBps: number
  /** End of the last pause received, also of one that the port does not obey. */
  private readonly untilPs = new Float64Array(8)

  constructor(pauses: PauseBook, rateBps: number) {
    this.pauses = pauses
    this.rateBps = rateBps
  }

  /** Time a class has been paused up to now. */
  pausedPs(nowPs: number, trafficClass: number): number {
    return this.pauses.pausedPsOf(nowPs, trafficClass)
  }

  /** Whether the last PFC frame received for a class pauses it now, obeyed or not. */
  isPauseReceived(nowPs: number, trafficClass: number): boolean {
    return this.untilPs[trafficClass]! > nowPs
  }

  /** A packet leaves the egress queue for the link; a watchdog discards one that was to go there. */
  onDeparture(trafficClass: number): void {
    this.txPackets[trafficClass]!++
  }
  onDiscarded(trafficClass: number): void {
    this.txDropped[trafficClass]!++
  }

  /** A PFC frame arrives. @param lossless classes with PFC on the port */
  onReceived(nowPs: number, packet: number, lossless: number): void {
    const vector = INTS[packet | DIRECTION]!
    const quanta = INTS[packet | DESTINATION]!
    if (lossless === 0 && !this.countsWithoutPfc) return
    for (let c = 0; c < 8; c++) {
      if ((vector & (1 << c)) === 0) continue
      this.pfcRxPackets[c]!++
      if (quanta > 0) this.pfcRxPauses[c]!++
      this.untilPs[c] = nowPs + pauseDurationPs(quanta, this.rateBps)
    }
  }

  /** The port sends PFC frames; -1: one of those that wait is not sent as it was. */
  onSent(vector: number, quanta: number, frames: number): void {
    for (let c = 0; c < 8; c++) {
      if ((vector & (1 << c)) === 0) continue
      this.pfcTx[c]! += frames
      if (quanta > 0) this.pfcTxPauses[c]! += frames
    }
  }
}
