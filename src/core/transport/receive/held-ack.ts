/**
 * Held ACK: one ACK for several packets of a receiver (delayed ACKs).
 * Every packet that requests an ACK either joins the held one or releases it first, so that all packets of an ACK have
 * the mark it echoes. It is sent when it covers `mostPackets`, at the end of a message, after `delayPs`, and before any
 * other reply.
 * Invariant: at most one ACK is held and one is due; a due one is older.
 * Source: RFC 8257 3.2 (the CE state machine of DCTCP), [LDCP] 2.2 (marked packets at once).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { PSN_MASK } from '../psn.ts'
import type { AnyValues } from '../../base/params.ts'
import type { RecoveryDefinition } from '../recovery/recovery.ts'
import type { Segment } from '../segment.ts'

/** A delayed ACK: the PSN it acknowledges, its echo, and the times of its last packet. */
class WaitingAck {
  psn = 0
  echo = 0
  sentPs = DOUBLE_ZERO
  delayPs = DOUBLE_ZERO
}

export class HeldAck {
  /** Packets covered by the held ACK; 0: none is held. */
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

  /** Whether the ACK of a packet with this echo is held; releases the held ACK first if its echo differs. */
  mayJoin(echo: number, mayWait: boolean): boolean {
    if (this.packets > 0 && this.held.echo !== echo) this.release()
    if (mayWait && (echo & this.urgentEcho) === 0 && this.packets + 1 < this.mostPackets) return true
    // The ACK sent now covers the held packets too.
    this.packets = 0
    return false
  }

  /** Adds one packet to the held ACK. */
  hold(psn: number, echo: number, sentPs: number, delayPs: number): void {
    const { held } = this
    held.psn = psn
    held.echo = echo
    held.sentPs = sentPs
    held.delayPs = delayPs
    this.packets++
  }

  /** Writes PSN, echo and times of the due ACK into a segment. */
  fill(out: Segment): void {
    const { due } = this
    this.isDue = false
    out.psn = due.psn & PSN_MASK
    out.flags = due.echo
    out.sentPs = due.sentPs
    out.delayPs = due.delayPs
  }

  /** Makes the held ACK due. */
  release(): void {
    if (this.packets === 0) return
    const { due } = this
    // The previous due ACK has not been sent: the newer one covers its packets too.
    if (this.isDue) this.held.echo |= due.echo
    this.due = this.held
    this.held = due
    this.isDue = true
    this.packets = 0
  }
}

/** At least every second packet is acknowledged (RFC 5681 4.2). */
const DELAYED_ACK_PACKETS = 2

/** Delays ACKs as the recovery defines, except for those that echo `urgentEcho`; null: no delayed ACKs. */
export function createDelayedAck(
  definition: RecoveryDefinition,
  values: AnyValues,
  urgentEcho: number,
): HeldAck | null {
  const delayPs = definition.delayedAckPs?.(values) ?? null
  return delayPs === null ? null : new HeldAck({ mostPackets: DELAYED_ACK_PACKETS, delayPs, urgentEcho })
}
