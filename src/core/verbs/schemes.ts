/**
 * Schemes: contract through which a queue pair gets the loss recovery, congestion control, timers and frame sizes of its
 * four halves. Requests with their ACKs and NAKs are one packet space, READ responses with theirs are the other
 * ([IRN] 5.2, 5.4). A network implements it for its NICs; plain-schemes.ts is the implementation without a network.
 */
import type { PacketSpace } from '../transport/send/packet-space.ts'
import type { ReceiverOptions } from '../transport/receive/receiver-options.ts'
import type { SenderOptions } from '../transport/send/sender-options.ts'
import type { VerbsPacket } from './packet.ts'

export type HalfKind = 'requests' | 'responses'

export interface Schemes {
  /** Halves can be observed; those of connections without observers pay nothing. */
  readonly isWatched: boolean
  senderOptions(kind: HalfKind): SenderOptions
  /** Gives a sending half its recovery and its congestion control. */
  equip(space: PacketSpace<VerbsPacket>, kind: HalfKind): void
  receiverOptions(kind: HalfKind): ReceiverOptions
  /** Round trip of a full packet and its ACK while nothing else is sent; NaN: not known. */
  readonly baseRttPs: number
  /** Bytes that a packet occupies on the link: its frame and the gap after it. */
  wireBytes(packet: Readonly<VerbsPacket>): number
  /**
   * ACKs and NAKs of requests leave after the READ responses that precede them and are not overtaken by them, so that
   * such an ACK or NAK reveals lost responses (IBTA 9.7.5.1.4). False: responses are acknowledged themselves, or may be
   * reordered.
   */
  readonly isInOrder: boolean
  /**
   * Returns the records of the halves, which must not be used any more, where no network has them: without it they are
   * returned when the collector of garbage sees to it.
   */
  release?(): void
}
