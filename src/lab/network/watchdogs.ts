/**
 * Watchdogs: the PFC watchdogs of all switches, by the values in force there. A switch without one has no part in it.
 */
import type { RandomStreams } from '../../core/base/random.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { Network } from '../../core/fabric/network.ts'
import { watchdogRules } from '../../core/fabric/params.ts'
import { Watchdog, type WatchdogOptions } from '../../core/fabric/switch/watchdog/watchdog.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { DeviceValues } from './device-values.ts'

export class Watchdogs {
  readonly #network: Network
  readonly #values: DeviceValues
  readonly #random: RandomStreams
  /** By node. */
  readonly #made = new Map<number, Watchdog>()
  /** By node: faults that hold the switch down, which watches nothing meanwhile. */
  readonly #holds = new Map<number, number>()

  constructor(network: Network, values: DeviceValues, random: RandomStreams) {
    this.#network = network
    this.#values = values
    this.#random = random
  }

  /** Starts the watchdogs of all switches that have one. */
  start(): void {
    for (const at of this.#network.switches)
      if (at !== null && this.#values.of(at.node).switch.watchdog.kind !== 'off') this.apply(at.node)
  }

  /** Brings a switch's watchdog up to date with the values in force there. Nothing is done at hosts. */
  apply(node: number): void {
    const at = this.#network.switches[node] ?? null
    if (at === null || this.#holdsOf(node) > 0) return
    const options = watchdogOptions(this.#values.of(node), at.ports.slice(1))
    let watchdog = this.#made.get(node)
    if (watchdog === undefined) {
      if (options === null) return
      watchdog = new Watchdog(this.#network, at, this.#random.stream(`watchdog/${node}`))
      this.#made.set(node, watchdog)
    }
    watchdog.configure(options)
  }

  /** The switch goes down: classes that are out of service and countdowns are forgotten. */
  halt(node: number): void {
    this.#holds.set(node, this.#holdsOf(node) + 1)
    this.#made.get(node)?.configure(null)
  }

  /** The switch is up again: it begins with a first poll, unless another fault holds it down. */
  resume(node: number): void {
    this.#holds.set(node, this.#holdsOf(node) - 1)
    this.apply(node)
  }

  #holdsOf(node: number): number {
    return this.#holds.get(node) ?? 0
  }

  /** The watchdog of a switch; undefined: it never had one. */
  at(node: number): Watchdog | undefined {
    return this.#made.get(node)
  }
}

/** Options of a switch's watchdog; null: it has none. */
function watchdogOptions(scenario: Scenario, ports: readonly Port[]): WatchdogOptions | null {
  const w = scenario.switch.watchdog
  if (w.kind === 'off') return null
  return {
    rule: watchdogRules.find(({ name }) => name === w.kind)!,
    detectionPs: w.detectionTime,
    restorationPs: w.restorationTime,
    pollPs: w.pollInterval,
    action: w.action,
    ports: ports.filter(({ peer }) => w.ports === 'all' || (w.ports === 'hosts') === (peer.nic !== null)),
    countsWithoutPfc: w.countsWithoutPfc,
    isProfileShared: w.profile === 'switch',
  }
}
