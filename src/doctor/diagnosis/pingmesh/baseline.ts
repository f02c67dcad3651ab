/**
 * Baseline: what probes of a scope take while all is well, and which probes of a log fail or are slow measured by it.
 * Source: the scope's median of the percentiles of parts of healthy time, hours in a fabric that is watched for days.
 */
import { assert } from '../../../core/base/assert.ts'
import { mostOf } from '../../../core/base/extremes.ts'
import { quantile } from '../../../core/results/quantiles.ts'
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
/** From the healthy parts of a log: those in which no probe failed. @param untilNs only what was sent before */
export function baselineOf(log: ProbeLog, untilNs = Infinity): Baseline {
  const baseline = new Map<string, ScopeBaseline>()
  for (const [scope, all] of byScope(log)) {
    const probes = all.filter((probe) => isCounted(probe) && probe.timeNs < untilNs)
    const partCount = Math.min(PARTS_MAX, Math.max(1, Math.floor(probes.length / PART_PROBES)))
    const parts = Array.from({ length: partCount }, (_, i) =>
      probes.slice(Math.floor((i * probes.length) / partCount), Math.floor(((i + 1) * probes.length) / partCount)),
    )
    const healthy = parts.flatMap((part) => {
      const rtts = part.flatMap(({ outcome, rttNs }) => (outcome === 'ok' ? [rttNs] : []))
      const hasFailed = part.some(({ outcome }) => outcome !== 'ok' && outcome !== 'unfinished')
      return hasFailed || rtts.length === 0 ? [] : [{ p50: quantile(rtts, 0.5), p99: quantile(rtts, 0.99) }]
    })
    if (healthy.length === 0) continue
    assert(
      healthy.every(({ p50, p99 }) => p50 <= p99),
      'pingmesh: a median is above the 99th percentile',
    )
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

/** How a probe stands. hung: it will not come back; open: too young to say; own: it does not count. */
export type Standing = 'good' | 'slow' | 'failed' | 'hung' | 'open' | 'own'

export interface Judged {
  readonly probe: Probe
  readonly standing: Standing
}

/**
 * Judges the probes of a log by a baseline. A probe hangs that is older than any that came back, and slow by its age.
 * Without a baseline for its scope none is slow, and none hangs.
 */
export function judge({ probes }: ProbeLog, baseline: Baseline): Judged[] {
  const slowestNs = mostOf(probes.map(({ outcome, rttNs }) => (outcome === 'ok' ? rttNs : 0)))
  return probes.map((probe) => {
    const slowNs = SLOW_FACTOR * (baseline.get(probe.scope)?.p99Ns ?? Infinity)
    return { probe, standing: standingOf(probe, slowNs, Math.max(slowNs, slowestNs)) }
  })
}

function standingOf(probe: Probe, slowNs: number, hungNs: number): Standing {
  if (!isCounted(probe)) return 'own'
  if (probe.outcome === 'unfinished') return probe.ageNs > hungNs ? 'hung' : 'open'
  if (probe.outcome !== 'ok') return 'failed'
  return probe.rttNs > slowNs ? 'slow' : 'good'
}

/** It never came back. */
export function isLost({ standing }: Judged): boolean {
  return standing === 'failed' || standing === 'hung'
}

/** It came back. */
export function isBack({ standing }: Judged): boolean {
  return standing === 'good' || standing === 'slow'
}
