/**
 * Refusals: queue pairs that a script has made refuse a request, and what they discard since.
 * After an RNR NAK, requests from its PSN on are discarded until that PSN comes again, which is refused as often as was
 * asked for; after a NAK that ends the queue pair, everything to and from it is.
 * Source: IBTA 9.7.5.2.8 (RNR), 9.9.3 (errors).
 */
import { remember } from './bounded-map.ts'
import { destinationKey } from './conversations.ts'
import type { Seen } from './seen.ts'

interface Refusal {
  readonly psn: number
  /** Refusals that are still to come. */
  left: number
  readonly rule: number
  readonly answer: (request: Seen) => Uint8Array
}

const PSNS = 2 ** 24
/** Queue pairs that refuse or are silent; the oldest are forgotten. */
const QUEUE_PAIRS_MAX = 16_384

export class Refusals {
  readonly #refused = new Map<string, Refusal>()
  readonly #silent = new Map<string, true>()

  refuse(queuePair: string, refusal: Refusal): void {
    remember(this.#refused, queuePair, QUEUE_PAIRS_MAX, refusal)
  }

  silence(...queuePairs: readonly string[]): void {
    for (const queuePair of queuePairs) remember(this.#silent, queuePair, QUEUE_PAIRS_MAX, true)
  }

  /** `none`: a packet goes on; `silence`: it is discarded; a refusal: it is, and answered. */
  judge(seen: Seen): 'none' | 'silence' | Refusal {
    if (this.#refused.size === 0 && this.#silent.size === 0) return 'none'
    const key = destinationKey(seen)
    if (this.#silent.has(key)) return 'silence'
    const refusal = this.#refused.get(key)
    if (refusal === undefined || !seen.kinds.has('request')) return 'none'
    const ahead = (seen.bth.psn - refusal.psn + PSNS) % PSNS
    if (ahead >= PSNS / 2) return 'none'
    if (ahead > 0) return 'silence'
    if (refusal.left === 0) {
      this.#refused.delete(key)
      return 'none'
    }
    refusal.left--
    return refusal
  }
}
