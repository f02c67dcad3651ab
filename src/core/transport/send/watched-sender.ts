/**
 * Watched sender: a sender that reports to an observer each message posted and each change of what it may send.
 * Senders that nobody observes are plain ones, and pay nothing.
 */
import type { MessageOperation, Segment } from '../segment.ts'
import { Sender } from './sender.ts'

/** Observes one sender. The sender's state can be read at each call; nothing may be changed. */
export interface SenderWatch {
  /** A message waits from now on, behind those before it, until it is posted at the sender. */
  onQueued(): void
  /**
   * Packets of a message are posted now, behind those before it.
   * @param cause record of the packet that arrived last; for a READ, of its request
   */
  onPosted(packets: number, operation: MessageOperation, cause: number): void
  /** The sender may have changed: a packet was taken to be sent, a reply or a timer came, work was posted. */
  onState(): void
  /** An ACK, a NAK or another reply arrives, and is about to be processed. */
  onReply(segment: Readonly<Segment>): void
}

/** A sender that can be observed. */
export interface WatchableSender {
  watch: SenderWatch | null
}

export class WatchedSender extends Sender implements WatchableSender {
  watch: SenderWatch | null = null
  /** Record of the packet that arrived last. */
  private ordinal = -1

  override onSegment(nowPs: number, segment: Segment): void {
    this.ordinal = segment.ordinal
    if (this.watch !== null) this.watch.onReply(segment)
    super.onSegment(nowPs, segment)
  }

  protected override extend(nowPs: number, packets: number, operation: MessageOperation): void {
    super.extend(nowPs, packets, operation)
    if (this.watch !== null) this.watch.onPosted(packets, operation, this.ordinal)
  }

  protected override refresh(): void {
    super.refresh()
    if (this.watch !== null) this.watch.onState()
  }
}
