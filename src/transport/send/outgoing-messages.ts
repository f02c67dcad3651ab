/**
 * HOT. Outgoing messages: what a QP has been asked to send and has not had acknowledged, in order of their PSNs.
 * Units: unbounded PSNs, bytes. Invariant: messages follow each other without a gap from the first to `end`.
 */
import { ACK_REQUEST, FIRST, LAST, RETH, SEND } from '../segment.ts'

export interface OutgoingMessage {
  readonly firstPsn: number
  readonly packets: number
  readonly sizeBytes: number
  readonly operation: 'write' | 'send' | 'read'
  /** How many SENDs were posted before it: the number of the Receive WQE that a SEND takes ([IRN] 5.3.2). */
  readonly sends: number
}

/** Bits of the packet at `offset` of its message, where every `ackInterval`-th asks for an ACK and the last one; 0: none does. */
export function flagsOf(message: OutgoingMessage, offset: number, ackInterval: number): number {
  const isLast = offset === message.packets - 1
  let flags = (offset === 0 ? FIRST : 0) | (isLast ? LAST : 0)
  // By position in the message, so that a packet sent again carries the same bit.
  if (ackInterval === 1 || (ackInterval > 0 && (isLast || (offset + 1) % ackInterval === 0))) flags |= ACK_REQUEST
  if (message.operation === 'send') flags |= SEND
  else if (offset === 0 && message.operation === 'write') flags |= RETH
  return flags
}

export class OutgoingMessages {
  /** One past the last PSN posted. */
  end: number
  /** Messages acknowledged to their last byte. */
  acknowledged = 0
  private readonly messages: OutgoingMessage[] = []
  private sends = 0
  /** Messages before this one are acknowledged and dropped from the front of the list now and then. */
  private first = 0
  /** Nothing to count below it: the end of the first message that is not acknowledged, or 0 if not known. */
  private firstEnd = 0
  /** The message that was asked for last, and its place in the list. */
  private latest: OutgoingMessage | null = null
  private at = 0

  constructor(firstPsn: number) {
    this.end = firstPsn
  }

  /** Messages in memory: those that are not acknowledged, and a few before them; for tests. */
  get kept(): number {
    return this.messages.length
  }

  /** A message of no bytes takes one packet. Returns how many it takes. */
  post(sizeBytes: number, payloadBytes: number, operation: OutgoingMessage['operation']): number {
    const packets = sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / payloadBytes)
    this.messages.push({ firstPsn: this.end, packets, sizeBytes, operation, sends: this.sends })
    if (operation === 'send') this.sends++
    this.firstEnd = 0
    this.end += packets
    return packets
  }

  /** The message that holds `psn`. */
  of(psn: number): OutgoingMessage {
    const latest = this.latest
    if (latest !== null && psn >= latest.firstPsn && psn < latest.firstPsn + latest.packets) return latest
    return (this.latest = this.find(psn))
  }

  private find(psn: number): OutgoingMessage {
    const messages = this.messages
    let at = this.at
    let message = messages[at]!
    while (psn < message.firstPsn) message = messages[--at]!
    while (psn >= message.firstPsn + message.packets) message = messages[++at]!
    this.at = at
    return message
  }

  /** Everything below `una` is acknowledged. */
  acknowledge(una: number): void {
    if (una < this.firstEnd) return
    for (;;) {
      const message = this.messages[this.acknowledged - this.first]
      const end = message === undefined ? Infinity : message.firstPsn + message.packets
      this.firstEnd = end
      if (end > una) break
      this.acknowledged++
    }
    this.trim()
  }

  /** So many messages in all are whole. Returns one past the last PSN of them, or 0 if that is no news. */
  settle(messages: number): number {
    if (messages <= this.acknowledged) return 0
    const last = this.messages[messages - 1 - this.first]!
    this.acknowledged = messages
    this.firstEnd = 0
    const end = last.firstPsn + last.packets
    this.trim()
    return end
  }

  /** Drops acknowledged messages from the front, in bulk. */
  private trim(): void {
    const done = this.acknowledged - this.first
    if (done < 64) return
    this.messages.splice(0, done)
    this.first = this.acknowledged
    this.at = Math.max(0, this.at - done)
  }
}
