/**
 * Watchdog of one switch: polls the counters of the ports it watches and takes classes that are paused without end out of
 * service, and into service again. The rule decides about one poll, the countdowns here about many: a storm needs the
 * condition at every poll of the detection time, its end a silence at every poll of the restoration time; one poll that
 * disagrees starts the countdown again. The first poll only stores the counters.
 * Source: sonic-swss orchagent, pfcwdorch and the pfc_detect and pfc_restore plugins; [MS-Scale] 4.3.
 * Units: picoseconds.
 */
import type { RandomStream } from '../../../base/random.ts'
import { DROP_WATCHDOG } from '../../counters.ts'
import type { Port } from '../../link/port.ts'
import type { DeviceNetwork, Fabric } from '../../fabric.ts'
import type { Actor, WatchdogEvent, WatchdogRow } from '../../watch.ts'
import type { Switch } from '../switch.ts'
import type { Action, WatchdogRule } from './rule.ts'
import { Watched } from './watched.ts'
import { INTS } from '../../../base/memory.ts'
import type { Intake } from '../../link/intake.ts'
import { KIND, PFC } from '../../packets.ts'

/**
 * Port guard: the part of a watchdog that sees packets. While classes of a port are out of service, it counts their
 * packets that come in by the port, and discards them where the action is drop.
 */
export class PortGuard implements Intake {
  /** Classes that are out of service, and of these, those whose packets are discarded. */
  classes = 0
  dropped = 0
  private readonly fabric: Fabric

  constructor(fabric: Fabric) {
    this.fabric = fabric
  }

  takes(packet: number, port: Port): boolean {
    if (INTS[packet | KIND] === PFC) return false
    const trafficClass = port.at!.trafficClassOf(packet)
    const bit = 1 << trafficClass
    if ((this.classes & bit) === 0) return false
    const stats = port.openStats()
    if ((this.dropped & bit) === 0) {
      stats.rxPackets[trafficClass]!++
      return false
    }
    stats.rxDropped[trafficClass]!++
    this.fabric.drop(packet, port.node, DROP_WATCHDOG)
    return true
  }
}

export interface WatchdogOptions {
  readonly rule: Pick<WatchdogRule, 'name' | 'scope' | 'holds' | 'isQuiet'>
  readonly detectionPs: number
  /** null: never. */
  readonly restorationPs: number | null
  readonly pollPs: number
  readonly action: Action
  readonly ports: readonly Port[]
  readonly countsWithoutPfc: boolean
  /** PFC goes off on all ports of the switch where one of them is stormed. */
  readonly isProfileShared: boolean
}

export class Watchdog implements Actor {
  private readonly network: DeviceNetwork
  private readonly at: Switch
  private readonly random: RandomStream
  private readonly actor: number
  private options: WatchdogOptions | null = null
  /** In the order of ports and classes. */
  private watched: Watched[] = []
  private readonly guards = new Map<Port, PortGuard>()
  private nextPs = -1

  /** @param random gives the time of the first poll */
  constructor(network: DeviceNetwork, at: Switch, random: RandomStream) {
    this.network = network
    this.at = at
    this.random = random
    this.actor = network.addActor(this)
  }

  /**
   * Watches with these options from now on; null: not at all. Classes that are out of service are taken into service, and
   * all countdowns start again, as if the switch's entry had been removed and added.
   */
  configure(options: WatchdogOptions | null): void {
    for (const unit of this.watched) if (unit.isStormed) this.end(unit, 'stop')
    this.options = options
    this.watched = []
    this.nextPs = -1
    if (options === null) return
    for (const port of options.ports) {
      port.openStats().countsWithoutPfc = options.countsWithoutPfc
      const whole = options.rule.scope === 'port'
      for (let c = 0; c < (whole ? 1 : 8); c++)
        this.watched.push(new Watched(port, whole ? 0xff : 1 << c, options.detectionPs))
    }
    this.wait(Math.floor(this.random.uniform() * options.pollPs))
  }

  /** One row per watched class that has been stormed or is, in the order of ports and classes. */
  get rows(): WatchdogRow[] {
    return this.watched.flatMap((unit) => unit.rows())
  }

  onEvent(nowPs: number): void {
    // A poll of options that no longer hold.
    if (nowPs !== this.nextPs || this.options === null) return
    for (const unit of this.watched) this.look(unit, nowPs, this.options)
    this.wait(this.options.pollPs)
  }

  private wait(ps: number): void {
    this.nextPs = this.network.fabric.queue.nowPs + ps
    this.network.actAt(this.nextPs, this.actor)
  }

  private look(
    unit: Watched,
    nowPs: number,
    { rule, action, pollPs, detectionPs, restorationPs }: WatchdogOptions,
  ): void {
    if (!unit.read(nowPs)) return
    if (!unit.isStormed) {
      if (!unit.holds(rule)) unit.leftPs = detectionPs
      else if (unit.leftPs > pollPs) unit.leftPs -= pollPs
      else this.begin(unit)
      return
    }
    if (action === 'alert') {
      if (!unit.holds(rule)) this.end(unit, 'restore')
      return
    }
    // Its classes may have become lossy by a change.
    if (unit.present === 0) this.end(unit, 'stop')
    else if (restorationPs === null) return
    else if (!unit.isQuiet(rule)) unit.leftPs = restorationPs
    else if (unit.leftPs > pollPs) unit.leftPs -= pollPs
    else this.end(unit, 'restore')
  }

  private begin(unit: Watched): void {
    const { action, restorationPs } = this.options!
    unit.storm(restorationPs ?? Infinity)
    this.report(unit, 'storm')
    if (action !== 'alert') this.enforce(unit.port)
  }

  private end(unit: Watched, event: WatchdogEvent): void {
    const { action, detectionPs } = this.options!
    this.report(unit, event)
    unit.calm(detectionPs)
    if (action !== 'alert') this.enforce(unit.port)
  }

  /** Brings a port, and where they share its profile all ports, to what its stormed classes ask for. */
  private enforce(port: Port): void {
    const { action, isProfileShared } = this.options!
    const classes = this.stormed(port)
    const isDrop = action === 'drop'
    // Packets that wait are discarded before PFC goes off, which would send them.
    port.block(isDrop ? classes : 0)
    if (isDrop && classes !== 0) this.at.flush(port, classes, DROP_WATCHDOG)
    this.guard(port, classes, isDrop)
    if (!isProfileShared) {
      port.suspendPfc(classes)
      return
    }
    let all = 0
    for (const { port: other } of this.watched) all |= this.stormed(other)
    for (let i = 1; i < this.at.ports.length; i++) this.at.ports[i]!.suspendPfc(all)
  }

  private stormed(port: Port): number {
    let classes = 0
    for (const unit of this.watched) if (unit.port === port) classes |= unit.stormed
    return classes
  }

  private guard(port: Port, classes: number, isDrop: boolean): void {
    let guard = this.guards.get(port)
    if (guard === undefined) this.guards.set(port, (guard = new PortGuard(this.network.fabric)))
    if ((guard.classes === 0) !== (classes === 0)) {
      if (classes === 0) port.removeIntake(guard)
      else port.addIntake(guard)
      this.network.recordTargets()
    }
    guard.classes = classes
    guard.dropped = isDrop ? classes : 0
  }

  private report(unit: Watched, event: WatchdogEvent): void {
    const { fabric } = this.network
    if (fabric.watch?.onWatchdog === undefined) return
    const { rule } = this.options!
    for (const row of unit.rows()) if (row.isStormed) fabric.watch.onWatchdog(fabric.queue.nowPs, event, rule.name, row)
  }
}
