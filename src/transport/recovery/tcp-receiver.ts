/**
 * HOT. TCP's receiver: keeps what comes out of order and answers each such packet with a duplicate ACK, which names the
 * packet where SACK is agreed on. ACKs of packets in order may wait for a second one.
 * Source: RFC 5681 4.2 (when to acknowledge), 2018 (SACK), 9293 3.10.7.4 (what lies beyond the window is answered too).
 */
import type { Segment } from '../segment.ts'
import { RECOVERY_TIMER, type Timers } from '../timers.ts'
import { NO_REPLY, REPLY_ACK, REPLY_NAK, REPLY_SACK } from './recovery.ts'
import { ReorderingReceiver } from './reordering-receiver.ts'

export interface TcpReceiverOptions {
  /** Packets it has room for, from the one expected on. */
  readonly windowPackets: number
  readonly hasSack: boolean
  /** Longest wait of an ACK; null: none. */
  readonly delayedAckPs: number | null
}

export class TcpReceiver extends ReorderingReceiver {
  private readonly timers: Timers
  /** 1: duplicate ACKs name the packet that came. */
  private readonly hasSack: number
  /** 0: no ACK waits. */
  private readonly delayPs: number
  /** Highest packet that came out of order. */
  private topPsn = -1
  /** 1: a packet waits for its ACK. */
  private isWaiting = 0

  constructor(options: TcpReceiverOptions, timers: Timers) {
    super({ packets: options.windowPackets, isGrowing: false })
    this.timers = timers
    this.hasSack = options.hasSack ? 1 : 0
    this.delayPs = options.delayedAckPs ?? 0
  }

  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    const isAccepted = super.onData(nowPs, psn, segment)
    if (this.reply === REPLY_ACK) {
      // What fills a gap, or a part of one, is acknowledged at once, and so is what was there before.
      if (isAccepted && this.delayPs > 0 && this.topPsn < psn && this.isWaiting === 0) {
        this.reply = NO_REPLY
        this.isWaiting = 1
        this.timers.set(RECOVERY_TIMER, nowPs + this.delayPs)
        return true
      }
    } else {
      const isKept = this.reply === REPLY_NAK
      if (isKept && psn > this.topPsn) this.topPsn = psn
      this.reply = isKept && this.hasSack !== 0 ? REPLY_SACK : REPLY_ACK
      this.replyPsn = this.epsn - 1
    }
    if (this.isWaiting !== 0) {
      this.isWaiting = 0
      this.timers.clear(RECOVERY_TIMER)
    }
    return isAccepted
  }

  override onTimer(_nowPs: number): void {
    this.isWaiting = 0
    this.reply = REPLY_ACK
    this.replyPsn = this.epsn - 1
  }
}
