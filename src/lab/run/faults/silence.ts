/**
 * Silence: NICs that send no packets for the time being, since their server is dead, their pipeline stands still, or both.
 * A NIC sends again when the last cause has ended, in whatever order causes begin and end.
 */
import type { Nic } from '../../../fabric/nic/nic.ts'
import { SilentNic } from '../../../fabric/nic/silent-nic.ts'
import type { Transmitter } from '../../../fabric/link/transmitter.ts'

export type SilenceCause = 'server down' | 'pipeline stopped'

export class Silence {
  readonly #transmitter: Transmitter
  readonly #causes = new Map<Nic, Set<SilenceCause>>()

  constructor(transmitter: Transmitter) {
    this.#transmitter = transmitter
  }

  /** A cause that has begun already begins once. */
  begin(nic: Nic, cause: SilenceCause): void {
    let causes = this.#causes.get(nic)
    if (causes === undefined) this.#causes.set(nic, (causes = new Set()))
    if (causes.size === 0) this.#transmitter.setNic(nic.port.id, new SilentNic(nic))
    causes.add(cause)
  }

  /** Nothing happens where the cause has not begun. The caller lets the port start, as when its link comes up. */
  end(nic: Nic, cause: SilenceCause): void {
    const causes = this.#causes.get(nic)
    if (causes === undefined || !causes.delete(cause)) return
    if (causes.size === 0) this.#transmitter.setNic(nic.port.id, nic)
  }
}
