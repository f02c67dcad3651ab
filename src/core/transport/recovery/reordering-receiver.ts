/**
 * HOT. Receiver that keeps packets out of order: IRN's, and the base of TCP's for iWARP.
 * arrivals.ts records which packets have arrived; this file determines the replies and the messages completed.
 * Source: [IRN] 3.1 and 5.3; where the text leaves a choice, the authors' hardware model (docs/models/irn.md).
 */
import {
  Arrivals,
  BEYOND,
  COMPLETION_END,
  DUPLICATE,
  EARLY,
  HELD,
  IN_ORDER,
  MESSAGE_END,
  PACKET,
  type PacketClass,
} from '../arrivals.ts'
import { LAST, type Segment, SEND } from '../segment.ts'
import { NO_REPLY, REPLY_ACK, REPLY_NAK, REPLY_TRIMMED, ReceiverRecovery } from './recovery.ts'

interface ReorderingOptions {
  /** Size of the bitmaps, from the expected packet on. */
  readonly packets: number
  /** The bitmaps grow as needed. */
  readonly isGrowing: boolean
  /** A trimmed packet is reported missing at once. */
  readonly usesTrimmed?: boolean
}

export class ReorderingReceiver extends ReceiverRecovery {
  protected readonly arrivals: Arrivals
  private readonly isGrowing: number

  constructor({ packets, isGrowing, usesTrimmed = false }: ReorderingOptions) {
    super()
    this.isReordering = true
    this.usesTrimmed = usesTrimmed
    this.isGrowing = isGrowing ? 1 : 0
    this.arrivals = new Arrivals({ bitmapBits: packets, hasMessages: true })
  }

  override startAt(psn: number): void {
    super.startAt(psn)
    this.arrivals.epsn = psn
  }

  override holds(psn: number): boolean {
    return this.arrivals.position(psn) === HELD
  }

  override onData(_nowPs: number, psn: number, segment: Segment): boolean {
    const arrivals = this.arrivals
    this.wholeMessages = 0
    this.wholeSends = 0
    let position = arrivals.position(psn)
    if (position === BEYOND) {
      if (this.isGrowing === 0) {
        this.reply = NO_REPLY
        return false
      }
      arrivals.grow(psn)
      position = EARLY
    }
    if (position === EARLY || position === HELD) {
      this.name(psn)
      if (position === EARLY) arrivals.take(psn, classOf(segment.flags))
      return position === EARLY
    }
    if (position === IN_ORDER) this.moveOver(psn, segment.flags)
    this.reply = REPLY_ACK
    this.replyPsn = this.epsn - 1
    return position !== DUPLICATE
  }

  /**
   * A NACK with the expected PSN and the trimmed packet; a packet that has arrived already is acknowledged as a
   * duplicate.
   */
  override onTrimmed(_nowPs: number, psn: number, _header: Segment): void {
    const position = this.arrivals.position(psn)
    if (position === HELD) return this.name(psn)
    this.reply = position === DUPLICATE ? REPLY_ACK : REPLY_TRIMMED
    this.replyPsn = position === DUPLICATE ? this.epsn - 1 : this.epsn
    if (position === DUPLICATE) return
    this.sackPsn = psn
    this.reportedPsn = psn
  }

  /** A NACK with the expected PSN and this packet. */
  protected name(psn: number): void {
    this.reply = REPLY_NAK
    this.replyPsn = this.epsn
    this.reportedPsn = this.epsn
    this.sackPsn = psn
  }

  /** Accepts the expected packet and moves over those behind it that have arrived. */
  private moveOver(psn: number, flags: number): void {
    const arrivals = this.arrivals
    const messages = arrivals.msn
    const sends = arrivals.completions
    arrivals.take(psn, classOf(flags))
    this.wholeMessages = arrivals.msn - messages
    this.wholeSends = arrivals.completions - sends
    this.epsn = arrivals.epsn
  }
}

/** Class of a packet in the two bitmaps: the last packet of a SEND also consumes a Receive WQE. */
function classOf(flags: number): PacketClass {
  if ((flags & LAST) === 0) return PACKET
  return (flags & SEND) === 0 ? MESSAGE_END : COMPLETION_END
}
