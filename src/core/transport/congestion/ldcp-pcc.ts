/**
 * LDCP on a commercial NIC: the window shrinks with every CNP and grows with every RTT response, and the rate is the
 * window over the round trip. The NIC's programmable congestion control (PCC) gets no ACKs, so round trips are counted
 * by consecutive RTT requests.
 * Units: packets, real; bit/s. Invariant: minWindow <= window <= twice the initial window; minRate <= rate <= line.
 * Source: [LDCP] 3.2; the timeout of a request, the first window and its cap are ours (docs/models/ldcp.md).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { count, duration, MBPS, NEVER_PS, rate, US, type ValuesOf } from '../../base/params.ts'
import { FIRST_CONGESTION_TIMER, type Timers } from '../timers.ts'
import {
  defineCongestion,
  type AckEvent,
  type CongestionContext,
  CongestionControl,
  type SenderView,
} from './congestion.ts'
import { ldcpParams, MOST_INITIAL_WINDOWS } from './ldcp.ts'

const params = {
  ...ldcpParams,
  requestTimeout: count({
    default: 3,
    min: 1,
    help: 'round trips after which an unanswered RTT request is repeated; doubled at each consecutive repetition',
    source: 'ours; [LDCP] 3.2: a timeout',
  }),
  minRate: rate({
    default: 1 * MBPS,
    min: 1,
    help: 'never slower',
    source: 'ours: a NIC cannot pace without end; far below any share that matters',
  }),
  cnpInterval: duration({
    default: 0,
    help: 'least time between two CNPs of a QP; 0: one for each marked packet',
    source: 'ours: beta is per marked packet in [LDCP] 2.2',
  }),
}

/** Timeout while no path exists: the request is repeated until there is one. */
const UNKNOWN_RTT_PS = 100 * US

export class LdcpPcc extends CongestionControl {
  /** The window; the sender obeys only the rate. */
  packets = DOUBLE_ZERO
  private readonly sender: SenderView
  private readonly timers: Timers
  private readonly values: ValuesOf<typeof params>
  private readonly lineBps: number
  private readonly minBps: number
  private readonly whole: boolean
  private readonly payloadBits: number
  private readonly maxPackets: number
  /** Time of the last marked ACK treated as a CNP. */
  private lastEchoPs = -Infinity
  private rttPs = DOUBLE_ZERO
  /** An RTT request is outstanding: the last one, sent at `probedPs`. */
  private isProbing = false
  private probedPs = DOUBLE_ZERO
  /** Grows with consecutive requests without a response. */
  private timeoutPs = DOUBLE_ZERO

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(context)
    this.sender = context.sender
    this.timers = context.timers
    this.values = values
    this.lineBps = context.lineRateBps
    this.minBps = Math.min(values.minRate, context.lineRateBps)
    this.whole = context.wholeRates
    this.payloadBits = context.payloadBytes * 8
    this.rttPs = context.baseRttPs > 0 ? context.baseRttPs : UNKNOWN_RTT_PS
    // By default the window that corresponds to line rate.
    this.packets = values.initialWindow ?? Math.max(1, (context.lineRateBps * this.rttPs) / 1e12 / this.payloadBits)
    this.timeoutPs = values.requestTimeout * this.rttPs
    this.maxPackets = MOST_INITIAL_WINDOWS * this.packets
    this.setWindow(this.packets)
  }

  /** A marked ACK is treated as a CNP, at most once per interval. */
  override onAck(nowPs: number, ack: AckEvent): void {
    if (!ack.marked || nowPs - this.lastEchoPs < this.values.cnpInterval) return
    this.lastEchoPs = nowPs
    this.onCnp()
  }

  override onCnp(): void {
    this.setWindow(this.packets - this.values.beta)
  }

  /** The first packet of a flow, or the first after requests have stopped, comes with a request. */
  override onSent(nowPs: number): void {
    if (!this.isProbing) this.probe(nowPs)
  }

  override onRttResponse(nowPs: number, sentPs: number): void {
    this.rttPs = Math.max(1, nowPs - sentPs)
    this.timeoutPs = this.values.requestTimeout * this.rttPs
    if (!this.isProbing || sentPs < this.probedPs) {
      // A response after its timeout: the round trip has grown, and the timeout of the request outstanding is adjusted
      // to it.
      if (this.isProbing) this.setTimer()
      this.setWindow(this.packets)
      return
    }
    this.timers.clear(FIRST_CONGESTION_TIMER)
    this.setWindow(this.packets + this.values.alpha)
    this.probeOrRest(nowPs)
  }

  override onTimer(nowPs: number): void {
    this.timeoutPs *= 2
    this.probeOrRest(nowPs)
  }

  /**
   * Requests follow one another while packets wait only for pacing; else the next request goes with the next packet.
   */
  private probeOrRest(nowPs: number): void {
    this.isProbing = false
    // On a path without delay requests would follow within one instant for ever.
    if (this.sender.nextSendPs !== NEVER_PS && nowPs > this.probedPs) this.probe(nowPs)
  }

  private probe(nowPs: number): void {
    this.isProbing = true
    this.isProbeDue = true
    this.probedPs = nowPs
    this.setTimer()
  }

  private setTimer(): void {
    this.timers.set(FIRST_CONGESTION_TIMER, this.probedPs + this.timeoutPs)
  }

  private setWindow(packets: number): void {
    const { minWindow } = this.values
    this.packets = packets < minWindow ? minWindow : packets > this.maxPackets ? this.maxPackets : packets
    // [LDCP] 3.2: the window over the round trip.
    const bps = (this.packets * this.payloadBits * 1e12) / this.rttPs
    const rateBps = this.whole ? Math.floor(bps) : bps
    this.rateBps = rateBps < this.minBps ? this.minBps : rateBps < this.lineBps ? rateBps : this.lineBps
  }
}

export const ldcpPcc = defineCongestion({
  name: 'ldcp-pcc',
  help: 'LDCP of a commercial NIC: down with every CNP, up with every RTT response',
  source: '[LDCP] 3.2',
  needs: { ecn: true, cnp: true, rttProbes: true },
  params,
  create: (values, context) => new LdcpPcc(values, context),
  cnpIntervalPs: (values) => values.cnpInterval,
})
