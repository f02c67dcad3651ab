/**
 * Refusals: NAK 60 and RNR NAKs of a responder that packets sent again belong to. One NAK 60 counts however often it comes, as
 * IRN refuses with each packet behind a hole; RNR NAKs count one by one, as a transmission follows each of them.
 */
import { RNR_WAIT_US } from '../../../core/wire/index.ts'

const REFUSALS_MAX = 16
/** A sender that waits for RNR adds this at most: Linux counts in ticks of 4 ms. */
const RNR_SLACK_PS = 8e9

export interface Refusal {
  readonly psn: number
  /** Timer code of an RNR NAK; null: a NAK 60. */
  readonly code: number | null
  /** When it came: of RNR NAKs, of each that no transmission followed yet. */
  readonly timesPs: number[]
}

export interface Cause {
  readonly refusal: Refusal
  readonly afterPs: number
}

export class Refusals {
  #all: Refusal[] = []
  /** Packets are sent again one by one (IRN): a NAK names the first of several that lack. */
  readonly #isSelective: boolean

  constructor(isSelective: boolean) {
    this.#isSelective = isSelective
  }

  note(psn: number, timePs: number, code: number | null): void {
    const known = this.#all.find((one) => one.psn === psn && one.code === code)
    if (known !== undefined) {
      if (code !== null && known.timesPs.length < REFUSALS_MAX) known.timesPs.push(timePs)
      return
    }
    if (this.#all.length >= REFUSALS_MAX) this.#all.shift()
    this.#all.push({ psn, timesPs: [timePs], code })
  }

  /** Whether an RNR NAK for this PSN is not yet followed by a transmission. */
  isHeldBack(psn: number): boolean {
    return this.#all.some((one) => one.psn === psn && one.code !== null && one.timesPs.length > 0)
  }

  /** Whether one for this PSN, or a NAK 60 for one below it unless it `isOwn`, waits for a transmission. */
  isOpen(psn: number, isOwn = false): boolean {
    return this.#all.some((one) =>
      one.psn === psn ? one.timesPs.length > 0 : !isOwn && one.code === null && one.psn < psn,
    )
  }

  /** When a NAK 60 for this PSN, or for one below it that is not answered, came; null: none did. */
  askedPs(psn: number, answered: number): number | null {
    return this.#missed(psn, answered)?.timesPs[0] ?? null
  }

  /**
   * The refusal that a packet sent again follows. RNR NAKs count before a NAK 60, which the packets behind them bring about; a
   * copy that the sender makes of a packet that was refused so belongs to them too. A NAK 60 for a lower PSN counts: what it
   * asked for was lost once more, or packets are sent again one by one.
   * @param waitedPs since the transmission before
   */
  causeOf(psn: number, answered: number, nowPs: number, waitedPs: number): Cause | null {
    const held = this.#all.findLast((one) => one.psn === psn && one.code !== null)
    if (held !== undefined) {
      const [sincePs] = held.timesPs
      if (sincePs !== undefined) return { refusal: held, afterPs: nowPs - sincePs }
      const isInTime = waitedPs <= 2 * RNR_WAIT_US[held.code!]! * 1e6 + RNR_SLACK_PS
      if (psn >= answered && isInTime) return { refusal: held, afterPs: waitedPs }
    }
    // After an RNR NAK nothing is sent until its wait ends; Linux then begins with the first packet that had no ACK.
    const above = this.#all.findLast((one) => one.psn > psn && one.code !== null && one.timesPs.length > 0)
    if (above !== undefined) return { refusal: above, afterPs: nowPs - above.timesPs[0]! }
    const missed = this.#missed(psn, answered)
    return missed === null ? null : { refusal: missed, afterPs: nowPs - missed.timesPs[0]! }
  }

  /** A packet was sent again. @param refusal its cause */
  followed(psn: number, refusal: Refusal | null): void {
    if (refusal !== null && refusal.code !== null) refusal.timesPs.shift()
    this.#all = this.#all.filter(
      (one) => (one.code !== null && one === refusal) || (one.psn !== psn && (one !== refusal || this.#isSelective)),
    )
  }

  #missed(psn: number, answered: number): Refusal | null {
    const asked = this.#all.filter(({ code }) => code === null)
    const below = asked.findLast((one) => one.psn < psn && one.psn >= answered)
    return asked.findLast((one) => one.psn === psn) ?? below ?? null
  }
}
