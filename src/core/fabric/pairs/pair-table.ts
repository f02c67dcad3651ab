/**
 * Queue pairs of a network by number, and sums over those that were released.
 * A queue pair of one message is released when both ends are done with it and no packet of it is in the network: its
 * objects and records become free for others, so that memory grows with the queue pairs in use and not with all that
 * have existed. A number is never used again.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import type { QueuePair } from './queue-pair.ts'

/** Sums over queue pairs that were released; `deliveredPs` is the latest time. */
interface ReleasedSums {
  count: number
  deliveredBytes: number
  peakBytes: number
  deliveredPs: number
  cnps: number
  cnms: number
  rnrNaks: number
  retransmissions: number
  timeouts: number
}

export class PairTable implements Iterable<QueuePair> {
  /** null: released. */
  readonly byNumber: (QueuePair | null)[] = []
  readonly released: ReleasedSums = {
    count: 0,
    deliveredBytes: 0,
    peakBytes: 0,
    deliveredPs: 0,
    cnps: 0,
    cnms: 0,
    rnrNaks: 0,
    retransmissions: 0,
    timeouts: 0,
  }
  /** Called for a queue pair before its records are freed. */
  readonly onRelease: ((pair: QueuePair) => void)[] = []
  /** All below it were released. */
  private firstInUse = 0

  /** Number of queue pairs ever added. */
  get count(): number {
    return this.byNumber.length
  }

  /** Adds a queue pair under the next number. */
  add(pair: QueuePair): void {
    assert(pair.id === this.byNumber.length, 'queue pairs are numbered as they come')
    this.byNumber.push(pair)
  }

  /** Changes the number of a direction's packets in the network; those without a queue pair are not counted. */
  addPackets(direction: number, packets: number): void {
    const pair = this.byNumber[direction >> 1]
    if (pair !== undefined) pair!.inNetwork += packets
    if (CHECKED)
      assert(pair === undefined || pair!.inNetwork >= 0, 'more packets of a queue pair are lost than were sent')
  }

  /** The queue pairs in use, by number. */
  *[Symbol.iterator](): Iterator<QueuePair> {
    const { byNumber } = this
    while (byNumber[this.firstInUse] === null) this.firstInUse++
    for (let id = this.firstInUse; id < byNumber.length; id++) {
      const pair = byNumber[id]!
      if (pair !== null) yield pair
    }
  }

  /** The sum over queue pairs in use. */
  sum(valueOf: (pair: QueuePair) => number): number {
    let sum = 0
    for (const pair of this) sum += valueOf(pair)
    return sum
  }

  release(pair: QueuePair): void {
    assert(pair.isOneShot && pair.inNetwork === 0, 'a queue pair that is in use is not released')
    if (CHECKED) assert(this.byNumber[pair.id] === pair, 'a queue pair is released twice')
    for (const listener of this.onRelease) listener(pair)
    const { released } = this
    const { sender, receiver } = pair
    released.count++
    released.deliveredBytes += receiver.delivered.bytes
    released.peakBytes += receiver.delivered.peakBytes
    released.deliveredPs = Math.max(released.deliveredPs, receiver.delivered.lastPs)
    released.cnps += receiver.cnpsSent
    released.cnms += sender.cnms
    released.rnrNaks += receiver.rnrNaksSent
    released.retransmissions += sender.retransmissions
    released.timeouts += sender.timeouts + receiver.timeouts
    this.byNumber[pair.id] = null
    pair.release()
  }
}
