/**
 * Acked flow: a congestion control and its sender's PSNs, with ACKs by hand. Before each ACK `flight` packets are in
 * flight, so that a window of data is `flight` ACKs of one packet; null: as many as the control's window allows.
 * Units: packets, picoseconds.
 */
import { US } from '../../src/core/base/params.ts'
import type { CongestionContext, CongestionControl } from '../../src/core/transport/congestion/congestion.ts'
import { contextOf, ackEventOf } from './control-world.ts'

export class AckedFlow<C extends CongestionControl> {
  readonly control: C
  readonly sender = { una: 0, nxt: 0, end: 1_000_000, highest: 0, waitingPackets: 0, nextSendPs: 0 }
  flight: number | null = null
  nowPs = 0
  rttPs = 20 * US

  constructor(create: (context: CongestionContext) => C, context: Partial<CongestionContext> = {}) {
    this.control = create(contextOf({ payloadBytes: 1000, bdpPackets: 110, sender: this.sender, ...context }))
  }

  /** One ACK for each character: 1 where it echoes a mark. Returns the window. */
  acks(marks: string): number {
    for (const mark of marks) this.answer({ marked: mark === '1' })
    return this.control.windowPackets
  }

  /** A NAK that acknowledges nothing; the recovery goes back to it. */
  nak(): number {
    this.fill()
    const flight = this.sender.nxt - this.sender.una
    this.sender.nxt = this.sender.una
    this.control.onLoss(this.nowPs, flight)
    return this.answer({ packets: 0, isNak: true })
  }

  timeout(): number {
    this.fill()
    const flight = this.sender.nxt - this.sender.una
    this.sender.nxt = this.sender.una
    this.control.onTimeout(this.nowPs, flight)
    return this.control.windowPackets
  }

  answer({ packets = 1, marked = false, isNak = false }): number {
    if (!isNak) this.fill()
    const { sender } = this
    sender.una += packets
    if (sender.nxt < sender.una) sender.nxt = sender.una
    this.control.onAck(
      this.nowPs,
      ackEventOf({
        cumulativePsn: sender.una,
        nextPsn: sender.nxt,
        newPackets: packets,
        isNak,
        marked,
        causePs: this.nowPs,
        rttPs: this.rttPs,
        delayPs: this.rttPs / 2,
      }),
    )
    return this.control.windowPackets
  }

  private fill(): void {
    const { sender } = this
    const nxt = sender.una + (this.flight ?? Math.floor(this.control.windowPackets))
    if (sender.nxt < nxt) sender.nxt = nxt
    if (sender.highest < sender.nxt) sender.highest = sender.nxt
  }
}
