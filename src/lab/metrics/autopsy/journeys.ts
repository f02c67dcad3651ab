/**
 * Journeys: the path of a packet as parts: bits on links, propagation, switches, queues, pauses, and the host at its end.
 * Units: picoseconds.
 */
import type { Network } from '../../../core/fabric/network.ts'
import {
  JOURNEY_PARTS,
  PAUSED,
  PROPAGATION,
  QUEUE,
  RECEIVE,
  REQUEST,
  REQUEST_WIRE,
  SWITCH,
  WIRE,
} from '../../../core/results/flow-parts.ts'
import type { Hop } from './copies.ts'
import type { OpenMessage } from './held-pair.ts'
import { type Blame, Weights } from './blame.ts'
import type { Roots } from './roots.ts'
import { CLASSES } from '../pauses/classes.ts'

/** Where the parts of a packet's journey are added, and where its waits began. */
export interface Journey {
  readonly parts: Float64Array
  /** Number of its first part. */
  readonly from: number
  /** Gets the roots of its waits in queues. */
  readonly blame: Blame
}

export class Journeys {
  readonly #network: Network
  readonly #roots: Roots
  readonly #paused = new Weights()
  readonly #queued = new Weights()

  constructor(network: Network, roots: Roots) {
    this.#network = network
    this.#roots = roots
  }

  /** Moves the journey of a READ's request from the time until the responder has it to the parts of its own. */
  splitRequest(message: OpenMessage, leftPs: number, parts: Float64Array, blame: Blame): void {
    const { request, postedPs, readyPs } = message
    const toPs = Math.min(readyPs, leftPs)
    if (request.length === 0 || toPs <= postedPs) return
    const sumOf = (): number =>
      parts.subarray(REQUEST_WIRE, REQUEST_WIRE + JOURNEY_PARTS).reduce((sum, part) => sum + part, 0)
    const beforePs = sumOf()
    this.add(request, postedPs, toPs, { parts, from: REQUEST_WIRE, blame })
    parts[REQUEST]! -= sumOf() - beforePs
  }

  /** Adds all of a packet's path that lies between two times. */
  add(hops: readonly Hop[], fromPs: number, toPs: number, journey: Journey): void {
    const { ports } = this.#network
    const { parts, from } = journey
    const within = (beginPs: number, endPs: number): number =>
      Math.max(0, Math.min(endPs, toPs) - Math.max(beginPs, fromPs))
    for (let i = 0; i < hops.length; i++) {
      const { port, startPs, reachPs } = hops[i]!
      const outPs = startPs + reachPs
      const arrivalPs = outPs + ports[port]!.delayPs
      parts[from]! += within(startPs, outPs)
      parts[from + PROPAGATION - WIRE]! += within(outPs, arrivalPs)
      const next = hops[i + 1]
      if (next === undefined) {
        parts[from + RECEIVE - WIRE]! += within(arrivalPs, toPs)
        return
      }
      parts[from + SWITCH - WIRE]! += within(arrivalPs, next.queuedPs)
      const waitPs = Math.max(next.queuedPs, fromPs)
      const endPs = Math.min(next.startPs, toPs)
      if (endPs > waitPs) this.#addWait(next, waitPs, endPs, journey)
    }
  }

  /** Adds the wait at a hop. */
  #addWait(hop: Hop, waitPs: number, endPs: number, { parts, from, blame }: Journey): void {
    const [paused, queued] = [this.#paused, this.#queued]
    paused.clear()
    queued.clear()
    const pausedPs = this.#roots.addPauses(hop.port * CLASSES + hop.trafficClass, waitPs, endPs, paused)
    const queuePs = endPs - waitPs - pausedPs
    parts[from + PAUSED - WIRE]! += pausedPs
    parts[from + QUEUE - WIRE]! += queuePs
    this.#roots.addQueue(hop, queuePs, queued)
    blame.share(from + PAUSED - WIRE, pausedPs, paused)
    blame.share(from + QUEUE - WIRE, queuePs, queued)
  }
}
