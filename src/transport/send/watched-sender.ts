/**
 * Watched sender: a sender that reports to an observer each message posted and each change of what it may send.
 * Senders that nobody observes are plain ones, and pay nothing.
 */
import type { OutgoingMessage } from './outgoing-messages.ts'
import { Sender } from './sender.ts'

/** Observes one sender. The sender's state can be read at each call; nothing may be changed. */
export interface SenderWatch {
  /** A message of this number of packets is posted now, behind those before it. */
  onPosted(packets: number, operation: OutgoingMessage['operation']): void
  /** The sender may have changed: a packet was taken to be sent, a reply or a timer came, work was posted. */
  onState(): void
}

export class WatchedSender extends Sender {
  watch: SenderWatch | null = null

  protected override extend(nowPs: number, packets: number, operation: OutgoingMessage['operation']): void {
    super.extend(nowPs, packets, operation)
    if (this.watch !== null) this.watch.onPosted(packets, operation)
  }

  protected override refresh(): void {
    super.refresh()
    if (this.watch !== null) this.watch.onState()
  }
}
