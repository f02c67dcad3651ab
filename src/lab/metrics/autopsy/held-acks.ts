/**
 * Held acks: the messages of one queue pair that are whole at their receiver and not complete at their sender, and who holds
 * their ACKs meanwhile (docs/models/autopsy-acks.md).
 * Units: picoseconds.
 */
import type { QueuePair } from '../../../core/fabric/pairs/queue-pair.ts'
import { ACK, NAK, RNR_NAK } from '../../../core/transport/segment.ts'
import type { Hop } from './copies.ts'
import { Weights } from './blame.ts'

/** A message that is complete at its receiver. */
export interface Whole {
  readonly number: number
  readonly wholePs: number
}

/** Facts about the port of the NIC that sends the ACKs: while its link was down, or a class of it paused, by origin. */
export interface PortFacts {
  downPs(port: number, fromPs: number, toPs: number): number
  /** Adds the time in which the class was paused, by origin. @returns that time */
  addPauses(port: number, trafficClass: number, fromPs: number, toPs: number, byOrigin: Weights): number
  /** A link that is down; packets of one host that wait for each other. */
  linkOrigin(port: number): number
  portOrigin(port: number): number
}

/** Where the two ends of the queue pair send, and the class of ACKs there. */
export interface AckPorts {
  readonly near: number
  readonly far: number
  readonly farClass: number
}

export class HeldAcks {
  /** In order. */
  readonly wholes: Whole[] = []
  /** The way of the last ACK, NAK or other reply that came while there were such messages. */
  reply: readonly Hop[] = []
  private readonly pair: QueuePair
  private readonly ports: AckPorts
  private readonly facts: PortFacts
  /** Replies that were lost since the oldest of the messages was whole. */
  private lost: { readonly leftPs: number; readonly origin: number }[] = []

  constructor(pair: QueuePair, ports: AckPorts, facts: PortFacts) {
    this.pair = pair
    this.ports = ports
    this.facts = facts
  }

  add(number: number, wholePs: number): void {
    this.wholes.push({ number, wholePs })
  }

  /** The oldest message is complete at its sender, too. */
  take(): void {
    this.wholes.shift()
    const nextPs = this.wholes[0]?.wholePs ?? Infinity
    if (this.lost.length > 0) this.lost = this.lost.filter(({ leftPs }) => leftPs >= nextPs)
  }

  onLoss(kind: number, leftPs: number, origin: number): void {
    if (this.wholes.length > 0 && isAnswer(kind)) this.lost.push({ leftPs, origin })
  }

  /** Who held the ACK of a message from when it was whole until that time. */
  holders(wholePs: number, leftPs: number): Weights {
    const byOrigin = new Weights()
    const add = (origin: number, spanPs: number): void => {
      if (spanPs > 0) byOrigin.add(origin, spanPs)
    }
    const { near, far, farClass } = this.ports
    const facts = this.facts
    const lost = this.lost
      .filter((one) => one.leftPs >= wholePs && one.leftPs < leftPs)
      .toSorted((a, b) => a.leftPs - b.leftPs)
    lost.forEach((one, i) => add(one.origin, (lost[i + 1]?.leftPs ?? leftPs) - one.leftPs))
    const readyPs = lost[0]?.leftPs ?? leftPs
    const pausedPs = facts.addPauses(far, farClass, wholePs, readyPs, byOrigin)
    const downPs = Math.min(facts.downPs(far, wholePs, readyPs), readyPs - wholePs - pausedPs)
    add(facts.linkOrigin(far), downPs)
    // The ACK of a work request without a signal is that of a later one.
    const own = facts.portOrigin(this.pair.verbs === null ? far : near)
    add(own, readyPs - wholePs - pausedPs - downPs)
    return byOrigin
  }
}

function isAnswer(kind: number): boolean {
  return kind === ACK || kind === NAK || kind === RNR_NAK
}
