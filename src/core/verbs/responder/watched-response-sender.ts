/**
 * Watched response sender: reports to an observer, as a watched sender does.
 */
import type { MessageOperation } from '../../transport/segment.ts'
import type { SenderWatch, WatchableSender } from '../../transport/send/watched-sender.ts'
import type { VerbsPacket } from '../packet.ts'
import { ResponseSender } from './response-sender.ts'

export class WatchedResponseSender extends ResponseSender implements WatchableSender {
  watch: SenderWatch | null = null
  /** Record of the packet whose arrival lets requests be executed; the responder sets it. */
  cause = -1

  override onSegment(nowPs: number, packet: VerbsPacket): void {
    this.watch?.onReply(packet)
    super.onSegment(nowPs, packet)
  }

  protected override extend(nowPs: number, packets: number, operation: MessageOperation): void {
    super.extend(nowPs, packets, operation)
    this.watch?.onPosted(packets, operation, this.cause)
  }

  protected override refresh(): void {
    super.refresh()
    this.watch?.onState()
  }
}
