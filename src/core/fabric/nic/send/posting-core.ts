/**
 * Posting core: the one core of a host that posts messages. Each takes it some time, and they become known to the NICs one
 * after the other, in the order in which they were given to it.
 * Units: picoseconds.
 */
import type { DeviceNetwork } from '../../fabric.ts'
import type { Actor } from '../../watch.ts'

/** Messages that are posted, before they leave the list. */
const TRIMMED_AT_ONCE = 1024

export class PostingCore implements Actor {
  private readonly network: DeviceNetwork
  private readonly postPs: number
  private readonly actor: number
  private freePs = 0
  private waiting: (() => void)[] = []
  /** Index of the first that is not posted. */
  private first = 0

  constructor(network: DeviceNetwork, postPs: number) {
    this.network = network
    this.postPs = postPs
    this.actor = network.addActor(this)
  }

  /** Posts a message once those before it are. */
  add(post: () => void): void {
    const { nowPs } = this.network.fabric.queue
    this.freePs = Math.max(this.freePs, nowPs) + this.postPs
    this.waiting.push(post)
    this.network.actAt(this.freePs, this.actor)
  }

  onEvent(): void {
    const post = this.waiting[this.first++]!
    if (this.first >= TRIMMED_AT_ONCE) {
      this.waiting = this.waiting.slice(this.first)
      this.first = 0
    }
    post()
  }
}
