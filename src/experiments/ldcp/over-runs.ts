/**
 * The runs of LDCP's experiment by family, scale and control, as values and intervals over seeds.
 */
import { type Interval, interval95 } from '../../results/index.ts'
import { ratiosOf, valuesOf } from '../core/over-seeds.ts'
import type { Measures, Outcome } from '../core/plan.ts'
import type { Control } from './controls.ts'
import { conditionOf, type Family, GRIDS } from './runs.ts'

/** Runs of one family and scale. */
export type At = readonly [family: Family, scale: number]
export type ValueOf = (measures: Measures) => number

/** The measure of that name. */
export const named =
  (key: string): ValueOf =>
  (m) =>
    m[key] ?? NaN

/** All scales of a family at full size. */
export const scalesOf = (family: Family): At[] => GRIDS.full[family].scales.map((scale) => [family, scale])

export class Runs {
  readonly outcomes: readonly Outcome[]

  constructor(outcomes: readonly Outcome[]) {
    this.outcomes = outcomes
  }

  /** One value a seed. */
  valuesAt([family, scale]: At, control: Control, valueOf: ValueOf): number[] {
    return valuesOf(this.outcomes, conditionOf(family, scale, control), valueOf)
  }

  at(where: At, control: Control, valueOf: ValueOf): Interval {
    return interval95(this.valuesAt(where, control, valueOf))
  }

  /** One ratio a seed, of one control to another. */
  ratiosAt([family, scale]: At, of: Control, to: Control, valueOf: ValueOf): number[] {
    const conditions = { of: conditionOf(family, scale, of), to: conditionOf(family, scale, to) }
    return ratiosOf(this.outcomes, conditions, valueOf)
  }

  ratio(where: At, of: Control, to: Control, valueOf: ValueOf): Interval {
    return interval95(this.ratiosAt(where, of, to, valueOf))
  }

  /** One control less another, seed by seed. */
  difference([family, scale]: At, of: Control, less: Control, valueOf: ValueOf): Interval {
    const bySeed = (control: Control): Map<number, number> =>
      new Map(
        this.outcomes
          .filter(({ condition }) => condition === conditionOf(family, scale, control))
          .map(({ seed, measures }) => [seed, valueOf(measures)]),
      )
    const others = bySeed(less)
    return interval95([...bySeed(of)].map(([seed, value]) => value - (others.get(seed) ?? NaN)))
  }
}
