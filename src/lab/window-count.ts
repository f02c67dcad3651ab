/**
 * Window count: payload delivered inside the measuring window, whatever message it belongs to.
 * Units: bytes, picoseconds. Looks twice, at the window's ends; where a run is over sooner, at its end.
 */
import type { Network } from '../fabric/network.ts'
import type { Scenario } from '../scenario/scenario.ts'

export class WindowCount {
  readonly #network: Network
  #atStart: number | null
  #atEnd: number | null = null

  constructor({ warmUp, window }: Scenario['measure'], network: Network) {
    this.#network = network
    this.#atStart = warmUp === 0 ? 0 : null
    if (warmUp > 0) this.#at(warmUp, () => (this.#atStart = deliveredBytes(network)))
    if (window !== null) this.#at(warmUp + window, () => (this.#atEnd = deliveredBytes(network)))
  }

  /** So far. What go-back-0 throws away again can take back more than a window brought: then 0. */
  get payloadBytes(): number {
    if (this.#atStart === null) return 0
    return Math.max(0, (this.#atEnd ?? deliveredBytes(this.#network)) - this.#atStart)
  }

  #at(timePs: number, look: () => void): void {
    this.#network.actAt(timePs, this.#network.addActor({ onEvent: look }))
  }
}

/** When the last payload was delivered, ps; 0: none ever was. */
export function lastDeliveredPs(network: Network): number {
  let lastPs = network.pairs.released.deliveredPs
  for (const { receiver } of network.pairs) lastPs = Math.max(lastPs, receiver.delivered.lastPs)
  return lastPs
}

/** Payload that receivers have in order and keep, bytes. */
export function deliveredBytes(network: Network): number {
  return network.pairs.released.deliveredBytes + network.pairs.sum(({ receiver }) => receiver.delivered.bytes)
}
