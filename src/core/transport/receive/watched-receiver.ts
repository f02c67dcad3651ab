/**
 * Watched receiver: a receiver that reports to an observer each READ posted, and each packet that completes messages.
 * Receivers that nobody observes are plain ones, and pay nothing.
 */
import type { Segment } from '../segment.ts'
import { Receiver } from './receiver.ts'

/** Observes one receiver. Nothing may be changed. */
export interface ReceiverWatch {
  /** A READ is posted now, behind those before it. */
  onRead(): void
  /** The packet of this record has just completed a number of messages, in the order of their posting. */
  onWhole(nowPs: number, messages: number, ordinal: number): void
}

/** A receiver that can be observed. */
export interface WatchableReceiver {
  watch: ReceiverWatch | null
}

export class WatchedReceiver extends Receiver implements WatchableReceiver {
  watch: ReceiverWatch | null = null
  /** Record of the packet that was accepted last. */
  private ordinal = -1

  override read(sizeBytes: number): void {
    if (this.watch !== null) this.watch.onRead()
    super.read(sizeBytes)
  }

  protected override onTaken(_nowPs: number, _psn: number, segment: Segment): void {
    this.ordinal = segment.ordinal
  }

  protected override complete(nowPs: number, messages: number, sends: number): void {
    super.complete(nowPs, messages, sends)
    if (this.watch !== null) this.watch.onWhole(nowPs, messages, this.ordinal)
  }
}
