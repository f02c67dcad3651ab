/**
 * Watched: one class of a port, or all classes of it together, as a watchdog sees them: counters at the last poll, the
 * countdown in progress, and the storms so far.
 * Units: picoseconds.
 */
import type { Port } from '../../link/port.ts'
import type { PortStats } from '../../link/port-stats.ts'
import type { WatchdogRow } from '../../watch.ts'
import type { Readings, WatchdogRule } from './rule.ts'

/** Counters of one class, now and since the poll before. Reused at every poll. */
class ClassReadings implements Readings {
  readonly trafficClass: number
  occupancyBytes = 0
  txPackets = 0
  pfcRxPackets = 0
  on2off = 0
  pausedPs = 0
  intervalPs = 0
  isPaused = false
  wasPaused = false
  isPauseReceived = false
  private readonly port: Port
  private readonly stats: PortStats
  private lastPs = 0
  private lastTx = 0
  private lastRx = 0
  private lastOn2off = 0
  private lastPausedPs = 0

  constructor(port: Port, trafficClass: number) {
    this.port = port
    this.trafficClass = trafficClass
    this.stats = port.openStats()
  }

  read(nowPs: number): void {
    const { port, stats, trafficClass: c } = this
    const pausedPs = stats.pausedPs(nowPs, c)
    this.occupancyBytes = port.queue.bytesOf(c)
    this.txPackets = stats.txPackets[c]! - this.lastTx
    this.pfcRxPackets = stats.pfcRxPackets[c]! - this.lastRx
    this.on2off = stats.on2off[c]! - this.lastOn2off
    this.pausedPs = pausedPs - this.lastPausedPs
    this.intervalPs = nowPs - this.lastPs
    this.wasPaused = this.isPaused
    this.isPaused = (port.pausedMask & (1 << c)) !== 0
    this.isPauseReceived = stats.isPauseReceived(nowPs, c)
    this.lastPs = nowPs
    this.lastTx = stats.txPackets[c]!
    this.lastRx = stats.pfcRxPackets[c]!
    this.lastOn2off = stats.on2off[c]!
    this.lastPausedPs = pausedPs
  }
}

export class Watched {
  readonly port: Port
  /** Classes that are out of service. */
  stormed = 0
  /** Left of the detection time, or of the restoration time while stormed. */
  leftPs: number
  private readonly mask: number
  private readonly stats: PortStats
  private readonly readings: readonly ClassReadings[]
  private hasLast = false
  private detected = 0
  private restored = 0
  /** Classes of the storm in progress or of the last one, and their packets when it began. */
  private lastStorm = 0
  private readonly tx = new Float64Array(8)
  private readonly txDropped = new Float64Array(8)
  private readonly rx = new Float64Array(8)
  private readonly rxDropped = new Float64Array(8)

  /** @param mask a bit per class that is watched, if PFC protects it */
  constructor(port: Port, mask: number, detectionPs: number) {
    this.port = port
    this.mask = mask
    this.leftPs = detectionPs
    this.stats = port.openStats()
    port.at!.countDepartures()
    this.readings = [0, 1, 2, 3, 4, 5, 6, 7]
      .filter((c) => (mask & (1 << c)) !== 0)
      .map((c) => new ClassReadings(port, c))
  }

  get isStormed(): boolean {
    return this.stormed !== 0
  }

  /** Its classes that PFC protects now. */
  get present(): number {
    return this.mask & this.port.pfc.lossless
  }

  /** Reads the counters. @returns false at the first poll, which only stores them. */
  read(nowPs: number): boolean {
    const { hasLast } = this
    this.hasLast = true
    for (const readings of this.readings) readings.read(nowPs)
    return hasLast
  }

  /** Whether one of its classes looks stormed. */
  holds(rule: Pick<WatchdogRule, 'holds'>): boolean {
    const { present } = this
    return this.readings.some((r) => (present & (1 << r.trafficClass)) !== 0 && rule.holds(r))
  }

  /** Whether none of its classes looks stormed any more. */
  isQuiet(rule: Pick<WatchdogRule, 'isQuiet'>): boolean {
    const { present } = this
    return this.readings.every((r) => (present & (1 << r.trafficClass)) === 0 || rule.isQuiet(r))
  }

  /** A storm has been detected. */
  storm(restorationPs: number): void {
    this.stormed = this.lastStorm = this.present
    this.leftPs = restorationPs
    this.detected++
    this.tx.set(this.stats.txPackets)
    this.txDropped.set(this.stats.txDropped)
    this.rx.set(this.stats.rxPackets)
    this.rxDropped.set(this.stats.rxDropped)
  }

  /** The storm is over, or the watchdog goes. */
  calm(detectionPs: number): void {
    this.stormed = 0
    this.leftPs = detectionPs
    this.restored++
  }

  /** A row for each of its classes that has been stormed. */
  rows(): WatchdogRow[] {
    const { port, stats, lastStorm, detected, restored } = this
    return this.readings
      .filter(({ trafficClass }) => (lastStorm & (1 << trafficClass)) !== 0)
      .map(({ trafficClass: c }) => ({
        port: port.id,
        trafficClass: c,
        isStormed: (this.stormed & (1 << c)) !== 0,
        detected,
        restored,
        txOk: stats.txPackets[c]! - this.tx[c]!,
        txDropped: stats.txDropped[c]! - this.txDropped[c]!,
        rxOk: stats.rxPackets[c]! - this.rx[c]!,
        rxDropped: stats.rxDropped[c]! - this.rxDropped[c]!,
      }))
  }
}
