/**
 * Doubles: copies of packets of a direction at one interface, as a mirror session, a capture that was merged from both ends, or
 * the network makes them, and how they differ from packets that are sent again. Senders whose identifications count on give each
 * transmission its own; the packets of others, and those of IPv6, are equal when they are sent again.
 */
import { SHORTEST_TIMEOUT_PS } from '../dialogue/repeats.ts'
import type { Packet } from '../packet.ts'

/** A copy directly behind its packet. */
const DIRECT_PS = 100e6
/** The first packet of a connection once more: a mirror, and no retransmission. */
const BEGIN_PS = 500e6
/** Copies from which on, and this share of the packets, all of them are doubled. */
const MIRRORED_MIN = 4
const MIRRORED_SHARE = 0.5

export class Doubles {
  copies = 0
  #firsts = 0
  #identification: number | null = null
  /** Identifications differ from packet to packet. */
  #isIdentified = false
  #lastPsn = -1
  #lastOpcode = -1
  #firstPsn = -1
  #longestPs = 0
  /** The first packet of all was doubled. */
  #isBegun = false

  /** A packet that is no copy. */
  note({ psn, opcode, roce: { ip } }: Packet): void {
    const identification = ip.version === 4 ? ip.identification : 0
    if (this.#identification !== null && identification !== this.#identification) this.#isIdentified = true
    this.#identification = identification
    if (this.#firsts++ === 0) this.#firstPsn = psn
    this.#lastPsn = psn
    this.#lastOpcode = opcode
  }

  /** Whether most packets are doubled. */
  isMirrored(partner: Doubles | null): boolean {
    const copies = this.copies + (partner?.copies ?? 0)
    const firsts = this.#firsts + (partner === null ? 0 : partner.#firsts)
    return copies >= MIRRORED_MIN && copies >= MIRRORED_SHARE * firsts
  }

  /**
   * Whether a packet that is equal to one before it is a copy, which counts then.
   * @param isAnswer answers are equal where duplicates are answered again @param isAsked a NAK or RNR NAK for it is open, or it is sent again
   * @param shortestPs shortest round trip; null: none is known
   */
  isCopy(psn: number, opcode: number, sincePs: number, { isAnswer, isAsked, shortestPs, partner }: Between): boolean {
    const isFirst = !this.#isBegun && !isAnswer && psn === this.#firstPsn && sincePs <= BEGIN_PS
    const longestPs = Math.max(this.#longestPs, partner === null ? 0 : partner.#longestPs)
    const requests = isAnswer && partner !== null ? partner : this
    const isInRow = requests.#isBegun || requests.isMirrored(null)
    const isDirect = psn === this.#lastPsn && opcode === this.#lastOpcode && sincePs <= DIRECT_PS
    const isSooner = sincePs < Math.max(SHORTEST_TIMEOUT_PS, shortestPs ?? 0)
    const isByItself = !isAnswer && !isAsked && (isDirect || isFirst || isSooner)
    if (!this.#isIdentified && !(isInRow && sincePs <= 2 * longestPs) && !isByItself) return false
    this.copies++
    this.#longestPs = Math.max(this.#longestPs, sincePs)
    if (isFirst) this.#isBegun = true
    return true
  }
}

/** Packets and time between a packet and one that is equal to it. */
export interface Between {
  readonly isAnswer: boolean
  readonly isAsked: boolean
  readonly shortestPs: number | null
  readonly partner: Doubles | null
}
