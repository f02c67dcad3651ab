/**
 * Repeats: packets of a requester that were sent before, or come late; who noticed, and what that says of losses.
 * A hole that fills is a loss where the packets behind it are sent again too, and else a packet that came late.
 */
import { captureFindings, type FindingKind, type Values } from '../../findings/index.ts'
import { RNR_WAIT_US } from '../../wire/index.ts'
import type { Found, Sight } from '../found.ts'
import { type Packet, sightOf } from '../packet.ts'
import { wrapped } from '../psn.ts'
import type { Spans } from '../spans.ts'

const { losses } = captureFindings
const NAKS_MAX = 16
/** The same packet within this time is a copy of the network. */
const COPY_PS = 100e6
const COPY_IDENTIFIED_PS = 10e9
/** Timeouts are 4.096 us, doubled `code` times; they fit within 20 %. */
const TIMEOUT_UNIT_PS = 4.096e6
const FIT = 1.2
/** Transmissions without an answer after which a partner is taken for dead. */
const DEAD_AFTER = 3
/** A wait after a NAK that is no answer to it alone, and a timeout is named beside it where one fits. */
const NAK_LATE_PS = 4e9

interface Refusal {
  readonly psn: number
  readonly timePs: number
  /** Timer code of an RNR NAK; null: a NAK 60. */
  readonly code: number | null
}

/** Packets that are sent again from `start` on. */
interface Rewind {
  readonly start: number
  next: number
  readonly kind: { readonly id: string }
}

interface Late {
  readonly start: number
  next: number
  /** A NAK 60 asked for it, or for one below it, before. */
  readonly isAsked: boolean
  readonly gapPs: number
  readonly silentPs: number
  /** How many, and where the first of them are. */
  packets: number
  readonly sights: Sight[]
}

/** Knowledge of the dialogue at the time of a packet. */
export interface Standing {
  /** One past the last PSN that was answered. */
  readonly answered: number
  /** Last packet of the requester, and last answer that moved `answered`. */
  readonly lastRequestPs: number
  readonly lastProgressPs: number
  /** When the highest PSN was sent. */
  readonly lastNewPs: number
  /** One past the highest PSN; PSNs that were seen, this packet's included. */
  readonly high: number
  readonly seen: Spans
}

export class Repeats {
  readonly #found: Found
  /** Packets are sent again one by one (IRN): a NAK names the first of several that lack. */
  readonly isSelective: boolean
  #refusals: Refusal[] = []
  #rewind: Rewind | null = null
  #late: Late | null = null
  /** The packet before; identification 0 where there is none. */
  readonly #last = { psn: -1, opcode: 0, identification: 0 }
  #silent: { readonly start: number; readonly firstPs: number; lastPs: number; sight: Sight; times: number } | null =
    null

  constructor(found: Found, isSelective: boolean) {
    this.#found = found
    this.isSelective = isSelective
  }

  /** A NAK 60 (code null) or RNR NAK. */
  refused(psn: number, timePs: number, code: number | null): void {
    // IRN refuses with each packet that comes behind a hole; the first of them counts.
    if (this.#refusals.some((one) => one.psn === psn && one.code === code)) return
    if (this.#refusals.length >= NAKS_MAX) this.#refusals.shift()
    this.#refusals.push({ psn, timePs, code })
  }

  /** Whether an RNR NAK for this PSN is not yet followed by a transmission. */
  isHeldBack(psn: number): boolean {
    return this.#refusals.some((one) => one.psn === psn && one.code !== null)
  }

  /** A packet of the partner: it lives. */
  alive(): void {
    this.#silent = null
  }

  /** A packet with the next PSN, or beyond it. */
  fresh(packet: Packet, from: number, at: Standing): void {
    this.#settle(from, false, at)
    this.#rewind = null
    this.#remember(packet)
  }

  /** A packet whose PSN was seen. @param to one past the PSNs of it; false: it is a copy, not sent again */
  again(packet: Packet, from: number, to: number, at: Standing): boolean {
    const isCopy = this.#isCopy(packet, from, at)
    this.#remember(packet)
    if (isCopy) {
      this.#found.add(losses.duplicated, sightOf(packet), {})
      return false
    }
    this.#settle(from, true, at)
    if (this.#rewind !== null && from >= this.#rewind.next) this.#goOn(this.#rewind, to)
    else this.#begin(sightOf(packet), from, to, packet.timePs - at.lastRequestPs, at)
    return true
  }

  /** A packet whose PSN is below the highest and was not seen. @param gapPs time since a higher one was seen first */
  filled(packet: Packet, from: number, to: number, gapPs: number, at: Standing): void {
    this.#remember(packet)
    const rewind = this.#rewind
    if (rewind !== null && from >= rewind.next) {
      this.#goOn(rewind, to)
      this.#found.add(losses.lossBefore, sightOf(packet), {})
      return
    }
    if (this.#late !== null && from === this.#late.next) {
      this.#late.next = to
      this.#late.packets++
      if (this.#late.sights.length < NAKS_MAX) this.#late.sights.push(sightOf(packet))
      return
    }
    const silentPs = packet.timePs - at.lastRequestPs
    if (this.#settle(from, false, at) && from >= this.#rewind!.next) return this.filled(packet, from, to, gapPs, at)
    const isAsked = this.#refusalOf(from, at)?.code === null
    this.#late = { start: from, next: to, isAsked, gapPs, silentPs, packets: 1, sights: [sightOf(packet)] }
    if (this.isSelective && isAsked) this.#settle(to, true, at)
  }

  end(lastLifePs: number | null, at: Standing): void {
    this.#settle(-1, true, at)
    const silent = this.#silent
    if (silent === null || silent.times < DEAD_AFTER) return
    const intervalPs = (silent.lastPs - silent.firstPs) / (silent.times - 1)
    this.#found.add(losses.peerSilent, silent.sight, { transmissions: silent.times, intervalPs, lastLifePs })
  }

  /**
   * Says what a packet that filled a hole was; the result is whether it was sent again: `isAgain` if the packet at `from` is, or
   * if a NAK asked for it and the sender goes on behind it, leaving out what was lost once more.
   */
  #settle(from: number, isAgain: boolean, at: Standing): boolean {
    const late = this.#late
    if (late === null) return false
    this.#late = null
    const [first] = late.sights
    const isOnward = late.isAsked && from > late.next && from < at.high
    // Late packets too may leave out what came in time.
    const isBehind = isOnward && (isAgain || at.seen.gaps(late.next, from).length > 0)
    if (isBehind || (isAgain && (from === late.next || from < 0))) {
      this.#addAll(losses.lossBefore, late, {})
      this.#begin(first!, late.start, late.next, late.silentPs, at)
      if (late.packets > 1) this.#found.raise(this.#rewind!.kind, 'packets', late.packets - 1)
      return true
    }
    this.#addAll(losses.reordered, late, { latePs: late.gapPs })
    return false
  }

  #addAll<V extends Values>(
    kind: FindingKind<V>,
    { sights, packets }: Late,
    values: Omit<V, 'count' | 'frame' | 'psn' | 'sights'>,
  ): void {
    for (let i = 0; i < packets; i++) this.#found.add(kind, sights[i] ?? sights[0]!, values)
  }

  #goOn(rewind: Rewind, to: number): void {
    rewind.next = to
    this.#found.raise(rewind.kind, 'packets', 1)
  }

  #begin(sight: Sight, from: number, to: number, silentPs: number, at: Standing): void {
    const refusal = this.#refusalOf(from, at)
    this.#refusals = this.#refusals.filter((one) => one.psn !== from && (one !== refusal || this.isSelective))
    if (refusal !== null) {
      const afterPs = sight.timePs - refusal.timePs
      if (refusal.code === null) {
        const isLate = Math.min(afterPs, silentPs) >= NAK_LATE_PS
        const timeoutCode = isLate ? timeoutCodeOf(silentPs) : null
        this.#note(losses.retransmissionNak, sight, from, to, { packets: 1, afterPs, timeoutCode })
      } else {
        const askedPs = RNR_WAIT_US[refusal.code]! * 1e6
        this.#note(losses.retransmissionRnr, sight, from, to, { packets: 1, afterPs, code: refusal.code, askedPs })
      }
      return
    }
    const waits = [silentPs, sight.timePs - at.lastNewPs, sight.timePs - at.lastProgressPs]
    const fitting = waits.find((wait) => timeoutCodeOf(wait) !== null)
    const afterPs = fitting ?? silentPs
    const kind = from < at.answered ? losses.retransmissionAnswered : losses.retransmissionTimeout
    this.#note(kind, sight, from, to, { packets: 1, afterPs, timeoutCode: timeoutCodeOf(afterPs) })
    this.#unanswered(sight, from, silentPs)
  }

  #unanswered(sight: Sight, start: number, silentPs: number): void {
    const { timePs } = sight
    if (this.#silent?.start === start) {
      this.#silent.times++
      this.#silent.lastPs = timePs
    } else this.#silent = { start, firstPs: timePs - silentPs, lastPs: timePs, sight, times: 2 }
  }

  #note<V extends Values>(
    kind: FindingKind<V>,
    sight: Sight,
    start: number,
    next: number,
    values: Omit<V, 'count' | 'frame' | 'psn' | 'sights'> & { readonly packets: number },
  ): void {
    if (this.#found.has(kind)) this.#found.raise(kind, 'packets', 1)
    this.#found.add(kind, { ...sight, psn: wrapped(start) }, values)
    this.#rewind = { start, next, kind }
  }

  /**
   * The first RNR NAK for a PSN counts before a NAK 60, which the packets behind it bring about. A NAK 60 for a lower PSN counts
   * too: what it asked for was lost once more, or packets are sent again one by one.
   */
  #refusalOf(psn: number, { answered }: Standing): Refusal | null {
    const own = this.#refusals.filter((one) => one.psn === psn)
    const below = this.#refusals.findLast((one) => one.code === null && one.psn < psn && one.psn >= answered)
    return own.findLast(({ code }) => code !== null) ?? own.at(-1) ?? below ?? null
  }

  #remember(packet: Packet): void {
    this.#last.psn = packet.psn
    this.#last.opcode = packet.opcode
    this.#last.identification = identificationOf(packet)
  }

  #isCopy(packet: Packet, from: number, at: Standing): boolean {
    const last = this.#last
    if (last.psn !== packet.psn || last.opcode !== packet.opcode) return false
    if (this.#refusals.some(({ psn }) => psn === from)) return false
    const isIdentified = last.identification !== 0 && packet.roce.ip.version === 4
    if (isIdentified && last.identification !== identificationOf(packet)) return false
    return packet.timePs - at.lastRequestPs <= (isIdentified ? COPY_IDENTIFIED_PS : COPY_PS)
  }
}

function identificationOf({ roce: { ip } }: Packet): number {
  return ip.version === 4 ? ip.identification : 0
}

/** Code of a timeout that a wait fits; null: none does. */
export function timeoutCodeOf(waitPs: number): number | null {
  if (waitPs <= 0) return null
  const code = Math.round(Math.log2(waitPs / TIMEOUT_UNIT_PS))
  const ratio = waitPs / (TIMEOUT_UNIT_PS * 2 ** code)
  return code < 1 || code > 31 || ratio > FIT || ratio < 1 / FIT ? null : code
}
