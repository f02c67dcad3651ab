/**
 * Scripted pair: one QP as a scenario would have it, with a script in place of the network: this packet is lost, that one
 * is marked. For worked examples of a few packets, and for congestion controls that get their ACK events by hand.
 * Units: picoseconds; PSNs of the QP from 0. Events of one instant happen in the order of their causes.
 */
import { assert } from '../core/base/assert.ts'
import { NEVER_PS } from '../core/base/params.ts'
import { createRandomStreams } from '../core/base/random.ts'
import type { QueuePair } from '../core/fabric/pairs/queue-pair.ts'
import type { Scenario } from './scenario/scenario.ts'
import { type AckEvent, emptyAckEvent, type CongestionControl } from '../core/transport/congestion/congestion.ts'
import { PSN_MASK } from '../core/transport/psn.ts'
import { ACK, CE, CNP, ECE, NAK, NOT_ECT, PATH_MASK, PATH_SHIFT, SACK, Segment } from '../core/transport/segment.ts'
import { buildNetwork } from './network/network-builder.ts'
import { PairMaker } from './pairs/pairs.ts'

interface Script {
  /** Packets of the one message. */
  readonly packets: number
  /** Packets that are lost the first time they are sent. */
  readonly lost?: readonly number[]
  /** Packets that a switch marks, if they can be marked. */
  readonly marked?: readonly number[]
}

/** A packet of the receiver: its kind and PSN, and whether it echoes an ECN mark. */
export interface Answer {
  readonly kind: 'ACK' | 'NAK' | 'CNP' | 'other'
  readonly psn: number
  readonly echo: boolean
}

export interface Played {
  /** PSNs of the data packets, in the order in which they were sent. */
  readonly sent: readonly number[]
  readonly answers: readonly Answer[]
  /** The message is complete and acknowledged. */
  readonly isFinished: boolean
}

/** A packet that left, with its PSN on the wire and the path that it names; 0: none. */
interface Departure {
  readonly psn: number
  readonly path: number
}

const KINDS = new Map<number, Answer['kind']>([
  [ACK, 'ACK'],
  [NAK, 'NAK'],
  [CNP, 'CNP'],
])

/** Steps of a script, at most. */
const MOST_STEPS = 100_000

/** A packet in flight; `order` is assigned when it is sent. */
interface InFlight {
  readonly arrivalPs: number
  readonly order: number
  readonly isData: boolean
  readonly segment: Segment
}

export class ScriptedPair {
  readonly #pair: QueuePair
  readonly #payloadBytes: number
  readonly #delayPs: number
  readonly #draw: () => number

  /**
   * @param scenario with at least two hosts; the first sends to the second. Nothing else of it runs
   * @param rttPs twice the time from the start of a packet to its arrival
   */
  constructor(scenario: Scenario, rttPs: number) {
    const random = createRandomStreams(scenario.seed)
    const ignored = (): void => {}
    const built = buildNetwork(scenario, random, { onDelivered: ignored, onAcknowledged: ignored, onFailed: ignored })
    const { queue } = built.network.fabric
    this.#payloadBytes = built.frames.payloadBytes
    this.#delayPs = rttPs / 2
    this.#draw = () => queue.draw()
    this.#pair = new PairMaker(scenario, built, random).create({
      workload: null,
      source: 0,
      home: 0,
      destination: 1,
      trafficClass: scenario.classes.data,
      sourcePort: -1,
      destinationPort: -1,
      isRead: false,
      isOneShot: false,
      baseRttPs: rttPs,
    })
  }

  get control(): CongestionControl {
    return this.#pair.sender.congestion
  }

  /** Gives the congestion control an ACK event; fields that are left out carry nothing new. */
  acknowledge(nowPs: number, event: Partial<AckEvent> & Pick<AckEvent, 'cumulativePsn'>): void {
    this.control.onAck(nowPs, {
      ...emptyAckEvent(),
      nextPsn: event.cumulativePsn,
      unsentPsn: event.nextPsn ?? event.cumulativePsn,
      newPackets: 1,
      isNak: false,
      marked: false,
      causePs: nowPs,
      rttPs: 0,
      delayPs: 0,
      ...event,
    })
  }

  /** Posts a message of `packets` packets; nothing of it is sent before `sendUntil`. */
  post(nowPs: number, packets: number): void {
    this.#pair.messages.post(nowPs, packets * this.#payloadBytes, 'write')
  }

  /** Sends packets and serves the sender's deadlines up to a time. Returns the packets. */
  sendUntil(untilPs: number): Departure[] {
    const { sender, senderTimers } = this.#pair
    const sent: Departure[] = []
    const out = new Segment()
    for (let step = 0; step < MOST_STEPS; step++) {
      const atPs = Math.min(sender.nextSendPs, senderTimers.nextPs)
      if (atPs > untilPs) break
      if (senderTimers.nextPs === atPs) sender.onTimeout(atPs)
      else if (sender.pollTransmit(Math.max(atPs, 0), out)) {
        sent.push({ psn: out.psn, path: (out.flags & PATH_MASK) >> PATH_SHIFT })
      }
    }
    return sent
  }

  /**
   * Gives the sender an ACK of everything below `cumulativePsn`. A packet that it names besides arrived out of order (TCP)
   * or on a path (MP-RDMA).
   */
  answer(nowPs: number, ack: { readonly cumulativePsn: number; readonly marked?: boolean } & Partial<Departure>): void {
    const segment = new Segment()
    segment.kind = ACK
    segment.psn = (ack.cumulativePsn - 1) & PSN_MASK
    segment.sentPs = nowPs
    segment.flags = ((ack.path ?? 0) << PATH_SHIFT) | (ack.marked === true ? ECE : 0)
    if (ack.psn !== undefined) {
      segment.sackPsn = ack.psn & PSN_MASK
      segment.flags |= SACK
    }
    this.#pair.sender.onSegment(nowPs, segment)
  }

  /** Serves every deadline of the sender up to a time. */
  passTo(nowPs: number): void {
    const { sender, senderTimers } = this.#pair
    while (senderTimers.nextPs <= nowPs) sender.onTimeout(senderTimers.nextPs)
  }

  /** Sends one message through the script, until it is finished or nothing more happens. */
  play({ packets, lost = [], marked = [] }: Script): Played {
    const { messages: sender, receiver, senderTimers, receiverTimers } = this.#pair
    const sent: number[] = []
    const answers: Answer[] = []
    const lose = new Set(lost)
    const leg: InFlight[] = []
    const out = new Segment()
    let nowPs = 0
    const put = (isData: boolean): void => {
      const segment = Object.assign(new Segment(), out)
      leg.push({ arrivalPs: nowPs + this.#delayPs, order: this.#draw(), isData, segment })
    }
    const answer = (): void => {
      while (receiver.nextSendPs <= nowPs && receiver.pollTransmit(nowPs, out)) {
        answers.push(answerOf(out))
        put(false)
      }
    }
    sender.post(nowPs, packets * this.#payloadBytes, 'write')
    for (let step = 0; sender.acknowledgedMessages === 0 || receiver.deliveredMessages === 0; step++) {
      assert(step < MOST_STEPS, 'a script has no end')
      const next = leg.reduce<InFlight | null>(
        (first, each) => (first === null || isBefore(each, first) ? each : first),
        null,
      )
      const sendPs = Math.max(nowPs, sender.nextSendPs)
      const due = [next?.arrivalPs ?? NEVER_PS, senderTimers.nextPs, receiverTimers.nextPs, sendPs]
      const atPs = Math.min(...due)
      if (atPs === NEVER_PS) break
      nowPs = atPs
      if (next !== null && next.arrivalPs === atPs) {
        leg.splice(leg.indexOf(next), 1)
        if (next.isData) receiver.onSegment(nowPs, next.segment)
        else sender.onSegment(nowPs, next.segment)
        answer()
      } else if (senderTimers.nextPs === atPs) sender.onTimeout(nowPs)
      else if (receiverTimers.nextPs === atPs) {
        receiver.onTimeout(nowPs)
        answer()
      } else if (sender.pollTransmit(nowPs, out)) {
        sent.push(out.psn)
        if (out.ecn !== NOT_ECT && marked.includes(out.psn)) out.ecn = CE
        if (!lose.delete(out.psn)) put(true)
      }
    }
    return { sent, answers, isFinished: receiver.deliveredMessages > 0 && sender.acknowledgedMessages > 0 }
  }
}

function isBefore(a: InFlight, b: InFlight): boolean {
  return a.arrivalPs < b.arrivalPs || (a.arrivalPs === b.arrivalPs && a.order < b.order)
}

function answerOf({ kind, psn, flags }: Segment): Answer {
  return { kind: KINDS.get(kind) ?? 'other', psn, echo: (flags & ECE) !== 0 }
}
