/**
 * Work requests: messages of workloads on verbs queue pairs, as an application posts them: up to `verbs.sendDepth` Request
 * WQEs at a time, Receive WQEs reposted when used, every `verbs.signalEvery`-th work request signalled.
 * A message is delivered when it and all before it are at the receiver of the data, and acknowledged with the CQE that
 * covers it at the end that posted it.
 * Units: picoseconds, bytes; bytes are counted and not moved.
 */
import { inputError } from '../../core/base/issue.ts'
import type { RandomStreams } from '../../core/base/random.ts'
import { formatQuantity } from '../../core/base/units.ts'
import type { CompletionSink, QueuePair as FabricPair } from '../../core/fabric/pairs/queue-pair.ts'
import { PortClasses } from '../scenario/class-map.ts'
import { asWorkload, isMixed } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FrameSizes } from '../../core/transport/endpoint.ts'
import {
  Completion,
  CompletionQueue,
  consumesReceive,
  MESSAGE_BYTES_MAX,
  PSNS_MAX,
  type QueuePair,
  type Status,
  SUCCESS,
} from '../../core/verbs/index.ts'
import { isAnswered, type Message, type Operation } from '../../core/workload/workload.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import type { PairMaker } from '../pairs/pairs.ts'
import { announce } from '../pairs/watched-ends.ts'
import { PathKinds } from '../times/path-kinds.ts'
import { PathTimes } from '../times/path-times.ts'
import { type VerbsConnection, verbsConnection } from './verbs-connection.ts'
import { VerbsLinks } from '../pairs/verbs-links.ts'
import { OPERATION_OF, workUse } from './work-frames.ts'
import { WorkHosts } from './work-hosts.ts'
import { type Waiting, WorkLink, WorkSchemes } from './work-link.ts'

/** Observer of completions that also learns the status with which a queue pair failed. */
export interface WorkSink extends CompletionSink {
  onFailed(nowPs: number, pair: FabricPair, status?: Status): void
}

export class WorkRequests {
  /** All connections, for the laws. */
  readonly connections: VerbsConnection[] = []
  readonly #scenario: Scenario
  readonly #classes: PortClasses
  readonly #built: BuiltNetwork
  readonly #ports: PairMaker
  readonly #sink: WorkSink
  readonly #hosts: WorkHosts
  readonly #byPair = new Map<QueuePair, WorkLink>()
  readonly #byData = new Map<FabricPair, WorkLink>()
  /** Links that messages without a connection share, by key, with the round-robin pointer `next`. */
  readonly #pools = new Map<string, { readonly links: WorkLink[]; next: number }>()
  readonly #completion = new Completion()
  /** Links that post at the end of this instant. */
  readonly #gathering: WorkLink[] = []
  readonly #gatherActor: number
  /** By workload. */
  readonly #schemes: readonly WorkSchemes[]

  constructor(scenario: Scenario, built: BuiltNetwork, random: RandomStreams, ports: PairMaker, sink: WorkSink) {
    const { network, frames } = built
    this.#scenario = scenario
    this.#classes = new PortClasses(scenario)
    this.#built = built
    this.#ports = ports
    this.#sink = sink
    this.#hosts = new WorkHosts(scenario.verbs, network.fabric.queue)
    const kinds = new PathKinds(built, 'best')
    const linksWith = (seen: Scenario, ofThese: FrameSizes): VerbsLinks =>
      new VerbsLinks({
        scenario: seen,
        built,
        frames: ofThese,
        random,
        mtuBytes: frames.payloadBytes,
        hasPayload: false,
        onActivity: (nowPs, pair) => {
          const link = this.#byPair.get(pair)
          if (link !== undefined) this.#look(nowPs, link)
        },
      })
    const schemesWith = (seen: Scenario, ofThese: FrameSizes, links: VerbsLinks): WorkSchemes => {
      const its = { scenario: seen, frames: ofThese, links }
      const schemes = new WorkSchemes({
        ...its,
        paths: new PathTimes(built, workUse(its), kinds),
        repostActor: network.addActor({ onEvent: (nowPs) => this.#postReceives(nowPs, schemes) }),
      })
      return schemes
    }
    const links = linksWith(scenario, frames)
    this.#gatherActor = network.addActor({ onEvent: (nowPs) => this.#postGathered(nowPs) })
    const own = schemesWith(scenario, frames, links)
    this.#schemes = scenario.workload.map((source, i) => {
      if (!isMixed(source)) return own
      const seen = asWorkload(scenario, i)
      return schemesWith(seen, built.framesOf[i]!, linksWith(seen, built.framesOf[i]!))
    })
  }

  /** Path times of a workload's messages. */
  pathsOf(workload: number): PathTimes {
    return this.#schemes[workload]!.paths
  }

  /** Whether the queue pair carries work requests. */
  isOf(pair: FabricPair): boolean {
    return this.#byData.has(pair)
  }

  /** Makes a queue pair for such messages of a workload. Returns the fabric's queue pair that carries their data. */
  create(workload: number, m: Message): FabricPair {
    const link = this.#connect(this.#schemes[workload]!, m)
    return link.data
  }

  /**
   * A queue pair for a message without a connection: one that is idle, or the next of `verbs.queuePairs`; null: there is
   * none yet.
   * @param key names the messages that may share queue pairs
   */
  pooled(key: string): FabricPair | null {
    const pool = this.#pools.get(key)
    if (pool === undefined) return null
    const { queuePairs } = this.#scenario.verbs
    if (queuePairs === null) return pool.links.find((link) => link.isIdle)?.data ?? null
    if (pool.links.length < queuePairs) return null
    return pool.links[pool.next++ % pool.links.length]!.data
  }

  /** Adds a queue pair to the pool of `key`. */
  pool(key: string, data: FabricPair): void {
    const link = this.#byData.get(data)!
    const pool = this.#pools.get(key)
    if (pool === undefined) this.#pools.set(key, { links: [link], next: 0 })
    else pool.links.push(link)
  }

  /** A message comes for a queue pair that create() gave, and is posted now or later. */
  announce(data: FabricPair): void {
    const link = this.#byData.get(data)!
    link.coming++
    link.ends?.sender.watch?.onQueued()
  }

  /** Posts a message that was announced. */
  post(nowPs: number, data: FabricPair, operation: Operation, sizeBytes: number): void {
    const link = this.#byData.get(data)!
    link.coming--
    link.waiting.push({ operation, sizeBytes })
    if (this.#scenario.verbs.signalEvery === 1) this.#postWaiting(nowPs, link)
    else if (!link.isGathering) {
      link.isGathering = true
      if (this.#gathering.push(link) === 1) this.#built.network.actAt(nowPs, this.#gatherActor)
    }
  }

  #postGathered(nowPs: number): void {
    for (const link of this.#gathering.splice(0)) {
      link.isGathering = false
      this.#postWaiting(nowPs, link)
    }
  }

  /** Posts as many as there is room for. The last of them is signalled, as no other may follow. */
  #postWaiting(nowPs: number, link: WorkLink): void {
    const { sendDepth, signalEvery } = this.#scenario.verbs
    const { waiting, posting } = link
    let posted = 0
    while (posted < waiting.length && posting.outstanding < sendDepth) {
      const isLast = posted === waiting.length - 1 || posting.outstanding === sendDepth - 1
      const isSignalled = isLast || link.unsignalled + 1 >= signalEvery
      link.unsignalled = isSignalled ? 0 : link.unsignalled + 1
      this.#postOne(nowPs, link, waiting[posted]!, !isSignalled)
      posted++
    }
    waiting.splice(0, posted)
  }

  #postOne(nowPs: number, link: WorkLink, { operation, sizeBytes }: Waiting, isUnsignalled: boolean): void {
    const number = link.posted++
    if (!link.hasReceives && takesReceive(operation)) this.#postFirstReceives(link)
    const local = this.#hosts.at(link.host).region
    const remote = this.#hosts.at(link.otherHost).region
    link.posting.postSend(nowPs, {
      id: number,
      operation: OPERATION_OF[operation],
      region: local,
      address: local.address,
      lengthBytes: sizeBytes,
      remoteAddress: remote.address,
      remoteKey: remote.key,
      immediate: number & 0x7fffffff,
      // Each such SEND invalidates a key, which must exist before.
      invalidateKey: operation === 'send-invalidate' ? this.#hosts.keyFor(link.otherHost) : 0,
      compare: 0n,
      swap: 1n,
      isUnsignalled,
    })
  }

  /** Polls completions, and posts messages that there is room for now. */
  #look(nowPs: number, link: WorkLink): void {
    const { data, posting, other, sent, received } = link
    const completion = this.#completion
    const done = link.isAnswered ? posting.requester.reads.done : other.responder.msn
    while (data.messagesDelivered < done) this.#sink.onDelivered(nowPs, data, data.messagesDelivered++)
    while (received.poll(completion)) if (completion.status === SUCCESS) this.#receiveAgain(nowPs, link)
    while (sent.poll(completion)) {
      if (completion.status === SUCCESS) {
        while (data.messagesAcknowledged <= completion.id)
          this.#sink.onAcknowledged(nowPs, data, data.messagesAcknowledged++)
      } else if (!link.isFailed) {
        link.isFailed = true
        this.#sink.onFailed(nowPs, data, completion.status)
      }
    }
    if (link.waiting.length > 0 && !link.isGathering) this.#postWaiting(nowPs, link)
  }

  #receiveAgain(nowPs: number, link: WorkLink): void {
    const { scenario, reposts, repostActor } = link.schemes
    const { receiveRepost } = scenario.qp
    if (receiveRepost === 0) {
      this.#hosts.receive(link.other, link.otherHost)
      return
    }
    reposts.push({ atPs: nowPs + receiveRepost, link })
    this.#built.network.actAt(nowPs + receiveRepost, repostActor)
  }

  #postReceives(nowPs: number, { reposts }: WorkSchemes): void {
    while (reposts.length > 0 && reposts[0]!.atPs <= nowPs) {
      const { link } = reposts.shift()!
      this.#hosts.receive(link.other, link.otherHost)
    }
  }

  /** Called before the first message that consumes one; an application whose messages consume none posts none. */
  #postFirstReceives(link: WorkLink): void {
    link.hasReceives = true
    if (this.#hosts.at(link.otherHost).shared !== null) return
    for (let k = 0; k < this.#scenario.verbs.receives; k++) this.#hosts.receive(link.other, link.otherHost)
  }

  #connect(schemes: WorkSchemes, m: Message): WorkLink {
    const hasAnswer = isAnswered(m.operation)
    const { verbs, qp } = schemes.scenario
    const [host, otherHost] = hasAnswer ? [m.destination, m.source] : [m.source, m.destination]
    // Large enough that no CQE is lost: a message has one at most.
    const [sent, received] = [
      new CompletionQueue(2 * verbs.sendDepth),
      new CompletionQueue(this.#hosts.receiveDepth + 1),
    ]
    const posting = this.#hosts.newPair(host, sent, sent, verbs.sendDepth, 1)
    const other = this.#hosts.newPair(otherHost, received, received, 1, Math.max(1, verbs.receives))
    const { sourcePort, destinationPort } = this.#ports.portsOf({
      source: host,
      destination: otherHost,
      sourcePort: m.sourcePort,
      destinationPort: m.destinationPort,
    })
    const link = schemes.links.connect(
      { host, pair: posting },
      { host: otherHost, pair: other },
      {
        readsOut: verbs.reads,
        readsIn: verbs.reads,
        ackInterval: Math.max(1, qp.ackInterval),
        retryLimit: qp.retryLimit,
        rnrRetryLimit: verbs.rnrRetryLimit,
        rnrTimerCode: qp.rnrTimer,
        capPackets: PSNS_MAX,
        hasCredits: verbs.credits,
        initialCredits: verbs.receives,
      },
      {
        trafficClass: m.trafficClass < 0 ? this.#classes.of(m.destinationPort) : m.trafficClass,
        sourcePort,
        destinationPort,
        isTwoWay: false,
        hasReads: hasAnswer,
      },
    )
    const data = hasAnswer ? link.responses! : link.requests
    const ends = announce(this.#built, data)
    const made = new WorkLink({
      schemes,
      posting,
      other,
      data,
      host,
      otherHost,
      sent,
      received,
      ends,
      isAnswered: hasAnswer,
    })
    this.#byPair.set(posting, made)
    this.#byPair.set(other, made)
    this.#byData.set(data, made)
    this.connections.push(verbsConnection(posting, other))
    return made
  }
}

/** The operation consumes a Receive WQE of the other end. */
function takesReceive(operation: Operation): boolean {
  return consumesReceive(OPERATION_OF[operation])
}

/** @throws InputError for a message that no work request can be. */
export function expectWork(path: string, { sizeBytes }: Message): void {
  if (sizeBytes <= MESSAGE_BYTES_MAX) return
  const most = formatQuantity('size', MESSAGE_BYTES_MAX)
  throw inputError(path, `work requests of at most ${most}`, formatQuantity('size', sizeBytes), 'cut it into several')
}
