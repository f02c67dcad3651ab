/**
 * Matching: which receive gets which message. The k-th send posted between two ranks with a tag matches the k-th receive
 * posted with the same, whatever arrives first. A receive from any peer or of any tag takes the first message to arrive that
 * no exact receive has claimed; messages without a receive wait in the order of their arrival.
 */
import { assert } from '../../base/assert.ts'
import { ANY, type GraphOperation } from './program.ts'

/** A message that was posted, until its receive is done. */
export interface Flight {
  readonly send: number
  /** Row of the send in a log; -1: there is none. */
  readonly sendRow: number
  readonly source: number
  readonly destination: number
  readonly tag: number
  readonly channel: number
  readonly sizeBytes: number
  /** It waits for a slot at its receiver. */
  isQueued: boolean
  /** Operation that receives it; -1: none yet. */
  receive: number
  /** NaN: not yet. */
  arrivedPs: number
}

/** A posted receive that waits for a message. */
interface Waiter {
  readonly id: number
  readonly peer: number
  readonly tag: number
}

/** A queue that gives up its place when it is empty. */
type Queues<T> = Map<number, T[]>

export class Matching {
  readonly #ranks: number
  readonly #tags: number
  readonly #sends: Queues<Flight> = new Map()
  readonly #receives: Queues<number> = new Map()
  /** By receiving rank. Empty where no receive takes any message. */
  readonly #wild: Queues<Waiter> = new Map()
  readonly #unclaimed: Queues<Flight> = new Map()
  readonly #hasWildcards: boolean

  constructor(ranks: number, tags: number, hasWildcards: boolean) {
    assert(ranks * ranks * tags <= Number.MAX_SAFE_INTEGER, 'pairs of ranks and tags have numbers')
    this.#ranks = ranks
    this.#tags = tags
    this.#hasWildcards = hasWildcards
  }

  /** A message is posted: its receive is known if that was posted before. */
  send(flight: Flight): void {
    const key = this.#key(flight.source, flight.destination, flight.tag)
    const receive = takeFirst(this.#receives, key)
    if (receive === undefined) append(this.#sends, key, flight)
    else flight.receive = receive
  }

  /** A receive is posted. Gives its message, which may be still to arrive; null: none was posted or may be claimed. */
  receive(id: number, { rank, peer, tag }: GraphOperation): Flight | null {
    if (peer === ANY || tag === ANY) return this.#receiveAny(rank, { id, peer, tag })
    const key = this.#key(peer, rank, tag)
    const flight = takeFirst(this.#sends, key)
    if (flight === undefined) {
      append(this.#receives, key, id)
      return null
    }
    flight.receive = id
    if (this.#hasWildcards && !Number.isNaN(flight.arrivedPs)) remove(this.#unclaimed, rank, flight)
    return flight
  }

  /** The message is at its host. Gives whether its receive is posted. */
  arrive(flight: Flight, nowPs: number): boolean {
    flight.arrivedPs = nowPs
    if (flight.receive >= 0 || !this.#hasWildcards) return flight.receive >= 0
    const waiters = this.#wild.get(flight.destination)
    const waiter = waiters?.find((each) => fits(each, flight))
    if (waiter === undefined) {
      append(this.#unclaimed, flight.destination, flight)
      return false
    }
    remove(this.#wild, flight.destination, waiter)
    this.#claim(flight, waiter.id)
    return true
  }

  #receiveAny(rank: number, waiter: Waiter): Flight | null {
    const flight = this.#unclaimed.get(rank)?.find((each) => fits(waiter, each))
    if (flight === undefined) {
      append(this.#wild, rank, waiter)
      return null
    }
    remove(this.#unclaimed, rank, flight)
    this.#claim(flight, waiter.id)
    return flight
  }

  #claim(flight: Flight, receive: number): void {
    flight.receive = receive
    remove(this.#sends, this.#key(flight.source, flight.destination, flight.tag), flight)
  }

  #key(source: number, destination: number, tag: number): number {
    return (source * this.#ranks + destination) * this.#tags + tag
  }
}

function fits({ peer, tag }: Waiter, flight: Flight): boolean {
  return (peer === ANY || peer === flight.source) && (tag === ANY || tag === flight.tag)
}

function append<T>(queues: Queues<T>, key: number, item: T): void {
  const queue = queues.get(key)
  if (queue === undefined) queues.set(key, [item])
  else queue.push(item)
}

function takeFirst<T>(queues: Queues<T>, key: number): T | undefined {
  const queue = queues.get(key)
  if (queue === undefined) return undefined
  const first = queue.shift()
  if (queue.length === 0) queues.delete(key)
  return first
}

function remove<T>(queues: Queues<T>, key: number, item: T): void {
  const queue = queues.get(key)
  if (queue === undefined) return
  const at = queue.indexOf(item)
  if (at >= 0) queue.splice(at, 1)
  if (queue.length === 0) queues.delete(key)
}
