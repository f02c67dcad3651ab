/**
 * Pair clock: where the time of one queue pair's sender goes, and from that the sender's part of each of its messages.
 * Between two calls the sender's state is the same, so that an interval is counted by the state at its beginning.
 * Shape: sums by state, twice: while no retransmission is pending, then while one is. Units: picoseconds.
 * Definitions: docs/models/autopsy.md.
 */
import type { QueuePair } from '../../../core/fabric/pairs/queue-pair.ts'
import { DOUBLE_ZERO } from '../../../core/base/double.ts'
import type { SenderWatch } from '../../../core/transport/send/watched-sender.ts'
import type { Segment } from '../../../core/transport/segment.ts'
import type { Hop } from './copies.ts'
import { type AckPorts, HeldAcks, type PortFacts } from './held-acks.ts'
import { HeldPair, type HostOrigins, type OpenMessage, stateOf } from './held-pair.ts'
import { SUMS, type SumsPool } from './sums.ts'
import { Weights } from './blame.ts'
import {
  ANSWER,
  BEHIND,
  FETCH,
  HOST,
  LINK_DOWN,
  NAK_WAIT,
  NIC_PAUSED,
  OTHERS,
  OWN,
  RATE,
  REQUEST,
  RESEND,
  RNR,
  STATES,
  TIMEOUT_WAIT,
} from '../../../core/results/flow-parts.ts'

const NO_PATH: readonly Hop[] = []
const NO_WAITS: readonly [number, number, number] = [0, 0, 0]
/** Sums of a clock at its beginning. */
const NONE = new Float64Array(SUMS)
/** Pauses of the interval that is looked at. */
const pauses = new Weights()

/** Events that are noted and not looked at yet. */
interface Notes {
  /** Looks at it: a clock learns of the frames and states of its queue pair. */
  catchUp(): void
  /** The same up to the last state that was noted. */
  settle(): void
  /** Notes the state of a queue pair's sender, for `change`. */
  noteState(pair: number, state: number, readyPs: number, isAgain: boolean, found: number): void
}

/** Facts beyond the queue pair: ways of packets, and how much of an interval the link of its NIC was down, or its class paused. */
export interface Surroundings extends HostOrigins, PortFacts {
  /** Arrays for sums. */
  readonly sums: SumsPool
  readonly notes: Notes
  /** The way so far of the packet that has this record; empty: it is not known. */
  hopsAt(record: number): readonly Hop[]
  /** Queue pairs of one host that wait for each other, or their host if it has sent nothing since then. */
  nicOrigin(port: number, fromPs: number, toPs: number): number
}

export class PairClock implements SenderWatch {
  readonly pair: QueuePair
  sums: Float64Array
  /** Messages posted and not complete, in order. */
  readonly open: OpenMessage[] = []
  /** Messages that are complete and not acknowledged, where ACKs are asked for. */
  readonly acks: HeldAcks
  /** One past the highest PSN that has left; of the packet that is on the link only when that is out. */
  private highest = DOUBLE_ZERO
  private posted = 0
  private begun = 0
  private sent = 0
  private readonly surroundings: Surroundings
  private readonly nowPs: () => number
  private readonly port: number
  private lastPs = DOUBLE_ZERO
  /** Until then a packet of the queue pair goes onto the link, a retransmission or not. */
  private busyPs = DOUBLE_ZERO
  private isBusyAgain = false
  /** State from `lastPs` on. */
  private state: number = ANSWER
  /** With a state that ends by time: then the sender is ready. Infinity: it does not. */
  private readyPs = Infinity
  private isAgain = false
  /** A retransmission has been pending: before, the second half of the sums is 0. */
  hasAgain = false
  /** Ready since then, at a port that is not known yet; NaN: not so. */
  private unresolvedPs = NaN
  /** A retransmission was pending then. */
  private isUnresolvedAgain = false
  private hostPs = DOUBLE_ZERO
  /** Time without a pending retransmission, since the last one became pending. */
  private waitPs = DOUBLE_ZERO
  /** Such times, by the way in which the next loss was found: NAK, timeout, RNR NAK. */
  private readonly waits: [number, number, number] = [0, 0, 0]
  /** The newest state, which is noted and perhaps not looked at yet. */
  private notedState: number = ANSWER
  private notedReadyPs = Infinity
  private isNotedAgain = false
  private timeouts = 0
  /** Who holds it, and has held it. */
  readonly held: HeldPair

  /** @param ports that the queue pair sends by if each of its hosts has one */
  constructor(pair: QueuePair, ports: AckPorts, surroundings: Surroundings, nowPs: () => number) {
    this.pair = pair
    this.acks = new HeldAcks(pair, ports, surroundings)
    this.held = new HeldPair(pair, surroundings)
    this.port = ports.near
    this.surroundings = surroundings
    this.sums = surroundings.sums.copyOf(NONE)
    this.nowPs = nowPs
    this.lastPs = nowPs()
    this.hostPs = -1
    this.highest = pair.sender.highest
  }

  /** A message is posted that reaches the sender later: a READ, or work that waits for room in the send queue. */
  onQueued(): void {
    this.surroundings.notes.settle()
    this.addMessage(NaN)
  }

  /** Packets of a message, or of a READ that has been requested, are posted at the sender. */
  onPosted(packets: number, operation: 'write' | 'send' | 'read', cause: number): void {
    const nowPs = this.nowPs()
    this.surroundings.notes.catchUp()
    this.flush(nowPs, -1)
    const { sender, stacks } = this.pair
    if (stacks !== null && operation !== 'read' && sender.una === sender.end - packets)
      this.hostPs = sender.pacing.availablePs
    const asked = this.open.find(({ readyPs }) => Number.isNaN(readyPs)) ?? this.addMessage(nowPs)
    asked.readyPs = nowPs
    if (operation === 'read') asked.request = this.surroundings.hopsAt(cause)
    asked.firstPsn = sender.end - packets
    asked.endPsn = sender.end
    this.begin(nowPs)
  }

  onReply({ ordinal }: Readonly<Segment>): void {
    if (this.acks.wholes.length > 0) this.acks.reply = this.surroundings.hopsAt(ordinal)
  }

  onState(): void {
    const { sender } = this.pair
    const { hindrance, nextSendPs, timeouts } = sender
    const isAgain = sender.resendPsn >= 0 || sender.nxt < sender.highest
    const isTimed = hindrance === 'none' && Number.isFinite(nextSendPs)
    const readyPs = isTimed ? nextSendPs : Infinity
    let state = stateOf(hindrance)
    if (isTimed && nextSendPs <= this.hostPs) state = HOST
    else if (isTimed) state = sender.resendFromPs > sender.pacing.availablePs ? FETCH : RATE
    // Most replies change nothing: the interval goes on.
    const isSame = state === this.notedState && readyPs === this.notedReadyPs && timeouts === this.timeouts
    if (isSame && isAgain === this.isNotedAgain) return
    let found = -1
    if (isAgain && !this.isNotedAgain)
      found = hindrance === 'rnr' ? RNR : timeouts > this.timeouts ? TIMEOUT_WAIT : NAK_WAIT
    this.timeouts = timeouts
    this.isNotedAgain = isAgain
    this.notedReadyPs = readyPs
    this.notedState = state
    this.surroundings.notes.noteState(this.pair.id, state, readyPs, isAgain, found)
  }

  /** The state is another one from now on. @param found a retransmission becomes pending: how its loss was found; or -1 */
  change(nowPs: number, state: number, readyPs: number, isAgain: boolean, found: number): void {
    this.flush(nowPs, -1)
    if (found >= 0) this.endWait(found)
    this.isAgain = isAgain
    this.hasAgain ||= isAgain
    this.readyPs = readyPs
    this.state = state
  }

  /** A data packet leaves by this port; its serialization takes that long. @param highest of the sender after it */
  onStart(nowPs: number, port: number, isAgain: boolean, transmitPs: number, highest: number): void {
    this.flush(nowPs, port)
    this.highest = highest
    this.busyPs = Math.max(this.busyPs, nowPs + transmitPs)
    this.isBusyAgain = isAgain
  }

  /** Takes the oldest message, which is complete or will never be. */
  take(): OpenMessage {
    const message = this.open.shift()!
    this.held.ledger.mark()
    this.held.ledger.forget(message.postedPs)
    this.begun = Math.max(0, this.begun - 1)
    this.sent = Math.max(0, this.sent - 1)
    return message
  }

  /** The message, which was taken, is not looked at any more. */
  giveBack({ atBegin, atSent }: OpenMessage): void {
    this.surroundings.sums.give(atBegin)
    this.surroundings.sums.give(atSent)
  }

  /** The queue pair is no more. */
  end(): void {
    for (const message of this.open) this.giveBack(message)
    this.surroundings.sums.give(this.sums)
    this.sums = NONE.slice()
  }

  /** Sums and ledger as they are now, for `look`; nothing is changed, so that a run does not depend on when they are asked for. */
  at(nowPs: number, look: (sums: Float64Array) => void): void {
    const sums = this.sums.slice()
    const { ledger } = this.held
    this.held.ledger = ledger.copy()
    const [lastPs, unresolvedPs, waitPs] = [this.lastPs, this.unresolvedPs, this.waitPs]
    const isUnresolvedAgain = this.isUnresolvedAgain
    this.flush(nowPs, -1)
    this.resolve(this.port)
    look(this.sums)
    this.sums.set(sums)
    this.held.ledger = ledger
    this.lastPs = lastPs
    this.unresolvedPs = unresolvedPs
    this.isUnresolvedAgain = isUnresolvedAgain
    this.waitPs = waitPs
  }

  /**
   * Adds to `parts` the sender's part of a message: from its posting until the completing packet left, or until now.
   * @param sums of the clock at that time
   */
  split(message: OpenMessage, leftPs: number, sums: Float64Array, parts: Float64Array): void {
    const { postedPs, readyPs, begunPs, atBegin, sentPs, atSent } = message
    const askedPs = Number.isNaN(readyPs) ? leftPs : Math.min(readyPs, leftPs)
    parts[this.pair.isRead ? REQUEST : BEHIND]! += askedPs - postedPs
    if (leftPs <= askedPs) return
    if (atBegin === null || leftPs <= begunPs) {
      parts[BEHIND]! += leftPs - askedPs
      return
    }
    parts[BEHIND]! += begunPs - askedPs
    const isAllSent = atSent !== null && leftPs > sentPs
    const until = isAllSent ? atSent : sums
    for (let state = 0; state < STATES; state++)
      parts[state]! += until[state]! - atBegin[state]! + until[STATES + state]! - atBegin[STATES + state]!
    if (!isAllSent) return
    let waitPs = 0
    for (let state = 0; state < STATES; state++) {
      const spanPs = sums[state]! - atSent[state]!
      if (state === RESEND) parts[RESEND]! += spanPs
      else waitPs += spanPs
      // Others of its queue pair went first while a retransmission was pending.
      parts[state === OWN ? OTHERS : state]! += sums[STATES + state]! - atSent[STATES + state]!
    }
    this.splitWait(message, waitPs, parts)
  }

  /** Splits the time in which nothing of the message was left to send by what ended each of its waits. */
  private splitWait({ waitedPs, firstWait, waitsPs }: OpenMessage, waitPs: number, parts: Float64Array): void {
    let leftPs = waitPs
    const kinds = [NAK_WAIT, TIMEOUT_WAIT, RNR] as const
    kinds.forEach((kind, at) => {
      const ofKindPs = this.waits[at]! - waitsPs[at]! - (firstWait === kind ? waitedPs : 0)
      const takenPs = Math.max(0, Math.min(leftPs, ofKindPs))
      parts[kind]! += takenPs
      leftPs -= takenPs
    })
    parts[ANSWER]! += leftPs
  }

  private addMessage(readyPs: number): OpenMessage {
    const message: OpenMessage = {
      number: this.posted++,
      postedPs: this.nowPs(),
      readyPs,
      request: NO_PATH,
      firstPsn: NaN,
      endPsn: NaN,
      begunPs: NaN,
      atBegin: null,
      sentPs: NaN,
      atSent: null,
      waitedPs: 0,
      firstWait: -1,
      waitsPs: NO_WAITS,
    }
    this.open.push(message)
    this.held.ledger.mark()
    return message
  }

  /** A retransmission becomes pending. */
  private endWait(kind: number): void {
    const at = kind === NAK_WAIT ? 0 : kind === TIMEOUT_WAIT ? 1 : 2
    this.waits[at]! += this.waitPs
    this.waitPs = 0
    for (let i = 0; i < this.sent; i++) if (this.open[i]!.firstWait === -1) this.open[i]!.firstWait = kind
  }

  /** Counts the time up to now. @param port that a packet leaves by now, or -1 */
  private flush(nowPs: number, port: number): void {
    if (!Number.isNaN(this.unresolvedPs) && (port >= 0 || nowPs > this.lastPs))
      this.resolve(port >= 0 ? port : this.port)
    let fromPs = this.lastPs
    if (fromPs >= nowPs) return
    if (this.busyPs > fromPs) {
      const toPs = Math.min(nowPs, this.busyPs)
      this.add(this.isBusyAgain ? RESEND : OWN, fromPs, toPs)
      fromPs = this.lastPs = toPs
      if (toPs === this.busyPs) this.begin(toPs)
    }
    if (fromPs < nowPs) {
      const untilPs = Math.max(fromPs, Math.min(nowPs, this.readyPs))
      this.add(this.state, fromPs, untilPs)
      if (untilPs < nowPs) {
        this.unresolvedPs = untilPs
        this.isUnresolvedAgain = this.isAgain
      }
      this.lastPs = nowPs
      if (!Number.isNaN(this.unresolvedPs) && port >= 0) this.resolve(port)
    }
  }

  /** Splits the time in which the sender was ready by the state of a port. */
  private resolve(port: number): void {
    const fromPs = this.unresolvedPs
    if (Number.isNaN(fromPs)) return
    this.unresolvedPs = NaN
    const toPs = this.lastPs
    const downPs = this.surroundings.downPs(port, fromPs, toPs)
    pauses.clear()
    const pausedPs = this.surroundings.addPauses(port, this.pair.trafficClass, fromPs, toPs, pauses)
    const othersPs = toPs - fromPs - downPs - pausedPs
    // The packet that ends the wait may be the last one that was to be sent again.
    const isAgain = this.isUnresolvedAgain
    const { ledger } = this.held
    if (downPs > 0) {
      this.count(LINK_DOWN, downPs, isAgain)
      ledger.add(fromPs, toPs, LINK_DOWN, this.surroundings.linkOrigin(port), downPs)
    }
    if (pausedPs > 0) {
      this.count(NIC_PAUSED, pausedPs, isAgain)
      for (let i = 0; i < pauses.count; i++)
        ledger.add(fromPs, toPs, NIC_PAUSED, pauses.originAt(i), pauses.amountAt(i))
    }
    if (othersPs > 0) {
      this.count(OTHERS, othersPs, isAgain)
      ledger.add(fromPs, toPs, OTHERS, this.surroundings.nicOrigin(port, fromPs, toPs), othersPs)
    }
  }

  /** The sender was in this state between the two times. */
  private add(state: number, fromPs: number, toPs: number): void {
    const spanPs = toPs - fromPs
    this.count(state, spanPs, this.isAgain)
    if (state !== OWN && spanPs > 0) this.held.ledger.add(fromPs, toPs, state, this.held.originOf(state), spanPs)
  }

  private count(state: number, spanPs: number, isAgain: boolean): void {
    this.sums[isAgain ? STATES + state : state]! += spanPs
    if (!isAgain && state !== RESEND) this.waitPs += spanPs
  }

  /** Messages whose turn has come, and those whose last packet is out. */
  private begin(nowPs: number): void {
    if (this.busyPs > nowPs) return
    const { open } = this
    const highest = this.highest
    const isDue = this.begun < open.length && open[this.begun]!.firstPsn <= highest
    // The sums are to hold all that is past.
    if (isDue) this.resolve(this.port)
    for (; this.begun < open.length && open[this.begun]!.firstPsn <= highest; this.begun++) {
      const message = open[this.begun]!
      message.begunPs = nowPs
      this.held.ledger.mark()
      message.atBegin = this.surroundings.sums.copyOf(this.sums)
    }
    for (; this.sent < this.begun && open[this.sent]!.endPsn <= highest; this.sent++) {
      const message = open[this.sent]!
      message.sentPs = nowPs
      message.atSent = this.surroundings.sums.copyOf(this.sums)
      message.waitedPs = this.waitPs
      message.waitsPs = [this.waits[0], this.waits[1], this.waits[2]]
    }
  }
}
