/**
 * Watched responder: reports to an observer the packets that complete messages, as a watched receiver does.
 */
import type { ReceiverWatch, WatchableReceiver } from '../../transport/receive/watched-receiver.ts'
import type { VerbsPacket } from '../packet.ts'
import { Responder } from './responder.ts'
import { WatchedResponseSender } from './watched-response-sender.ts'

export class WatchedResponder extends Responder implements WatchableReceiver {
  watch: ReceiverWatch | null = null
  /** Record of the packet that was accepted last. */
  private ordinal = -1

  protected override onTaken(nowPs: number, psn: number, packet: VerbsPacket): void {
    this.ordinal = packet.ordinal
    if (this.responses instanceof WatchedResponseSender) this.responses.cause = packet.ordinal
    super.onTaken(nowPs, psn, packet)
  }

  protected override complete(nowPs: number, messages: number, sends: number): void {
    super.complete(nowPs, messages, sends)
    this.watch?.onWhole(nowPs, messages, this.ordinal)
  }
}
