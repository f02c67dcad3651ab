/**
 * HOT. TCP's receiver: keeps packets out of order and replies to each with a duplicate ACK, which names the packet if
 * SACK is enabled. ACKs of packets in order may wait for a second one (receive/held-ack.ts holds them).
 * Source: RFC 5681 4.2 (when to acknowledge), 2018 (SACK), 9293 3.10.7.4 (packets beyond the window are acknowledged
 * too), 3168 (CWR).
 */
import { CE, CWR, type Segment } from '../segment.ts'
import { REPLY_ACK, REPLY_ACK_LATER, REPLY_ACK_NOW, REPLY_NAK, REPLY_SACK } from './recovery.ts'
import { ReorderingReceiver } from './reordering-receiver.ts'

interface TcpReceiverOptions {
  /** Receive window, packets from the expected one on. */
  readonly windowPackets: number
  readonly hasSack: boolean
  /** A mark is echoed until the sender sets CWR. */
  readonly hasCwr: boolean
}

export class TcpReceiver extends ReorderingReceiver {
  /** 1: duplicate ACKs name the packet that arrived. */
  private readonly hasSack: number
  private readonly hasCwr: number
  /** Highest packet received out of order. */
  private topPsn = -1

  constructor(options: TcpReceiverOptions) {
    super({ packets: options.windowPackets, isGrowing: false })
    this.hasSack = options.hasSack ? 1 : 0
    this.hasCwr = options.hasCwr ? 1 : 0
  }

  override onData(nowPs: number, psn: number, segment: Segment): boolean {
    if (this.hasCwr !== 0) this.heed(segment)
    const isAccepted = super.onData(nowPs, psn, segment)
    if (this.reply === REPLY_ACK) {
      // A packet that fills a gap, or part of one, is acknowledged at once, and so is a duplicate.
      this.reply = isAccepted && this.topPsn < psn ? REPLY_ACK_LATER : REPLY_ACK_NOW
    } else {
      const isKept = this.reply === REPLY_NAK
      if (isKept && psn > this.topPsn) this.topPsn = psn
      this.reply = isKept && this.hasSack !== 0 ? REPLY_SACK : REPLY_ACK_NOW
      this.replyPsn = this.epsn - 1
    }
    return isAccepted
  }

  /** RFC 3168 6.1.3: CWR ends the echo of earlier marks; a mark on the packet itself starts it again. */
  private heed(segment: Segment): void {
    if (segment.ecn === CE) this.isEchoing = true
    else if ((segment.flags & CWR) !== 0) this.isEchoing = false
  }
}
