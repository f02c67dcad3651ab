/**
 * HOT. NewReno: TCP's standard window: one packet more per round trip, half of the packets in flight at a loss.
 * Units: packets, real.
 * Source: RFC 5681 3.1 (3) and (4); RFC 6582 changes the recovery and not the window.
 */
import type { ValuesOf } from '../../base/params.ts'
import { type AckEvent, type CongestionContext, defineCongestion } from './congestion.ts'
import { TCP_NEEDS, tcpNeedsWith, TcpWindow, tcpWindowParams } from './tcp-window.ts'

export class NewReno extends TcpWindow {
  protected override avoid(_nowPs: number, packets: number): void {
    this.windowPackets += packets / this.windowPackets
  }

  protected override cutPackets(_nowPs: number, usedPackets: number): number {
    return usedPackets / 2
  }
}

/**
 * NewReno without congestion window validation: it grows with every ACK, whether the window was used or not, up to the
 * receive window.
 */
export class EagerNewReno extends NewReno {
  private readonly mostPackets: number

  constructor(initialWindow: number, mostPackets: number, context: CongestionContext) {
    super({ initialWindow, byteCounting: null, ecn: false }, context)
    this.mostPackets = mostPackets
  }

  override onAck(nowPs: number, ack: AckEvent): void {
    super.onAck(nowPs, ack)
    if (this.windowPackets > this.mostPackets) this.windowPackets = this.mostPackets
  }

  protected override isUsed(): boolean {
    return true
  }

  protected override usedPackets(flightPackets: number): number {
    return flightPackets
  }
}

export const newreno = defineCongestion({
  name: 'newreno',
  help: "TCP's window: slow start, one packet up per round trip, halved by a loss",
  source: 'RFC 5681, 6582',
  needs: TCP_NEEDS,
  needsWith: tcpNeedsWith,
  params: tcpWindowParams,
  create: (values: ValuesOf<typeof tcpWindowParams>, context) => new NewReno(values, context),
  // RFC 5681 2, 6675 5.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
