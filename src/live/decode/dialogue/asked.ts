/** Facts about requests that the answers of a dialogue need. */
import type { Found } from '../found.ts'
import type { Limits } from '../limits.ts'
import type { Spans } from '../spans.ts'
import type { Messages } from './messages.ts'
import type { Repeats } from './repeats.ts'
import type { RoundTripMeter } from './round-trips.ts'

export interface Asked {
  readonly limits: Limits
  readonly found: Found
  readonly messages: Messages
  readonly repeats: Repeats
  readonly roundTrips: RoundTripMeter
  /** PSNs: requested, those of READs and atomics, acknowledged and never seen, with a wrong ICRC. */
  readonly seen: Spans
  readonly reads: Spans
  readonly missing: Spans
  readonly damaged: Spans
  /** First PSN; one past the highest. */
  readonly first: number
  readonly high: number | null
  /** PSNs below are answered. */
  answered: number
  lastProgressPs: number
  readonly lastRequestPs: number
  readonly outstanding: number
}
