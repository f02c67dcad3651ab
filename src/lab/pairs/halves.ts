/**
 * Halves: options of the sending and the receiving half of a queue pair, from the scenario: recovery, congestion control,
 * windows, timeouts, ACKs. The same for messages of a scenario and for verbs.
 */
import type { AnyValues } from '../../core/base/params.ts'
import type { RandomStreams } from '../../core/base/random.ts'
import { quirksOf } from '../scenario/compat.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { bdpPackets, type CongestionDefinition } from '../../core/transport/congestion/congestion.ts'
import { dataFrameBytes, type FrameSizes } from '../../core/transport/endpoint.ts'
import { createDelayedAck, HeldAck } from '../../core/transport/receive/held-ack.ts'
import type { HostDelay } from '../../core/transport/host-delay/host-delay.ts'
import { HostStack } from '../../core/transport/host-stack.ts'
import type { PacketSpace } from '../../core/transport/send/packet-space.ts'
import type { ReceiverOptions } from '../../core/transport/receive/receiver-options.ts'
import {
  createControl,
  type RecoveryContext,
  type RecoveryDefinition,
  startOf,
  type Timeout,
  timeoutOf,
} from '../../core/transport/recovery/recovery.ts'
import { createHostDelay, retryOf } from '../../core/transport/params.ts'
import type { RetrySchedule } from '../../core/transport/retry.ts'
import { neededBy, type Needs } from '../../core/transport/scheme.ts'
import { ECE } from '../../core/transport/segment.ts'
import type { SenderOptions } from '../../core/transport/send/sender-options.ts'
import { Timers } from '../../core/transport/timers.ts'
import { congestionOf, holdsAcks, recoveryOf } from '../network/definitions.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { largestRoundTripPs } from '../times/round-trips.ts'

/** One direction of data of a queue pair. */
export interface Direction {
  /** The host that sends the data, and the one that receives them. */
  readonly source: number
  readonly destination: number
  /** Its port, where it has several. */
  readonly home: number
  readonly isAnswer?: boolean
  /** The data are READ responses. */
  readonly isRead: boolean
  /** A full packet there and its ACK back, alone in the network; NaN: no path joins the hosts. */
  readonly baseRttPs: number
}

/** Settings that a connection may replace; by default they are the scenario's. */
export interface HalfChoices {
  readonly recovery: RecoveryDefinition
  readonly recoveryValues: AnyValues
  readonly timeout: Timeout | null
  readonly retryLimit: number | null
  /** null: every wait is the timeout. */
  readonly retry: RetrySchedule | null
  readonly ackInterval: number
  readonly windowBytes: number | null
  readonly readAcks: boolean
  readonly frames: FrameSizes
}

export class HalfMaker {
  readonly choices: HalfChoices
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #random: RandomStreams
  readonly #congestion: CongestionDefinition
  /** Needs of the congestion control, with its values. */
  readonly #needs: Needs
  /** Receivers that set no deadline share one. */
  readonly #noTimers: Timers
  readonly #fullBytes: number
  readonly #hostDelay: HostDelay | null
  #largestRttPs: number | undefined

  constructor(scenario: Scenario, built: BuiltNetwork, random: RandomStreams, choices: Partial<HalfChoices> = {}) {
    const { qp } = scenario
    const recovery = recoveryOf(scenario)
    this.choices = {
      recovery,
      recoveryValues: scenario.recovery,
      timeout: timeoutOf(recovery, scenario.recovery, qp.ackTimeout),
      retryLimit: qp.retryLimit,
      retry: retryOf(qp),
      ackInterval: qp.ackInterval,
      windowBytes: qp.window,
      readAcks: qp.readAcks,
      frames: built.frames,
      ...choices,
    }
    this.#scenario = scenario
    this.#built = built
    this.#random = random
    this.#congestion = congestionOf(scenario)
    this.#needs = neededBy(this.#congestion, scenario.congestion)
    this.#noTimers = new Timers(built.network.fabric.queue, built.network.fabric.memory)
    const { frames, recoveryValues } = this.choices
    this.#hostDelay =
      createHostDelay(qp.hostDelay, 'qp.hostDelay') ?? this.choices.recovery.stack?.(recoveryValues) ?? null
    this.#fullBytes = dataFrameBytes(frames, frames.payloadBytes, 0)
  }

  /** READ responses are acknowledged and timed like all data. */
  get acknowledgesReads(): boolean {
    return this.choices.recovery.acknowledgesReads === true
  }

  /** Data of this kind are acknowledged, by the recovery's rule. */
  isAcknowledged(isRead: boolean): boolean {
    return this.choices.ackInterval > 0 && (!isRead || this.acknowledgesReads)
  }

  /** Deadlines of a receiver; those that set none share one. */
  receiverTimers(isRead: boolean): { readonly timers: Timers; readonly isShared: boolean } {
    const { recovery, timeout } = this.choices
    const hasOwn = (isRead && timeout !== null) || recovery.hasReceiverTimer === true || holdsAcks(this.#scenario)
    return { timers: hasOwn ? this.#newTimers() : this.#noTimers, isShared: !hasOwn }
  }

  senderOptions(direction: Direction): SenderOptions {
    const { isRead } = direction
    const { hostPorts, serialization } = this.#built
    const { qp } = this.#scenario
    const { ackInterval, timeout, frames, windowBytes, retryLimit, retry, readAcks } = this.choices
    const hasAcks = this.isAcknowledged(isRead) || (ackInterval > 0 && readAcks)
    return {
      frames,
      lineRateBps: hostPorts.rateBps(direction),
      serialization,
      timers: this.#newTimers(),
      // Without ACKs a window would never open again.
      windowBytes: hasAcks ? windowBytes : null,
      windowVariable: qp.windowVariable,
      ackInterval: hasAcks ? ackInterval : 0,
      ackTimeoutPs: timeout === null || (isRead && !this.acknowledgesReads) ? null : timeout.firstPs,
      ackTimerFollows: qp.ackTimer === 'packet',
      retryLimit,
      retry,
      ectCapable: this.#needs.ecn === true,
      pacingFixed: qp.pacing === 'fixed',
      echoInAck: qp.ecnEcho === 'ack',
    }
  }

  /** The host stack that packets pass before the wire: the queue pair's, or that of the recovery; null: it takes no time. */
  stackAt(host: number): HostStack | null {
    const delay = this.#hostDelay
    return delay === null ? null : new HostStack(delay, this.#random.stream(`stack/${host}`))
  }

  /** Gives a sender its two schemes, and the stack that it sends through. */
  equip(sender: PacketSpace, direction: Direction, stack: HostStack | null): void {
    const { source, baseRttPs } = direction
    const { qp, congestion } = this.#scenario
    const { recovery, recoveryValues, frames } = this.choices
    const lineRateBps = this.#built.hostPorts.rateBps(direction)
    const { timers } = sender
    // No spread: after one, V8 defines each further field slowly.
    const sending = recovery.createSender(recoveryValues, sender, {
      bdpPackets: this.#bdpPackets(direction),
      hasCwr: this.#needs.cwr === true,
      baseRttPs,
      timers,
      random: () => this.#random.stream(`path/${source}`),
    })
    const ownPackets = bdpPackets(lineRateBps, baseRttPs, this.#fullBytes)
    const start = startOf(recovery, sending, ownPackets)
    sender.equip(
      sending,
      createControl(
        { definition: recovery, values: recoveryValues },
        { definition: this.#congestion, values: congestion },
        {
          lineRateBps,
          payloadBytes: frames.payloadBytes,
          timers,
          sender,
          wholeRates: qp.rateRounding === 'bps',
          baseRttPs,
          bdpPackets: ownPackets,
          startPackets: start.startPackets,
          mostPackets: start.mostPackets,
          startsSlowly: start.startsSlowly,
          packetWireBytes: this.#fullBytes + frames.gapBytes,
          largestRttPs: () => this.#longestRttPs(),
        },
      ),
      stack,
    )
  }

  /** @param timers as receiverTimers() gives them. */
  receiverOptions(direction: Direction, timers: Timers): ReceiverOptions {
    const { isRead } = direction
    const { qp, congestion } = this.#scenario
    const needs = this.#needs
    const { recovery, recoveryValues, timeout, frames, retryLimit, retry, readAcks } = this.choices
    const echoInAck = qp.ecnEcho === 'ack'
    const context: RecoveryContext = { bdpPackets: this.#bdpPackets(direction), hasCwr: needs.cwr === true }
    return {
      recovery: recovery.createReceiver(recoveryValues, timers, context),
      timers,
      payloadBytes: frames.payloadBytes,
      cnpIntervalPs: needs.cnp === true && !echoInAck ? this.#congestion.cnpIntervalPs(congestion) : null,
      echoInAck,
      marksNaks: quirksOf(this.#scenario).marksNaks,
      echoesHops: needs.telemetry === true,
      receiveQueue: qp.receiveQueue,
      repostPs: qp.receiveRepost,
      rnrCode: qp.rnrTimer,
      isReader: isRead,
      acksReads: this.acknowledgesReads || readAcks,
      naksReads: this.acknowledgesReads,
      heldAck: this.#heldAck(),
      readTimeout: isRead ? timeout : null,
      retryLimit,
      retry,
    }
  }

  /** Holds ACKs by the delay of the recovery, or else by the QP's coalescing; null: none are held. */
  #heldAck(): HeldAck | null {
    const { recovery, recoveryValues } = this.choices
    const { ackCoalescing, ackDelay } = this.#scenario.qp
    const urgentEcho = this.#needs.marksAtOnce === true ? ECE : 0
    if (ackCoalescing === 1) return createDelayedAck(recovery, recoveryValues, urgentEcho)
    return new HeldAck({ mostPackets: ackCoalescing, delayPs: ackDelay, urgentEcho })
  }

  /** Full packets that fill the line over the network's longest path and back, for a recovery that is capped by them; else 1. */
  #bdpPackets(direction: Direction): number {
    const { recovery } = this.choices
    const lineRateBps = this.#built.hostPorts.rateBps(direction)
    return bdpPackets(lineRateBps, recovery.isCapped === true ? this.#longestRttPs() : 0, this.#fullBytes)
  }

  #newTimers(): Timers {
    const { fabric } = this.#built.network
    return new Timers(fabric.queue, fabric.memory)
  }

  /** The longest round trip of the network, computed when first needed. */
  #longestRttPs(): number {
    const { payloadBytes } = this.#built.frames
    return (this.#largestRttPs ??= largestRoundTripPs(this.#built, { ...this.choices.frames, payloadBytes }))
  }
}
