/**
 * HOT. Verbs at NICs: a verbs queue pair sends and receives through queue pairs of the fabric, one for each direction of
 * requests and one for each of READ responses; NICs, switches and observers see only these. After one half has received
 * something, the verbs end brings the other halves up to date and notifies the application.
 * Units: picoseconds, bytes.
 */
import type { QueuePair as VerbsQueuePair } from '../../verbs/index.ts'
import type { DeviceNetwork } from '../fabric.ts'
import type { Nic } from './nic.ts'
import type { QueuePair } from '../pairs/queue-pair.ts'
import type { VerbsSide } from '../pairs/verbs-packets.ts'
import type { Actor } from '../watch.ts'

/** Ethernet with FCS, IPv4, UDP and ICRC around what packetBytes() counts. */
export const AROUND_BYTES: number = 18 + 20 + 8 + 4
/** BTH and the longest headers behind it. */
const HEADERS_BYTES_MAX = 64

/** The longest frame of queue pairs with this MTU, whatever else frames carry. */
export function verbsFrameLimit(mtuBytes: number): number {
  return mtuBytes + HEADERS_BYTES_MAX + AROUND_BYTES
}

/** Queue pairs of the fabric that one end of a connection takes part in; null: nobody uses that direction. */
export interface VerbsHalves {
  /** Sending: its requests, and responses to the peer's requests. */
  readonly sends: readonly [requests: QueuePair | null, responses: QueuePair | null]
  /** Receiving: the peer's requests, and responses to its own. */
  readonly receives: readonly [requests: QueuePair | null, responses: QueuePair | null]
}

/** Runs the ends of verbs queue pairs to which work was posted, at the same instant and after the event in progress. */
export class VerbsPosts implements Actor {
  private readonly network: DeviceNetwork
  private readonly actor: number
  private readonly waiting: VerbsEnd[] = []

  constructor(network: DeviceNetwork) {
    this.network = network
    this.actor = network.addActor(this)
  }

  add(end: VerbsEnd): void {
    if (this.waiting.push(end) === 1) this.network.actAt(this.network.fabric.queue.nowPs, this.actor)
  }

  onEvent(nowPs: number): void {
    const { waiting } = this
    // An end may post more, which is appended to the list.
    for (let k = 0; k < waiting.length; k++) waiting[k]!.follow(nowPs, NOWHERE)
    waiting.length = 0
  }
}

export interface VerbsEndOptions {
  readonly pair: VerbsQueuePair
  /** NICs of all hosts, by endpoint. */
  readonly nics: readonly Nic[]
  readonly posts: VerbsPosts
  /** Called after the state of the queue pair has changed. */
  readonly onActivity: (nowPs: number, pair: VerbsQueuePair) => void
}

/** Endpoint of an update that no packet and no deadline has caused. */
const NOWHERE = -1

/**
 * One end of a connection, at its NIC or, where its host has several ports, at all of them: as for messages, ACKs, NAKs and
 * READ requests leave by the port at which a packet has arrived, a deadline has passed or a response has left, and
 * those that are owed without such a cause by the port at which the direction's data arrive while nothing is down.
 */
export class VerbsEnd implements VerbsSide {
  readonly pair: VerbsQueuePair
  private readonly nics: readonly Nic[]
  private readonly posts: VerbsPosts
  private readonly onActivity: VerbsEndOptions['onActivity']
  private halves: VerbsHalves | null = null
  private isWaiting = false
  private isNotifying = false
  private hasPosted = false

  constructor(options: VerbsEndOptions) {
    this.pair = options.pair
    this.nics = options.nics
    this.posts = options.posts
    this.onActivity = options.onActivity
  }

  /** Connects it through these queue pairs. */
  join(halves: VerbsHalves): void {
    this.halves = halves
    this.pair.driver = this
  }

  /** Disconnects it: packets that are still in flight here are ignored. */
  leave(): void {
    this.halves = null
  }

  /** Work was posted, by a callback of any host or by a program between two slices of the run. */
  onPosted(): void {
    // Work that is posted from a callback of this end is sent after the callback.
    this.hasPosted = this.pair.hasUpdates = true
    if (!this.isNotifying) this.look()
  }

  /** Schedules `follow` for this instant, after the port's current action. */
  look(): void {
    if (this.isWaiting || this.halves === null) return
    this.isWaiting = true
    this.posts.add(this)
  }

  /**
   * A half has received something, its deadline has passed, or work was posted: updates the other halves and notifies the
   * application. The port may have something to send afterwards.
   */
  follow(nowPs: number, endpoint: number): void {
    this.isWaiting = false
    const { halves, pair } = this
    if (halves === null) return
    pair.onProcessed(nowPs)
    this.bringUpToDate(halves, endpoint)
    if (pair.hasUpdates) this.notify(nowPs, halves, endpoint)
    if (endpoint === NOWHERE) this.kick(halves, NOWHERE)
  }

  /** A request or response of this end has left. */
  onSent(endpoint: number): void {
    const { halves, pair } = this
    if (halves === null) return
    const { state } = pair
    // An ACK may have waited for it, and must not overtake it.
    const [requests] = halves.receives
    if (requests !== null && requests.receiver.owes !== 0) this.nics[endpoint]!.answer(requests)
    if (pair.state !== state) this.look()
  }

  /** Calls the application, which may post work. */
  private notify(nowPs: number, halves: VerbsHalves, endpoint: number): void {
    const { pair } = this
    pair.hasUpdates = false
    this.isNotifying = true
    this.hasPosted = false
    try {
      this.onActivity(nowPs, pair)
    } finally {
      this.isNotifying = false
    }
    if (!this.hasPosted) return
    this.bringUpToDate(halves, NOWHERE)
    if (endpoint !== NOWHERE) this.kick(halves, endpoint)
  }

  private bringUpToDate({ sends, receives }: VerbsHalves, endpoint: number): void {
    const [requests, responses] = sends
    const [theirRequests, theirResponses] = receives
    if (theirRequests !== null) this.receiverAt(theirRequests, endpoint).answer(theirRequests)
    if (theirResponses !== null) this.receiverAt(theirResponses, endpoint).answer(theirResponses)
    if (requests !== null) this.nics[requests.source]!.enlist(requests)
    if (responses !== null) this.nics[responses.source]!.enlist(responses)
  }

  /** The NIC by which a direction that this end receives is answered. */
  private receiverAt(direction: QueuePair, endpoint: number): Nic {
    return this.nics[endpoint === NOWHERE ? direction.destination : endpoint]!
  }

  /** Has the NICs look for something to send, but for that of an endpoint whose own event goes on. */
  private kick({ sends, receives }: VerbsHalves, but: number): void {
    let last = but
    for (let k = 0; k < 2; k++) {
      const sending = sends[k]
      const receiving = receives[k]
      if (sending != null) last = this.kickAt(sending.source, but, last)
      if (receiving != null) last = this.kickAt(receiving.destination, but, last)
    }
  }

  private kickAt(endpoint: number, but: number, last: number): number {
    if (endpoint !== but && endpoint !== last) this.nics[endpoint]!.kick()
    return endpoint
  }
}
