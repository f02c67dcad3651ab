/**
 * Cells: probes pooled by pair and by scope. A percentile is given from the number of samples on that bounds it: 100 for
 * none above the median, 500 for the 99th percentile, 5,000 for the 99.9th; of fewer it is asked of the scope.
 */
import { quantileOfSorted, sortedValues } from '../../../core/results/quantiles.ts'
import { type Interval, quantileInterval, wilson } from './intervals.ts'
import { isCounted, type Probe, type ProbeLog } from './log.ts'

/** Percentiles, and the least number of samples of each. */
export const PERCENTILES = [
  { name: 'p50', share: 0.5, leastCount: 20 },
  { name: 'p99', share: 0.99, leastCount: 500 },
  { name: 'p999', share: 0.999, leastCount: 5000 },
] as const
export type PercentileName = (typeof PERCENTILES)[number]['name']

export interface Percentile extends Interval {
  readonly valueNs: number
}

export interface Cell {
  /** Probes that count. */
  readonly count: number
  readonly failed: number
  readonly failedInterval: Interval
  /** null: too few samples. */
  readonly percentiles: Readonly<Record<PercentileName, Percentile | null>>
}

/** Pools probes. @param isFailed of those that count */
export function cellOf(probes: readonly Probe[], isFailed: (probe: Probe) => boolean): Cell {
  const counted = probes.filter(isCounted)
  const failed = counted.filter(isFailed).length
  const sorted = sortedValues(counted.map(({ rttNs }) => rttNs))
  // An unfinished probe that is young is neither a round trip nor a failure.
  const count = counted.filter((probe) => probe.outcome !== 'unfinished' || isFailed(probe)).length
  const [p50, p99, p999] = PERCENTILES.map(({ share, leastCount }) =>
    sorted.length < leastCount
      ? null
      : { valueNs: quantileOfSorted(sorted, share), ...quantileInterval(sorted, share) },
  )
  return {
    count,
    failed,
    failedInterval: wilson(failed, count),
    percentiles: { p50: p50!, p99: p99!, p999: p999! },
  }
}

/** By scope, in the log's order. */
export function byScope({ probes, scopes }: ProbeLog): Map<string, Probe[]> {
  const of = new Map<string, Probe[]>(scopes.map((scope) => [scope, []]))
  for (const probe of probes) of.get(probe.scope)!.push(probe)
  return of
}

/** Probes of one source to one destination, which are of one scope. */
export interface PairProbes {
  readonly source: string
  readonly destination: string
  readonly scope: string
  readonly probes: Probe[]
}

/** In the order of the first probe of each. */
export function byPair(probes: readonly Probe[]): PairProbes[] {
  const of = new Map<string, Map<string, PairProbes>>()
  const pairs: PairProbes[] = []
  for (const probe of probes) {
    const { source, destination, scope } = probe
    let row = of.get(source)
    if (row === undefined) of.set(source, (row = new Map()))
    const known = row.get(destination)
    if (known !== undefined) known.probes.push(probe)
    else {
      const pair = { source, destination, scope, probes: [probe] }
      row.set(destination, pair)
      pairs.push(pair)
    }
  }
  return pairs
}
