/**
 * Verbs links: connects verbs queue pairs of two hosts by queue pairs of the fabric, with the recovery, the congestion
 * control and the timeouts of the scenario, or those of the connection's values.
 */
import type { RandomStreams } from '../../core/base/random.ts'
import { type PairStacks, pairStacks, type QueuePair as FabricPair } from '../../core/fabric/pairs/queue-pair.ts'
import { VerbsEnd, VerbsPosts } from '../../core/fabric/nic/verbs-end.ts'
import { type VerbsDirection, VerbsPackets } from '../../core/fabric/pairs/verbs-packets.ts'
import { codepointFor, hostTable } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FrameSizes } from '../../core/transport/endpoint.ts'
import type { PacketSpace } from '../../core/transport/send/packet-space.ts'
import type { Receiver } from '../../core/transport/receive/receiver.ts'
import { Timers } from '../../core/transport/timers.ts'
import {
  CONNECTION_DEFAULTS,
  type ConnectionValues,
  LSN_WINDOW_MAX,
  type Mode,
  plainRecovery,
  type QueuePair,
} from '../../core/verbs/index.ts'
import { congestionOf, recoveryOf } from '../network/definitions.ts'
import { type HalfChoices, HalfMaker } from './halves.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { addPair } from './pairs.ts'
import { PathTimes, plainUse } from '../times/path-times.ts'
import { formatOf, type VerbsFrameBytes, verbsFrameBytes, VerbsSchemes } from './verbs-schemes.ts'

/** Values that both ends of a connection share. */
export type SharedValues = Partial<
  Omit<ConnectionValues, 'remoteQp' | 'mtuBytes' | 'sendPsn' | 'receivePsn' | 'schemes'>
>

/** One end of a connection: a queue pair of a host's device. */
export interface LinkEnd {
  /** Index of the host. */
  readonly host: number
  readonly pair: QueuePair
}

/** How the packets of a link travel. */
interface LinkPath {
  readonly trafficClass: number
  /** From the first end to the second; swapped in the other direction. */
  readonly sourcePort: number
  readonly destinationPort: number
  /** False: only the first end posts work requests. */
  readonly isTwoWay: boolean
  /** False: no READs and no atomics. */
  readonly hasReads: boolean
}

/** A path with the ports and host stacks of both ends. */
interface LaidPath extends LinkPath {
  /** Port of both ends, where hosts have several. */
  readonly home: number
  readonly stacks: PairStacks | null
  /** Format of packets. */
  readonly format: number
}

/** The queue pairs of the fabric that carry the requests of the first end, and the responses to them. */
export interface Link {
  readonly requests: FabricPair
  /** null: no READs and no atomics. */
  readonly responses: FabricPair | null
}

interface VerbsLinksOptions {
  readonly scenario: Scenario
  readonly built: BuiltNetwork
  readonly frames: FrameSizes
  readonly random: RandomStreams
  readonly mtuBytes: number
  /** False: payload is counted and never moved. */
  readonly hasPayload: boolean
  /** Called after each event of a queue pair. */
  readonly onActivity: (nowPs: number, pair: QueuePair) => void
}

export class VerbsLinks {
  /** irn: the scenario's recovery accepts packets out of order; roce: in order only. */
  readonly mode: Mode
  /** The congestion control's window counts bytes: RoCE packets carry byte sequence numbers ([LDCP] 3.1), else null. */
  readonly lsnWindowBytes: number | null
  readonly #options: VerbsLinksOptions
  readonly #packets: VerbsPackets
  readonly #posts: VerbsPosts
  readonly #paths: PathTimes
  readonly #classOf: Uint8Array
  readonly #ends = new Map<QueuePair, VerbsEnd>()
  /** By format: connections share them, so that a packet finds them in the nearest cache. */
  readonly #frameBytes: VerbsFrameBytes[] = []
  /** Halves of connections with the scenario's recovery, made with the first of them. */
  #halves: HalfMaker | null = null

  constructor(options: VerbsLinksOptions) {
    const { scenario, built, frames, mtuBytes, hasPayload } = options
    const { network } = built
    this.#options = options
    this.#packets = new VerbsPackets(
      hasPayload ? mtuBytes : 0,
      network.fabric.memory,
      network.fabric.telemetry !== null,
    )
    this.#posts = new VerbsPosts(network)
    this.#paths = new PathTimes(built, plainUse(scenario, frames))
    this.#classOf = hostTable(scenario)
    this.mode = modeOf(scenario)
    const hasLsn = this.mode === 'roce' && congestionOf(scenario).countsBytes?.(scenario.congestion) === true
    this.lsnWindowBytes = hasLsn ? LSN_WINDOW_MAX : null
  }

  /** Frame sizes of connections with these values. */
  frameBytes(values: Pick<ConnectionValues, 'mode' | 'lsnWindowBytes'>): VerbsFrameBytes {
    const { scenario, frames } = this.#options
    return (this.#frameBytes[formatOf(values)] ??= verbsFrameBytes(scenario, frames, values))
  }

  /**
   * Brings two queue pairs, which are new or reset, to "ready to send" against each other. Values that
   * are left out are CONNECTION_DEFAULTS; without a mode, recovery and timeouts are the scenario's.
   */
  connect(a: LinkEnd, b: LinkEnd, values: SharedValues, path: LinkPath): Link {
    const { scenario, built, mtuBytes } = this.#options
    const { nowPs } = built.network.fabric.queue
    const own = values.mode === undefined ? { mode: this.mode, lsnWindowBytes: this.lsnWindowBytes } : {}
    const shared = { ...CONNECTION_DEFAULTS, mode: this.mode, mtuBytes, ...own, ...values }
    const frameBytes = this.frameBytes(shared)
    const halves =
      values.mode === undefined ? (this.#halves ??= this.#newHalves({})) : this.#newHalves(choicesOf(shared))
    const { ackAtHost, ackAtSwitch } = scenario.classes
    // ACKs in a class of their own may overtake READ responses.
    const isInOrder = shared.mode === 'roce' && ackAtHost === null && ackAtSwitch === null
    const { rnrTimerCode } = shared
    const home = built.hostPorts.nextHome(a.host)
    const [stackA, stackB] = [halves.stackAt(a.host), halves.stackAt(b.host)]
    for (const [{ host, pair }, other, stack] of [
      [a, b, stackA],
      [b, a, stackB],
    ] as const) {
      const { baseRttPs } = this.#paths.between(host, other.host, home, host !== a.host)
      const schemes = new VerbsSchemes({
        halves,
        frameBytes,
        host,
        otherHost: other.host,
        home,
        isAnswer: host !== a.host,
        baseRttPs,
        isInOrder,
        isWatched: built.pairWatches.length > 0,
        rnrTimerCode,
        stack,
      })
      pair.modify(nowPs, 'init')
      pair.modify(nowPs, 'ready to receive', { ...shared, remoteQp: other.pair.number, schemes })
    }
    const link = this.#join(a, b, frameBytes, {
      ...path,
      home,
      stacks: pairStacks(stackA, stackB),
      format: formatOf(shared),
    })
    for (const { pair } of [a, b]) pair.modify(nowPs, 'ready to send')
    return link
  }

  /** Lets all queue pairs send work requests that were posted since the last event. */
  wake(): void {
    for (const end of this.#ends.values()) end.look()
  }

  #newHalves(choices: Partial<HalfChoices>): HalfMaker {
    const { scenario, built, frames, random, mtuBytes } = this.#options
    return new HalfMaker(scenario, built, random, { frames: { ...frames, payloadBytes: mtuBytes }, ...choices })
  }

  /** Makes the fabric's queue pairs between two ends that are ready to receive. */
  #join(a: LinkEnd, b: LinkEnd, frameBytes: VerbsFrameBytes, path: LaidPath): Link {
    const [atA, atB] = [this.#endOf(a), this.#endOf(b)]
    const lay = (isForward: boolean, isRead: boolean): FabricPair => {
      const [from, to, near, far] = isForward ? ([a, b, atA, atB] as const) : ([b, a, atB, atA] as const)
      const verbs: VerbsDirection = {
        packets: this.#packets,
        format: path.format,
        near,
        far,
        frameBytes,
        nearPair: near.pair,
        farPair: far.pair,
        hasReads: path.hasReads,
      }
      const { trafficClass, sourcePort, destinationPort, stacks } = path
      const options = {
        source: from.host,
        destination: to.host,
        trafficClass,
        isRead,
        isOneShot: false,
        sourcePort: isForward ? sourcePort : destinationPort,
        destinationPort: isForward ? destinationPort : sourcePort,
        codepoint: codepointFor(this.#classOf, trafficClass, 'classes.data'),
        isAcknowledged: true,
        sender: (isRead ? from.pair.responder.responses : from.pair.requester) as PacketSpace,
        receiver: (isRead ? to.pair.requester.reads : to.pair.responder) as Receiver,
        frames: this.#options.frames,
        verbs,
        sharesReceiverTimers: true,
        stacks: stacks === null || isForward ? stacks : { source: stacks.destination, destination: stacks.source },
      }
      return addPair(this.#options.built, options, path.home, !isForward)
    }
    const requests = lay(true, false)
    const theirRequests = path.isTwoWay ? lay(false, false) : null
    const responses = path.hasReads ? lay(false, true) : null
    const theirResponses = path.isTwoWay && path.hasReads ? lay(true, true) : null
    atA.join({ sends: [requests, theirResponses], receives: [theirRequests, responses] })
    atB.join({ sends: [theirRequests, responses], receives: [requests, theirResponses] })
    return { requests, responses }
  }

  /** A queue pair that was connected before leaves its old halves; packets in flight to those are ignored. */
  #endOf({ pair }: LinkEnd): VerbsEnd {
    this.#ends.get(pair)?.leave()
    const { built, onActivity } = this.#options
    const end = new VerbsEnd({ pair, nics: built.network.nics, posts: this.#posts, onActivity })
    this.#ends.set(pair, end)
    return end
  }
}

/** irn: the scenario's recovery accepts packets out of order; roce: in order only. */
export function modeOf(scenario: Scenario): Mode {
  const timers = new Timers({ draw: () => 0 })
  const receiver = recoveryOf(scenario).createReceiver(scenario.recovery, timers, {
    bdpPackets: 1,
    hasCwr: false,
  })
  return receiver.isReordering ? 'irn' : 'roce'
}

/** Recovery and timeouts of a connection that names its own mode. */
function choicesOf(values: Omit<ConnectionValues, 'remoteQp'>): Partial<HalfChoices> {
  const { definition, values: recoveryValues, timeoutPs } = plainRecovery(values)
  return {
    recovery: definition,
    recoveryValues,
    timeout: timeoutPs === null ? null : { firstPs: timeoutPs, mostPs: timeoutPs },
    retryLimit: values.retryLimit,
    retry: null,
    ackInterval: values.ackInterval,
    windowBytes: values.lsnWindowBytes,
    readAcks: values.lsnWindowBytes !== null,
  }
}
