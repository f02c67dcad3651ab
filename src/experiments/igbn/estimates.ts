/**
 * Estimates from the runs of lossy go-back-N: functions of throughputs, and shares of timeouts, over all repetitions with
 * an interval and in each of them.
 * Throughput is the time that the messages of all runs would take without a loss over the time that they took. A mean of
 * the runs' throughputs would count one timeout in a run of few messages like a hundred in a run of many.
 * Units: percent.
 */
import type { Interval } from '../../results/index.ts'
import { ofSums } from '../core/over-seeds.ts'
import { Runs, type ValueOf, type Where } from '../core/runs.ts'
import type { LossyAt } from './runs.ts'

interface Estimate {
  readonly measured: Interval
  /** One value per seed. */
  readonly values: readonly number[]
}

/** A function of sums over runs. Each column has a value per seed. */
function ofColumns(columns: readonly number[][], valueOf: (sums: readonly number[]) => number): Estimate {
  const rows = columns[0]!.map((_, seed) => columns.map((column) => column[seed]!))
  return { measured: ofSums(rows, valueOf), values: rows.map(valueOf) }
}

/** A measure, summed over the runs of a point. */
type Total = readonly [of: ValueOf, at: Where]

/** One total as a share of another, which lies between `least` and 100 %. */
export function percentOf(runs: Runs, part: Total, whole: Total, least = 0): Interval {
  const columns = [part, whole].map(([of, at]) => runs.values(of, at))
  return within(ofColumns(columns, ([a, b]) => (100 * a!) / b!).measured, least)
}

/** Time of a message without a loss, which is the same in every run, ps. */
export function messagePs(runs: Runs, pattern: LossyAt['pattern'] = 'one-by-one'): number {
  const lossless = runs.where({ pattern, loss: 0 })
  return lossless.sum('timePs') / lossless.sum('messages')
}

/** A function of the throughputs at several points: the only one, or the first less the second, unless given. */
export function ofThroughputs(
  runs: Runs,
  ats: readonly LossyAt[],
  valueOf: (percents: readonly number[]) => number = ([first, second = 0]) => first! - second,
): Estimate {
  const columns = ats.flatMap((at) => {
    const [own, basePs] = [runs.where(at), messagePs(runs, at.pattern)]
    return [own.values((m) => 100 * basePs * m['messages']!), own.values('timePs')]
  })
  const { measured, values } = ofColumns(columns, (sums) => valueOf(ats.map((_, i) => sums[2 * i]! / sums[2 * i + 1]!)))
  // No message is faster than without a loss.
  return { measured: ats.length === 1 ? within(measured, 0) : measured, values }
}

export const throughput = (runs: Runs, at: LossyAt): Interval => ofThroughputs(runs, [at]).measured

/** The repetitions without a timeout at any of the points, and the runs without losses. */
export function withoutTimeouts(runs: Runs, ats: readonly LossyAt[]): Runs {
  const timeouts = ats.map((at) => runs.values('timeouts', at))
  const clean = new Set(runs.seeds.filter((_, i) => timeouts.every((counts) => counts[i] === 0)))
  return new Runs(runs.outcomes.filter(({ at, seed }) => clean.has(seed) || at['loss'] === 0))
}

function within(interval: Interval, least: number): Interval {
  return { ...interval, low: Math.max(least, interval.low), high: Math.min(100, interval.high) }
}
