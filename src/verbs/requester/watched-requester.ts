/**
 * Watched requester: a requester that reports to an observer, as a watched sender does.
 */
import type { MessageOperation } from '../../transport/segment.ts'
import type { SenderWatch, WatchableSender } from '../../transport/send/watched-sender.ts'
import type { VerbsPacket } from '../packet.ts'
import { Requester } from './requester.ts'

/** Nothing arrives that a request waits for. */
const NO_CAUSE = -1

export class WatchedRequester extends Requester implements WatchableSender {
  watch: SenderWatch | null = null

  protected override extend(nowPs: number, packets: number, operation: MessageOperation): void {
    super.extend(nowPs, packets, operation)
    this.watch?.onPosted(packets, operation, NO_CAUSE)
  }

  protected override refresh(): void {
    super.refresh()
    this.watch?.onState()
  }

  override onSegment(nowPs: number, packet: VerbsPacket): void {
    this.watch?.onReply(packet)
    super.onSegment(nowPs, packet)
  }
}
