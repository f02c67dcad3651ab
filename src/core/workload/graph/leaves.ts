/**
 * Leaves: which sends may be posted. A long message waits until its receive is posted, which a control message from there
 * says (rendezvous); with slots, a message waits until its receiver, by a control message too, is done with an earlier one.
 * Source: MPI's rendezvous protocol; NCCL's network transport, whose receiver gives a slot of its buffer (net.cc).
 */
import type { Flight } from './matching.ts'

export interface LeavePlan {
  /** Longer messages need a posted receive; Infinity: none does. */
  readonly aboveBytes: number
  /** Messages between two ranks on a channel whose receives are not done, at most; 0: any number. */
  readonly slots: number
}

/** Size of a control message: an element of NCCL's queue of slots, in a cache line. */
export const CONTROL_BYTES = 64

/** A message from a receiver to a sender. */
export interface Control {
  readonly from: number
  readonly to: number
  readonly channel: number
  /** Receive that is posted, or -1: a slot is free. */
  readonly receive: number
  /** Row of the receive in a log; -1: there is none. */
  readonly row: number
}

export class Leaves {
  readonly #plan: LeavePlan
  /** Receives that a control message has announced, and sends that wait for one, by the number of the receive. */
  readonly #announced = new Set<number>()
  readonly #heldBy = new Map<number, Flight>()
  /** By connection: slots in use, and sends that wait for one. */
  readonly #used = new Map<number, number>()
  readonly #queues = new Map<number, Flight[]>()

  constructor(plan: LeavePlan) {
    this.#plan = plan
  }

  /** Some message may have to wait. */
  get areNeeded(): boolean {
    return this.#plan.slots > 0 || this.#plan.aboveBytes < Infinity
  }

  get hasSlots(): boolean {
    return this.#plan.slots > 0
  }

  needsReceive(sizeBytes: number): boolean {
    return sizeBytes > this.#plan.aboveBytes
  }

  /** A send is ready. @returns whether it may be posted now */
  ask(flight: Flight, connection: number): boolean {
    const { slots } = this.#plan
    if (slots === 0) return this.#askReceive(flight)
    const used = this.#used.get(connection) ?? 0
    if (used >= slots) {
      flight.isQueued = true
      const queue = this.#queues.get(connection)
      if (queue === undefined) this.#queues.set(connection, [flight])
      else queue.push(flight)
      return false
    }
    this.#used.set(connection, used + 1)
    return this.#askReceive(flight)
  }

  /** The receive of a send that waits is posted. */
  matched(flight: Flight): void {
    if (this.needsReceive(flight.sizeBytes)) this.#heldBy.set(flight.receive, flight)
  }

  /** A control message has announced a receive. @returns the send that may be posted now; null: it is not ready */
  announce(receive: number): Flight | null {
    const flight = this.#heldBy.get(receive)
    if (flight === undefined || flight.isQueued) {
      this.#announced.add(receive)
      return null
    }
    this.#heldBy.delete(receive)
    return flight
  }

  /** A slot is free. @returns the send that may be posted now; null: none */
  free(connection: number): Flight | null {
    const queue = this.#queues.get(connection)
    const next = queue?.shift()
    if (next === undefined) {
      this.#used.set(connection, this.#used.get(connection)! - 1)
      return null
    }
    if (queue!.length === 0) this.#queues.delete(connection)
    next.isQueued = false
    return this.#askReceive(next) ? next : null
  }

  #askReceive(flight: Flight): boolean {
    if (!this.needsReceive(flight.sizeBytes)) return true
    if (flight.receive >= 0 && this.#announced.delete(flight.receive)) {
      this.#heldBy.delete(flight.receive)
      return true
    }
    if (flight.receive >= 0) this.#heldBy.set(flight.receive, flight)
    return false
  }
}
