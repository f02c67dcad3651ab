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
  /** Packets that this port's queue of the class has marked. */
  readonly ecnMarked = new Float64Array(8)
  /** Packets that have left the egress queue of the class for the link; counted where a switch has a watchdog. */
  readonly txPackets: Float64Array
  /** Packets to this port that a watchdog has discarded. */
  readonly txDropped = new Float64Array(8)
  /** Packets received by this port and let through, and discarded, while a watchdog has the class in hand. */
  readonly rxPackets = new Float64Array(8)
  readonly rxDropped = new Float64Array(8)
  /** false: PFC frames are not counted while the port has PFC in no class (docs/models/watchdog.md). */
  countsWithoutPfc = true
  private readonly pauses: PauseBook
  private readonly rateBps: number
  /** The peer's pauses end by themselves. */
  private readonly expires: boolean
  /** End of the last pause received, also of one that the port does not obey. */
  private readonly untilPs = new Float64Array(8)
  /** The peer is held by the frames sent from then until then, whether it obeys or not; -1: it is not. */
  private readonly holdsFromPs = new Float64Array(8).fill(-1)
  private readonly holdsUntilPs = new Float64Array(8)
  /** Time of holds that have ended. */
  private readonly heldPs = new Float64Array(8)

  /** @param txPackets counted by departures */
  constructor(pauses: PauseBook, rateBps: number, expires: boolean, txPackets: Float64Array) {
    this.pauses = pauses
    this.rateBps = rateBps
    this.expires = expires
    this.txPackets = txPackets
  }

  /** Time a class has been paused up to now. */
  pausedPs(nowPs: number, trafficClass: number): number {
    return this.pauses.pausedPsOf(nowPs, trafficClass)
  }

  /** Time for which the frames that this port has sent hold its peer in a class, up to now, whether it obeys or not. */
  holdsPs(nowPs: number, trafficClass: number): number {
    const fromPs = this.holdsFromPs[trafficClass]!
    const open = fromPs < 0 ? 0 : Math.min(nowPs, this.holdsUntilPs[trafficClass]!) - fromPs
    return this.heldPs[trafficClass]! + open
  }

  /** Whether the last PFC frame received for a class pauses it now, obeyed or not. */
  isPauseReceived(nowPs: number, trafficClass: number): boolean {
    return this.untilPs[trafficClass]! > nowPs
  }

  onMarked(trafficClass: number): void {
    this.ecnMarked[trafficClass]!++
  }
  /** A watchdog discards a packet that was to leave here. */
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
  onSent(nowPs: number, vector: number, quanta: number, frames: number): void {
    for (let c = 0; c < 8; c++) {
      if ((vector & (1 << c)) === 0) continue
      this.pfcTx[c]! += frames
      if (quanta > 0) this.pfcTxPauses[c]! += frames
      if (frames > 0) this.hold(nowPs, c, quanta)
    }
  }

  /** A frame for a class is made: its pause begins or goes on, or ends with a resume. */
  private hold(nowPs: number, c: number, quanta: number): void {
    this.heldPs[c] = this.holdsPs(nowPs, c)
    this.holdsFromPs[c] = quanta > 0 ? nowPs : -1
    this.holdsUntilPs[c] = this.expires ? nowPs + pauseDurationPs(quanta, this.rateBps) : Infinity
  }
}
