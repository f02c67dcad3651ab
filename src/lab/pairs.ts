/**
 * Pairs: makes queue pairs, with the recovery and the congestion control the scenario names.
 */
import { NEVER_PS } from '../base/params.ts'
import type { RandomStream, RandomStreams } from '../base/random.ts'
import { QueuePair } from '../fabric/queue-pair.ts'
import { classTable, codepointFor } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { bdpPackets, type CongestionDefinition } from '../transport/congestion/congestion.ts'
import { dataFrameBytes } from '../transport/endpoint.ts'
import { HeldAck } from '../transport/held-ack.ts'
import { startPackets, timeoutOf, type RecoveryDefinition } from '../transport/recovery/recovery.ts'
import { Receiver } from '../transport/receiver.ts'
import { ECE } from '../transport/segment.ts'
import { Sender } from '../transport/sender.ts'
import { Timers } from '../transport/timers.ts'
import { congestionOf, recoveryOf } from './definitions.ts'
import type { BuiltNetwork } from './network-builder.ts'
import { largestRoundTripPs } from './round-trips.ts'

const RANDOM_PORTS_FROM = 49_152
const COUNTED_PORTS_FROM = 10_000
const ROCE_PORT = 4791

export interface PairRequest {
  readonly source: number
  readonly destination: number
  readonly trafficClass: number
  /** -1: as nic.sourcePorts says. */
  readonly sourcePort: number
  /** -1: that of RoCEv2. */
  readonly destinationPort: number
  readonly isRead: boolean
  readonly isOneShot: boolean
  /** A full packet there and its ACK back, alone in the network; NaN: there is no way. */
  readonly baseRttPs: number
}

export class PairMaker {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #random: RandomStreams
  readonly #recovery: RecoveryDefinition
  readonly #congestion: CongestionDefinition
  readonly #nextPort = new Map<number, number>()
  /** By host: draws its source ports. */
  readonly #ports: (RandomStream | undefined)[] = []
  /** Receivers that set no deadline share one. */
  readonly #noTimers: Timers
  readonly #classOf: Uint8Array
  #largestRttPs: number | undefined

  constructor(scenario: Scenario, built: BuiltNetwork, random: RandomStreams) {
    this.#scenario = scenario
    this.#built = built
    this.#random = random
    this.#recovery = recoveryOf(scenario)
    this.#congestion = congestionOf(scenario)
    this.#noTimers = new Timers(built.network.fabric.queue, built.network.fabric.memory)
    this.#classOf = classTable(scenario.classes)
  }

  create(request: PairRequest): QueuePair {
    const { network, frames, serialization, balance, addresses } = this.#built
    const { qp, recovery, congestion } = this.#scenario
    const queue = network.fabric.queue
    const lineRateBps = network.nics[request.source]!.port.rateBps
    const needs = this.#congestion.needs
    const fullBytes = dataFrameBytes(frames, frames.payloadBytes, 0)
    const senderTimers = new Timers(queue, network.fabric.memory)
    const echoInAck = qp.ecnEcho === 'ack'
    const acknowledgesReads = this.#recovery.acknowledgesReads === true
    const isAcknowledged = qp.ackInterval > 0 && (!request.isRead || acknowledgesReads)
    const hasAcks = isAcknowledged || (qp.ackInterval > 0 && qp.readAcks)
    const timeout = timeoutOf(this.#recovery, recovery, qp.ackTimeout)
    const recoveryContext = {
      bdpPackets: bdpPackets(lineRateBps, this.#recovery.isCapped === true ? this.#longestRttPs() : 0, fullBytes),
      ackTimeoutPs: timeout?.firstPs ?? NEVER_PS,
    }
    const sender = new Sender({
      frames,
      lineRateBps,
      serialization,
      timers: senderTimers,
      // A window over what is not acknowledged would never open again.
      windowBytes: hasAcks ? qp.window : null,
      windowVariable: qp.windowVariable,
      ackInterval: hasAcks ? qp.ackInterval : 0,
      ackTimeoutPs: timeout === null || (request.isRead && !acknowledgesReads) ? null : timeout.firstPs,
      ackTimerFollows: qp.ackTimer === 'packet',
      retryLimit: qp.retryLimit,
      ectCapable: needs.ecn === true,
      pacingFixed: qp.pacing === 'fixed',
      echoInAck,
    })
    const sending = this.#recovery.createSender(recovery as never, sender, {
      bdpPackets: recoveryContext.bdpPackets,
      ackTimeoutPs: recoveryContext.ackTimeoutPs,
      baseRttPs: request.baseRttPs,
      timers: senderTimers,
      random: () => this.#random.stream(`path/${request.source}`),
    })
    const ownPackets = bdpPackets(lineRateBps, request.baseRttPs, fullBytes)
    sender.equip(
      sending,
      this.#congestion.create(congestion as never, {
        lineRateBps,
        payloadBytes: frames.payloadBytes,
        timers: senderTimers,
        sender,
        wholeRates: qp.rateRounding === 'bps',
        baseRttPs: request.baseRttPs,
        bdpPackets: ownPackets,
        startPackets: startPackets(sending, ownPackets),
        packetWireBytes: fullBytes + frames.gapBytes,
        largestRttPs: () => this.#longestRttPs(),
      }),
    )
    const holdsAcks = qp.ackCoalescing > 1
    const hasReceiverTimers =
      (request.isRead && timeout !== null) || this.#recovery.hasReceiverTimer === true || holdsAcks
    const receiverTimers = hasReceiverTimers ? new Timers(queue, network.fabric.memory) : this.#noTimers
    const receiver = new Receiver({
      recovery: this.#recovery.createReceiver(recovery as never, receiverTimers, recoveryContext),
      timers: receiverTimers,
      payloadBytes: frames.payloadBytes,
      cnpIntervalPs: needs.cnp === true && !echoInAck ? this.#congestion.cnpIntervalPs(congestion as never) : null,
      echoInAck,
      marksNaks: qp.nakMarks,
      echoesHops: needs.telemetry === true,
      receiveQueue: qp.receiveQueue,
      repostPs: qp.receiveRepost,
      rnrCode: qp.rnrTimer,
      isReader: request.isRead,
      acksReads: acknowledgesReads || qp.readAcks,
      naksReads: acknowledgesReads,
      heldAck: holdsAcks
        ? new HeldAck({
            mostPackets: qp.ackCoalescing,
            delayPs: qp.ackDelay,
            urgentEcho: needs.marksAtOnce === true ? ECE : 0,
          })
        : null,
      readTimeout: request.isRead ? timeout : null,
      retryLimit: qp.retryLimit,
    })
    const destinationPort = request.destinationPort < 0 ? ROCE_PORT : request.destinationPort
    // Drawn or counted in any case, so that a port that is given moves those of no other QP.
    const nextPort = this.#nextSourcePort(request)
    const sourcePort = request.sourcePort < 0 ? nextPort : request.sourcePort
    // Named one by one: behind a spread each further field costs V8 a slow definition.
    const pair = new QueuePair({
      source: request.source,
      destination: request.destination,
      trafficClass: request.trafficClass,
      isRead: request.isRead,
      isOneShot: request.isOneShot,
      id: network.pairs.count,
      sourcePort,
      destinationPort,
      codepoint: codepointFor(this.#classOf, request.trafficClass, 'classes.dscpMap'),
      isAcknowledged,
      sender,
      receiver,
      senderTimers,
      receiverTimers,
      sharesReceiverTimers: !hasReceiverTimers,
    })
    network.pairs.add(pair)
    const sourceAddress = addresses[request.source]!
    const destinationAddress = addresses[request.destination]!
    balance.addFlow(pair.id * 2, { sourceAddress, destinationAddress, sourcePort, destinationPort })
    balance.addFlow(pair.id * 2 + 1, {
      sourceAddress: destinationAddress,
      destinationAddress: sourceAddress,
      sourcePort: destinationPort,
      destinationPort: sourcePort,
    })
    return pair
  }

  /** The longest round trip of the network, worked out when it is first asked for. */
  #longestRttPs(): number {
    return (this.#largestRttPs ??= largestRoundTripPs(this.#built))
  }

  #nextSourcePort(request: PairRequest): number {
    const rule = this.#scenario.nic.sourcePorts
    if (rule === 'random') {
      const { source } = request
      const ports = (this.#ports[source] ??= this.#random.stream(`source-port/${source}`))
      return RANDOM_PORTS_FROM + ports.below(65_536 - RANDOM_PORTS_FROM)
    }
    const key = rule === 'per-pair' ? request.source * 2 ** 20 + request.destination : request.source
    const port = this.#nextPort.get(key) ?? COUNTED_PORTS_FROM
    this.#nextPort.set(key, port + 1)
    return port & 0xffff
  }
}
