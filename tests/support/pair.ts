/**
 * Pair: one QP's real Sender and real Receiver, set up as the lab does, with a scripted pipe in each direction and a
 * clock that jumps from event to event. No fabric: the sender is alone on its line.
 * Events at one instant are ordered by the order assigned when they were caused; sending comes last.
 * Vocabulary: post, read, forward.rule(lose(...)), run, and then dataSent, answers, timesOf.
 */
import { assert } from '../../src/core/base/assert.ts'
import {
  type AnyValues,
  defaultsOf,
  GBPS,
  NEVER_PS,
  US,
  type Definition,
  type ValuesOf,
} from '../../src/core/base/params.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { createSerialization } from '../../src/core/base/serialization.ts'
import { bdpPackets, type CongestionDefinition } from '../../src/core/transport/congestion/congestion.ts'
import { none } from '../../src/core/transport/congestion/none.ts'
import { dataFrameBytes, type FrameSizes } from '../../src/core/transport/endpoint.ts'
import { createDelayedAck, HeldAck } from '../../src/core/transport/receive/held-ack.ts'
import { Hops } from '../../src/core/transport/hops.ts'
import { endpointParams, type EndpointValues } from '../../src/core/transport/params.ts'
import { PSN_MASK } from '../../src/core/transport/psn.ts'
import { Receiver } from '../../src/core/transport/receive/receiver.ts'
import { goBackN } from '../../src/core/transport/recovery/go-back-n.ts'
import {
  createControl,
  type RecoveryDefinition,
  startOf,
  timeoutOf,
} from '../../src/core/transport/recovery/recovery.ts'
import { takeProbe } from '../../src/core/transport/send/rtt-probe.ts'
import { neededBy } from '../../src/core/transport/scheme.ts'
import {
  ACK,
  CNM,
  CNP,
  DATA,
  ECE,
  NAK,
  READ_REQUEST,
  RNR_NAK,
  RTT_REQUEST,
  RTT_RESPONSE,
  Segment,
  TRIMMED,
} from '../../src/core/transport/segment.ts'
import { Sender } from '../../src/core/transport/send/sender.ts'
import {
  ACK_TIMER,
  HELD_ACK_TIMER,
  RECOVERY_TIMER,
  RNR_TIMER,
  SENDING_TIMER,
  Timers,
} from '../../src/core/transport/timers.ts'
import { Pipe } from './pair-pipe.ts'

export type Operation = 'write' | 'send' | 'read'

/** A definition and all its values. */
export interface Chosen<D> {
  readonly definition: D
  readonly values: AnyValues
}

/** A registered scheme with some of its params set. */
export function scheme<D extends Definition>(definition: D, values: Partial<ValuesOf<D['params']>> = {}): Chosen<D> {
  return { definition, values: { ...defaultsOf(definition.params), ...values } }
}

export interface PairOptions {
  readonly recovery?: Chosen<Definition>
  readonly congestion?: Chosen<Definition>
  /** The scenario's `qp` group. */
  readonly qp?: Partial<EndpointValues>
  /** NAKs of packets out of order count as marks. */
  readonly marksNaks?: boolean
  readonly lineRateBps?: number
  /** One-way delay, from transmission start to arrival. */
  readonly delayPs?: number
  readonly payloadBytes?: number
  /** The QP's data are READ responses. */
  readonly isRead?: boolean
  /** First PSN, unbounded; with go-back-0 only after a first message that arrives intact. */
  readonly firstPsn?: number
  readonly observer?: PairObserver
  /** False for long runs. */
  readonly isLogging?: boolean
}

/** Public state of a receiver. */
export interface Held {
  readonly expectedPsn: number
  readonly messages: number
  readonly bytes: number
}

/** Observer without effect on the run. PSNs are unbounded. */
export interface PairObserver {
  onPost(nowPs: number, sizeBytes: number, operation: Operation): void
  onSent(nowPs: number, psn: number, segment: Readonly<Segment>): void
  onArrival(nowPs: number, psn: number, segment: Readonly<Segment>, before: Held, after: Held): void
  onStep(nowPs: number): void
}

/**
 * finished: everything delivered and acknowledged; stalled: no event will happen any more; late: the time limit is
 * reached.
 */
export type Outcome = 'finished' | 'failed' | 'stalled' | 'late'

const NAMES: Readonly<Record<number, string>> = {
  [DATA]: 'data',
  [ACK]: 'ACK',
  [NAK]: 'NAK',
  [RNR_NAK]: 'RNR',
  [CNP]: 'CNP',
  [READ_REQUEST]: 'READ',
  [CNM]: 'CNM',
  [RTT_REQUEST]: 'RTT?',
  [RTT_RESPONSE]: 'RTT',
}

export const FRAMES: FrameSizes = {
  payloadBytes: 1024,
  dataOverheadBytes: 62,
  writeOverheadBytes: 16,
  table: null,
  ackBytes: 66,
  sackAckBytes: 66,
  readRequestBytes: 78,
  cnpBytes: 78,
  rttProbeBytes: 78,
  minimumBytes: 64,
  gapBytes: 20,
}

export class Pair {
  readonly sender: Sender
  readonly receiver: Receiver
  readonly senderTimers: Timers
  readonly receiverTimers: Timers
  /** Data packets, RTT requests and NAKs of READ requests travel forward, all others backward. */
  readonly forward: Pipe
  readonly backward: Pipe
  readonly log: { readonly ps: number; readonly text: string }[] = []
  nowPs = 0
  posted = 0
  steps = 0
  /** The sender learns of deliveries from ACKs. */
  readonly #isAcknowledged: boolean
  /** Only the reader's part counts: nothing else waits for the last ACK. */
  readonly #endsWithReader: boolean
  readonly #isLogging: boolean
  readonly #observer: PairObserver | null
  readonly #segment = new Segment()
  readonly #hasTelemetry: boolean

  constructor(o: PairOptions = {}) {
    const qp: EndpointValues = { ...defaultsOf(endpointParams.fields), ...o.qp }
    const isRead = o.isRead ?? false
    const lineRateBps = o.lineRateBps ?? 40 * GBPS
    const frames = { ...FRAMES, payloadBytes: o.payloadBytes ?? FRAMES.payloadBytes }
    const baseRttPs = 2 * (o.delayPs ?? US)
    const recovery = (o.recovery ?? scheme(goBackN)) as Chosen<RecoveryDefinition>
    const congestion = (o.congestion ?? scheme(none)) as Chosen<CongestionDefinition>
    const needs = neededBy(congestion.definition, congestion.values)
    const fullBytes = dataFrameBytes(frames, frames.payloadBytes, 0)
    this.#hasTelemetry = needs.telemetry === true
    if (this.#hasTelemetry) this.#segment.hops = new Hops()
    const echoInAck = qp.ecnEcho === 'ack'
    let orders = 0
    const line = { draw: () => ++orders }
    this.senderTimers = new Timers(line)
    this.receiverTimers = new Timers(line)
    this.forward = new Pipe(o.delayPs ?? US, line.draw)
    this.backward = new Pipe(o.delayPs ?? US, line.draw)
    const acknowledgesReads = recovery.definition.acknowledgesReads === true
    const isAcked = qp.ackInterval > 0 && (!isRead || acknowledgesReads || qp.readAcks)
    this.#isAcknowledged = isAcked
    this.#endsWithReader = isRead && !acknowledgesReads
    const timeout = timeoutOf(recovery.definition, recovery.values, qp.ackTimeout)
    const packets = bdpPackets(lineRateBps, baseRttPs, fullBytes)
    const recoveryContext = { bdpPackets: packets, hasCwr: needs.cwr === true }
    this.#isLogging = o.isLogging ?? true
    this.#observer = o.observer ?? null
    this.sender = new Sender({
      frames,
      lineRateBps,
      firstPsn: o.firstPsn ?? 0,
      serialization: createSerialization(1, 'nearest'),
      timers: this.senderTimers,
      windowBytes: isAcked ? qp.window : null,
      windowVariable: qp.windowVariable,
      ackInterval: isAcked ? qp.ackInterval : 0,
      ackTimeoutPs: timeout === null || (isRead && !acknowledgesReads) ? null : timeout.firstPs,
      ackTimerFollows: qp.ackTimer === 'packet',
      retryLimit: qp.retryLimit,
      ectCapable: needs.ecn === true,
      pacingFixed: qp.pacing === 'fixed',
      echoInAck,
    })
    const sending = recovery.definition.createSender(recovery.values, this.sender, {
      ...recoveryContext,
      baseRttPs,
      timers: this.senderTimers,
      random: () => createRandomStreams(1).stream('path/0'),
    })
    this.sender.equip(
      sending,
      createControl(recovery, congestion, {
        lineRateBps,
        payloadBytes: frames.payloadBytes,
        timers: this.senderTimers,
        sender: this.sender,
        wholeRates: qp.rateRounding === 'bps',
        baseRttPs,
        bdpPackets: packets,
        ...startOf(recovery.definition, sending, packets),
        packetWireBytes: fullBytes + frames.gapBytes,
        largestRttPs: () => baseRttPs,
      }),
    )
    const receiving = recovery.definition.createReceiver(recovery.values, this.receiverTimers, recoveryContext)
    if (o.firstPsn !== undefined) {
      assert(!isRead, 'a reader counts its requests from 0')
      receiving.startAt(o.firstPsn)
    }
    const urgentEcho = needs.marksAtOnce === true ? ECE : 0
    this.receiver = new Receiver({
      recovery: receiving,
      timers: this.receiverTimers,
      payloadBytes: frames.payloadBytes,
      cnpIntervalPs: needs.cnp === true && !echoInAck ? congestion.definition.cnpIntervalPs(congestion.values) : null,
      echoInAck,
      marksNaks: o.marksNaks === true,
      echoesHops: this.#hasTelemetry,
      receiveQueue: qp.receiveQueue,
      repostPs: qp.receiveRepost,
      rnrCode: qp.rnrTimer,
      isReader: isRead,
      acksReads: acknowledgesReads || qp.readAcks,
      naksReads: acknowledgesReads,
      heldAck:
        qp.ackCoalescing > 1
          ? new HeldAck({ mostPackets: qp.ackCoalescing, delayPs: qp.ackDelay, urgentEcho })
          : createDelayedAck(recovery.definition, recovery.values, urgentEcho),
      readTimeout: isRead ? timeout : null,
      retryLimit: qp.retryLimit,
    })
  }

  /** Posts a message whose data the sender has. */
  post(sizeBytes: number, operation: 'write' | 'send' = 'write'): void {
    this.#count(sizeBytes, operation)
    this.sender.post(this.nowPs, sizeBytes, operation)
  }

  /** Posts a message of `packets` full packets. */
  postPackets(packets: number, operation: 'write' | 'send' = 'write'): void {
    this.post(packets * FRAMES.payloadBytes, operation)
  }

  /** The receiver posts a READ. */
  read(sizeBytes: number): void {
    this.#count(sizeBytes, 'read')
    this.receiver.read(sizeBytes)
    this.#drain()
  }

  get isFinished(): boolean {
    const { posted } = this
    // A reader that has all data is done, whether its last ACK arrives or not.
    return (
      this.receiver.deliveredMessages >= posted && (this.#endsWithReader || this.sender.acknowledgedMessages >= posted)
    )
  }

  /** Runs until everything is delivered and acknowledged, or cannot be. */
  run(limitPs: number = NEVER_PS): Outcome {
    for (;;) {
      if (this.isFinished) return 'finished'
      if (this.sender.isFailed || this.receiver.isFailed) return 'failed'
      if (this.#isDead()) return 'stalled'
      if (!this.#step(limitPs)) return 'late'
    }
  }

  /** Runs all events up to this time and moves the clock there. */
  runUntil(timePs: number): void {
    while (this.#step(timePs));
    this.nowPs = timePs
  }

  /** Runs until this many data packets have been sent. */
  runUntilSent(packets: number): void {
    while (this.sender.packetsSent < packets && this.#step(NEVER_PS));
  }

  /** Runs until the pipes are empty. */
  calm(): void {
    while (!(this.forward.isEmpty && this.backward.isEmpty) && this.#step(NEVER_PS));
  }

  /** Calls that a driver may make at any time and that must have no effect. */
  fidget(): void {
    this.receiver.onTimeout(this.nowPs)
    this.sender.onTimeout(this.nowPs)
    if (this.sender.nextSendPs > this.nowPs)
      assert(!this.sender.pollTransmit(this.nowPs, this.#segment), 'a sender sends before its nextSendPs')
    this.#drain()
  }

  /** A crafted segment arrives at the receiver now. */
  hand(fields: Partial<Segment>): void {
    this.#arrive(Object.assign(new Segment(), fields))
  }

  /** A crafted segment arrives at the sender now. */
  answer(fields: Partial<Segment>): void {
    this.sender.onSegment(this.nowPs, Object.assign(new Segment(), fields))
  }

  /** Times of RTT requests. */
  get probesPs(): number[] {
    return this.timesOf('RTT?')
  }
  /** PSNs of the data packets sent, in order. */
  get dataSent(): number[] {
    return this.log.filter(({ text }) => text.startsWith('data ')).map(({ text }) => Number(text.slice(5)))
  }
  /** Packets sent by the receiver, in order: "ACK 3", "NAK 2", "RNR 0", "READ 0", "CNP", "RTT". */
  get answers(): string[] {
    return this.log.filter(({ text }) => !text.startsWith('data ') && text !== 'RTT?').map(({ text }) => text)
  }
  /** Times at which these were sent. */
  timesOf(text: string): number[] {
    return this.log.filter((entry) => entry.text === text).map(({ ps }) => ps)
  }

  #count(sizeBytes: number, operation: Operation): void {
    this.posted++
    this.#observer?.onPost(this.nowPs, sizeBytes, operation)
  }

  /** Nothing is in flight, neither side has anything to send, and no recovery timer runs. */
  #isDead(): boolean {
    return (
      this.forward.isEmpty &&
      this.backward.isEmpty &&
      this.sender.nextSendPs === NEVER_PS &&
      this.receiver.nextSendPs === NEVER_PS &&
      !this.senderTimers.isSet(ACK_TIMER) &&
      !this.senderTimers.isSet(RNR_TIMER) &&
      !this.senderTimers.isSet(SENDING_TIMER) &&
      !this.receiverTimers.isSet(ACK_TIMER) &&
      !this.receiverTimers.isSet(RECOVERY_TIMER) &&
      !this.receiverTimers.isSet(HELD_ACK_TIMER) &&
      // A window below one packet waits for its release.
      (this.sender.congestion.windowPackets >= 1 || this.senderTimers.nextPs === NEVER_PS)
    )
  }

  /** Runs the next event, unless it is later than the limit. */
  #step(limitPs: number): boolean {
    const { forward, backward, senderTimers, receiverTimers } = this
    assert(!Number.isNaN(this.sender.nextSendPs), 'a sender has no nextSendPs')
    let ps = forward.nextPs
    let order = forward.nextOrder
    let what = 0
    const consider = (otherPs: number, otherOrder: number, other: number) => {
      if (otherPs > ps || (otherPs === ps && otherOrder >= order)) return
      ps = otherPs
      order = otherOrder
      what = other
    }
    consider(backward.nextPs, backward.nextOrder, 1)
    consider(senderTimers.nextPs, senderTimers.nextOrder, 2)
    consider(receiverTimers.nextPs, receiverTimers.nextOrder, 3)
    consider(Math.max(this.nowPs, this.sender.nextSendPs), Infinity, 4)
    if (ps === NEVER_PS || ps > limitPs) return false
    this.nowPs = ps
    this.steps++
    if (what === 0) this.#arrive(forward.take())
    else if (what === 1) this.#answered(backward.take())
    else if (what === 2) {
      this.sender.onTimeout(ps)
      this.#probe()
    } else if (what === 3) {
      this.receiver.onTimeout(ps)
      this.#drain()
    } else this.#send()
    this.#observer?.onStep(ps)
    return true
  }

  #send(): void {
    const { sender, nowPs } = this
    const near = sender.nxt
    const segment = this.#segment
    segment.hops.count = 0
    const isSent = sender.pollTransmit(nowPs, segment)
    assert(isSent, 'a sender does not send at its nextSendPs')
    if (this.#isLogging) this.log.push({ ps: nowPs, text: `data ${segment.psn}` })
    this.#observer?.onSent(nowPs, nearestPsn(segment.psn, near), segment)
    this.forward.send(nowPs, segment)
    this.#probe()
  }

  #answered(segment: Segment): void {
    this.sender.onSegment(this.nowPs, segment)
    if (this.sender.takeRequestNak(this.nowPs, this.#segment)) {
      if (this.#isLogging) this.log.push({ ps: this.nowPs, text: `request NAK ${this.#segment.psn}` })
      this.forward.send(this.nowPs, this.#segment)
    }
    this.#probe()
  }

  /** Sends the RTT request of the congestion control. */
  #probe(): void {
    if (!takeProbe(this.nowPs, this.sender.congestion, this.#segment)) return
    if (this.#isLogging) this.log.push({ ps: this.nowPs, text: 'RTT?' })
    this.forward.send(this.nowPs, this.#segment)
  }

  #arrive(segment: Segment): void {
    const { receiver, nowPs } = this
    // The NIC drops it.
    if (segment.kind === TRIMMED && !receiver.usesTrimmed) return
    const before = this.#held()
    receiver.onSegment(nowPs, segment)
    this.#observer?.onArrival(nowPs, nearestPsn(segment.psn, before.expectedPsn), segment, before, this.#held())
    this.#drain()
    if (!this.#isAcknowledged && receiver.deliveredMessages > before.messages)
      this.sender.settle(nowPs, receiver.deliveredMessages)
  }

  #held(): Held {
    const { expectedPsn, deliveredMessages, delivered } = this.receiver
    return { expectedPsn, messages: deliveredMessages, bytes: delivered.bytes }
  }

  /** Sends everything that the receiver has due. */
  #drain(): void {
    const { receiver, nowPs } = this
    const segment = this.#segment
    while (receiver.nextSendPs <= nowPs && receiver.pollTransmit(nowPs, segment)) {
      if (this.#isLogging) {
        const name = NAMES[segment.kind]!
        const isNumbered = segment.kind !== CNP && segment.kind !== RTT_RESPONSE
        this.log.push({ ps: nowPs, text: isNumbered ? `${name} ${segment.psn}` : name })
      }
      this.backward.send(nowPs, segment)
    }
  }
}

/** The number nearest to `near` that is `psn` on the wire; not the code under test. */
function nearestPsn(psn: number, near: number): number {
  const base = near - (near % (PSN_MASK + 1)) + psn
  const round = PSN_MASK + 1
  if (base - near > round / 2) return base - round
  return near - base > round / 2 ? base + round : base
}
