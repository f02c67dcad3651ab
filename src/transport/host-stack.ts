/**
 * HOT. Host stack: how long the packets of a queue pair take between the NIC and a protocol that runs in the host's
 * kernel, at one of its ends. Each packet draws its own time, and none overtakes another of its way.
 * Units: picoseconds. A time is `leastPs` and an exponentially distributed rest on top.
 * Invariant: the times that `upPs` gives never fall, nor do those of `downPs`.
 * Source: own; docs/models/tcp.md has what is measured of kernels.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import type { RandomStream } from '../base/random.ts'

export interface StackTimes {
  readonly leastPs: number
  /** Mean of the exponential rest. */
  readonly jitterPs: number
}

export class HostStack {
  private readonly leastPs: number
  private readonly jitterPs: number
  private readonly random: RandomStream
  private lastUpPs = DOUBLE_ZERO
  private lastDownPs = DOUBLE_ZERO

  constructor({ leastPs, jitterPs }: StackTimes, random: RandomStream) {
    this.leastPs = leastPs
    this.jitterPs = jitterPs
    this.random = random
  }

  /** When the protocol has the packet that the NIC has at `nowPs`. */
  upPs(nowPs: number): number {
    const duePs = this.pass(nowPs)
    if (duePs > this.lastUpPs) this.lastUpPs = duePs
    return this.lastUpPs
  }

  /** When the NIC has the packet that the protocol sends at `nowPs`. */
  downPs(nowPs: number): number {
    const duePs = this.pass(nowPs)
    if (duePs > this.lastDownPs) this.lastDownPs = duePs
    return this.lastDownPs
  }

  /** When the NIC has what the protocol sends as soon as it hears a packet that the NIC has at `nowPs`. */
  aroundPs(nowPs: number): number {
    return this.downPs(this.upPs(nowPs))
  }

  private pass(nowPs: number): number {
    const { leastPs, jitterPs } = this
    if (jitterPs === 0) return nowPs + leastPs
    return nowPs + leastPs + Math.round(this.random.exponential(jitterPs))
  }
}
