/**
 * Grids: points as the product of axes.
 */
import { parseScenario } from '../../lab/scenario/index.ts'
import type { At, AxisValue, Point } from './point.ts'

type Axes = Readonly<Record<string, readonly AxisValue[]>>

/** Every combination of the values, the last axis first: `product({a: [1, 2], b: ['x', 'y']})`. */
export function product<const T extends Axes>(axes: T): { readonly [K in keyof T]: T[K][number] }[] {
  const all = Object.entries(axes).reduce<At[]>(
    (ats, [axis, values]) => ats.flatMap((at) => values.map((value) => ({ ...at, [axis]: value }))),
    [{}],
  )
  return all as { readonly [K in keyof T]: T[K][number] }[]
}

/** A point at each place, with a scenario from text, to which the seed is added, and changes to it as "path=value". */
export function pointsAt<A extends At>(
  ats: readonly A[],
  seed: number,
  textOf: (at: A) => string,
  setsOf: (at: A) => readonly string[] = () => [],
): Point<A>[] {
  return ats.map((at) => ({
    at,
    seed,
    scenario: parseScenario(`seed: ${seed}\n${textOf(at)}`, { sets: setsOf(at) }),
  }))
}
