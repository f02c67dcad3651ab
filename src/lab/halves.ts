/**
 * Halves: what the sending and the receiving half of a queue pair are made with, as the scenario names it: recovery,
 * congestion control, windows, timeouts, answers. The same for messages of a scenario and for verbs.
 */
import type { RandomStreams } from '../base/random.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { bdpPackets, type CongestionDefinition } from '../transport/congestion/congestion.ts'
import { dataFrameBytes, type FrameSizes } from '../transport/endpoint.ts'
import { HeldAck } from '../transport/held-ack.ts'
import type { PacketSpace } from '../transport/packet-space.ts'
import type { ReceiverOptions } from '../transport/receiver-options.ts'
import { startPackets, timeoutOf, type RecoveryDefinition, type Timeout } from '../transport/recovery/recovery.ts'
import { ECE } from '../transport/segment.ts'
import type { SenderOptions } from '../transport/sender-options.ts'
import { Timers } from '../transport/timers.ts'
import { congestionOf, recoveryOf } from './definitions.ts'
import type { BuiltNetwork } from './network-builder.ts'
import { largestRoundTripPs } from './round-trips.ts'

/** One direction of data. */
export interface Direction {
  /** Position of the host that sends them. */
  readonly source: number
  /** They are READ responses. */
  readonly isRead: boolean
  /** A full packet there and its ACK back, alone in the network; NaN: there is no way. */
  readonly baseRttPs: number
}

/** What may be another thing than the scenario's. */
export interface HalfChoices {
  readonly recovery: RecoveryDefinition
  readonly recoveryValues: unknown
  readonly timeout: Timeout | null
  readonly retryLimit: number | null
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
  /** Receivers that set no deadline share one. */
  readonly #noTimers: Timers
  readonly #fullBytes: number
  #largestRttPs: number | undefined

  constructor(scenario: Scenario, built: BuiltNetwork, random: RandomStreams, choices: Partial<HalfChoices> = {}) {
    const { qp } = scenario
    const recovery = recoveryOf(scenario)
    this.choices = {
      recovery,
      recoveryValues: scenario.recovery,
      timeout: timeoutOf(recovery, scenario.recovery, qp.ackTimeout),
      retryLimit: qp.retryLimit,
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
    this.#noTimers = new Timers(built.network.fabric.queue, built.network.fabric.memory)
    const { frames } = this.choices
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
    const hasOwn =
      (isRead && timeout !== null) || recovery.hasReceiverTimer === true || this.#scenario.qp.ackCoalescing > 1
    return { timers: hasOwn ? this.#newTimers() : this.#noTimers, isShared: !hasOwn }
  }

  senderOptions({ source, isRead }: Direction): SenderOptions {
    const { network, serialization } = this.#built
    const { qp } = this.#scenario
    const { ackInterval, timeout, frames, windowBytes, retryLimit, readAcks } = this.choices
    const hasAcks = this.isAcknowledged(isRead) || (ackInterval > 0 && readAcks)
    return {
      frames,
      lineRateBps: network.nics[source]!.port.rateBps,
      serialization,
      timers: this.#newTimers(),
      // A window over what is not acknowledged would never open again.
      windowBytes: hasAcks ? windowBytes : null,
      windowVariable: qp.windowVariable,
      ackInterval: hasAcks ? ackInterval : 0,
      ackTimeoutPs: timeout === null || (isRead && !this.acknowledgesReads) ? null : timeout.firstPs,
      ackTimerFollows: qp.ackTimer === 'packet',
      retryLimit,
      ectCapable: this.#congestion.needs.ecn === true,
      pacingFixed: qp.pacing === 'fixed',
      echoInAck: qp.ecnEcho === 'ack',
    }
  }

  /** Gives a sender its two schemes. */
  equip(sender: PacketSpace, { source, baseRttPs }: Direction): void {
    const { network } = this.#built
    const { qp, congestion } = this.#scenario
    const { recovery, recoveryValues, frames } = this.choices
    const lineRateBps = network.nics[source]!.port.rateBps
    const { timers } = sender
    // Named one by one: behind a spread each further field costs V8 a slow definition.
    const sending = recovery.createSender(recoveryValues as never, sender, {
      bdpPackets: this.#bdpPackets(source),
      baseRttPs,
      timers,
      random: () => this.#random.stream(`path/${source}`),
    })
    const ownPackets = bdpPackets(lineRateBps, baseRttPs, this.#fullBytes)
    sender.equip(
      sending,
      this.#congestion.create(congestion as never, {
        lineRateBps,
        payloadBytes: frames.payloadBytes,
        timers,
        sender,
        wholeRates: qp.rateRounding === 'bps',
        baseRttPs,
        bdpPackets: ownPackets,
        startPackets: startPackets(sending, ownPackets),
        packetWireBytes: this.#fullBytes + frames.gapBytes,
        largestRttPs: () => this.#longestRttPs(),
      }),
    )
  }

  /** @param timers as receiverTimers() gives them. */
  receiverOptions({ source, isRead }: Direction, timers: Timers): ReceiverOptions {
    const { qp, congestion } = this.#scenario
    const { needs } = this.#congestion
    const { recovery, recoveryValues, timeout, frames, retryLimit, readAcks } = this.choices
    const echoInAck = qp.ecnEcho === 'ack'
    return {
      recovery: recovery.createReceiver(recoveryValues as never, timers, { bdpPackets: this.#bdpPackets(source) }),
      timers,
      payloadBytes: frames.payloadBytes,
      cnpIntervalPs: needs.cnp === true && !echoInAck ? this.#congestion.cnpIntervalPs(congestion as never) : null,
      echoInAck,
      marksNaks: qp.nakMarks,
      echoesHops: needs.telemetry === true,
      receiveQueue: qp.receiveQueue,
      repostPs: qp.receiveRepost,
      rnrCode: qp.rnrTimer,
      isReader: isRead,
      acksReads: this.acknowledgesReads || readAcks,
      naksReads: this.acknowledgesReads,
      heldAck:
        qp.ackCoalescing > 1
          ? new HeldAck({
              mostPackets: qp.ackCoalescing,
              delayPs: qp.ackDelay,
              urgentEcho: needs.marksAtOnce === true ? ECE : 0,
            })
          : null,
      readTimeout: isRead ? timeout : null,
      retryLimit,
    }
  }

  /** Full packets that fill the line over the network's longest path and back, where the recovery asks. */
  #bdpPackets(source: number): number {
    const { recovery } = this.choices
    const lineRateBps = this.#built.network.nics[source]!.port.rateBps
    return bdpPackets(lineRateBps, recovery.isCapped === true ? this.#longestRttPs() : 0, this.#fullBytes)
  }

  #newTimers(): Timers {
    const { fabric } = this.#built.network
    return new Timers(fabric.queue, fabric.memory)
  }

  /** The longest round trip of the network, worked out when it is first asked for. */
  #longestRttPs(): number {
    return (this.#largestRttPs ??= largestRoundTripPs(this.#built))
  }
}
