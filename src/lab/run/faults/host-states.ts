/**
 * Host states: which hosts are down or have a receive pipeline that stands still, while several faults may hold one so.
 * A host works again when the last fault of each kind has let go of it; links do the same (link-states.ts).
 */
import type { Nic } from '../../../core/fabric/nic/nic.ts'
import { SilentNic } from '../../../core/fabric/nic/silent-nic.ts'
import { Layer2Switch } from '../../../core/fabric/switch/layer2-switch.ts'
import type { BuiltNetwork } from '../../network/network-builder.ts'

/** Number of faults that hold each of some things. */
export class Holds<T> {
  readonly #counts = new Map<T, number>()

  /** @returns whether nothing has held it before */
  hold(thing: T): boolean {
    const count = this.#counts.get(thing) ?? 0
    this.#counts.set(thing, count + 1)
    return count === 0
  }

  /** @returns whether nothing holds it any more */
  release(thing: T): boolean {
    const count = this.#counts.get(thing)! - 1
    this.#counts.set(thing, count)
    return count === 0
  }

  has(thing: T): boolean {
    return (this.#counts.get(thing) ?? 0) > 0
  }
}

export class HostStates {
  /** Ports of servers that are down. */
  readonly deaths = new Holds<Nic>()
  readonly #storms = new Holds<Nic>()
  /** Storms that last until a power cycle. */
  readonly #endless = new Map<Nic, number>()
  readonly #silences = new Holds<Nic>()
  readonly #built: BuiltNetwork

  constructor(built: BuiltNetwork) {
    this.#built = built
  }

  /** Whether the receive pipeline of a NIC stands still. */
  isStorming(nic: Nic): boolean {
    return this.#storms.has(nic)
  }

  /** @param isEndless it has no end of its own @returns whether the pipeline has not stood still before */
  beginStorm(nic: Nic, isEndless: boolean): boolean {
    this.silence(nic)
    if (isEndless) this.#endless.set(nic, (this.#endless.get(nic) ?? 0) + 1)
    return this.#storms.hold(nic)
  }

  /** A storm that has an end of its own is over, with a power cycle. */
  endStorm(nic: Nic): void {
    this.unsilence(nic)
    this.#storms.release(nic)
    this.powerCycle(nic)
  }

  /**
   * Ends the storms that have no end of their own ([MS-Scale] 4.3). The receive pipeline starts anew, and in another storm
   * stands still at once. The caller has cut the link.
   */
  powerCycle(nic: Nic): void {
    for (let count = this.#endless.get(nic) ?? 0; count > 0; count--) {
      this.unsilence(nic)
      this.#storms.release(nic)
    }
    this.#endless.delete(nic)
    const receive = this.#built.network.receives[nic.position]
    receive?.powerCycle()
    if (this.#storms.has(nic)) receive?.stop()
  }

  /** The server of a NIC has started: it asks for its addresses, so that its switch knows it again. The link is up again. */
  announce({ port }: Nic): void {
    if (port.peer.at instanceof Layer2Switch) port.peer.at.announce(port.peer.index)
  }

  /** A NIC sends nothing any more, for one more reason. */
  silence(nic: Nic): void {
    if (this.#silences.hold(nic)) this.#built.network.fabric.transmitter.setNic(nic.port.id, new SilentNic(nic))
  }

  /** One reason has gone. */
  unsilence(nic: Nic): void {
    const { fabric, reads } = this.#built.network
    if (this.#silences.release(nic)) fabric.transmitter.setNic(nic.port.id, reads[nic.position] ?? nic)
  }
}
