/**
 * Totals of whole runs as bars: goodput and fairness by tag, drops by cause and by device.
 */
import {
  completionsOf,
  findColumn,
  type Result,
  type Table,
  tagSummaries,
  type TagSummary,
  textsOf,
} from '../../results/index.ts'
import { type Bar, barFigure } from './bars.ts'
import type { NamedResult } from './measured-flows.ts'
import type { ResultFigure, Style } from './result-figure.ts'

/** Groups of bars in one figure: those with most. */
const GROUPS_MAX = 16

/** Figures that results have something for: tags where flows have several, drops where packets were dropped. */
export function totalFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  return [...tagFigures(results, style), ...dropFigures(results, style)]
}

function tagFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  const tags = results.flatMap(({ label, result }) =>
    tagSummaries(result, completionsOf(result)).map((of) => ({ label, of })),
  )
  if (tags.length === 0) return []
  const draw = (valueOf: (of: TagSummary) => number, about: { readonly yLabel: string; readonly subtitle: string }) =>
    drawBars(
      tags.map(({ label, of }): Bar => ({
        label: of.tag === '' ? 'no tag' : of.tag,
        series: label,
        value: valueOf(of),
      })),
      { ...style, ...about },
    )
  return [
    {
      name: 'goodput-by-tag',
      svg: draw(({ goodputBps }) => goodputBps / 1e9, {
        yLabel: 'goodput (Gb/s)',
        subtitle: "payload delivered, over the time from a tag's first start to its last end",
      }),
    },
    {
      name: 'fairness-by-tag',
      svg: draw(({ jainIndex }) => jainIndex, {
        yLabel: "Jain's index",
        subtitle: 'between the flows of a tag: 1 where all have the same goodput, 1/n where one of n has everything',
      }),
    },
  ]
}

function dropFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  const causes = results.flatMap(({ label, result }) =>
    Object.entries(result.counters.drops).map(([cause, count]): Bar => ({ label: cause, series: label, value: count })),
  )
  const bars = results.flatMap(({ label, result }) =>
    [...dropsByNode(result)].map(([name, count]): Bar => ({ label: name, series: label, value: count })),
  )
  const about = { ...style, yLabel: 'packets dropped' }
  return [
    ...(causes.length === 0 ? [] : [{ name: 'drops-by-cause', svg: drawBars(causes, about) }]),
    ...(bars.length === 0
      ? []
      : [
          {
            name: 'drops-by-place',
            svg: drawBars(bars, { ...about, subtitle: 'as the observer of drops recorded them' }),
          },
        ]),
  ]
}

/** The table of single drops; undefined: the run did not observe them. */
function dropTable({ series }: Result): Table | undefined {
  return series.find((table) =>
    ['timePs', 'nodeName', 'reason', 'direction'].every((name) => findColumn(table, name) !== undefined),
  )
}

/** Recorded drops by the name of the node. */
export function dropsByNode(result: Result): Map<string, number> {
  const table = dropTable(result)
  const counts = new Map<string, number>()
  for (const name of table === undefined ? [] : textsOf(table, 'nodeName'))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The groups with the largest bars, in the order in which they came. */
function drawBars(
  bars: readonly Bar[],
  about: Style & { readonly yLabel: string; readonly subtitle?: string },
): string {
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
  return barFigure({
    ...about,
    ...(notes.length === 0 ? {} : { subtitle: notes.join('; ') }),
    groups: bars.filter(({ label }) => kept.has(label)),
    showValues: true,
  })
}
