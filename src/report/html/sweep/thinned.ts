/**
 * Thinned sweep: the part of a large sweep that a figure has room for, chosen evenly from the values of each parameter,
 * first and last included.
 */
import { numericAxis, type PlottedSweep, type SweepAxis } from '../../figure/sweep-figures.ts'

/** Lines or bars of a group, and values along the axis below them, that one figure shows. */
const SERIES_MAX = 12
const ALONG_MAX = 40

export interface ThinnedSweep {
  readonly sweep: PlottedSweep
  /** Sentence on the rows that the figures leave out; "" if they have all. */
  readonly note: string
}

/** Keeps first and last value of every parameter that keeps two or more. */
export function thinnedSweep(sweep: PlottedSweep): ThinnedSweep {
  const varied = sweep.axes.filter(({ values }) => values.length > 1)
  const along = varied.find((axis) => numericAxis(axis) !== undefined) ?? varied[0]
  const kept = new Map(varied.map((axis) => [axis, axis === along ? evenly(axis.values, ALONG_MAX) : axis.values]))
  const others = varied.filter((axis) => axis !== along)
  const lengthOf = (axis: SweepAxis): number => kept.get(axis)!.length
  const count = (): number => others.reduce((product, axis) => product * lengthOf(axis), 1)
  while (count() > SERIES_MAX) {
    const [longest] = others.toSorted((a, b) => lengthOf(b) - lengthOf(a))
    if (longest === undefined) break
    kept.set(longest, evenly(longest.values, lengthOf(longest) - 1))
  }
  const allowed = varied.map((axis) => [axis.path, new Set(kept.get(axis))] as const)
  const rows = sweep.rows.filter(({ values }) => allowed.every(([path, set]) => set.has(values[path] ?? '')))
  if (rows.length === sweep.rows.length) return { sweep, note: '' }
  const axes = sweep.axes.map((axis) => ({ ...axis, values: kept.get(axis) ?? axis.values }))
  const parts = varied
    .filter((axis) => lengthOf(axis) < axis.values.length)
    .map((axis) => `${lengthOf(axis)} of ${axis.values.length} values of ${axis.path}`)
  const note = `Figures have room for ${rows.length} of ${sweep.rows.length} combinations: ${parts.join(', ')}, evenly chosen. The table has all.`
  return { sweep: { ...sweep, axes, rows }, note }
}

/** At most `most` of the values, evenly spaced by position, in their order; the last too if there are two or more. */
function evenly<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values
  if (most < 2) return values.slice(0, 1)
  return Array.from({ length: most }, (_, i) => values[Math.round((i * (values.length - 1)) / (most - 1))]!)
}
