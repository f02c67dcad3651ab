/**
 * Halves of a queue pair: plain ones, or those that an observer may watch.
 */
import type { ConnectionValues } from './connection/values.ts'
import type { SendQueue } from './queues/send-queue.ts'
import { Requester, type RequesterHost } from './requester/requester.ts'
import { Responder, type ResponderHost } from './responder/responder.ts'
import type { Schemes } from './schemes.ts'
import type { ReceiverWatch, WatchableReceiver } from '../transport/receive/watched-receiver.ts'
import type { VerbsPacket } from './packet.ts'
import { WatchedResponseSender } from './responder/watched-response-sender.ts'
import type { MessageOperation } from '../transport/segment.ts'
import type { SenderWatch, WatchableSender } from '../transport/send/watched-sender.ts'

/** Nothing arrives that a request waits for. */
const NO_CAUSE = -1

class WatchedRequester extends Requester implements WatchableSender {
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

/** Watched responder: reports to an observer the packets that complete messages, as a watched receiver does. */
class WatchedResponder extends Responder implements WatchableReceiver {
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

/** Makes both halves. */
export function newHalves(
  host: RequesterHost & ResponderHost,
  queue: SendQueue,
  values: ConnectionValues,
  schemes: Schemes,
): [requester: Requester, responder: Responder] {
  const { isWatched } = schemes
  return [
    new (isWatched ? WatchedRequester : Requester)(host, queue, values, schemes),
    new (isWatched ? WatchedResponder : Responder)(host, values, schemes),
  ]
}
