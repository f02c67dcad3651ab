/**
 * HOT. NIC: one host's adapter. Pulls packets from its QPs when the port is free; keeps none of its own.
 * Order: CNPs, then ACKs, NAKs, READ requests and RTT responses, then round robin over the QPs, one packet
 * each by default. RTT requests go among data ([LDCP] 3.2): never two in a row while data could go, or those of many QPs
 * would fill the link. A paused class holds back all its packets. Receiving takes no time without receive/pipeline.ts.
 * Units: picoseconds.
 * Source: [IRN] 4.1 (the QP polls the link, no source queue); arbitration after the HPCC fork.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import { INTS } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { ControlLanes } from './control-lanes.ts'
import { takeProbe } from '../../transport/send/rtt-probe.ts'
import { CNM, CNP, READ_REQUEST, RTT_REQUEST, TRIMMED, type Segment } from '../../transport/segment.ts'
import type { Receiver } from '../../transport/receive/receiver.ts'
import { DROP_FOREIGN } from '../counters.ts'
import { EVENT_FORWARD, EVENT_NIC_WAKE, KIND_BITS } from '../event-codes.ts'
import type { Fabric } from '../fabric.ts'
import { losePair } from './lost-pairs.ts'
import type { NicOptions } from './nic-options.ts'
import type { NicPackets } from '../nic-packets.ts'
import { AT, DESTINATION, DIRECTION, IP_ID, KIND, SIZE } from '../packets.ts'
import { onReceiverDeadline, onSenderDeadline } from './pair-deadlines.ts'
import { ALL_CLASSES, PAUSED_SHIFT, STATE } from '../link/port-records.ts'
import type { Port } from '../link/port.ts'
import type { CompletionSink, PairStacks, QueuePair } from '../pairs/queue-pair.ts'
import { SingleWake } from './single-wake.ts'
import { isSettled } from '../pairs/verbs-packets.ts'
import type { NicPort } from '../link/device.ts'
import type { RoundRobin } from './round-robin.ts'
import { createRoundRobin } from './send/message-gaps.ts'
import { PLAIN } from '../../transport/plain.ts'

const ints = INTS

export class Nic {
  readonly node: number
  readonly position: number
  port!: Port
  protected readonly fabric: Fabric
  /** The fabric's, or a stage before it (send/payload-reads.ts). */
  transmitter: NicPort
  /** Base offset of the port records. */
  private readonly records: number
  /** Number of the port. */
  protected portId = -1
  readonly options: NicOptions
  /** By number; null only where no packet of the QP is in the network. */
  private readonly pairs: readonly (QueuePair | null)[]
  readonly sink: CompletionSink
  /** null: each earlier deadline arms a wake-up. */
  readonly singleWake: SingleWake | null
  private readonly segment: Segment
  private readonly packets: NicPackets
  protected readonly acks = new ControlLanes()
  protected readonly cnps = new ControlLanes()
  protected readonly probes = new ControlLanes()
  /** 1: the rate of a QP that waits for the port is of no concern to anything else: not with a single wake-up. */
  readonly mayDoze: 0 | 1
  /** Control packets that wait for the port. */
  waitingControl = 0
  /** An RTT request has been sent, and no data since. */
  private isDataNext = false
  protected readonly roundRobin: RoundRobin
  private wakePs = NEVER_PS
  private readonly wakeCode: number
  private ipId = 0
  /** Its host is down: it sends nothing and answers nothing. */
  isDown = false

  constructor(fabric: Fabric, options: NicOptions) {
    this.fabric = fabric
    this.transmitter = fabric.transmitter
    this.records = fabric.records.base
    this.options = options
    this.node = options.node
    this.position = options.position
    this.pairs = options.pairs.byNumber
    this.sink = options.sink
    this.wakeCode = (options.position << KIND_BITS) | EVENT_NIC_WAKE
    this.roundRobin = createRoundRobin(fabric.memory, options)
    this.singleWake =
      options.wake === 'earliest' ? null : new SingleWake(fabric.queue, this.wakeCode, options.wake, this.roundRobin)
    this.mayDoze = options.wake === 'earliest' ? 1 : 0
    this.packets = options.packets ?? fabric.nicPackets
    this.segment = fabric.segment
  }

  /** Connects it to its port. */
  plug(port: Port): void {
    this.port = port
    this.portId = port.id
  }

  /** Posts a message on a QP whose data this host sends. */
  post(pair: QueuePair, sizeBytes: number, operation: 'write' | 'send'): void {
    pair.messages.post(this.fabric.queue.nowPs, sizeBytes, operation)
    if (this.isDown) return losePair(this, this.fabric.queue.nowPs, pair)
    this.enlist(pair)
    this.kick()
  }

  /** Asks for data: a READ on a QP whose data this host receives. */
  read(pair: QueuePair, sizeBytes: number): void {
    pair.receiver.read(sizeBytes)
    if (this.isDown) return losePair(this, this.fabric.queue.nowPs, pair)
    this.answer(pair)
    this.kick()
  }

  /** Drops the control packets that wait. */
  dropControl(reason: number): void {
    for (const lanes of [this.cnps, this.acks, this.probes])
      while (lanes.waiting !== 0) this.fabric.drop(this.takeControl(lanes, 0), this.node, reason)
  }

  /** Sends a frame of no queue pair, after the control packets of its class that wait. */
  sendFrame(packet: number, trafficClass: number): void {
    this.acks.push(packet, trafficClass)
    this.waitingControl++
    this.kick()
  }

  /** Brings up to date a QP whose data this host sends, after work was posted or done or a deadline has changed. */
  enlist(pair: QueuePair): void {
    const { sender } = pair
    // The common case: an ACK in the middle of a message.
    if (pair.index >= 0 && !sender.isIdle && !sender.isFailed) this.roundRobin.setReady(pair.index, sender.nextSendPs)
    else this.refresh(pair)
    pair.armSender(this.fabric.queue, this.mayDoze)
  }

  /** Queues the ACKs, NAKs and requests that the receiving half of a QP owes. */
  answer(pair: QueuePair): void {
    this.drain(pair, pair.receiver)
    pair.armReceiver(this.fabric.queue)
  }

  /** Starts a transmission if there is a packet to send. */
  kick(): void {
    this.transmitter.kick(this.portId)
  }

  receive(packet: number): void {
    // Hosts never forward.
    if (ints[packet | DESTINATION] !== this.position) return this.fabric.drop(packet, this.node, DROP_FOREIGN)
    const pair = this.pairs[ints[packet | DIRECTION]! >> 1]!
    if (CHECKED) assert(Boolean(pair), 'a packet belongs to a queue pair that was released')
    if (!PLAIN && pair.stacks !== null) this.passStack(packet, pair.stacks)
    else this.take(packet, pair)
  }

  /** A packet has passed the host stack: up to the protocol, or down to its lane. */
  leaveStack(packet: number): void {
    this.fabric.inPipeline--
    const pair = this.pairs[ints[packet | DIRECTION]! >> 1]!
    if (ints[packet | DESTINATION] === this.position) this.take(packet, pair)
    else {
      this.queue(packet, pair)
      this.kick()
    }
  }

  /** Delays a packet in the host stack; an ACK also for the time that the data it releases would take on the way down. */
  private passStack(packet: number, { source, destination }: PairStacks): void {
    const { nowPs } = this.fabric.queue
    const isForward = (ints[packet | DIRECTION]! & 1) === 0
    this.hold(packet, isForward ? destination.upPs(nowPs) : source.aroundPs(nowPs))
  }

  private hold(packet: number, untilPs: number): void {
    const { fabric } = this
    ints[packet | AT] = this.portId
    fabric.inPipeline++
    fabric.queue.enterAfter(packet, untilPs - fabric.queue.nowPs, packet | EVENT_FORWARD)
  }

  private take(packet: number, pair: QueuePair): void {
    const nowPs = this.fabric.queue.nowPs
    const { verbs } = pair
    const kind = ints[packet | KIND]!
    if (!PLAIN && kind === TRIMMED && !this.fabric.acceptTrimmed(packet, this.node, pair.receiver.usesTrimmed)) return
    pair.inNetwork--
    if (CHECKED) assert(pair.inNetwork >= 0, 'more packets of a queue pair arrive than were sent')
    // CNMs come from switches and have no verbs headers.
    const segment = PLAIN || verbs === null || kind === CNM ? this.segment : verbs.packets.of(packet)
    this.packets.read(packet, segment)
    const isForward = (ints[packet | DIRECTION]! & 1) === 0
    // A sender compares timers of this instant with the cause of the segment; a receiver does not.
    if (!isForward) segment.causePs = nowPs - this.transmitter.flightPs(this.portId, ints[packet | SIZE]!)
    this.fabric.packets.free(packet)
    if (isForward) {
      if (PLAIN || verbs === null) this.receiveForward(nowPs, pair, segment)
      else {
        pair.receiver.onSegment(nowPs, segment)
        if (verbs.hasReads || !isSettled(verbs.farPair)) verbs.far.follow(nowPs, this.position)
        else this.answer(pair)
      }
    } else {
      segment.sackPsn = segment.payloadBytes
      this.singleWake?.hold(pair.sender)
      pair.sender.onSegment(nowPs, segment)
      this.singleWake?.follow(pair)
      if (!PLAIN && kind === READ_REQUEST && pair.sender.takeRequestNak(nowPs, segment))
        this.queueSegment(this.segment, pair, 0)
      if (PLAIN || verbs === null) this.afterSender(nowPs, pair)
      else {
        if (pair.sender.congestion.isProbeDue) this.probe(pair)
        if (verbs.hasReads || !isSettled(verbs.nearPair)) verbs.near.follow(nowPs, this.position)
        else this.enlist(pair)
      }
    }
    this.transmitter.kick(this.portId)
  }

  /** A deadline of one half of a QP may be due. */
  onTimer(pair: QueuePair, isReceiver: boolean): void {
    if (isReceiver) onReceiverDeadline(this, this.fabric, pair)
    else onSenderDeadline(this, this.fabric, pair)
  }

  onWake(): void {
    if (this.singleWake !== null && !this.singleWake.take()) return
    if (this.fabric.queue.nowPs === this.wakePs) this.wakePs = NEVER_PS
    // The wake-up has gone and another may have to be armed, so the list is searched again.
    this.roundRobin.forget()
    this.transmitter.kick(this.portId)
  }

  /** The other side has received these messages completely, which no ACK reports. */
  settle(pair: QueuePair, messages: number): void {
    const { nowPs } = this.fabric.queue
    pair.messages.settle(nowPs, messages)
    this.afterSender(nowPs, pair)
  }

  /** Brings a QP's entry in the round robin up to date. */
  refresh(pair: QueuePair): void {
    this.roundRobin.update(pair)
  }

  /** Queues the ACKs, NAKs and requests that a receiver owes. */
  drain(pair: QueuePair, receiver: Receiver): void {
    const nowPs = this.fabric.queue.nowPs
    const { verbs } = pair
    const segment = PLAIN || verbs === null ? this.segment : verbs.packets.scratch
    while (receiver.owes !== 0 && receiver.pollTransmit(nowPs, segment)) this.queueSegment(segment, pair, 1)
  }

  /** Queues the RTT request that a sender's congestion control wants to send. */
  probe(pair: QueuePair): void {
    const segment = this.segment
    if (takeProbe(this.fabric.queue.nowPs, pair.sender.congestion, segment)) this.queueSegment(this.segment, pair, 0)
  }

  /** Takes the next packet to send through the port, which is free, or -1. */
  nextPacket(port: number): number {
    const paused = (ints[this.records | (port << 4) | STATE]! >> PAUSED_SHIFT) & ALL_CLASSES
    return this.waitingControl === 0 ? this.nextData(paused) : this.nextOfAll(paused)
  }

  private nextOfAll(paused: number): number {
    if ((this.cnps.waiting & ~paused) !== 0) return this.takeControl(this.cnps, paused)
    if ((this.acks.waiting & ~paused) !== 0) return this.takeControl(this.acks, paused)
    if (!PLAIN && (this.probes.waiting & ~paused) !== 0) return this.nextBesideProbes(paused)
    return this.nextData(paused)
  }

  /** Takes an RTT request, of which one waits and may go; or data, if the packet before was an RTT request too. */
  private nextBesideProbes(paused: number): number {
    const data = this.isDataNext ? this.nextData(paused) : -1
    this.isDataNext = data < 0
    return data >= 0 ? data : this.takeControl(this.probes, paused)
  }

  private nextData(paused: number): number {
    const nowPs = this.fabric.queue.nowPs
    const roundRobin = this.roundRobin
    const index = roundRobin.isIdle(nowPs, paused) ? -1 : roundRobin.next(nowPs, paused)
    if (index >= 0) return this.takeData(index)
    if (this.singleWake !== null) this.singleWake.arm()
    else if (roundRobin.idleUntilPs < this.wakePs) {
      this.wakePs = roundRobin.idleUntilPs
      this.armWake()
    }
    return -1
  }

  /** Classes with control packets that wait, as bits; for checkers. */
  get controlClasses(): number {
    return this.acks.waiting | this.cnps.waiting | this.probes.waiting
  }

  /** Whether a packet could be sent if the port were free now, or may be before long. */
  hasWaiting(): boolean {
    return !this.roundRobin.isEmpty || this.waitingControl !== 0
  }

  /** Gives a packet that is about to leave its IP identification. */
  private stampIp(packet: number): void {
    ints[packet | IP_ID] = this.ipId
    this.ipId = (this.ipId + 1) & 0xffff
  }

  /** Schedules the wake-up at `wakePs`. */
  private armWake(): void {
    if (this.wakePs === NEVER_PS) return
    const queue = this.fabric.queue
    queue.duePs = this.wakePs
    queue.drawDue()
    queue.scheduleDue(this.wakeCode)
  }

  /** The QP at an index of the list. */
  protected pairAt(index: number): QueuePair {
    return this.roundRobin.pairAt(index) as QueuePair
  }

  /** A packet of the QP at this index is about to leave. */
  protected afterSend(pair: QueuePair, index: number): void {
    this.roundRobin.setReady(index, pair.sender.nextSendPs)
  }

  /** Endpoint that a packet of a QP goes to. */
  protected endpointOf(pair: QueuePair, isBack: 0 | 1): number {
    return isBack === 0 ? pair.destination : pair.source
  }

  private takeData(index: number): number {
    const nowPs = this.fabric.queue.nowPs
    const pair = this.pairAt(index)
    const { verbs } = pair
    const segment = PLAIN || verbs === null ? this.segment : verbs.packets.scratch
    // The list had it as ready; the sender decides.
    if (!pair.sender.pollTransmit(nowPs, segment)) {
      this.refresh(pair)
      if (verbs !== null) verbs.near.look()
      return -1
    }
    this.afterSend(pair, index)
    // Responses that are not acknowledged are done when the last has left.
    if (!PLAIN && verbs !== null && pair.sender.isIdle) this.refresh(pair)
    const packet = this.packets.makeData(segment, pair, this.endpointOf(pair, 0))
    this.stampIp(packet)
    this.isDataNext = false
    if (CHECKED) assert(!PLAIN || !pair.sender.congestion.isProbeDue, 'the plain program has no RTT requests')
    if (!PLAIN && pair.sender.congestion.isProbeDue) this.probe(pair)
    pair.armSender(this.fabric.queue, this.mayDoze)
    if (!PLAIN && verbs !== null && verbs.hasReads) verbs.near.onSent(this.position)
    return packet
  }

  private takeControl(lanes: ControlLanes, paused: number): number {
    const packet = lanes.take(paused)
    this.waitingControl--
    this.stampIp(packet)
    return packet
  }

  private receiveForward(nowPs: number, pair: QueuePair, segment: Segment): void {
    const receiver = pair.receiver
    receiver.onSegment(nowPs, segment)
    this.answer(pair)
    while (pair.messagesDelivered < receiver.deliveredMessages) {
      this.sink.onDelivered(nowPs, pair, pair.messagesDelivered++)
    }
  }

  /** Queues a control packet. @param isBack 0: it travels in the direction of the data */
  private queueSegment(segment: Segment, pair: QueuePair, isBack: 0 | 1): void {
    const o = this.options
    const codepoint = segment.kind === CNP ? o.cnpCodepoint : o.ackCodepoint < 0 ? pair.codepoint : o.ackCodepoint
    const packet = this.packets.makeControl(segment, pair, isBack, this.endpointOf(pair, isBack), codepoint)
    const { stacks } = pair
    if (PLAIN || stacks === null) this.queue(packet, pair)
    else this.hold(packet, (isBack === 0 ? stacks.source : stacks.destination).downPs(this.fabric.queue.nowPs))
  }

  /** Queues a control packet for the port. */
  protected queue(packet: number, pair: QueuePair): void {
    const kind = ints[packet | KIND]!
    const isCnp = kind === CNP
    const o = this.options
    const lanes = isCnp ? this.cnps : !PLAIN && kind === RTT_REQUEST ? this.probes : this.acks
    lanes.push(packet, isCnp ? o.cnpClass : o.ackClass < 0 ? pair.trafficClass : o.ackClass)
    this.waitingControl++
  }

  /** After the sender half has received something: reports messages, updates the list. */
  private afterSender(nowPs: number, pair: QueuePair): void {
    const sender = pair.sender
    const { acknowledgedMessages } = pair.messages
    while (pair.messagesAcknowledged < acknowledgedMessages) {
      this.sink.onAcknowledged(nowPs, pair, pair.messagesAcknowledged++)
    }
    if (pair.isOneShot && sender.isIdle && sender.end > 0) sender.close()
    this.enlist(pair)
    if (!PLAIN && sender.congestion.isProbeDue) this.probe(pair)
  }
}
