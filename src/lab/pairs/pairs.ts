/**
 * Pairs: makes queue pairs, with the recovery and the congestion control the scenario names.
 */
import type { RandomStream, RandomStreams } from '../../core/base/random.ts'
import { pairStacks, QueuePair, type QueuePairOptions } from '../../core/fabric/pairs/queue-pair.ts'
import { codepointFor, hostTable } from '../scenario/class-map.ts'
import { ROCE_PORT } from '../../core/wire/frame.ts'
import { asWorkload, isMixed } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { Receiver } from '../../core/transport/receive/receiver.ts'
import { Sender } from '../../core/transport/send/sender.ts'
import { WatchedReceiver } from '../../core/transport/receive/watched-receiver.ts'
import { WatchedSender } from '../../core/transport/send/watched-sender.ts'
import { type Direction, HalfMaker } from './halves.ts'
import { framesByWorkload, frameSizes } from '../network/frames.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { announce } from './watched-ends.ts'

export const RANDOM_PORTS_FROM = 49_152
const COUNTED_PORTS_FROM = 10_000

interface PortRequest {
  /** Hosts, by index. */
  readonly source: number
  readonly destination: number
  /** -1: as nic.sourcePorts says. */
  readonly sourcePort: number
  /** -1: 4791, RoCEv2's. */
  readonly destinationPort: number
}

interface PairRequest extends Direction, PortRequest {
  /** Index of the workload whose schemes it has; null: it has the scenario's. */
  readonly workload: number | null
  readonly trafficClass: number
  readonly isOneShot: boolean
}

export class PairMaker {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #random: RandomStreams
  #halves!: HalfMaker
  /** By workload. */
  #halvesOf!: readonly HalfMaker[]
  readonly #nextPort = new Map<number, number>()
  /** By host: stream of its source ports. */
  readonly #ports: (RandomStream | undefined)[] = []
  readonly #classOf: Uint8Array

  constructor(scenario: Scenario, built: BuiltNetwork, random: RandomStreams) {
    this.#scenario = scenario
    this.#built = built
    this.#random = random
    this.#classOf = hostTable(scenario)
    this.use(scenario)
  }

  /** Gives queue pairs made from now on the schemes of this scenario. */
  use(scenario: Scenario): void {
    const frames = frameSizes(scenario)
    const framesOf = framesByWorkload(scenario, frames)
    const own = new HalfMaker(scenario, this.#built, this.#random, { frames })
    this.#halves = own
    this.#halvesOf = scenario.workload.map((source, i) => {
      const choices = { frames: framesOf[i]! }
      return isMixed(source) ? new HalfMaker(asWorkload(scenario, i), this.#built, this.#random, choices) : own
    })
  }

  /** Makes a queue pair for messages of the scenario. */
  create(request: PairRequest): QueuePair {
    const halves = request.workload === null ? this.#halves : this.#halvesOf[request.workload]!
    const isWatched = this.#built.pairWatches.length > 0
    const sender = new (isWatched ? WatchedSender : Sender)(halves.senderOptions(request))
    const stack = halves.stackAt(request.source)
    halves.equip(sender, request, stack)
    const { timers, isShared } = halves.receiverTimers(request.isRead)
    const receiver = new (isWatched ? WatchedReceiver : Receiver)(halves.receiverOptions(request, timers))
    const { sourcePort, destinationPort } = this.portsOf(request)
    // No spread: after one, V8 defines each further field slowly.
    const options = {
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
      frames: halves.choices.frames,
      verbs: null,
      sharesReceiverTimers: isShared,
      stacks: pairStacks(stack, halves.stackAt(request.destination)),
    }
    const pair = addPair(this.#built, options, request.home)
    announce(this.#built, pair)
    return pair
  }

  /** UDP ports of a new queue pair. */
  portsOf(request: PortRequest): { readonly sourcePort: number; readonly destinationPort: number } {
    // Drawn or counted in any case, so that a given port does not change the ports of other QPs.
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

/**
 * Makes a queue pair of two halves, numbers it, and registers the tuples of its two directions.
 * @param options with hosts as `source` and `destination`
 * @param home port of the host that opened it, where hosts have several
 * @param isAnswer the destination opened it
 */
export function addPair(
  built: BuiltNetwork,
  options: Omit<QueuePairOptions, 'id'>,
  home = 0,
  isAnswer = false,
): QueuePair {
  const { network, hostPorts } = built
  const id = network.pairs.count
  const pair = new QueuePair(id, options)
  network.pairs.add(pair)
  const { source, destination } = options
  hostPorts.attach(pair, { source, destination, home, isAnswer })
  addTuples(built, pair)
  return pair
}

/** Registers the tuples of both directions of a queue pair, for the ports that it has now. */
export function addTuples({ balance, addresses }: BuiltNetwork, pair: QueuePair): void {
  const { id, source, destination, sourcePort, destinationPort } = pair
  const sourceAddress = addresses[source]!
  const destinationAddress = addresses[destination]!
  balance.addFlow(id * 2, { sourceAddress, destinationAddress, sourcePort, destinationPort })
  balance.addFlow(id * 2 + 1, {
    sourceAddress: destinationAddress,
    destinationAddress: sourceAddress,
    sourcePort: destinationPort,
    destinationPort: sourcePort,
  })
}
