/**
 * HOT. Host stack: delays of a queue pair's packets between the NIC and a protocol in the host's kernel, at one end.
 * Each packet has a random delay of its own, and packets of one direction keep their order.
 * Units: picoseconds. A delay is `leastPs` plus an exponentially distributed part.
 * Invariant: the times returned by `upPs` never decrease, nor do those of `downPs`.
 * Source: own; docs/models/tcp.md has measurements of kernels.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import type { RandomStream } from '../base/random.ts'

export interface StackTimes {
  readonly leastPs: number
  /** Mean of the exponential part. */
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
    const { leastPs, jitterPs } = this
    if (jitterPs === 0) return nowPs + leastPs
    return nowPs + leastPs + Math.round(this.random.exponential(jitterPs))
  }
}
