/**
 * Held ACK: one ACK for several packets of a receiver (delayed ACKs).
 * Every packet that asks for an ACK either joins the one that is held or makes it go first, so that all packets of an ACK
 * have the mark it echoes. It goes when it answers `mostPackets`, at the end of a message, after `delayPs`, and before
 * anything else the receiver says.
 * Invariant: at most one ACK is held and one is due; a due one is older.
 * Source: RFC 8257 3.2 (the CE state machine of DCTCP), [LDCP] 2.2 (marked packets at once).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { PSN_MASK } from '../psn.ts'
import type { Segment } from '../segment.ts'

/** An ACK that waits: what it acknowledges, what it echoes, and the times of its last packet. */
class WaitingAck {
  psn = 0
  echo = 0
  sentPs = DOUBLE_ZERO
  delayPs = DOUBLE_ZERO
}

export class HeldAck {
  /** Packets that the held ACK answers; 0: none is held. */
  packets = 0
  held = new WaitingAck()
  /** To be sent now, if `isDue`. */
  due = new WaitingAck()
  isDue = false
  readonly delayPs: number
  private readonly mostPackets: number
  /** A packet with one of these bits echoed does not wait. */
  private readonly urgentEcho: number

  constructor(options: { readonly mostPackets: number; readonly delayPs: number; readonly urgentEcho: number }) {
    this.mostPackets = options.mostPackets
    this.delayPs = options.delayPs
    this.urgentEcho = options.urgentEcho
  }

  /** Whether a packet with this echo waits with those that are held, which go first if theirs is another one. */
  mayJoin(echo: number, mayWait: boolean): boolean {
    if (this.packets > 0 && this.held.echo !== echo) this.release()
    if (mayWait && (echo & this.urgentEcho) === 0 && this.packets + 1 < this.mostPackets) return true
    // What goes now acknowledges the held ones with itself.
    this.packets = 0
    return false
  }

  /** Answers one packet more with the ACK that is held. */
  hold(psn: number, echo: number, sentPs: number, delayPs: number): void {
    const { held } = this
    held.psn = psn
    held.echo = echo
    held.sentPs = sentPs
    held.delayPs = delayPs
    this.packets++
  }

  /** Puts the one that is due into a segment: PSN, echo and times. */
  fill(out: Segment): void {
    const { due } = this
    this.isDue = false
    out.psn = due.psn & PSN_MASK
    out.flags = due.echo
    out.sentPs = due.sentPs
    out.delayPs = due.delayPs
  }

  /** What is held is to be sent now. */
  release(): void {
    if (this.packets === 0) return
    const { due } = this
    // Nobody has asked for the one before: the newer acknowledges its packets too.
    if (this.isDue) this.held.echo |= due.echo
    this.due = this.held
    this.held = due
    this.isDue = true
    this.packets = 0
  }
}
