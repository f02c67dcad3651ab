/**
 * HOT. Outgoing messages: the messages posted on a QP and not yet acknowledged, in order of their PSNs.
 * Units: unbounded PSNs, bytes. Invariant: messages follow each other without a gap from the first to `end`.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { ACK_REQUEST, FIRST, LAST, type MessageOperation, RETH, SEND } from '../segment.ts'

export interface OutgoingMessage {
  readonly firstPsn: number
  readonly packets: number
  readonly sizeBytes: number
  readonly operation: MessageOperation
  /** Bytes posted before it. */
  readonly firstLsn: number
  /** SENDs posted before it: selects the Receive WQE of a SEND ([IRN] 5.3.2). */
  readonly sends: number
}

/**
 * Flags of the packet at `offset` of its message. Every `ackInterval`-th packet and the last request an ACK; 0: none
 * does.
 */
export function flagsOf(message: OutgoingMessage, offset: number, ackInterval: number): number {
  const isLast = offset === message.packets - 1
  let flags = (offset === 0 ? FIRST : 0) | (isLast ? LAST : 0)
  // By position in the message, so that a retransmission carries the same bit.
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
  /** Bytes posted. */
  private endLsn = DOUBLE_ZERO
  /** Index of the first unacknowledged message; those before it are removed from the list in bulk. */
  private first = 0
  /** End of the first unacknowledged message: no message completes below it. 0: not known. */
  private firstEnd = 0
  /** The message last looked up, and its index in the list. */
  private latest: OutgoingMessage | null = null
  private at = 0

  constructor(firstPsn: number) {
    this.end = firstPsn
  }

  /** Messages in memory: the unacknowledged ones, and a few before them; for tests. */
  get kept(): number {
    return this.messages.length
  }

  /** Appends a message and returns its packets; an empty message takes one. */
  post(sizeBytes: number, payloadBytes: number, operation: MessageOperation): number {
    const packets = sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / payloadBytes)
    const { endLsn, sends } = this
    this.messages.push({ firstPsn: this.end, packets, sizeBytes, operation, firstLsn: endLsn, sends })
    this.endLsn = endLsn + sizeBytes
    if (operation === 'send') this.sends++
    this.firstEnd = 0
    this.end += packets
    return packets
  }

  /** The message that contains `psn`, and how many were posted before it; null: it is not kept. For observers. */
  lookUp(psn: number): { readonly message: OutgoingMessage; readonly number: number } | null {
    const { messages } = this
    let from = 0
    let to = messages.length
    while (to - from > 1) {
      const middle = (from + to) >> 1
      if (messages[middle]!.firstPsn <= psn) from = middle
      else to = middle
    }
    const message = messages[from]
    if (message === undefined || psn < message.firstPsn || psn >= message.firstPsn + message.packets) return null
    return { message, number: this.first + from }
  }

  /** The message that contains `psn`. */
  of(psn: number): OutgoingMessage {
    const latest = this.latest
    if (latest !== null && psn >= latest.firstPsn && psn < latest.firstPsn + latest.packets) return latest
    return (this.latest = this.find(psn))
  }

  /** Bytes before packet `psn`. */
  lsnOf(psn: number, payloadBytes: number): number {
    if (psn >= this.end) return this.endLsn
    const { firstPsn, firstLsn } = this.of(psn)
    return firstLsn + (psn - firstPsn) * payloadBytes
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

  /** `messages` in all are complete. Returns one past the last PSN of them, or 0 if that was known. */
  settle(messages: number): number {
    if (messages <= this.acknowledged) return 0
    const last = this.messages[messages - 1 - this.first]!
    this.acknowledged = messages
    this.firstEnd = 0
    const end = last.firstPsn + last.packets
    this.trim()
    return end
  }

  /** Removes acknowledged messages from the front, in bulk. */
  private trim(): void {
    const done = this.acknowledged - this.first
    if (done < 64) return
    this.messages.splice(0, done)
    this.first = this.acknowledged
    this.at = Math.max(0, this.at - done)
  }
}
