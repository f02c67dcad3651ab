/**
 * AIMD: TCP's additive increase and multiplicative decrease of a congestion window, without slow start. Losses are the
 * only signal, so it needs a network that may drop.
 * Units: packets, real. Invariant: minWindow <= windowPackets <= the larger of the initial window and BDP (or the
 * recovery's cap).
 * Source: [IRN] 4.4.4 for its use with RDMA, RFC 5681 3.1 and 3.2 for the rule (docs/models/aimd.md).
 */
import type { ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext } from './congestion.ts'
import { WindowControl, windowParams } from './window.ts'

export class Aimd extends WindowControl {
  private readonly maxPackets: number

  constructor(values: ValuesOf<typeof windowParams>, context: CongestionContext) {
    super(values, context)
    this.maxPackets = Math.max(this.windowPackets, context.mostPackets)
  }

  override onAck(_nowPs: number, ack: AckEvent): void {
    if (this.isRecovering(ack)) return
    // RFC 5681 (3): about one packet per round trip.
    const packets = this.windowPackets + ack.newPackets / this.windowPackets
    this.windowPackets = packets < this.maxPackets ? packets : this.maxPackets
  }
}

export const aimd = defineCongestion({
  name: 'aimd',
  help: "TCP's window without slow start: halved at a loss, one packet up per round trip",
  source: '[IRN] 4.4.4; RFC 5681',
  needs: { perPacketAck: true },
  params: windowParams,
  create: (values, context) => new Aimd(values, context),
  // RFC 5681 2 (cwnd limits the data that a sender can have in the network) and RFC 6675 5 (retransmissions too); [IRN] 4.4.4 is silent.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
