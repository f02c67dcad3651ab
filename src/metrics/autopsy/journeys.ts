/**
 * Journeys: the path of a packet as parts: bits on links, propagation, switches, queues, pauses, and the host at its end.
 * Units: picoseconds.
 */
import type { Network } from '../../fabric/network.ts'
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
} from '../../results/flow-parts.ts'
import type { Hop } from './copies.ts'
import type { OpenMessage } from './pair-clock.ts'
import type { Spans } from './spans.ts'
import { CLASSES } from '../pauses/classes.ts'

/** Where the parts of a packet's journey are added, and its pauses by their origin. */
export interface Journey {
  readonly parts: Float64Array
  /** Number of its first part. */
  readonly from: number
  readonly byOrigin: Map<number, number>
}

export class Journeys {
  readonly #network: Network
  readonly #pauses: readonly (Spans | undefined)[]

  /** @param pauses by port and class */
  constructor(network: Network, pauses: readonly (Spans | undefined)[]) {
    this.#network = network
    this.#pauses = pauses
  }

  /** Moves the journey of a READ's request from the time until the responder has it to the parts of its own. */
  splitRequest(message: OpenMessage, leftPs: number, parts: Float64Array, byOrigin: Map<number, number>): void {
    const { request, postedPs, readyPs } = message
    const toPs = Math.min(readyPs, leftPs)
    if (request.length === 0 || toPs <= postedPs) return
    const sumOf = (): number =>
      parts.subarray(REQUEST_WIRE, REQUEST_WIRE + JOURNEY_PARTS).reduce((sum, part) => sum + part, 0)
    const beforePs = sumOf()
    this.add(request, postedPs, toPs, { parts, from: REQUEST_WIRE, byOrigin })
    parts[REQUEST]! -= sumOf() - beforePs
  }

  /** Adds all of a packet's path that lies between two times. */
  add(hops: readonly Hop[], fromPs: number, toPs: number, { parts, from, byOrigin }: Journey): void {
    const { ports } = this.#network
    const add = (part: number, beginPs: number, endPs: number): void => {
      parts[from + part - WIRE]! += Math.max(0, Math.min(endPs, toPs) - Math.max(beginPs, fromPs))
    }
    hops.forEach(({ port, startPs, reachPs }, i) => {
      const outPs = startPs + reachPs
      const arrivalPs = outPs + ports[port]!.delayPs
      add(WIRE, startPs, outPs)
      add(PROPAGATION, outPs, arrivalPs)
      const next = hops[i + 1]
      if (next === undefined) {
        add(RECEIVE, arrivalPs, toPs)
        return
      }
      const queuedPs = this.queuedPs(next, arrivalPs)
      add(SWITCH, arrivalPs, queuedPs)
      const waitPs = Math.max(queuedPs, fromPs)
      const endPs = Math.min(next.startPs, toPs)
      if (endPs <= waitPs) return
      const spans = this.#pauses[next.port * CLASSES + next.trafficClass]
      const pausedPs = spans?.within(waitPs, endPs) ?? 0
      if (pausedPs > 0) spans!.addWithin(waitPs, endPs, byOrigin)
      parts[from + PAUSED - WIRE]! += pausedPs
      parts[from + QUEUE - WIRE]! += endPs - waitPs - pausedPs
    })
  }

  /** When a packet is in the queue of a switch's port, at the latest when it leaves: a switch may cut through. */
  queuedPs({ port, startPs }: Hop, arrivalPs: number): number {
    const { ports, switches } = this.#network
    return Math.min(startPs, arrivalPs + switches[ports[port]!.node]!.latencyPs)
  }
}
