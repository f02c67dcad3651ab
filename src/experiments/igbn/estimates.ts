/**
 * Estimates from the runs of lossy go-back-N: throughputs, their differences and shares of timeouts, each with its interval
 * over repetitions.
 * Relative throughput is the time that the messages of all runs would take without a loss over the time that they took. A
 * mean of the runs' throughputs would count one timeout in a run of few messages like a hundred in a run of many.
 * Units: percent.
 */
import { type Interval, interval95 } from '../../results/index.ts'
import type { Measures, Outcome } from '../core/old/plan.ts'
import { LOSSLESS } from './runs.ts'
import { ofSums } from '../core/old/over-seeds.ts'

/** A condition and its counterpart without losses. */
export interface Relative {
  readonly condition: string
  readonly lossless: string
}

export class LossyEstimates {
  /** Time of a message without a loss, ps. */
  readonly messagePs: number
  readonly #runs: ReadonlyMap<string, ReadonlyMap<number, Measures>>

  constructor(outcomes: readonly Outcome[]) {
    const runs = new Map<string, Map<number, Measures>>()
    for (const { condition, seed, measures } of outcomes) {
      const ofCondition = runs.get(condition) ?? new Map<number, Measures>()
      runs.set(condition, ofCondition.set(seed, measures))
    }
    this.#runs = runs
    this.messagePs = this.#messagePs(LOSSLESS)
  }

  /** Measures of every run of a condition. */
  runs(condition: string): readonly Measures[] {
    return [...(this.#runs.get(condition)?.values() ?? [])]
  }

  /** Relative throughput over all runs, or over those that fit. */
  throughput(condition: string, fits: (measures: Measures) => boolean = () => true): Interval {
    const rows = this.runs(condition)
      .filter(fits)
      .map((m) => [m['messages']!, m['timePs']!])
    const found = ofSums(rows, ([messages, timePs]) => this.#percent(messages!, timePs!))
    return withinHundred(found)
  }

  /** Throughput over that of the lossless counterpart. */
  relative({ condition, lossless }: Relative): Interval {
    const basePs = this.#messagePs(lossless)
    const rows = this.runs(condition).map((m) => [m['messages']!, m['timePs']!])
    return withinHundred(ofSums(rows, ([messages, timePs]) => this.#percent(messages!, timePs!, basePs)))
  }

  /** First condition less second, each relative to its lossless counterpart: in percentage points, and per seed. */
  relativeMargin(
    first: Relative,
    second: Relative,
  ): { readonly measured: Interval; readonly values: readonly number[] } {
    const bases = [first, second].map(({ lossless }) => this.#messagePs(lossless))
    const rows = this.#together([first.condition, second.condition]).map((runs) =>
      runs.flatMap((m) => [m['messages']!, m['timePs']!]),
    )
    const margin = ([messages, timePs, others, otherPs]: readonly number[]): number =>
      this.#percent(messages!, timePs!, bases[0]) - this.#percent(others!, otherPs!, bases[1])
    return { measured: ofSums(rows, margin), values: rows.map(margin) }
  }

  /** Throughput of the first hundred messages of each run that has as many. */
  ofHundred(condition: string): readonly number[] {
    return this.runs(condition)
      .filter((m) => m['messages']! >= 100)
      .map((m) => this.#percent(100, m['messages'] === 100 ? m['timePs']! : m['first100Ps']!))
  }

  /** First condition less second, in percentage points, over the repetitions in which both fit. */
  margin(first: string, second: string, fits: (measures: Measures) => boolean = () => true): Interval {
    return this.combined([first, second], ([a, b]) => a! - b!, fits)
  }

  /** A function of the throughputs of several conditions, for each repetition that all of them have. */
  bySeed(conditions: readonly string[], valueOf: (throughputs: readonly number[]) => number): readonly number[] {
    return this.#together(conditions).map((runs) =>
      valueOf(runs.map((m) => this.#percent(m['messages']!, m['timePs']!))),
    )
  }

  /** Mean throughput of some conditions over that of others. */
  ratio(above: readonly string[], below: readonly string[]): Interval {
    const { length } = above
    return this.combined([...above, ...below], (throughputs) => {
      const [top, bottom] = [throughputs.slice(0, length), throughputs.slice(length)].map(
        (part) => part.reduce((sum, value) => sum + value, 0) / part.length,
      )
      return top! / bottom!
    })
  }

  /** The largest distance between any two conditions, in percentage points, and the two. */
  spread(conditions: readonly string[]): { readonly interval: Interval; readonly between: readonly [string, string] } {
    const pairs = conditions.flatMap((first, i) =>
      conditions.flatMap((second, k): [string, string][] => (i === k ? [] : [[first, second]])),
    )
    const margins = pairs.map((between) => ({ between, interval: this.margin(...between) }))
    return margins.reduce((widest, next) => (next.interval.mean > widest.interval.mean ? next : widest))
  }

  /** Share of timeouts with one of the given causes. */
  share(condition: string, causes: readonly string[]): Interval {
    return withinHundred(this.#ofTimeouts(condition, (m) => causes.reduce((sum, cause) => sum + m[cause]!, 0)))
  }

  /** Timeouts with the given causes in one condition, in percent of those in the other. */
  timeoutsLeft(condition: string, before: string, causes: readonly string[]): Interval {
    const count = (m: Measures): number => causes.reduce((sum, cause) => sum + m[cause]!, 0)
    const rows = this.#together([condition, before]).map((runs) => runs.map(count))
    return withinHundred(ofSums(rows, ([now, then]) => (100 * now!) / then!))
  }

  /** Share of the first cause less that of the second, in percentage points. */
  shareMargin(condition: string, first: string, second: string): Interval {
    return this.#ofTimeouts(condition, (m) => m[first]! - m[second]!)
  }

  /** Timeouts per message. */
  timeoutRate(condition: string): Interval {
    const rows = this.runs(condition).map((m) => [m['timeouts']!, m['messages']!])
    return ofSums(rows, ([timeouts, messages]) => timeouts! / messages!)
  }

  /** Share of runs in which something holds. */
  holds(condition: string, isTrue: (measures: Measures) => boolean): Interval {
    return interval95(this.runs(condition).map((m) => (isTrue(m) ? 100 : 0)))
  }

  /** Interval from the smallest to the largest value, for values that have to be 0 in every run. */
  worst(condition: string, valueOf: (measures: Measures) => number): Interval {
    const values = this.runs(condition).map(valueOf)
    return { ...interval95(values), low: Math.min(...values), high: Math.max(...values) }
  }

  /** A function of the throughputs of several conditions over the repetitions that all of them have and that fit. */
  combined(
    conditions: readonly string[],
    valueOf: (throughputs: readonly number[]) => number,
    fits: (measures: Measures) => boolean = () => true,
  ): Interval {
    const together = this.#together(conditions).filter((runs) => runs.every(fits))
    const rows = together.map((runs) => runs.flatMap((m) => [m['messages']!, m['timePs']!]))
    return ofSums(rows, (sums) => valueOf(conditions.map((_, i) => this.#percent(sums[2 * i]!, sums[2 * i + 1]!))))
  }

  /** Time of a message in a condition without losses, which is the same in every run. */
  #messagePs(lossless: string): number {
    const [run] = this.runs(lossless)
    return (run?.['timePs'] ?? NaN) / (run?.['messages'] ?? NaN)
  }

  #percent(messages: number, timePs: number, messagePs = this.messagePs): number {
    return (100 * messagePs * messages) / timePs
  }

  #ofTimeouts(condition: string, valueOf: (measures: Measures) => number): Interval {
    const rows = this.runs(condition).map((m) => [valueOf(m), m['timeouts']!])
    return ofSums(rows, ([value, timeouts]) => (100 * value!) / timeouts!)
  }

  /** The runs of several conditions, seed by seed. */
  #together(conditions: readonly string[]): readonly (readonly Measures[])[] {
    const runs = conditions.map((condition) => this.#runs.get(condition) ?? new Map<number, Measures>())
    const seeds = [...(runs[0]?.keys() ?? [])].filter((seed) => runs.every((each) => each.has(seed)))
    return seeds.map((seed) => runs.map((each) => each.get(seed)!))
  }
}

/** Limits an interval to 0 to 100 percent, since no message is faster than without a loss. */
function withinHundred(interval: Interval): Interval {
  return { ...interval, low: Math.max(0, interval.low), high: Math.min(100, interval.high) }
}
