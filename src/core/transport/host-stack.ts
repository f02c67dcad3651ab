/**
 * HOT. Host stack: delays of a queue pair's packets between the wire and the application or the protocol in the host's
 * kernel, at one end. Each packet has a random delay of its own, and packets of one direction keep their order.
 * Units: picoseconds.
 * Invariant: the times returned by `upPs` never decrease, nor do those of `downPs`.
 * Source: own; docs/models/host-delay.md.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import type { RandomStream } from '../base/random.ts'
import type { HostDelay } from './host-delay/host-delay.ts'

export class HostStack {
  private readonly delay: HostDelay
  private readonly random: RandomStream
  private lastUpPs = DOUBLE_ZERO
  private lastDownPs = DOUBLE_ZERO

  constructor(delay: HostDelay, random: RandomStream) {
    this.delay = delay
    this.random = random
  }

  /** Time the protocol receives a packet that is at the NIC at `nowPs`. */
  upPs(nowPs: number): number {
    const duePs = this.pass(nowPs)
    if (duePs > this.lastUpPs) this.lastUpPs = duePs
    return this.lastUpPs
  }

  /** Time the NIC receives a packet that the protocol sends at `nowPs`. */
  downPs(nowPs: number): number {
    const duePs = this.pass(nowPs)
    if (duePs > this.lastDownPs) this.lastDownPs = duePs
    return this.lastDownPs
  }

  /** Time the NIC receives the protocol's immediate reply to a packet that is at the NIC at `nowPs`. */
  aroundPs(nowPs: number): number {
    return this.downPs(this.upPs(nowPs))
  }

  private pass(nowPs: number): number {
    return nowPs + this.delay.drawPs(this.random)
  }
}
