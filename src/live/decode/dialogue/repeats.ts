/**
 * Repeats: packets of a requester that were sent before, or come late; who noticed, and what that says of losses.
 * A hole that fills is a loss where the packets behind it are sent again too, and else a packet that came late.
 */
import { captureFindings, type FindingKind, type Values } from '../../../core/findings/index.ts'
import { RNR_WAIT_US } from '../../../core/wire/index.ts'
import type { Found, Sight } from '../found.ts'
import type { Limits } from '../limits.ts'
import { type Packet, sightOf } from '../packet.ts'
import { wrapped } from '../psn.ts'
import { Spans } from '../spans.ts'
import { Refusals } from './refusals.ts'
import { Rewind } from './rewind.ts'

const { losses } = captureFindings
/** Kinds of packets that nobody asked for. */
const UNASKED: ReadonlySet<string> = new Set([losses.retransmissionTimeout.id, losses.retransmissionAnswered.id])
/** Packets that wait for what comes behind them. */
const LATE_MAX = 16
/** Timeouts are 4.096 us, doubled `code` times; they fit within 20 %. */
const TIMEOUT_UNIT_PS = 4.096e6
const FIT = 1.2
/** Code 1: 0 is none (IBTA 11.2.4.2). A sender that nobody asked does not send again sooner. */
export const SHORTEST_TIMEOUT_PS = 2 * TIMEOUT_UNIT_PS
/** Transmissions without an answer after which a partner is taken for dead. */
const DEAD_AFTER = 3
/** A wait after a NAK that is no answer to it alone, and a timeout is named beside it where one fits. */
const NAK_LATE_PS = 4e9
/** A timeout shorter than this many mean round trips would run out without a loss. */
const TIMEOUT_ROUND_TRIPS = 2
/** A sender that rewinds for a NAK does so within this many times as long as a late packet came behind it, and this. */
const PROMPT = { times: 10, ps: 1e9 }

/** Packets that fill a hole. */
interface Late {
  readonly start: number
  next: number
  /** When a NAK 60 for it, or for one below it, came before; null: none did. */
  readonly askedPs: number | null
  readonly gapPs: number
  readonly waits: Waited
  /** How many, and where the first of them are. */
  packets: number
  readonly sights: Sight[]
}

/** Times of the dialogue before a packet. */
interface Waited {
  readonly lastRequestPs: number
  readonly lastProgressPs: number
  readonly lastNewPs: number
  readonly lastAnswerPs: number
  readonly answered: number
}

/** Knowledge of the dialogue at the time of a packet. */
export interface Standing extends Waited {
  /** One past the highest PSN; PSNs that were seen, this packet's included. */
  readonly high: number
  readonly seen: Spans
  /** When a PSN was answered first; null: it was not, or long ago. */
  answeredAt(psn: number): number | null
  /** When the latest answer came, if the PSN is a READ's or atomic's and the answer is to a later one; null: it is not. */
  overtakenPs(psn: number): number | null
  /** Mean round trip; 0: none is known. */
  readonly usualPs: number
}

export class Repeats {
  readonly #found: Found
  /** Packets are sent again one by one (IRN): a NAK names the first of several that lack. */
  readonly isSelective: boolean
  readonly #refusals: Refusals
  #rewind: Rewind | null = null
  /** New packets followed some that were sent again. */
  #hasGoneOn = false
  #late: Late | null = null
  /** Late packets that a NAK asked for: only what follows tells whether they were sent again. */
  #doubtful: Late[] = []
  /** PSNs that were left out when those around them were sent again. */
  readonly #leftOut: Spans
  /** PSNs that came behind later ones, or before earlier ones: a receiver refuses them although they come. */
  readonly #cameLate: Spans
  #silent: { readonly start: number; readonly firstPs: number; lastPs: number; sight: Sight; times: number } | null =
    null

  constructor(found: Found, limits: Limits, isSelective: boolean) {
    this.#found = found
    this.isSelective = isSelective
    this.#refusals = new Refusals(isSelective)
    this.#leftOut = new Spans(limits)
    this.#cameLate = new Spans(limits)
  }

  /** A NAK 60 (code null) or RNR NAK. */
  refused(psn: number, timePs: number, code: number | null): void {
    this.#refusals.note(psn, timePs, code)
  }

  /** Whether an RNR NAK for this PSN is not yet followed by a transmission. */
  isHeldBack(psn: number): boolean {
    return this.#refusals.isHeldBack(psn)
  }

  /** Whether a refusal of this PSN, or one below it, waits for a transmission, or it is among those that are sent again. */
  isRefused(psn: number): boolean {
    const rewind = this.#rewind
    const isResent = rewind !== null && psn >= rewind.start && (rewind.isGoing || psn < rewind.next)
    return isResent || this.#refusals.isOpen(psn)
  }

  /** Whether a packet was lost before this point when it was sent last, although it had passed; it is said once. */
  wasLeftOut(psn: number): boolean {
    if (this.isSelective || !this.#leftOut.has(psn)) return false
    this.#leftOut.remove(psn, psn + 1)
    return true
  }

  /** Whether a packet passed out of order, and an answer is not to a transmission since. */
  hasComeLate(psn: number, timePs: number, shortestPs: number | null): boolean {
    const rewind = this.#rewind
    if (!this.#cameLate.has(psn)) return false
    return rewind === null || psn < rewind.start || psn >= rewind.next || timePs - rewind.beganPs < (shortestPs ?? 0)
  }

  /** Whether a NAK or RNR NAK of this very PSN waits for a transmission. */
  isRefusedItself(psn: number): boolean {
    return this.#refusals.isOpen(psn, true)
  }

  /** A packet of the partner: it lives. */
  alive(): void {
    this.#silent = null
  }

  /** An answer that is no refusal. @param isResponse of a READ or atomic */
  answered(psn: number, isResponse: boolean): void {
    this.#rewind?.answered(psn, isResponse)
  }

  /** A packet with the next PSN, or beyond it. */
  fresh(from: number, at: Standing): void {
    this.#settle(from, false, at)
    // A sender that goes on was answered.
    this.#silent = null
    this.#hasGoneOn ||= this.#rewind !== null
    // Packets that are sent again one by one go on between new ones.
    if (this.#rewind !== null && !this.isSelective) this.#rewind.isGoing = false
  }

  /** A packet whose PSN was seen. @param to one past the PSNs of it */
  again(packet: Packet, from: number, to: number, at: Standing): void {
    this.#settle(from, true, at)
    this.#settleDoubtful(from, packet.timePs, at)
    const rewind = this.#going(packet, from, at)
    if (rewind === null) this.#begin(sightOf(packet), from, to, at, at)
    else {
      if (from > rewind.next) this.#leftOut.add(rewind.next, from)
      rewind.goOn(to)
    }
    if (from === at.answered && this.wasLeftOut(from)) this.#found.add(losses.lossBefore, sightOf(packet), {})
    else this.#leftOut.remove(from, to)
  }

  /** A packet whose PSN is below the highest and was not seen. @param gapPs time since a higher one was seen first */
  filled(packet: Packet, from: number, to: number, gapPs: number, at: Standing): void {
    const rewind = this.#going(packet, from, at)
    if (rewind !== null) {
      rewind.goOn(to)
      this.#found.add(losses.lossBefore, sightOf(packet), {})
      return
    }
    if (this.#late !== null && from === this.#late.next) {
      this.#late.next = to
      this.#late.packets++
      if (this.#late.sights.length < LATE_MAX) this.#late.sights.push(sightOf(packet))
      return
    }
    // Under go-back-N those that overtook it are dropped and refused too.
    this.#cameLate.add(from, this.isSelective ? to : at.high)
    if (this.#settle(from, false, at) && from >= this.#rewind!.next) return this.filled(packet, from, to, gapPs, at)
    const askedPs = this.#refusals.askedPs(from, at.answered)
    this.#late = { start: from, next: to, askedPs, gapPs, waits: at, packets: 1, sights: [sightOf(packet)] }
  }

  /** @param lastLifePs when the last answer came; null: none is in the capture */
  end(lastLifePs: number | null, at: Standing): void {
    this.#settle(-1, true, at)
    for (const late of this.#doubtful.splice(0)) this.#lost(late, at)
    this.#close()
    const silent = this.#silent
    // Who went on after packets that were sent again had an answer, which the capture has not.
    const isLone = lastLifePs === null && this.#hasGoneOn
    const isSilent = silent !== null && silent.times >= DEAD_AFTER && !isLone
    if (isSilent) {
      const intervalPs = (silent.lastPs - silent.firstPs) / (silent.times - 1)
      this.#found.add(losses.peerSilent, silent.sight, { transmissions: silent.times, intervalPs, lastLifePs })
    }
    if (lastLifePs !== null) return
    // Without answers in the capture, nobody knows who asked, and whether a packet came late or was sent again.
    if (!isSilent) this.#found.rename(losses.retransmissionTimeout, losses.retransmissionUnexplained)
    this.#found.rename(losses.reordered, losses.lateUnexplained)
  }

  /** The rewind that a packet goes on with. */
  #going(
    { timePs }: Packet,
    from: number,
    { lastRequestPs, lastAnswerPs, usualPs, answered }: Standing,
  ): Rewind | null {
    const rewind = this.#rewind
    if (rewind === null || !rewind.isGoing || from < rewind.next) return null
    // Packets that are sent again one by one come at once; who goes back sends on as answers come, and a timer begins at the first that lacks one.
    const silentPs = timePs - Math.max(lastRequestPs, this.isSelective ? 0 : lastAnswerPs)
    const isSilent = silentPs >= Math.max(NAK_LATE_PS, TIMEOUT_ROUND_TRIPS * usualPs)
    return isSilent && (this.isSelective || from === answered) ? null : rewind
  }

  /**
   * Says what a packet that filled a hole was; the result is whether it was sent again: `isAgain` if the packet at `from` is, or
   * if a NAK asked for it and the sender goes on behind it, leaving out what was lost once more.
   */
  #settle(from: number, isAgain: boolean, at: Standing): boolean {
    const late = this.#late
    if (late === null) return false
    this.#late = null
    const isOnward = late.askedPs !== null && from > late.next && from < at.high
    // Late packets too may leave out what came in time.
    const isBehind = isOnward && (isAgain || at.seen.gaps(late.next, from).length > 0)
    if (isBehind || (isAgain && (from === late.next || from < 0))) {
      this.#lost(late, at)
      return true
    }
    if (late.askedPs === null) this.#addLate(late)
    else if (this.#doubtful.push(late) > LATE_MAX) this.#lost(this.#doubtful.shift()!, at)
    return false
  }

  /**
   * Late packets that a NAK asked for: a sender that sends them again now, in answer to it, had not done so before; one that
   * never does sends packets again one by one.
   */
  #settleDoubtful(from: number, nowPs: number, at: Standing): void {
    if (this.#doubtful.length === 0) return
    const rest = this.#doubtful.splice(0)
    for (const late of rest) {
      if (from < late.start || from >= late.next) this.#doubtful.push(late)
      else {
        const [first] = late.sights
        const lagPs = nowPs - first!.timePs
        const isPrompt = lagPs <= PROMPT.times * (first!.timePs - late.askedPs!) + PROMPT.ps
        if (isPrompt) this.#addLate(late)
        else this.#lost(late, at)
      }
    }
  }

  /** It was lost before this point, and is sent again. */
  #lost(late: Late, at: Standing): void {
    this.#addAll(losses.lossBefore, late, {})
    this.#begin(late.sights[0]!, late.start, late.next, late.waits, at)
    for (let i = 1; i < late.packets; i++) this.#rewind!.goOn(late.next)
  }

  #addLate(late: Late): void {
    this.#addAll(losses.reordered, late, { latePs: late.gapPs })
  }

  #addAll<V extends Values>(
    kind: FindingKind<V>,
    { sights, packets }: Late,
    values: Omit<V, 'count' | 'frame' | 'psn' | 'sights'>,
  ): void {
    for (let i = 0; i < packets; i++) this.#found.add(kind, sights[i] ?? sights[0]!, values)
  }

  #begin(sight: Sight, from: number, to: number, waits: Waited, at: Standing): void {
    const { timePs } = sight
    const last = this.#rewind
    // The last transmission of the packet: no wait is longer.
    const mostPs = last !== null && last.start <= from && from < last.next ? timePs - last.beganPs : Infinity
    const silentPs = timePs - waits.lastRequestPs
    const cause = this.#refusals.causeOf(from, waits.answered, timePs, Math.min(mostPs, timePs - waits.lastProgressPs))
    this.#refusals.followed(from, cause?.refusal ?? null)
    if (cause !== null) {
      const { afterPs, refusal } = cause
      if (refusal.code === null) {
        const isLate = Math.min(afterPs, silentPs) >= NAK_LATE_PS
        const timeoutCode = isLate ? timeoutCodeOf(silentPs) : null
        this.#open(losses.retransmissionNak, sight, from, to, { packets: 1, afterPs, timeoutCode }, at)
      } else {
        const askedPs = RNR_WAIT_US[refusal.code]! * 1e6
        const values = { packets: 1, afterPs, code: refusal.code, askedPs }
        this.#open(losses.retransmissionRnr, sight, from, to, values, at)
      }
      return
    }
    const all = [silentPs, timePs - waits.lastNewPs, timePs - waits.lastProgressPs].filter((wait) => wait <= mostPs)
    const afterPs = all.find((wait) => timeoutCodeOf(wait) !== null) ?? silentPs
    const overtakenPs = at.overtakenPs(from)
    const hasPassed = from < waits.answered
    // Where it passed, it is not known that the requester lacks it.
    if (overtakenPs !== null && timePs - overtakenPs <= mostPs && (!hasPassed || timePs - overtakenPs < NAK_LATE_PS)) {
      const isLate = timePs - overtakenPs >= NAK_LATE_PS
      const timeoutCode = isLate ? timeoutCodeOf(afterPs) : null
      const values = { packets: 1, afterPs: timePs - overtakenPs, timeoutCode, hasPassed }
      this.#open(losses.retransmissionResponse, sight, from, to, values, at)
      return
    }
    const kind = hasPassed ? losses.retransmissionAnswered : losses.retransmissionTimeout
    this.#open(kind, sight, from, to, { packets: 1, afterPs, timeoutCode: timeoutCodeOf(afterPs) }, at)
    this.#unanswered(sight, from, silentPs)
  }

  #unanswered(sight: Sight, start: number, silentPs: number): void {
    const { timePs } = sight
    if (this.#silent?.start === start) {
      this.#silent.times++
      this.#silent.lastPs = timePs
    } else this.#silent = { start, firstPs: timePs - silentPs, lastPs: timePs, sight, times: 2 }
  }

  #open<V extends Values>(
    kind: FindingKind<V>,
    sight: Sight,
    start: number,
    next: number,
    values: Omit<V, 'count' | 'frame' | 'psn' | 'sights'> & { readonly packets: number; readonly afterPs: number },
    at: Standing,
  ): void {
    this.#close()
    const sighting = this.#found.open(kind, { ...sight, psn: wrapped(start) }, values)
    this.#rewind = new Rewind(sighting, start, next, values.afterPs, at.answeredAt(start))
  }

  /** Nothing that comes says more of the packets that were sent again last. */
  #close(): void {
    const rewind = this.#rewind
    if (rewind === null) return
    const { sighting } = rewind
    if (UNASKED.has(sighting.kind.id) && rewind.isOfLateAnswer())
      this.#found.change(sighting, losses.retransmissionSpurious)
    this.#found.close(sighting)
    this.#cameLate.remove(rewind.start, rewind.next)
    this.#rewind = null
  }
}

/** Code of a timeout that a wait fits; null: none does. */
export function timeoutCodeOf(waitPs: number): number | null {
  if (waitPs <= 0) return null
  const code = Math.round(Math.log2(waitPs / TIMEOUT_UNIT_PS))
  const ratio = waitPs / (TIMEOUT_UNIT_PS * 2 ** code)
  return code < 1 || code > 31 || ratio > FIT || ratio < 1 / FIT ? null : code
}
