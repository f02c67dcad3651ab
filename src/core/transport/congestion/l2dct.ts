/**
 * L2DCT: DCTCP weighted by attained service: flows that have sent little grow fast and yield little.
 * Units: bytes of payload, counted once. Invariant: 0.125 <= weight <= 2.5.
 * Source: [Survey] IV-B names it; L2DCT (INFOCOM 2013) and public ns-3 code for the formula (docs/models/l2dct.md).
 */
import { pow } from '../../base/math.ts'
import { KB, MB, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext } from './congestion.ts'
import { Dctcp, dctcpParams } from './dctcp.ts'

/** L2DCT: the weight falls linearly from the maximum to the minimum between these two sizes. */
const MOST_WEIGHT = 2.5
const LEAST_WEIGHT = 0.125
const SHORT_BYTES = 200 * KB
const LONG_BYTES = 1 * MB

/** Weight of a flow that has sent `sentBytes`. */
export function weightOf(sentBytes: number): number {
  if (sentBytes <= SHORT_BYTES) return MOST_WEIGHT
  if (sentBytes >= LONG_BYTES) return LEAST_WEIGHT
  return MOST_WEIGHT - ((MOST_WEIGHT - LEAST_WEIGHT) * (sentBytes - SHORT_BYTES)) / (LONG_BYTES - SHORT_BYTES)
}

export class L2dct extends Dctcp {
  private readonly payloadBytes: number
  /** First PSN posted after the last idle period. */
  private startPsn = 0

  constructor(values: ValuesOf<typeof dctcpParams>, context: CongestionContext) {
    super(values, context)
    this.payloadBytes = context.payloadBytes
  }

  /** Everything is acknowledged: a new flow begins. */
  override onStart(): void {
    this.startPsn = this.sender.highest
  }

  protected override severity(_nowPs: number, _ack: AckEvent): number {
    return pow(this.alpha, this.weight())
  }

  protected override stepPackets(): number {
    return this.weight() / MOST_WEIGHT
  }

  /** Retransmissions do not count. */
  private weight(): number {
    return weightOf((this.sender.highest - this.startPsn) * this.payloadBytes)
  }
}

export const l2dct = defineCongestion({
  name: 'l2dct',
  help: 'DCTCP that favours flows that have sent little',
  source: 'L2DCT; [Survey] IV-B',
  needs: { ecn: true, perPacketAck: true },
  params: dctcpParams,
  create: (values, context) => new L2dct(values, context),
  // As DCTCP.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
