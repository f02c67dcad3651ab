/**
 * Work link: a verbs queue pair that workloads post on, with the messages that wait for room in its send queue; and the
 * state that links of workloads with the same schemes share.
 */
import type { QueuePair as FabricPair } from '../../core/fabric/pairs/queue-pair.ts'
import type { WatchedEnds } from '../../core/fabric/watch.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FrameSizes } from '../../core/transport/endpoint.ts'
import type { CompletionQueue, QueuePair } from '../../core/verbs/index.ts'
import type { Operation } from '../../core/workload/workload.ts'
import type { PathTimes } from '../times/path-times.ts'
import type { VerbsLinks } from '../pairs/verbs-links.ts'

/** A message that waits for room in the send queue. */
export interface Waiting {
  readonly operation: Operation
  readonly sizeBytes: number
}

/** A verbs queue pair that workloads post on, and the other end. */
export class WorkLink {
  readonly schemes: WorkSchemes
  readonly posting: QueuePair
  readonly other: QueuePair
  /** The fabric's queue pair that carries the data. */
  readonly data: FabricPair
  readonly host: number
  readonly otherHost: number
  readonly sent: CompletionQueue
  readonly received: CompletionQueue
  readonly isAnswered: boolean
  /** Halves that carry the data, where observers look at them. */
  readonly ends: WatchedEnds | null
  /** Messages that the posting core of the host has not posted yet. */
  coming = 0
  readonly waiting: Waiting[] = []
  /** Work requests posted; the number of the next. */
  posted = 0
  /** Work requests posted since the last signalled one. */
  unsignalled = 0
  isFailed = false
  /** The other end has posted its first Receive WQEs. */
  hasReceives = false
  /** It posts at the end of this instant. */
  isGathering = false

  constructor(
    options: Pick<
      WorkLink,
      'schemes' | 'posting' | 'other' | 'data' | 'host' | 'otherHost' | 'sent' | 'received' | 'isAnswered' | 'ends'
    >,
  ) {
    this.schemes = options.schemes
    this.posting = options.posting
    this.other = options.other
    this.data = options.data
    this.host = options.host
    this.otherHost = options.otherHost
    this.sent = options.sent
    this.received = options.received
    this.isAnswered = options.isAnswered
    this.ends = options.ends
  }

  get isIdle(): boolean {
    return !this.isFailed && this.coming + this.waiting.length === 0 && this.posted === this.data.messagesAcknowledged
  }
}

/** State that links of workloads with the same schemes share. */
export class WorkSchemes {
  /** The scenario, with these schemes for all. */
  readonly scenario: Scenario
  readonly frames: FrameSizes
  readonly links: VerbsLinks
  readonly paths: PathTimes
  readonly repostActor: number
  /** Receive WQEs to be reposted, in the order of their times: all have the same delay. */
  readonly reposts: { readonly atPs: number; readonly link: WorkLink }[] = []

  constructor(options: Pick<WorkSchemes, 'scenario' | 'frames' | 'links' | 'paths' | 'repostActor'>) {
    this.scenario = options.scenario
    this.frames = options.frames
    this.links = options.links
    this.paths = options.paths
    this.repostActor = options.repostActor
  }
}
