/**
 * Parts of completion times as stacked bars: what the time of the flows of each rank of slowdown consists of, several
 * results side by side. Only of results with an autopsy.
 */
import { ALL_PARTS, isExplained } from '../../results/index.ts'
import { groupsBySlowdown } from '../explain/explanation.ts'
import { exactCount } from '../../base/format.ts'
import { partColour } from './drawing/part-colours.ts'
import type { NamedResult } from './measured-flows.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import { type StackedBar, stackedBarsFigure } from './stacked-bars.ts'

/** Parts with a colour of their own: those with most. */
const SHOWN_MAX = 10
/** A part with less than this share in every bar is among the others. */
const LEAST_SHARE = 0.01
const OTHERS = 'other parts'
/** Pixels, where nothing else is asked for. */
const WIDTH = 720

/** One figure, or none where no result has an autopsy with finished flows. */
export function partFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  const explained = results.filter(({ result }) => isExplained(result))
  const groups = explained.flatMap(({ label, result }) =>
    groupsBySlowdown(result).map((group) => ({ result: label, ...group })),
  )
  if (groups.length === 0) return []
  const order = ALL_PARTS.map((_, part) => part)
  const mostOf = (part: number): number => Math.max(...groups.map(({ shares }) => shares[part] ?? 0))
  const shown = new Set(
    order
      .filter((part) => mostOf(part) >= LEAST_SHARE)
      .toSorted((a, b) => mostOf(b) - mostOf(a))
      .slice(0, SHOWN_MAX),
  )
  const ranks = [...new Set(groups.map(({ label }) => label))]
  const bars = ranks.flatMap((rank) =>
    groups
      .filter(({ label }) => label === rank)
      .map((group): StackedBar => {
        const shares = new Map(
          order.filter((part) => shown.has(part)).map((part) => [ALL_PARTS[part]!.label, group.shares[part] ?? 0]),
        )
        const rest = 1 - [...shares.values()].reduce((sum, share) => sum + share, 0)
        return {
          group: explained.length === 1 ? `${rank} (${exactCount(group.flows)})` : rank,
          label: group.result,
          shares: rest > 1e-6 ? shares.set(OTHERS, rest) : shares,
        }
      }),
  )
  const columnOf = new Map(ALL_PARTS.map(({ label, column }) => [label, column]))
  const colourOf = (series: string): string => partColour(columnOf.get(series) ?? '')
  const ends = [...new Set(explained.map(({ result }) => result.completion))].join(' or ')
  const subtitle = `time at the ${ends}, summed over the flows of each rank of slowdown`
  return [
    {
      name: 'parts-by-slowdown',
      svg: stackedBarsFigure({
        ...style,
        width: style.wideWidth ?? style.width ?? WIDTH,
        subtitle,
        xLabel: 'share of the completion time',
        bars,
        colourOf,
      }),
    },
  ]
}
