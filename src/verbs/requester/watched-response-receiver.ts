/**
 * Watched response receiver: reports to an observer the packets that complete READs and atomics, as a watched receiver
 * does.
 */
import type { ReceiverWatch, WatchableReceiver } from '../../transport/receive/watched-receiver.ts'
import type { VerbsPacket } from '../packet.ts'
import { ResponseReceiver } from './response-receiver.ts'

export class WatchedResponseReceiver extends ResponseReceiver implements WatchableReceiver {
  watch: ReceiverWatch | null = null
  /** Record of the packet that was accepted last. */
  private ordinal = -1

  protected override onTaken(nowPs: number, psn: number, packet: VerbsPacket): void {
    this.ordinal = packet.ordinal
    super.onTaken(nowPs, psn, packet)
  }

  protected override complete(nowPs: number, messages: number, sends: number): void {
    super.complete(nowPs, messages, sends)
    this.watch?.onWhole(nowPs, messages, this.ordinal)
  }
}
