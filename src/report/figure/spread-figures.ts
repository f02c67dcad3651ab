/**
 * How completion times and slowdowns of measured flows spread: by result and tag, as distribution and as tail.
 */
import { sortedValues } from '../../results/index.ts'
import { overSeeds, type OverSeeds, SEEDS_NOTE } from '../seed-groups.ts'
import { cdfFigure, type Curve, tailFigure } from './distributions.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import {
  finishedText,
  type MeasuredFlows,
  type MeasuredGroup,
  unfinishedNotes,
  withoutIdealNotes,
} from './measured-flows.ts'

/** Curves of one figure; each result has one at least. */
const CURVES_MAX = 8

export function spreadFigures(results: readonly MeasuredGroup[], style: Style): ResultFigure[] {
  if (!results.some(({ completionPs }) => completionPs.some(Number.isFinite))) return []
  const tagsMax = Math.max(1, Math.floor(CURVES_MAX / results.length))
  const chosen = results.map((flows) => tagsOf(flows, tagsMax))
  const notes = [finishedText(results), ...unfinishedNotes(results, ', and their curve runs level to the edge')]
  if (chosen.some(({ leftOut }) => leftOut > 0))
    notes.push(`of each result the tags with most flows, ${tagsMax} at most`)
  if (results.some(({ seeds }) => seeds.length > 1)) notes.push(SEEDS_NOTE)
  return [
    { name: 'completion', xLabel: 'completion time (us)', column: 'completionPs', scale: 1e6 } as const,
    { name: 'slowdown', xLabel: 'slowdown (completion over ideal)', column: 'slowdown', scale: 1 } as const,
  ].flatMap(({ name, xLabel, column, scale }) => {
    const curves = results.flatMap((flows, i) => curvesOf(flows, chosen[i]!.tags, results.length > 1, column, scale))
    const subtitle = [...notes, ...(column === 'slowdown' ? withoutIdealNotes(results) : [])].join('; ')
    const figure = { ...style, subtitle, xLabel, curves, xScale: 'log' } as const
    return [
      { name, svg: cdfFigure(figure) },
      { name: `${name}-tail`, svg: tailFigure(figure) },
    ]
  })
}

/** The tags with most flows; all flows together where only one curve has room. */
function tagsOf({ tag }: MeasuredFlows, most: number): { readonly tags: readonly string[]; readonly leftOut: number } {
  const counts = new Map<string, number>()
  for (const one of tag) counts.set(one, (counts.get(one) ?? 0) + 1)
  if (most === 1) return { tags: [], leftOut: 0 }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
  const kept = new Set(byCount.slice(0, most))
  return { tags: [...counts.keys()].filter((name) => kept.has(name)), leftOut: counts.size - kept.size }
}

function curvesOf(
  flows: MeasuredGroup,
  tags: readonly string[],
  isLabelled: boolean,
  column: 'completionPs' | 'slowdown',
  scale: number,
): Curve[] {
  const groups = tags.length === 0 ? [undefined] : tags
  return groups.map((tag) => {
    const values = flows.seeds.map((own) => valuesOf(own, tag, column, scale))
    const words = [isLabelled ? flows.label : '', groups.length > 1 || !isLabelled ? (tag ?? '') : '']
    const series = words.filter((word) => word !== '').join(', ')
    const [first = []] = values
    const ranked = values.length === 1 ? first.map((value): OverSeeds => ({ value })) : rankedOver(values)
    return {
      series,
      values: ranked.flatMap(({ value }) => (value === Infinity ? [] : [value])),
      endless: ranked.filter(({ value }) => value === Infinity).length,
      ...(values.length === 1 ? {} : { ranges: ranked.map(({ low = NaN, high = NaN }) => ({ low, high })) }),
    }
  })
}

function valuesOf(
  flows: MeasuredFlows,
  tag: string | undefined,
  column: 'completionPs' | 'slowdown',
  scale: number,
): number[] {
  return flows[column]
    .filter((value, row) => !Number.isNaN(value) && (tag === undefined || flows.tag[row] === tag))
    .map((value) => value / scale)
}

/**
 * The flows of each rank, from the fastest to the slowest, over the seeds: as many ranks as the seed with fewest flows
 * has. Means of sorted values are sorted.
 */
function rankedOver(seeds: readonly (readonly number[])[]): OverSeeds[] {
  const present = seeds.filter((values) => values.length > 0).map((values) => sortedValues(values))
  const count = Math.min(...present.map((values) => values.length))
  if (!Number.isFinite(count)) return []
  return Array.from({ length: count }, (_, rank) =>
    overSeeds(present.map((values) => values[Math.floor(((rank + 0.5) / count) * values.length)]!)),
  )
}
