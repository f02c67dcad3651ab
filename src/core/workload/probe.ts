/** Probe: what a prober keeps of one message, and how messages fail. */

/** How far a probe goes, by distance. [MS-Scale] section 5.3: ToR, podset, data center. */
export const PROBE_SCOPES = ['tor', 'podset', 'fabric'] as const
export type ProbeScope = (typeof PROBE_SCOPES)[number]

/**
 * Why a message ended without success, as the completion of its requester says. flushed: its queue pair was lost before it
 * was sent; error: any other status.
 */
export type Failure = 'retry-exceeded' | 'rnr-exceeded' | 'flushed' | 'error'

/** One line of a prober's log. Times by the clock of the run. */
export interface Probe {
  readonly startPs: number
  readonly source: number
  readonly destination: number
  readonly scope: ProbeScope
  readonly sourcePort: number
  /** -1: that of the scenario, as in its message. */
  readonly destinationPort: number
  readonly trafficClass: number
  readonly status: 'ok' | Failure | 'unfinished'
  /** From its posting to its completion, with the latency of the hosts; NaN unless the status is ok. */
  readonly rttPs: number
  /** From its posting to its end, of whatever kind, or to now. */
  readonly agePs: number
}
