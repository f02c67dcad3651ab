/**
 * Pair counts: what the queue pairs of each host have counted, summed by host, released ones included.
 * Shape: FIELDS doubles by host.
 */
import type { Network } from '../../../core/fabric/network.ts'
import type { QueuePair } from '../../../core/fabric/pairs/queue-pair.ts'

/** Fields of the sending half. */
export const RETRANSMISSIONS = 0
export const TIMEOUTS = 1
/** Fields of the receiving half, whose own timeouts, as it reads, are among TIMEOUTS. */
export const OUT_OF_SEQUENCE = 2
export const DUPLICATES = 3
export const NO_WQE = 4
export const FAILED = 5
/** Rate cuts by losses, of the sending half. */
export const LOSS_CUTS = 6
/** Those of the timeouts that were steps of adaptive retransmission. */
export const ADAPTIVE_TIMEOUTS = 7
const FIELDS = 8

export class PairCounts {
  readonly #network: Network
  readonly #released: Float64Array
  readonly #now: Float64Array

  constructor(network: Network) {
    this.#network = network
    this.#released = new Float64Array(network.hostCount * FIELDS)
    this.#now = new Float64Array(network.hostCount * FIELDS)
    network.pairs.onRelease.push((pair) => this.#add(this.#released, pair))
  }

  /** Sums up to now, for `of` to read. */
  read(): void {
    this.#now.set(this.#released)
    for (const pair of this.#network.pairs) this.#add(this.#now, pair)
  }

  /** A sum of a host as it was at the last `read`. */
  of(host: number, field: number): number {
    return this.#now[host * FIELDS + field]!
  }

  #add(sums: Float64Array, { source, destination, sender, receiver }: QueuePair): void {
    const { hostOf } = this.#network
    const from = hostOf[source]! * FIELDS
    sums[from + RETRANSMISSIONS]! += sender.retransmissions
    const sent = sender.retry?.stepTimeouts ?? 0
    sums[from + TIMEOUTS]! += sender.timeouts - sent
    sums[from + ADAPTIVE_TIMEOUTS]! += sent
    sums[from + LOSS_CUTS]! += sender.congestion.lossCuts
    const to = hostOf[destination]! * FIELDS
    const read = receiver.stepTimeouts
    sums[to + TIMEOUTS]! += receiver.timeouts - read
    sums[to + ADAPTIVE_TIMEOUTS]! += read
    sums[to + OUT_OF_SEQUENCE]! += receiver.outOfSequence
    sums[to + DUPLICATES]! += receiver.duplicates
    sums[to + NO_WQE]! += receiver.rnrNaksSent
    if (sender.isFailed) sums[from + FAILED]! += 1
    if (receiver.isFailed) sums[to + FAILED]! += 1
  }
}
