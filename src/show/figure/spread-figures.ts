/**
 * How completion times and slowdowns of measured flows spread: by result and tag, as distribution and as tail.
 */
import { shownName } from '../../core/base/control-characters.ts'
import { sortedValues, valuesWhere } from '../../core/results/index.ts'
import { overSeeds, SEEDS_NOTE } from '../seed-groups.ts'
import { type Curve, drawnCdf, drawnTail, type Ranges } from './distributions.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import {
  countsByTag,
  countWhere,
  finishedText,
  hasFinite,
  type MeasuredFlows,
  type MeasuredGroup,
  unfinishedNotes,
  withoutIdealNotes,
} from './measured-flows.ts'

/** Curves of one figure; each result has one at least. */
const CURVES_MAX = 8

export function spreadFigures(results: readonly MeasuredGroup[], style: Style): ResultFigure[] {
  if (!results.some((group) => hasFinite(group, 'completionPs'))) return []
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
      { name, ...drawnCdf(figure) },
      { name: `${name}-tail`, ...drawnTail(figure) },
    ]
  })
}

/** The tags with most flows; all flows together where only one curve has room. */
function tagsOf(flows: MeasuredGroup, most: number): { readonly tags: readonly string[]; readonly leftOut: number } {
  if (most === 1) return { tags: [], leftOut: 0 }
  const counts = countsByTag([flows])
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
    const seeds = flows.seeds.map((own) => valuesOf(own, tag, column, scale))
    const words = [isLabelled ? flows.label : '', groups.length > 1 || !isLabelled ? shownName(tag ?? '') : '']
    const series = words.filter((word) => word !== '').join(', ')
    const ranked = seeds.length === 1 ? undefined : rankedOver(seeds)
    const values = ranked?.values ?? seeds[0] ?? new Float64Array(0)
    const endless = countWhere(values, (value) => value === Infinity)
    return { series, values, endless, ...(ranked === undefined ? {} : { ranges: ranked }) }
  })
}

function valuesOf(
  flows: MeasuredFlows,
  tag: string | undefined,
  column: 'completionPs' | 'slowdown',
  scale: number,
): Float64Array {
  const values = flows[column]
  const isOf = (row: number): boolean => !Number.isNaN(values[row]) && (tag === undefined || flows.tag[row] === tag)
  return valuesWhere(values, isOf).map((value) => value / scale)
}

/**
 * The flows of each rank, from the fastest to the slowest, over the seeds: as many ranks as the seed with fewest flows
 * has. Means of sorted values are sorted.
 */
function rankedOver(seeds: readonly Float64Array[]): Ranges & { readonly values: Float64Array } {
  const present = seeds.filter((values) => values.length > 0).map((values) => sortedValues(values))
  const count = present.length === 0 ? 0 : Math.min(...present.map((values) => values.length))
  const [values, low, high] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  for (let rank = 0; rank < count; rank++) {
    const over = overSeeds(present.map((own) => own[Math.floor(((rank + 0.5) / count) * own.length)]!))
    values[rank] = over.value
    low[rank] = over.low ?? NaN
    high[rank] = over.high ?? NaN
  }
  return { values, low, high }
}
