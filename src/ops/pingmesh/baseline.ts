/**
 * Baseline: what probes of a scope take while all is well, and which probes of a log fail or are slow measured by it.
 * Source: the scope's median of the percentiles of parts of healthy time, hours in a fabric that is watched for days.
 */
import { quantile } from '../../results/quantiles.ts'
import { byScope } from './cells.ts'
import { isCounted, type Probe, type ProbeLog } from './log.ts'

export interface ScopeBaseline {
  readonly p50Ns: number
  readonly p99Ns: number
}
/** By scope; a scope without healthy time has none. */
export type Baseline = ReadonlyMap<string, ScopeBaseline>

/** Round trips of a part, at least, so that the 99th percentile is not the largest. */
const PART_PROBES = 100
/** As hours in a day. */
const PARTS_MAX = 24
/** "RDMA works" ends at this multiple of the baseline's 99th percentile. */
export const SLOW_FACTOR = 4
/** A probe that has not ended after so many times the 99th percentile hangs: congestion ends sooner. */
const HUNG_FACTOR = 20

/** From the healthy parts of a log: those in which no probe failed. @param untilNs only what was sent before */
export function baselineOf(log: ProbeLog, untilNs = Infinity): Baseline {
  const baseline = new Map<string, ScopeBaseline>()
  for (const [scope, all] of byScope(log)) {
    const probes = all.filter((probe) => isCounted(probe) && probe.timeNs < untilNs)
    const partCount = Math.min(PARTS_MAX, Math.max(1, Math.floor(probes.length / PART_PROBES)))
    const parts = Array.from({ length: partCount }, (_, i) =>
      probes.slice(
        Math.floor((i * probes.length) / partCount),
        Math.floor(((i + 1) * probes.length) / partCount),
      ),
    )
    const healthy = parts.flatMap((part) => {
      const rtts = part.flatMap(({ outcome, rttNs }) => (outcome === 'ok' ? [rttNs] : []))
      const hasFailed = part.some(({ outcome }) => outcome !== 'ok' && outcome !== 'unfinished')
      return hasFailed || rtts.length === 0 ? [] : [{ p50: quantile(rtts, 0.5), p99: quantile(rtts, 0.99) }]
    })
    if (healthy.length === 0) continue
    baseline.set(scope, {
      p50Ns: quantile(
        healthy.map(({ p50 }) => p50),
        0.5,
      ),
      p99Ns: quantile(
        healthy.map(({ p99 }) => p99),
        0.5,
      ),
    })
  }
  return baseline
}

/** How a probe stands. open: too young to say; own: it does not count. */
export type Standing = 'good' | 'slow' | 'failed' | 'hung' | 'open' | 'own'

/** Judges probes by a baseline. Without one for its scope no probe is slow, and none hangs. */
export function standingOf(probe: Probe, baseline: Baseline): Standing {
  if (!isCounted(probe)) return 'own'
  const p99Ns = baseline.get(probe.scope)?.p99Ns ?? Infinity
  if (probe.outcome === 'unfinished') return probe.ageNs > HUNG_FACTOR * p99Ns ? 'hung' : 'open'
  if (probe.outcome !== 'ok') return 'failed'
  return probe.rttNs > SLOW_FACTOR * p99Ns ? 'slow' : 'good'
}

/** It never came back: it failed, or hangs. */
export function isLost(standing: Standing): boolean {
  return standing === 'failed' || standing === 'hung'
}
