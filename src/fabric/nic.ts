/**
 * HOT. NIC: one host's adapter. Pulls packets from its QPs when the port is free; keeps none of its own.
 * Order: CNPs, then ACKs, NAKs, READ requests and RTT probes, then round robin over the QPs, one packet each.
 * A paused class holds back whatever is of it. The receive pipeline has no speed limit.
 * Units: picoseconds.
 * Source: S3 4.1 (the QP polls the link, no source queue); arbitration after the HPCC fork.
 */
import { NEVER_PS } from '../base/params.ts'
import { dataFrameBytes, type FrameSizes } from '../transport/endpoint.ts'
import { takeProbe } from '../transport/rtt-probe.ts'
import { CNP, DATA, READ_REQUEST, RTT_REQUEST, RTT_RESPONSE, Segment } from '../transport/segment.ts'
import type { Receiver } from '../transport/receiver.ts'
import { EVENT_NIC_WAKE, EVENT_TIMER, KIND_BITS, type Fabric } from './fabric.ts'
import { CODEPOINT, DESTINATION, ECN, FLAGS, FLOW, IP_ID, KIND, NEXT, PAYLOAD, PSN, SIZE, SYNDROME } from './packets.ts'
import type { Port } from './port.ts'
import type { CompletionSink, QueuePair } from './queue-pair.ts'
import { Turn } from './turn.ts'

export interface NicOptions {
  readonly node: number
  /** Position among the hosts. */
  readonly position: number
  readonly frames: FrameSizes
  /** Class that holds ACKs back here, and the codepoint that gives them theirs in switches. */
  readonly ackClass: number
  readonly ackCodepoint: number
  readonly cnpClass: number
  readonly cnpCodepoint: number
  /** The turn is an index into the list and stays when finished QPs leave it. */
  readonly isCompacting: boolean
  /** One wake-up is armed and not moved when an earlier deadline appears. */
  readonly isSingleWake: boolean
  readonly pairs: QueuePair[]
  readonly sink: CompletionSink
}

/** A FIFO of control packets, linked through NEXT. */
class ControlQueue {
  head = -1
  tail = -1
  count = 0
}

export class Nic {
  readonly node: number
  readonly position: number
  port!: Port
  receivedBytes = 0
  private readonly fabric: Fabric
  private readonly options: NicOptions
  private readonly pairs: QueuePair[]
  private readonly sink: CompletionSink
  private readonly frames: FrameSizes
  /** 1: an armed wake-up is not moved. */
  private readonly singleWake: number
  private readonly ackBit: number
  private readonly cnpBit: number
  private readonly segment = new Segment()
  private readonly acks = new ControlQueue()
  private readonly cnps = new ControlQueue()

  private readonly turn: Turn
  private wakePs = NEVER_PS
  private ipId = 0

  constructor(fabric: Fabric, options: NicOptions) {
    this.fabric = fabric
    this.options = options
    this.node = options.node
    this.position = options.position
    this.pairs = options.pairs
    this.sink = options.sink
    this.frames = options.frames
    this.singleWake = options.isSingleWake ? 1 : 0
    this.turn = new Turn(options.isCompacting)
    this.ackBit = 1 << options.ackClass
    this.cnpBit = 1 << options.cnpClass
  }

  /** Posts a message on a QP whose data this host sends. */
  post(pair: QueuePair, sizeBytes: number, operation: 'write' | 'send'): void {
    pair.sender.post(this.fabric.queue.nowPs, sizeBytes, operation)
    this.turn.update(pair)
    this.armSender(pair)
    this.port.kick()
  }

  /** Asks for data: a READ on a QP whose data this host receives. */
  read(pair: QueuePair, sizeBytes: number): void {
    pair.receiver.read(sizeBytes)
    this.drain(pair, pair.receiver)
    this.armReceiver(pair)
    this.port.kick()
  }

  receive(packet: number): void {
    const packets = this.fabric.packets
    const segment = this.segment
    const nowPs = this.fabric.queue.nowPs
    const pair = this.pairs[packets.data[packet | FLOW]! >> 1]!
    const kind = packets.data[packet | KIND]!
    segment.kind = kind as Segment['kind']
    segment.psn = packets.data[packet | PSN]!
    segment.payloadBytes = packets.data[packet | PAYLOAD]!
    segment.flags = packets.data[packet | FLAGS]!
    segment.ecn = packets.data[packet | ECN]!
    segment.syndrome = packets.data[packet | SYNDROME]!
    segment.sentPs = packets.sentPs(packet)
    segment.delayPs = packets.delayPs(packet)
    // Both ends of a cable run at the same rate.
    const { port } = this
    segment.causePs = nowPs - port.delayPs - port.transmitPs[packets.data[packet | SIZE]!]!
    packets.free(packet)
    if (kind === DATA || kind === RTT_REQUEST) this.receiveData(nowPs, pair, segment)
    else {
      pair.sender.onSegment(nowPs, segment)
      this.afterSender(nowPs, pair)
    }
    this.port.kick()
  }

  /** Control packets that wait for the port. */
  get waitingControl(): number {
    return this.acks.count + this.cnps.count
  }

  /** A deadline of one half of a QP; stale events do nothing. */
  onTimer(pair: QueuePair, isReceiver: boolean): void {
    const queue = this.fabric.queue
    const nowPs = queue.nowPs
    if (isReceiver) {
      if (nowPs !== pair.receiverWakePs || queue.currentOrder !== pair.receiverWakeOrder) return
      pair.receiverWakePs = NEVER_PS
      if (isDue(pair.receiverTimers.nextPs, pair.receiverTimers.nextOrder, nowPs, queue.currentOrder)) {
        pair.receiver.onTimeout(nowPs)
        if (pair.receiver.isFailed) this.sink.onFailed(nowPs, pair)
        this.drain(pair, pair.receiver)
      }
      this.armReceiver(pair)
      this.port.kick()
      return
    }
    if (nowPs !== pair.senderWakePs || queue.currentOrder !== pair.senderWakeOrder) return
    pair.senderWakePs = NEVER_PS
    if (isDue(pair.senderTimers.nextPs, pair.senderTimers.nextOrder, nowPs, queue.currentOrder)) {
      const before = pair.sender.nextSendPs
      pair.sender.onTimeout(nowPs)
      if (pair.sender.isFailed) {
        this.turn.update(pair)
        this.sink.onFailed(nowPs, pair)
      } else if (pair.sender.nextSendPs !== before) {
        this.turn.update(pair)
        this.port.kick()
      }
      if (pair.sender.congestion.isProbeDue) {
        this.probe(pair)
        this.port.kick()
      }
    }
    this.armSender(pair)
  }

  onWake(): void {
    if (this.fabric.queue.nowPs === this.wakePs) this.wakePs = NEVER_PS
    // With the wake-up gone another may have to be armed, so this look is a real one.
    this.turn.forget()
    this.port.kick()
  }

  /** The other side has these messages whole without saying so in ACKs. */
  settle(pair: QueuePair, messages: number): void {
    const { nowPs } = this.fabric.queue
    pair.sender.settle(nowPs, messages)
    this.afterSender(nowPs, pair)
  }

  /** Takes the next packet to send through the port, which is free, or -1. */
  nextPacket(port: Port): number {
    const paused = port.pausedMask
    if (this.cnps.head >= 0 && (paused & this.cnpBit) === 0) return this.takeControl(this.cnps)
    if (this.acks.head >= 0 && (paused & this.ackBit) === 0) return this.takeControl(this.acks)
    const nowPs = this.fabric.queue.nowPs
    const turn = this.turn
    // A deadline may have come up since the last look, when nothing was armed: a single wake-up needs a real look.
    const isUnarmed = turn.idleUntilPs < this.wakePs
    const isLookDue = this.singleWake !== 0 && isUnarmed && this.wakePs === NEVER_PS
    if (turn.isIdle(nowPs, paused) && !isLookDue) {
      if (isUnarmed && this.singleWake === 0) {
        this.wakePs = turn.idleUntilPs
        this.armWake()
      }
      return -1
    }
    const place = turn.next(nowPs, paused)
    if (place >= 0) return this.takeData(place)
    if (this.singleWake !== 0) {
      if (this.wakePs === NEVER_PS && turn.earliestAnyPs > nowPs) {
        this.wakePs = turn.earliestAnyPs
        this.armWake()
      }
    } else if (turn.earliestPs < this.wakePs) {
      this.wakePs = turn.earliestPs
      this.armWake()
    }
    return -1
  }

  /** Something could be sent if the port were free now, or may be before long. */
  hasWaiting(): boolean {
    return !this.turn.isEmpty || this.cnps.head >= 0 || this.acks.head >= 0
  }

  /** Puts the wake-up at `wakePs` in line. */
  private armWake(): void {
    if (this.wakePs === NEVER_PS) return
    const queue = this.fabric.queue
    queue.duePs = this.wakePs
    queue.drawDue()
    queue.scheduleDue((this.position << KIND_BITS) | EVENT_NIC_WAKE)
  }

  private takeData(place: number): number {
    const nowPs = this.fabric.queue.nowPs
    const pair = this.turn.pairAt(place)
    const segment = this.segment
    // The list said so; the sender has the last word.
    if (!pair.sender.pollTransmit(nowPs, segment)) return -1
    this.turn.setReady(place, pair.sender.nextSendPs)
    const packet = this.fill(segment, pair.id << 1, pair.destination)
    const packets = this.fabric.packets
    packets.data[packet | SIZE] = dataFrameBytes(this.frames, segment.payloadBytes, segment.flags)
    packets.data[packet | CODEPOINT] = pair.trafficClass
    this.fabric.counters.dataSent++
    if (pair.sender.congestion.isProbeDue) this.probe(pair)
    this.armSender(pair)
    return packet
  }

  private takeControl(queue: ControlQueue): number {
    const packets = this.fabric.packets
    const packet = queue.head
    queue.head = packets.data[packet | NEXT]!
    if (queue.head < 0) queue.tail = -1
    queue.count--
    packets.data[packet | IP_ID] = this.ipId
    this.ipId = (this.ipId + 1) & 0xffff
    return packet
  }

  private receiveData(nowPs: number, pair: QueuePair, segment: Segment): void {
    const receiver = pair.receiver
    const before = receiver.deliveredBytes
    receiver.onSegment(nowPs, segment)
    const gained = receiver.deliveredBytes - before
    if (gained > 0) {
      this.fabric.counters.payloadBytesDelivered += gained
      this.receivedBytes += gained
    }
    this.drain(pair, receiver)
    this.armReceiver(pair)
    while (pair.messagesDelivered < receiver.deliveredMessages) {
      this.sink.onDelivered(nowPs, pair, pair.messagesDelivered++)
    }
  }

  /** Puts everything a receiver has to say in line. */
  private drain(pair: QueuePair, receiver: Receiver): void {
    const segment = this.segment
    const nowPs = this.fabric.queue.nowPs
    while (receiver.nextSendPs <= nowPs && receiver.pollTransmit(nowPs, segment)) {
      this.line(this.fill(segment, (pair.id << 1) | 1, pair.source), segment.kind)
    }
  }

  /** Puts the RTT request that a sender's congestion control wants to make in line. */
  private probe(pair: QueuePair): void {
    const segment = this.segment
    if (takeProbe(this.fabric.queue.nowPs, pair.sender.congestion, segment)) {
      this.line(this.fill(segment, pair.id << 1, pair.destination), RTT_REQUEST)
    }
  }

  /** Puts a control packet in line. */
  private line(packet: number, kind: number): void {
    const isCnp = kind === CNP
    const o = this.options
    const packets = this.fabric.packets
    const bytes = isCnp
      ? this.frames.cnpBytes
      : kind === READ_REQUEST
        ? this.frames.readRequestBytes
        : kind === RTT_REQUEST || kind === RTT_RESPONSE
          ? this.frames.rttProbeBytes
          : this.frames.ackBytes
    packets.data[packet | SIZE] = bytes < this.frames.minimumBytes ? this.frames.minimumBytes : bytes
    packets.data[packet | CODEPOINT] = isCnp ? o.cnpCodepoint : o.ackCodepoint
    packets.data[packet | NEXT] = -1
    const queue = isCnp ? this.cnps : this.acks
    if (queue.head < 0) queue.head = packet
    else packets.data[queue.tail | NEXT] = packet
    queue.tail = packet
    queue.count++
    this.fabric.counters.controlSent++
  }

  private fill(segment: Segment, flow: number, destination: number): number {
    const packets = this.fabric.packets
    const packet = packets.alloc()
    packets.data[packet | KIND] = segment.kind
    packets.data[packet | PSN] = segment.psn
    packets.data[packet | PAYLOAD] = segment.payloadBytes
    packets.data[packet | FLAGS] = segment.flags
    packets.data[packet | ECN] = segment.ecn
    packets.data[packet | SYNDROME] = segment.syndrome
    packets.setTimes(packet, segment.sentPs, segment.delayPs)
    packets.data[packet | FLOW] = flow
    packets.data[packet | DESTINATION] = destination
    if (segment.kind === DATA) {
      packets.data[packet | IP_ID] = this.ipId
      this.ipId = (this.ipId + 1) & 0xffff
    }
    return packet
  }

  /** After the sender half heard something: tells of messages, keeps the list in step. */
  private afterSender(nowPs: number, pair: QueuePair): void {
    const sender = pair.sender
    while (pair.messagesAcknowledged < sender.acknowledgedMessages) {
      this.sink.onAcknowledged(nowPs, pair, pair.messagesAcknowledged++)
    }
    if (pair.place >= 0 && !sender.isIdle && !sender.isFailed) {
      // The common case: an ACK in the middle of a message.
      this.turn.setReady(pair.place, sender.nextSendPs)
    } else {
      if (pair.isOneShot && sender.isIdle && sender.end > 0) sender.close()
      this.turn.update(pair)
    }
    if (sender.congestion.isProbeDue) this.probe(pair)
    this.armSender(pair)
  }

  private armSender(pair: QueuePair): void {
    const nextPs = pair.senderTimers.nextPs
    if (nextPs === NEVER_PS) return
    const order = pair.senderTimers.nextOrder
    if (nextPs > pair.senderWakePs || (nextPs === pair.senderWakePs && order >= pair.senderWakeOrder)) return
    pair.senderWakePs = nextPs
    pair.senderWakeOrder = order
    const queue = this.fabric.queue
    queue.duePs = nextPs
    queue.dueOrder = order
    queue.scheduleDue(((pair.id << 1) << KIND_BITS) | EVENT_TIMER)
  }

  private armReceiver(pair: QueuePair): void {
    const nextPs = pair.receiverTimers.nextPs
    if (nextPs === NEVER_PS) return
    const order = pair.receiverTimers.nextOrder
    if (nextPs > pair.receiverWakePs || (nextPs === pair.receiverWakePs && order >= pair.receiverWakeOrder)) return
    pair.receiverWakePs = nextPs
    pair.receiverWakeOrder = order
    const queue = this.fabric.queue
    queue.duePs = nextPs
    queue.dueOrder = order
    queue.scheduleDue((((pair.id << 1) | 1) << KIND_BITS) | EVENT_TIMER)
  }
}

/** A deadline is due when its own place in line has come. */
function isDue(deadlinePs: number, order: number, nowPs: number, currentOrder: number): boolean {
  return deadlinePs < nowPs || (deadlinePs === nowPs && order <= currentOrder)
}
