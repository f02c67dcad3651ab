/**
 * HOT. Verbs at NICs: a verbs queue pair sends and hears through queue pairs of the fabric, one for each direction of
 * requests and one for each of READ responses; NICs, switches and observers see nothing else. Here is what is the queue
 * pair's own: headers and payloads, which stand beside the records of packets, and what follows for its other halves
 * and for the application when one half has heard something.
 * Units: picoseconds, bytes.
 */
import type { QueuePair as VerbsQueuePair } from '../../verbs/index.ts'
import type { Network } from '../network.ts'
import type { Nic } from './nic.ts'
import type { QueuePair } from './queue-pair.ts'
import type { VerbsSide } from './verbs-packets.ts'
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
  /** What it sends: its requests, and responses to theirs. */
  readonly sends: readonly [requests: QueuePair | null, responses: QueuePair | null]
  /** What it hears: their requests, and responses to its own. */
  readonly hears: readonly [requests: QueuePair | null, responses: QueuePair | null]
}

/** Tells the ends of verbs queue pairs what was posted, at the instant when it was, and behind what is in progress. */
export class VerbsPosts implements Actor {
  private readonly network: Network
  private readonly actor: number
  private readonly waiting: VerbsEnd[] = []

  constructor(network: Network) {
    this.network = network
    this.actor = network.addActor(this)
  }

  add(end: VerbsEnd): void {
    if (this.waiting.push(end) === 1) this.network.actAt(this.network.fabric.queue.nowPs, this.actor)
  }

  onEvent(nowPs: number): void {
    const { waiting } = this
    // Who is told may post more, and stands at the end.
    for (let k = 0; k < waiting.length; k++) {
      const end = waiting[k]!
      end.follow(nowPs)
      end.nic.kick()
    }
    waiting.length = 0
  }
}

export interface VerbsEndOptions {
  readonly pair: VerbsQueuePair
  readonly nic: Nic
  readonly posts: VerbsPosts
  /** Told when something has happened to the queue pair. */
  readonly onActivity: (nowPs: number, pair: VerbsQueuePair) => void
}

/** One end of a connection, at its NIC. */
export class VerbsEnd implements VerbsSide {
  readonly pair: VerbsQueuePair
  readonly nic: Nic
  private readonly posts: VerbsPosts
  private readonly onActivity: VerbsEndOptions['onActivity']
  private halves: VerbsHalves | null = null
  private isWaiting = false
  private isTelling = false
  private hasPosted = false

  constructor(options: VerbsEndOptions) {
    this.pair = options.pair
    this.nic = options.nic
    this.posts = options.posts
    this.onActivity = options.onActivity
  }

  /** It is connected by these. */
  join(halves: VerbsHalves): void {
    this.halves = halves
    this.pair.driver = this
  }

  /** The queue pair is connected by others from now on: what is still under way here is for nobody. */
  leave(): void {
    this.halves = null
  }

  /** Whoever posted: a callback of another host's, or a program between two slices of the run. */
  onPosted(): void {
    // What is posted from a callback of ours is seen behind it.
    this.hasPosted = this.pair.hasUpdates = true
    if (!this.isTelling) this.look()
  }

  /** It is looked at in this instant, but not in the midst of what its port is at. */
  look(): void {
    if (this.isWaiting || this.halves === null) return
    this.isWaiting = true
    this.posts.add(this)
  }

  /**
   * A half has heard something, or work was posted: the others and the application hear what follows. The port may have
   * something to send then.
   */
  follow(nowPs: number): void {
    this.isWaiting = false
    const { halves, pair } = this
    if (halves === null) return
    pair.onHeard(nowPs)
    this.bringUpToDate(halves)
    if (!pair.hasUpdates) return
    pair.hasUpdates = false
    this.isTelling = true
    this.hasPosted = false
    try {
      this.onActivity(nowPs, pair)
    } finally {
      this.isTelling = false
    }
    if (this.hasPosted) this.bringUpToDate(halves)
  }

  /** A request or response of ours has left. */
  onSent(): void {
    const { halves, pair } = this
    if (halves === null) return
    const { state } = pair
    // An answer may have waited for it.
    const [requests] = halves.hears
    if (requests !== null && requests.receiver.owes !== 0) this.nic.answer(requests)
    if (pair.state !== state) this.look()
  }

  private bringUpToDate({ sends, hears }: VerbsHalves): void {
    const { nic } = this
    const [requests, responses] = sends
    const [theirRequests, theirResponses] = hears
    if (theirRequests !== null) nic.answer(theirRequests)
    if (theirResponses !== null) nic.answer(theirResponses)
    if (requests !== null) nic.enlist(requests)
    if (responses !== null) nic.enlist(responses)
  }
}
