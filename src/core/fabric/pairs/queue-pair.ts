/**
 * Queue pair: one connection, its data's sender half at one host and receiver half at the other.
 * Also the NIC's state of it: its index in the NIC's round robin and its pending deadlines.
 */
import { assert } from '../../base/assert.ts'
import { NEVER_PS } from '../../base/params.ts'
import type { EventQueue } from '../../engine/event-queue.ts'
import { EVENT_TIMER, KIND_BITS } from '../event-codes.ts'
import type { FrameSizes } from '../../transport/endpoint.ts'
import type { HostStack } from '../../transport/host-stack.ts'
import type { PacketSpace } from '../../transport/send/packet-space.ts'
import type { Receiver } from '../../transport/receive/receiver.ts'
import type { Sender } from '../../transport/send/sender.ts'
import { ACK_TIMER, FIRST_CONGESTION_TIMER, RNR_TIMER, SENDING_TIMER, type Timers } from '../../transport/timers.ts'
import type { RoundRobinEntry } from './round-robin-entry.ts'
import type { VerbsDirection } from './verbs-packets.ts'
import { PLAIN } from '../../transport/plain.ts'

export interface QueuePairOptions {
  /** Host positions; data flows from source to destination. */
  readonly source: number
  readonly destination: number
  readonly sourcePort: number
  readonly destinationPort: number
  readonly trafficClass: number
  /** Codepoint of its data, from which switches read their class. */
  readonly codepoint: number
  readonly isRead: boolean
  /** Whether data are acknowledged. */
  readonly isAcknowledged: boolean
  /** The QP carries one message and is closed when that is done. */
  readonly isOneShot: boolean
  /** Sender of messages, or of verbs where `verbs` is set. */
  readonly sender: Sender | PacketSpace
  readonly receiver: Receiver
  readonly frames: FrameSizes
  /** null: it carries messages of a scenario. */
  readonly verbs: VerbsDirection | null
  /** The receiver sets no deadlines and shares its timers with others like it. */
  readonly sharesReceiverTimers: boolean
  /** Host stacks between NIC and protocol; null: no delay. */
  readonly stacks: PairStacks | null
}

/** The host stacks of the two ends. */
export interface PairStacks {
  readonly source: HostStack
  readonly destination: HostStack
}

/** Both ends have one, or none has. */
export function pairStacks(source: HostStack | null, destination: HostStack | null): PairStacks | null {
  return source === null || destination === null ? null : { source, destination }
}

/** The NIC of one port of a host that has several, as a queue pair that uses the port sees it. */
export interface HostPort {
  /** Number of the port at its host, from 0. */
  readonly local: number
  /** Endpoint of the port. */
  readonly position: number
  /** Sends something, if there is anything to send. */
  kick(): void
  /** The entry of a queue pair in its round robin may be ready. */
  updateEntry(entry: RoundRobinEntry): void
  /** The entry is not ready before then. */
  putOff(entry: RoundRobinEntry, untilPs: number): void
  /** Queues a control packet of another port of the host. */
  queueHere(packet: number, pair: QueuePair): void
}

/** Endpoints that packets of a queue pair go to from each port, -1 for none: at the sending and at the receiving host. */
export interface PortTables {
  readonly forward: Int32Array
  readonly back: Int32Array
}

/** Endpoints where a data packet leaves its host and where it arrives. */
export interface Lane {
  readonly from: number
  readonly to: number
}

/** Ports of a queue pair whose host has several (pair-ports.ts). */
export interface PortsOfPair {
  /** Port of the sending host that it is bound to while that can be used. */
  readonly home: number
  /** An entry of it is ready at some port. */
  readonly isWaiting: boolean
  /** Lanes that its next data packet may take; none while no port is usable. For checkers. */
  nextLanes(): Lane[]
  /** Has its ports look for something to send. */
  kick(): void
  /** Brings its entries up to date. */
  refresh(): void
  /** A packet of it is about to leave. */
  afterSend(): void
  /** Endpoint that a packet from this port of its host goes to. */
  endpointFrom(port: number, isBack: 0 | 1): number
  /** The NIC that sends a control packet: this one, if its port is usable. */
  nicFor(nic: HostPort, isBack: 0 | 1): HostPort
  /** Ports have gone down or come back. @param stays it keeps its present port while it can. */
  move(tables: PortTables, stays: boolean): void
}

export class QueuePair {
  // Fields that are used per packet come first, so that they share cache lines.
  readonly sender: PacketSpace
  readonly senderTimers: Timers
  readonly receiver: Receiver
  readonly receiverTimers: Timers
  readonly id: number
  /** Index in its NIC's list of active QPs, or -1. */
  index = -1
  /** Packets of either direction in the network or queued in a NIC. */
  inNetwork = 0
  /** null: it carries messages of a scenario. */
  readonly verbs: VerbsDirection | null
  readonly stacks: PairStacks | null
  readonly codepoint: number
  readonly frames: FrameSizes
  /** Endpoints; those of its home port where its host has several. */
  source: number
  destination: number
  /** Messages already reported. */
  messagesDelivered = 0
  messagesAcknowledged = 0
  readonly isOneShot: boolean
  /** A server at one of its ends has gone down: it never works again. */
  isReset = false
  /** Its ports, where one of the hosts has several; null: one at each end. */
  ports: PortsOfPair | null = null
  private readonly sharesReceiverTimers: boolean
  readonly sourcePort: number
  readonly destinationPort: number
  readonly trafficClass: number
  readonly isRead: boolean
  readonly isAcknowledged: boolean

  /** @param id its number: the count of those before it. */
  constructor(id: number, options: QueuePairOptions) {
    const isPlain = options.verbs === null && options.stacks === null && !options.isRead
    assert(!PLAIN || isPlain, 'the plain program has no work requests, host stacks or READs')
    this.id = id
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
    this.verbs = options.verbs
    this.stacks = options.stacks
    this.frames = options.frames
    this.senderTimers = options.sender.timers
    this.receiverTimers = options.receiver.timers
    this.sharesReceiverTimers = options.sharesReceiverTimers
  }

  /** Its sender; only where it carries messages of a scenario. */
  get messages(): Sender {
    return this.sender as Sender
  }

  /** Neither end has anything left to send and no packet is in flight: nothing will happen to it any more. */
  get isOver(): boolean {
    if (this.ports !== null && this.ports.isWaiting) return false
    return this.inNetwork === 0 && this.index < 0 && this.senderTimers.nextPs === NEVER_PS && this.receiver.isSilent
  }

  /** Lanes that its next data packet may take; none while no port is usable. For checkers. */
  nextLanes(): Lane[] {
    return this.ports === null ? [{ from: this.source, to: this.destination }] : this.ports.nextLanes()
  }

  /** Frees its records; the counters of its ends can still be read. */
  release(): void {
    this.sender.release()
    this.receiver.release()
    if (!this.sharesReceiverTimers) this.receiverTimers.release()
  }

  /** Schedules the sender's nearest deadline, unless an earlier event is already scheduled or none is needed. */
  armSender(queue: EventQueue, mayDoze: 0 | 1): void {
    if (this.senderTimers.isUnarmed && !this.rests(queue.nowPs, mayDoze))
      arm(this.senderTimers, queue, ((this.id << 1) << KIND_BITS) | EVENT_TIMER)
  }

  /**
   * Whether the sender's deadlines need no events: what is due concerns its congestion control alone, and nothing is left to
   * send or to be acknowledged, or the next packet waits for the port. The congestion control catches up with the next work,
   * packet or CNP. So queue pairs that are idle, or many at one port, cost nothing.
   */
  private rests(nowPs: number, mayDoze: 0 | 1): boolean {
    const { sender, senderTimers } = this
    const rests =
      sender.congestion.canRest !== 0 &&
      senderTimers.nextSlot >= FIRST_CONGESTION_TIMER &&
      !senderTimers.isSet(SENDING_TIMER) &&
      (sender.isIdle || (mayDoze !== 0 && this.dozes(nowPs)))
    if (sender.isResting && !rests) {
      // Not every end of a wait has the sender catch up: a queue of work requests may be flushed meanwhile.
      sender.catchUp(nowPs)
      // The orders are those of this instant, whether an observer has had it catch up before or not.
      senderTimers.redraw()
    }
    sender.isResting = rests
    return rests
  }

  /**
   * Whether its next packet waits for nothing but the port, so that an increase of its rate changes nothing before the
   * packet leaves: its congestion control then catches up.
   */
  private dozes(nowPs: number): boolean {
    const { sender, senderTimers } = this
    return (
      sender.nextSendPs <= nowPs &&
      sender.congestion.raisesOnly !== 0 &&
      !senderTimers.isSet(ACK_TIMER) &&
      !senderTimers.isSet(RNR_TIMER)
    )
  }

  /** Schedules the receiver's nearest deadline, unless an earlier event is already scheduled. */
  armReceiver(queue: EventQueue): void {
    if (this.receiverTimers.isUnarmed)
      arm(this.receiverTimers, queue, (((this.id << 1) | 1) << KIND_BITS) | EVENT_TIMER)
  }
}

function arm(timers: Timers, queue: EventQueue, code: number): void {
  timers.arm()
  queue.duePs = timers.nextPs
  queue.dueOrder = timers.nextOrder
  queue.scheduleDue(code)
}

/** Observer of completed messages; messages of a QP are counted from 0. */
export interface CompletionSink {
  /** The last payload byte has reached the receiver. */
  onDelivered(nowPs: number, pair: QueuePair, message: number): void
  /** The last byte has been acknowledged at the sender. */
  onAcknowledged(nowPs: number, pair: QueuePair, message: number): void
  /** The QP has failed: its retries are exhausted. */
  onFailed(nowPs: number, pair: QueuePair): void
}
