/**
 * Pairs: makes queue pairs, with the recovery and the congestion control the scenario names.
 */
import type { RandomStream, RandomStreams } from '../base/random.ts'
import { QueuePair, type QueuePairOptions } from '../fabric/queue-pair.ts'
import { classTable, codepointFor } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { Receiver } from '../transport/receiver.ts'
import { Sender } from '../transport/sender.ts'
import { type Direction, HalfMaker } from './halves.ts'
import type { BuiltNetwork } from './network-builder.ts'

export const RANDOM_PORTS_FROM = 49_152
const COUNTED_PORTS_FROM = 10_000
export const ROCE_PORT = 4791

export interface PortRequest {
  /** Positions of hosts. */
  readonly source: number
  readonly destination: number
  /** -1: as nic.sourcePorts says. */
  readonly sourcePort: number
  /** -1: that of RoCEv2. */
  readonly destinationPort: number
}

export interface PairRequest extends Direction, PortRequest {
  readonly trafficClass: number
  readonly isOneShot: boolean
}

export class PairMaker {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #random: RandomStreams
  readonly #halves: HalfMaker
  readonly #nextPort = new Map<number, number>()
  /** By host: draws its source ports. */
  readonly #ports: (RandomStream | undefined)[] = []
  readonly #classOf: Uint8Array

  constructor(scenario: Scenario, built: BuiltNetwork, random: RandomStreams) {
    this.#scenario = scenario
    this.#built = built
    this.#random = random
    this.#halves = new HalfMaker(scenario, built, random)
    this.#classOf = classTable(scenario.classes)
  }

  /** A queue pair of a scenario's messages. */
  create(request: PairRequest): QueuePair {
    const halves = this.#halves
    const sender = new Sender(halves.senderOptions(request))
    halves.equip(sender, request)
    const { timers, isShared } = halves.receiverTimers(request.isRead)
    const receiver = new Receiver(halves.receiverOptions(request, timers))
    const { sourcePort, destinationPort } = this.portsOf(request)
    // Named one by one: behind a spread each further field costs V8 a slow definition.
    return addPair(this.#built, {
      source: request.source,
      destination: request.destination,
      trafficClass: request.trafficClass,
      isRead: request.isRead,
      isOneShot: request.isOneShot,
      sourcePort,
      destinationPort,
      codepoint: codepointFor(this.#classOf, request.trafficClass, 'classes.dscpMap'),
      isAcknowledged: halves.isAcknowledged(request.isRead),
      sender,
      receiver,
      verbs: null,
      sharesReceiverTimers: isShared,
    })
  }

  /** UDP ports of a new queue pair. */
  portsOf(request: PortRequest): { readonly sourcePort: number; readonly destinationPort: number } {
    // Drawn or counted in any case, so that a port that is given moves those of no other QP.
    const nextPort = this.#nextSourcePort(request)
    return {
      sourcePort: request.sourcePort < 0 ? nextPort : request.sourcePort,
      destinationPort: request.destinationPort < 0 ? ROCE_PORT : request.destinationPort,
    }
  }

  #nextSourcePort(request: PortRequest): number {
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

/** Makes a queue pair of two halves, gives it the next number, and its flows their tuples. */
export function addPair(
  { network, balance, addresses }: BuiltNetwork,
  options: Omit<QueuePairOptions, 'id'>,
): QueuePair {
  const id = network.pairs.count
  const pair = new QueuePair(id, options)
  network.pairs.add(pair)
  const { source, destination, sourcePort, destinationPort } = options
  const sourceAddress = addresses[source]!
  const destinationAddress = addresses[destination]!
  balance.addFlow(id * 2, { sourceAddress, destinationAddress, sourcePort, destinationPort })
  balance.addFlow(id * 2 + 1, {
    sourceAddress: destinationAddress,
    destinationAddress: sourceAddress,
    sourcePort: destinationPort,
    destinationPort: sourcePort,
  })
  return pair
}
