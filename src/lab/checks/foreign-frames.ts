/**
 * Foreign frames: the law that a host takes nothing that is addressed to another. Every frame that arrives at a host which
 * is not its destination is dropped, for whatever reason, and not delivered. Seen from the link and not from the NIC, which
 * decides itself what is its own.
 */
import { INTS } from '../../core/base/memory.ts'
import type { Intake } from '../../core/fabric/link/intake.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { Network } from '../../core/fabric/network.ts'
import { BROADCAST, DESTINATION, KIND, PFC } from '../../core/fabric/packets.ts'
import type { Watch } from '../../core/fabric/watch.ts'

export class ForeignFrames implements Intake {
  readonly #network: Network
  /** Those that have arrived and are not dropped, with the endpoint where they are. */
  readonly #arrived = new Map<number, number>()
  /** Sees the drops of the network. */
  readonly watch: Watch = {
    onPfcReceived() {},
    onPauseChanged() {},
    onDrop: (_nowPs, _node, _reason, _direction, _sizeBytes, packet) => {
      if (this.#arrived.size > 0) this.#arrived.delete(packet)
    },
  }

  /** It comes before the intakes that ports have. */
  constructor(network: Network) {
    this.#network = network
    for (const { port } of network.nics) port.addIntake(this, true)
    network.recordTargets()
  }

  takes(packet: number, { nic }: Port): boolean {
    const kind = INTS[packet | KIND]!
    const isForAll = kind === PFC || kind === BROADCAST
    if (!isForAll && INTS[packet | DESTINATION] !== nic!.position) this.#arrived.set(packet, nic!.position)
    return false
  }

  /** Every broken law, in words. */
  broken(): string[] {
    const { hostOf } = this.#network
    return [...this.#arrived.values()].map((endpoint) => `host ${hostOf[endpoint]} took a frame of another host`)
  }
}
