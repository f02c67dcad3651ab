/**
 * HPCC: a window (or a rate) that keeps the busiest link of the path at a set share of its capacity, by telemetry from
 * the switches' ports.
 * Units: W and its reference Wc in bytes on the wire, or bit/s where the rate is limited; T picoseconds; U a share of
 * the bytes that a link and its delay T hold. Invariants: least <= W <= ceiling, Wc <= most.
 * Source: HPCC (SIGCOMM 2019), algorithm 1, as the HPCC fork has it; docs/models/hpcc.md lists the differences.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { choice, count, durationOrOff, flag, MBPS, rate, rateOrOff, ratio, type ValuesOf } from '../../base/params.ts'
import { HOP_QUEUE, HOP_RATE, HOP_RECORD, HOP_SENT, HOP_TIME, Hops } from '../hops.ts'
import { defineCongestion, type AckEvent, type CongestionContext, CongestionControl } from './congestion.ts'

const params = {
  eta: ratio({ default: 0.95, min: 0.01, help: 'target utilization of a link', source: 'HPCC: 0.95' }),
  maxStage: count({
    default: 5,
    help: 'round trips of additive steps before a multiplicative one although no link is full',
    source: 'HPCC: 5; the configuration of its simulator: 0',
  }),
  flows: count({
    default: 100,
    min: 1,
    help: 'flows that may share a link: the additive step is line rate (1 - eta) / flows',
    source: 'HPCC for the form; ours for the number',
  }),
  additiveRate: rateOrOff({
    default: null,
    help: 'additive step as a rate (W_AI over T); off: from eta and flows',
    source: 'HPCC fork RATE_AI',
  }),
  baseRtt: durationOrOff({
    default: null,
    min: 1,
    help: 'T; off: the largest round trip of any two hosts, undisturbed',
    source: 'HPCC: one T for all',
  }),
  limit: choice(['window', 'rate'], {
    default: 'window',
    help: 'window: bytes in flight, and pacing at window / T; rate: pacing alone, and bytes in flight by qp.window',
    source: 'HPCC; HPCC fork: rate',
  }),
  minRate: rate({ default: 100 * MBPS, min: 1, help: 'never slower', source: 'HPCC fork: 100Mbps' }),
  perAck: flag({
    default: true,
    help: 'each ACK moves the window, from a reference that moves once per round trip; false: only that one does',
    source: 'HPCC; HPCC fork FAST_REACT',
  }),
}

export class Hpcc extends CongestionControl {
  /** W, Wc and U of the paper; public for tests. */
  amount = DOUBLE_ZERO
  reference = DOUBLE_ZERO
  utilization = DOUBLE_ZERO
  /** Round trips with additive steps so far. */
  stage = 0
  private readonly values: ValuesOf<typeof params>
  private readonly lineBps: number
  private readonly whole: boolean
  private readonly packetWireBytes: number
  private readonly isWindowed: boolean
  /** T. */
  private readonly rttPs: number
  private readonly step: number
  private readonly least: number
  private readonly most: number
  private readonly ceiling: number
  /** L of the paper: telemetry of the previous ACK. */
  private readonly last = new Hops()
  /** Next PSN to send at the last move of the reference; an ACK beyond it ends a round trip. -1: none yet. */
  private updatePsn = -1

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(context)
    const { lineRateBps } = context
    const stepBps = values.additiveRate ?? (lineRateBps * (1 - values.eta)) / values.flows
    this.values = values
    this.lineBps = lineRateBps
    this.whole = context.wholeRates
    this.packetWireBytes = context.packetWireBytes
    this.isWindowed = values.limit === 'window'
    // Hosts at zero distance still need a positive T.
    this.rttPs = Math.max(1, values.baseRtt ?? context.largestRttPs())
    // Bytes that a rate sends in T; 1 where the rate itself is limited.
    const scale = this.isWindowed ? this.rttPs / 8e12 : 1
    this.step = (this.whole ? Math.floor(stepBps) : stepBps) * scale
    this.least = Math.min(values.minRate, lineRateBps) * scale
    this.most = lineRateBps * scale
    // More than a line holds is never in flight at line rate: the paper bounds only the rate, and W would grow without
    // end.
    this.ceiling = this.isWindowed ? this.most + this.step : this.most
    this.utilization = 1
    this.amount = this.most
    this.reference = this.most
    if (this.isWindowed) this.windowPackets = this.packetsOf(this.amount)
  }

  override onAck(_nowPs: number, ack: AckEvent): void {
    const { hops } = ack
    if (hops.count === 0) return
    if (!this.last.isSamePath(hops)) {
      // Counters of other ports (the paper's path ID): nothing to compare with yet.
      this.last.take(hops)
      if (this.updatePsn < 0) this.updatePsn = ack.nextPsn
      return
    }
    const isRoundTrip = ack.cumulativePsn > this.updatePsn
    if ((!isRoundTrip && !this.values.perAck) || !this.measure(hops)) return
    this.last.take(hops)
    this.adjust(isRoundTrip)
    // A recovery may have gone back since; packets sent before do not count twice.
    if (isRoundTrip && ack.nextPsn > this.updatePsn) this.updatePsn = ack.nextPsn
  }

  /** MeasureInflight: moves U towards the busiest hop's; false if the telemetry is not newer. */
  private measure(hops: Hops): boolean {
    const now = hops.values
    const before = this.last.values
    const rttPs = this.rttPs
    let busiest = -1
    let tauPs = 0
    for (let at = 0; at < hops.count * HOP_RECORD; at += HOP_RECORD) {
      const sincePs = now[at + HOP_TIME]! - before[at + HOP_TIME]!
      // A repeated or overtaken ACK.
      if (sincePs <= 0) return false
      const queueBytes = Math.min(now[at + HOP_QUEUE]!, before[at + HOP_QUEUE]!)
      const sentBytes = now[at + HOP_SENT]! - before[at + HOP_SENT]!
      const share = ((queueBytes / rttPs + sentBytes / sincePs) * 8e12) / now[at + HOP_RATE]!
      if (share <= busiest) continue
      busiest = share
      tauPs = sincePs
    }
    const weight = tauPs < rttPs ? tauPs / rttPs : 1
    this.utilization = (1 - weight) * this.utilization + weight * busiest
    return true
  }

  /** ComputeWind; `isRoundTrip`: moves the reference too. */
  private adjust(isRoundTrip: boolean): void {
    const { eta, maxStage } = this.values
    const isCut = this.utilization >= eta || this.stage >= maxStage
    let base = isCut ? this.reference / (this.utilization / eta) : this.reference
    if (this.whole && !this.isWindowed) base = Math.floor(base)
    const raised = base + this.step
    const amount = raised > this.ceiling ? this.ceiling : raised < this.least ? this.least : raised
    this.amount = amount
    if (isRoundTrip) {
      this.stage = isCut ? 0 : this.stage + 1
      this.reference = amount > this.most ? this.most : amount
    }
    if (!this.isWindowed) {
      this.rateBps = amount
      return
    }
    this.windowPackets = this.packetsOf(amount)
    const rateBps = (amount * 8e12) / this.rttPs
    this.rateBps = rateBps >= this.lineBps ? this.lineBps : this.whole ? Math.floor(rateBps) : rateBps
  }

  /** A packet may be sent while less than W is in flight, so the last one may exceed it; one is always allowed. */
  private packetsOf(bytes: number): number {
    const packets = Math.ceil(bytes / this.packetWireBytes)
    return packets > 1 ? packets : 1
  }
}

export const hpcc = defineCongestion({
  name: 'hpcc',
  help: 'switches write queue, bytes sent and rate into data packets; the window follows the busiest link of the path',
  source: 'HPCC; HPCC fork',
  needs: { telemetry: true, perPacketAck: true, soleAcks: true },
  params,
  create: (values, context) => new Hpcc(values, context),
  // HPCC 3.2: W limits the bytes in flight.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
