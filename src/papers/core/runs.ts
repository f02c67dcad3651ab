/**
 * Runs of an experiment, selected by their axes: means over seeds with Student's 95 % interval, ratios and differences
 * seed by seed, ranges.
 */
import { assert } from '../../core/base/assert.ts'
import { type Interval, interval95, sum } from '../../core/results/index.ts'
import { type At, type AxisValue, keyOf, type Measures, type Outcome } from './point.ts'

/** Values of axes; of a list any counts, and an axis that is not named may have any value. */
export type Where = Readonly<Record<string, AxisValue | readonly AxisValue[]>>

/** A measure by name, or computed from several. */
export type ValueOf = string | ((measures: Measures) => number)

export class Runs {
  readonly outcomes: readonly Outcome[]

  constructor(outcomes: readonly Outcome[]) {
    this.outcomes = outcomes
  }

  where(where: Where): Runs {
    const axes = Object.entries(where)
    const isIn = (at: At): boolean =>
      axes.every(([axis, wanted]) =>
        typeof wanted === 'object' ? wanted.some((value) => value === at[axis]) : wanted === at[axis],
      )
    // Runs of a point share its axes.
    const known = new Map<At, boolean>()
    const isWanted = ({ at }: Outcome): boolean => {
      const verdict = known.get(at) ?? isIn(at)
      known.set(at, verdict)
      return verdict
    }
    return new Runs(this.outcomes.filter(isWanted))
  }

  get seeds(): number[] {
    return [...new Set(this.outcomes.map(({ seed }) => seed))]
  }

  /** The runs of each seed alone. */
  bySeed(): Runs[] {
    return this.seeds.map((seed) => new Runs(this.outcomes.filter((outcome) => outcome.seed === seed)))
  }

  /** The points that were run, each once, in the order of the runs. */
  get ats(): At[] {
    return [...new Map(this.outcomes.map(({ at }) => [keyOf(at), at])).values()]
  }

  /** One value per seed, in the order of the runs. The selection has to be one point. */
  values(of: ValueOf, where: Where = {}): number[] {
    const own = this.where(where)
    assert(own.seeds.length === own.outcomes.length, 'a value per seed is of one point: name all of its axes')
    return own.outcomes.map(({ measures }) => valueIn(measures, of))
  }

  /** Mean and interval over the seeds of a point. */
  mean(of: ValueOf, where: Where = {}, scale = 1): Interval {
    return interval95(this.values(of, where).map((value) => value * scale))
  }

  /** The ratio of two points for each seed, in which both have the same arrivals. */
  ratios(of: ValueOf, over: Where, under: Where): number[] {
    return this.#pairs(of, over, under).map(([a, b]) => a / b)
  }

  ratio(of: ValueOf, over: Where, under: Where): Interval {
    return interval95(this.ratios(of, over, under))
  }

  /** One point less another, seed by seed. */
  differences(of: ValueOf, from: Where, less: Where): number[] {
    return this.#pairs(of, from, less).map(([a, b]) => a - b)
  }

  /** Smallest and largest value of all selected runs. */
  range(of: ValueOf, where: Where = {}): { readonly least: number; readonly most: number } {
    const values = this.#all(of, where)
    return { least: Math.min(...values), most: Math.max(...values) }
  }

  /** The mean with the range of all selected runs in the place of an interval: for what is not random. */
  ends(of: ValueOf, where: Where = {}, scale = 1): Interval {
    const values = this.#all(of, where).map((value) => value * scale)
    return { ...interval95(values), low: Math.min(...values), high: Math.max(...values) }
  }

  /** Sum over all selected runs. */
  sum(of: ValueOf, where: Where = {}): number {
    return sum(this.#all(of, where))
  }

  #all(of: ValueOf, where: Where): number[] {
    return this.where(where).outcomes.map(({ measures }) => valueIn(measures, of))
  }

  #pairs(of: ValueOf, first: Where, second: Where): [number, number][] {
    const below = new Map(this.where(second).outcomes.map(({ seed, measures }) => [seed, measures]))
    const values = this.values(of, first)
    return this.where(first).outcomes.map(({ seed }, i) => [values[i]!, valueIn(below.get(seed) ?? {}, of)])
  }
}

function valueIn(measures: Measures, of: ValueOf): number {
  return typeof of === 'string' ? (measures[of] ?? NaN) : of(measures)
}
