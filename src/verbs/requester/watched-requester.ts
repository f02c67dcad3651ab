/**
 * Watched requester: a requester that reports to an observer, as a watched sender does.
 */
import type { OutgoingMessage } from '../../transport/send/outgoing-messages.ts'
import type { SenderWatch, WatchableSender } from '../../transport/send/watched-sender.ts'
import type { VerbsPacket } from '../packet.ts'
import { Requester } from './requester.ts'

export class WatchedRequester extends Requester implements WatchableSender {
  watch: SenderWatch | null = null

  override onSegment(nowPs: number, packet: VerbsPacket): void {
    this.watch?.onReply(packet)
    super.onSegment(nowPs, packet)
  }

  protected override extend(nowPs: number, packets: number, operation: OutgoingMessage['operation']): void {
    super.extend(nowPs, packets, operation)
    this.watch?.onPosted(packets, operation, -1)
  }

  protected override refresh(): void {
    super.refresh()
    this.watch?.onState()
  }
}
