/**
 * Queue pair: one connection, its data's sender half at one host and receiver half at the other.
 * Also the NIC's books on it: its place in the NIC's turn and its pending deadlines.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { NEVER_PS } from '../base/params.ts'
import type { EventQueue } from '../engine/event-queue.ts'
import { EVENT_TIMER, KIND_BITS } from './event-codes.ts'
import type { Receiver } from '../transport/receiver.ts'
import type { Sender } from '../transport/sender.ts'
import type { Timers } from '../transport/timers.ts'

export interface QueuePairOptions {
  readonly id: number
  /** Host positions; data flows from source to destination. */
  readonly source: number
  readonly destination: number
  readonly sourcePort: number
  readonly destinationPort: number
  readonly trafficClass: number
  /** What its data carry so that switches read that class. */
  readonly codepoint: number
  readonly isRead: boolean
  /** Data are acknowledged. */
  readonly isAcknowledged: boolean
  /** One message and no more: the QP is closed when it is done. */
  readonly isOneShot: boolean
  readonly sender: Sender
  readonly receiver: Receiver
  readonly senderTimers: Timers
  readonly receiverTimers: Timers
}

export class QueuePair {
  readonly id: number
  readonly source: number
  readonly destination: number
  readonly sourcePort: number
  readonly destinationPort: number
  readonly trafficClass: number
  readonly codepoint: number
  readonly isRead: boolean
  readonly isAcknowledged: boolean
  readonly isOneShot: boolean
  readonly sender: Sender
  readonly receiver: Receiver
  readonly senderTimers: Timers
  readonly receiverTimers: Timers
  /** Place in its NIC's list of active QPs, or -1. */
  place = -1
  /** Deadline that has an event, by half (0 sender, 1 receiver): time and place in line. */
  senderWakePs = Infinity
  senderWakeOrder = DOUBLE_ZERO
  receiverWakePs = Infinity
  receiverWakeOrder = DOUBLE_ZERO
  /** Messages already told of. */
  messagesDelivered = 0
  messagesAcknowledged = 0

  constructor(options: QueuePairOptions) {
    this.id = options.id
    this.source = options.source
    this.destination = options.destination
    this.sourcePort = options.sourcePort
    this.destinationPort = options.destinationPort
    this.trafficClass = options.trafficClass
    this.codepoint = options.codepoint
    this.isRead = options.isRead
    this.isAcknowledged = options.isAcknowledged
    this.isOneShot = options.isOneShot
    this.sender = options.sender
    this.receiver = options.receiver
    this.senderTimers = options.senderTimers
    this.receiverTimers = options.receiverTimers
  }

  /** Puts the sender's nearest deadline in line, unless an event that comes first is there already. */
  armSender(queue: EventQueue): void {
    const nextPs = this.senderTimers.nextPs
    if (nextPs === NEVER_PS) return
    const order = this.senderTimers.nextOrder
    if (nextPs > this.senderWakePs || (nextPs === this.senderWakePs && order >= this.senderWakeOrder)) return
    this.senderWakePs = nextPs
    this.senderWakeOrder = order
    queue.duePs = nextPs
    queue.dueOrder = order
    queue.scheduleDue(((this.id << 1) << KIND_BITS) | EVENT_TIMER)
  }

  /** The same for the receiver. */
  armReceiver(queue: EventQueue): void {
    const nextPs = this.receiverTimers.nextPs
    if (nextPs === NEVER_PS) return
    const order = this.receiverTimers.nextOrder
    if (nextPs > this.receiverWakePs || (nextPs === this.receiverWakePs && order >= this.receiverWakeOrder)) return
    this.receiverWakePs = nextPs
    this.receiverWakeOrder = order
    queue.duePs = nextPs
    queue.dueOrder = order
    queue.scheduleDue((((this.id << 1) | 1) << KIND_BITS) | EVENT_TIMER)
  }
}

/** Told when messages of a QP are whole; numbers count from 0 per QP. */
export interface CompletionSink {
  /** Last payload byte at the receiver. */
  onDelivered(nowPs: number, pair: QueuePair, message: number): void
  /** Last byte acknowledged at the sender. */
  onAcknowledged(nowPs: number, pair: QueuePair, message: number): void
  /** The QP gave up. */
  onFailed(nowPs: number, pair: QueuePair): void
}
