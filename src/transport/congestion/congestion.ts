/**
 * Congestion control: how fast a QP may send. One file per scheme; the sender asks `rateBps` and tells what happens.
 * Rates are bit/s of wire bytes, PSNs unbounded, times picoseconds.
 */
import type { ParamFields, ValuesOf } from '../../base/params.ts'
import type { SchemeDefinition } from '../scheme.ts'
import type { Timers } from '../timers.ts'

/** What a scheme may know of its QP. */
export interface CongestionContext {
  readonly lineRateBps: number
  readonly payloadBytes: number
  readonly timers: Timers
  /** Rates are cut to whole bit/s at each step. */
  readonly wholeRates: boolean
}

/** What an acknowledgement tells. The object is used again for the next. */
export interface AckNews {
  /** Next PSN the receiver expects. */
  cumulativePsn: number
  /** Next PSN the sender sends. */
  nextPsn: number
  /** Packets newly acknowledged. */
  newPackets: number
  /** The packet answered was marked. */
  marked: boolean
  /** When the answer's last transmission began; its cause, for ties. */
  causePs: number
  /** From the data packet's transmission start to this arrival. */
  rttPs: number
}

export interface CongestionControl {
  /** Rate the QP may send at now. */
  readonly rateBps: number
  onAck(nowPs: number, news: AckNews): void
  /** `causePs`: when the CNP's last transmission began, for ties with timers of the same instant. */
  onCnp(nowPs: number, causePs: number): void
  onSent(nowPs: number, wireBytes: number): void
  /** The timer of `slot` (FIRST_CONGESTION_TIMER or above) is due; it is already cleared. */
  onTimer(nowPs: number, slot: number): void
}

export interface CongestionDefinition<
  N extends string = string,
  F extends ParamFields = ParamFields,
> extends SchemeDefinition<N, F> {
  readonly create: (values: ValuesOf<F>, context: CongestionContext) => CongestionControl
  /** Least time between two CNPs of a QP's receiver. */
  readonly cnpIntervalPs: (values: ValuesOf<F>) => number
}

/** Gives the definition its type. List it in congestion/index.ts. */
export function defineCongestion<const N extends string, F extends ParamFields>(
  definition: CongestionDefinition<N, F>,
): CongestionDefinition<N, F> {
  return definition
}
