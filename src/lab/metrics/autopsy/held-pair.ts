/**
 * Held pair: who holds the sender of a queue pair now, and who has held it: the rules by which a state of the sender has an
 * origin (docs/models/autopsy.md).
 * Units: picoseconds.
 */
import {
  ANSWER,
  BEHIND,
  CAP,
  CREDITS,
  FETCH,
  HOST,
  NAK_WAIT,
  OWN,
  RATE,
  RESEND,
  RNR,
  TIMEOUT_WAIT,
  WINDOW,
} from '../../../core/results/flow-parts.ts'
import type { QueuePair } from '../../../core/fabric/pairs/queue-pair.ts'
import type { Hindrance } from '../../../core/transport/send/psn-window.ts'
import { NO_ORIGIN } from '../pauses/origins.ts'
import { type Blame, Weights } from './blame.ts'
import type { Hop } from './copies.ts'
import { Ledger } from './ledger.ts'

/** Weight of a mark after each further one. */
const OLDER = 0.95
export const NOT_LOSING = -1
export const LOST_REPLY = -2
/** From this weight on, all are divided by it. */
const HEAVY = 1e100

/** A message between its posting and its completion. */
export interface OpenMessage {
  /** Number among the messages of its queue pair. */
  readonly number: number
  readonly postedPs: number
  /** When it was posted at the sender; a READ: when its responder had the request; NaN: not yet. */
  readyPs: number
  /** A READ: the way of its request. */
  request: readonly Hop[]
  firstPsn: number
  endPsn: number
  /** When the queue pair had sent everything before it, and the sums then; NaN: not yet. */
  begunPs: number
  atBegin: Float64Array | null
  /** When its last packet had been sent for the first time, and the sums then; NaN: not yet. */
  sentPs: number
  atSent: Float64Array | null
  /** Time without a pending retransmission that had passed since the last one became pending, at `sentPs`. */
  waitedPs: number
  /** The first retransmission that became pending after `sentPs` was found by a timeout. */
  firstWait: number
  /** Waits that ended in a NAK, a timeout, an RNR NAK, at `sentPs`. */
  waitsPs: readonly [number, number, number]
}

/** Used anew for each message: its waits by state, and those for earlier messages. */
const byState: readonly Weights[] = Array.from({ length: TIMEOUT_WAIT + 1 }, () => new Weights())
const others = new Weights()
const addByState = (state: number, origin: number, spanPs: number): unknown => byState[state]!.add(origin, spanPs)
const addToOthers = (_: number, origin: number, spanPs: number): unknown => others.add(origin, spanPs)

/** The state of a sender that is held back by this. */
export function stateOf(hindrance: Hindrance): number {
  switch (hindrance) {
    case 'window':
      return WINDOW
    case 'cap':
      return CAP
    case 'credits':
      return CREDITS
    case 'rnr':
      return RNR
    default:
      return ANSWER
  }
}

/** Numbers of hosts as origins. */
export interface HostOrigins {
  hostOrigin(endpoint: number): number
}

export class HeldPair {
  ledger = new Ledger()
  /** Origin of what lowered its rate or window: of most of its late marks, or without marks of the last delay. */
  loweredBy = NO_ORIGIN
  /** Origin of most of the delay of the packet that arrived last; NO_ORIGIN: it was not late. */
  delayedBy = NO_ORIGIN
  /** Where it last lost a packet. */
  lostBy = NO_ORIGIN
  /** Its PSN; LOST_REPLY: it was no data packet; NOT_LOSING: it was sent again and has arrived. */
  lostPsn = NOT_LOSING
  /** Record of the packet that was sent in its place. */
  againOrdinal = -1
  /** Its marks. */
  private marks: Weights | null = null
  /** Weight of the next one, and of all that have the same origin as most. */
  private weight = 1
  private most = 0
  private readonly hosts: HostOrigins
  private readonly pair: QueuePair

  constructor(pair: QueuePair, hosts: HostOrigins) {
    this.pair = pair
    this.hosts = hosts
  }

  /** Whether a packet that is sent again and arrives is the lost one; after a lost reply, any. */
  isRepairedBy(ordinal: number): boolean {
    return this.lostPsn === LOST_REPLY || ordinal === this.againOrdinal
  }

  /** All before this PSN have arrived: a packet that was lost then, and sent again without need, is missed by nobody. */
  deliver(endPsn: number): void {
    if (this.lostPsn >= 0 && this.lostPsn < endPsn) this.lostPsn = NOT_LOSING
  }

  /** A packet arrives with a mark. The origin of most of them lowers the rate; older marks count less. */
  addMark(origin: number): void {
    this.marks ??= new Weights()
    const weight = this.marks.add(origin, this.weight)
    if (weight > this.most) {
      this.most = weight
      this.loweredBy = origin
    }
    // Instead of less for each older one, more for each newer one.
    this.weight /= OLDER
    if (this.weight < HEAVY) return
    this.marks.divide(HEAVY)
    this.most /= HEAVY
    this.weight /= HEAVY
  }

  /**
   * Adds who held the sender's part of a message (`split`): each part by what the ledger has of its state in that time, the
   * waits for a loss to be noticed by where it was, and the wait for earlier messages by all that held those.
   */
  blame({ postedPs, begunPs }: OpenMessage, leftPs: number, parts: Float64Array, blame: Blame): void {
    const begin = Math.min(leftPs, Number.isNaN(begunPs) ? leftPs : begunPs)
    for (const ofState of byState) ofState.clear()
    this.ledger.visit(begin, leftPs, addByState)
    if (parts[BEHIND]! > 0) {
      others.clear()
      this.ledger.visit(postedPs, begin, addToOthers)
      blame.share(BEHIND, parts[BEHIND]!, others, begin - postedPs)
    }
    for (let part = 0; part <= TIMEOUT_WAIT; part++) {
      if (part === OWN || !(parts[part]! > 0)) continue
      const isOfLoss = part === NAK_WAIT || part === TIMEOUT_WAIT
      const weights = byState[isOfLoss ? ANSWER : part]!
      if (isOfLoss && weights.count === 0) weights.add(this.lostBy, 1)
      blame.share(part, parts[part]!, weights)
    }
  }

  /** Who holds a sender in this state. */
  originOf(state: number): number {
    const isLosing = this.lostPsn !== NOT_LOSING
    switch (state) {
      case RATE:
        return this.loweredBy === NO_ORIGIN ? this.lostBy : this.loweredBy
      case WINDOW:
        if (isLosing) return this.lostBy
        return this.loweredBy === NO_ORIGIN ? this.delayedBy : this.loweredBy
      case CAP:
        return isLosing ? this.lostBy : this.delayedBy
      case ANSWER:
        return isLosing ? this.lostBy : this.delayedBy
      case RESEND:
      case FETCH:
        return this.lostBy
      case RNR:
      case CREDITS:
        return this.hosts.hostOrigin(this.pair.destination)
      case HOST:
        return this.hosts.hostOrigin(this.pair.source)
      default:
        return NO_ORIGIN
    }
  }
}
