/**
 * Open pairs: the queue pairs that are not done yet, so that a sample does not look at all there ever were.
 * A QP that is done stays done; only QPs of one message are ever called done.
 */
import type { Network } from '../../core/fabric/network.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'

export class OpenPairs {
  readonly #network: Network
  readonly #isDone: (pair: QueuePair) => boolean
  readonly #open: QueuePair[] = []
  /** Released before the sample that would have seen them first, by number. */
  readonly #missed = new Map<number, QueuePair>()
  #seen = 0

  constructor(network: Network, isDone: (pair: QueuePair) => boolean) {
    this.#network = network
    this.#isDone = isDone
    network.pairs.onRelease.push((pair) => {
      if (pair.id >= this.#seen) this.#missed.set(pair.id, pair)
    })
  }

  /** Visits every open pair by number, then forgets those that are done; `visit` sees them with `done` true, once. */
  each(visit: (pair: QueuePair, done: boolean) => void): void {
    const { byNumber } = this.#network.pairs
    for (; this.#seen < byNumber.length; this.#seen++) {
      this.#open.push(byNumber[this.#seen] ?? this.#missed.get(this.#seen)!)
    }
    this.#missed.clear()
    let kept = 0
    for (const pair of this.#open) {
      const done = pair.isOneShot && this.#isDone(pair)
      visit(pair, done)
      if (!done) this.#open[kept++] = pair
    }
    this.#open.length = kept
  }
}
