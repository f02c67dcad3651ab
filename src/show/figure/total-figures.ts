/**
 * Totals of whole runs as bars: goodput and fairness by tag, drops by cause and by device.
 */
import { shownName } from '../../core/base/control-characters.ts'
import { type Result, summarize, tableOfKind, type TagSummary, textsOf } from '../../core/results/index.ts'
import { overSeeds, type OverSeeds, type SeedGroup, SEEDS_NOTE } from '../seed-groups.ts'
import { type Bar, type BarFigure, barFigure } from './bars.ts'
import { barData } from './figure-data.ts'
import type { NamedResult } from './measured-flows.ts'
import type { ResultFigure, Style } from './result-figure.ts'

/** Groups of bars in one figure: those with most. */
const GROUPS_MAX = 16

type Groups = readonly SeedGroup<NamedResult>[]

/** Figures that results have something for: tags where flows have several, drops where packets were dropped. */
export function totalFigures(groups: Groups, style: Style): ResultFigure[] {
  return [...tagFigures(groups, style), ...dropFigures(groups, style)]
}

function tagFigures(groups: Groups, style: Style): ResultFigure[] {
  const tagsOf = groups.map(({ label, runs }) => ({
    label,
    seeds: runs.map(({ result }) => new Map(summarize(result).tags.map((of) => [of.tag, of]))),
  }))
  if (tagsOf.every(({ seeds }) => seeds.every((of) => of.size === 0))) return []
  const draw = (
    valueOf: (of: TagSummary) => number,
    about: { readonly yLabel: string; readonly subtitle: string; readonly most?: number },
  ) =>
    drawBars(
      tagsOf.flatMap(({ label, seeds }) =>
        [...new Set(seeds.flatMap((of) => [...of.keys()]))].map((tag): Bar => {
          const values = seeds.map((of) => (of.has(tag) ? valueOf(of.get(tag)!) : NaN))
          return {
            label: tag === '' ? 'no tag' : shownName(tag),
            series: label,
            ...within(overSeeds(values), about.most),
          }
        }),
      ),
      {
        ...style,
        yLabel: about.yLabel,
        subtitle: withSeeds(groups, about.subtitle),
        ...(about.most === undefined ? {} : { yReach: about.most }),
      },
    )
  return [
    {
      name: 'goodput-by-tag',
      ...draw(({ goodputBps }) => goodputBps / 1e9, {
        yLabel: 'goodput (Gb/s)',
        subtitle: "payload delivered, over the time from a tag's first start to its last end",
      }),
    },
    {
      name: 'fairness-by-tag',
      ...draw(({ jainIndex }) => jainIndex, {
        yLabel: "Jain's index",
        most: 1,
        subtitle: 'between the flows of a tag: 1 where all have the same goodput, 1/n where one of n has everything',
      }),
    },
  ]
}

function dropFigures(groups: Groups, style: Style): ResultFigure[] {
  const causes = countBars(groups, ({ counters }) => new Map(Object.entries(counters.drops)))
  const devices = countBars(groups, dropsByNode)
  const about = { ...style, yLabel: 'packets dropped' }
  const devicesText = withSeeds(groups, 'as the observer of drops recorded them')
  const causesText = withSeeds(groups)
  return [
    ...(causes.length === 0
      ? []
      : [
          {
            name: 'drops-by-cause',
            ...drawBars(causes, causesText === '' ? about : { ...about, subtitle: causesText }),
          },
        ]),
    ...(devices.length === 0
      ? []
      : [{ name: 'drops-by-place', ...drawBars(devices, { ...about, subtitle: devicesText }) }]),
  ]
}

/** A bar for each name that a group counts; a seed without it has none of it. */
function countBars(groups: Groups, countsOf: (result: Result) => ReadonlyMap<string, number>): Bar[] {
  return groups.flatMap(({ label, runs }) => {
    const seeds = runs.map(({ result }) => countsOf(result))
    const names = [...new Set(seeds.flatMap((counts) => [...counts.keys()]))]
    return names.map((name): Bar => {
      const over = overSeeds(seeds.map((counts) => counts.get(name) ?? 0))
      return { label: name, series: label, ...within(over) }
    })
  })
}

/** No total is negative, and an index is at most 1; an interval around its mean may reach further than values can. */
function within({ value, low, high }: OverSeeds, most = Infinity): OverSeeds {
  const ends = low === undefined || high === undefined ? {} : { low: Math.max(0, low), high: Math.min(most, high) }
  return { value: Math.min(most, value), ...ends }
}

function withSeeds(groups: Groups, ...notes: readonly string[]): string {
  return [...notes, ...(groups.some(({ runs }) => runs.length > 1) ? [SEEDS_NOTE] : [])].join('; ')
}

/** Recorded drops by the name of the node. */
export function dropsByNode(result: Result): Map<string, number> {
  const table = tableOfKind(result, 'drops', 'drops/without-links')
  const counts = new Map<string, number>()
  for (const name of table === undefined ? [] : textsOf(table, 'nodeName'))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The groups with the largest bars, in the order in which they came. */
function drawBars(
  bars: readonly Bar[],
  about: Style & { readonly yLabel: string; readonly subtitle?: string; readonly yReach?: number },
): Omit<ResultFigure, 'name'> {
  const most = new Map<string, number>()
  for (const { label, value } of bars) most.set(label, Math.max(most.get(label) ?? 0, value))
  const kept = new Set(
    [...most]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, GROUPS_MAX)
      .map(([label]) => label),
  )
  const left = most.size - kept.size
  const notes = [
    ...(about.subtitle === undefined ? [] : [about.subtitle]),
    ...(left > 0 ? [`the ${GROUPS_MAX} of ${most.size} with most`] : []),
  ]
  const figure: BarFigure = {
    ...about,
    ...(notes.length === 0 ? {} : { subtitle: notes.join('; ') }),
    groups: bars.filter(({ label }) => kept.has(label)),
    showValues: true,
  }
  return { svg: barFigure(figure), data: barData(figure) }
}
