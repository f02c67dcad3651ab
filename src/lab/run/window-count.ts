/**
 * Window count: payload delivered inside the measuring window, whatever message it belongs to, in sum and by tag.
 * Units: bytes, picoseconds. Sampled at both ends of the window, or at the end of a run that is over sooner.
 */
import type { Network } from '../../core/fabric/network.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { deliveredByTag } from './delivered-rows.ts'
import type { Traffic } from './traffic.ts'

interface Look {
  readonly bytes: number
  readonly byTag: ReadonlyMap<string, number>
}

export class WindowCount {
  readonly #network: Network
  readonly #traffic: Traffic
  #atStart: Look | null
  #atEnd: Look | null = null

  constructor({ warmUp, window }: Scenario['measure'], network: Network, traffic: Traffic) {
    this.#network = network
    this.#traffic = traffic
    this.#atStart = warmUp === 0 ? { bytes: 0, byTag: new Map() } : null
    if (warmUp > 0) this.#at(warmUp, () => (this.#atStart = this.#look()))
    if (window !== null) this.#at(warmUp + window, () => (this.#atEnd = this.#look()))
  }

  /** Up to now. 0 where go-back-0 has discarded more than the window brought. */
  get payloadBytes(): number {
    if (this.#atStart === null) return 0
    return Math.max(0, (this.#atEnd?.bytes ?? deliveredBytes(this.#network)) - this.#atStart.bytes)
  }

  /** The same by tag, in the order in which tags first start. */
  payloadBytesByTag(): Record<string, number> {
    const { byTag } = this.#atEnd ?? this.#look()
    const { tags } = this.#traffic.log
    const atStart = this.#atStart
    if (atStart === null) return Object.fromEntries(tags.map((tag) => [tag, 0]))
    return Object.fromEntries(
      tags.map((tag) => [tag, Math.max(0, (byTag.get(tag) ?? 0) - (atStart.byTag.get(tag) ?? 0))]),
    )
  }

  #look(): Look {
    return { bytes: deliveredBytes(this.#network), byTag: deliveredByTag(this.#traffic) }
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
