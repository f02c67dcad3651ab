/**
 * Reply counts: what the replies that reach one sender tell of the network: round trips, echoes of marks, CNPs.
 * A reply counts when it arrives, also one that the sender then ignores, such as a repeated ACK.
 */
import { ACK, CNP, ECE, NAK, RTT_RESPONSE, type Segment } from '../transport/segment.ts'
import type { SenderWatch } from '../transport/send/watched-sender.ts'

export class ReplyCounts implements SenderWatch {
  /** From the start of the packet that was acknowledged last, or of the last RTT request; NaN: there was none. */
  rttPs = NaN
  /** ACKs and NAKs that arrived. */
  acks = 0
  /** Those among them that echo a mark. */
  markedAcks = 0
  cnps = 0
  readonly #clock: { readonly nowPs: number }

  constructor(clock: { readonly nowPs: number }) {
    this.#clock = clock
  }

  onReply({ kind, flags, sentPs }: Readonly<Segment>): void {
    if (kind === CNP) this.cnps++
    if (kind !== ACK && kind !== NAK && kind !== RTT_RESPONSE) return
    this.rttPs = this.#clock.nowPs - sentPs
    if (kind === RTT_RESPONSE) return
    this.acks++
    if ((flags & ECE) !== 0) this.markedAcks++
  }

  onQueued(): void {}
  onPosted(): void {}
  onState(): void {}
}
