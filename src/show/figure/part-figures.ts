/**
 * Parts of completion times as stacked bars: what the time of the flows of each rank of slowdown consists of, several
 * results side by side, as shares and as times. Only of results with an autopsy.
 */
import { ALL_PARTS, isExplained } from '../../core/results/index.ts'
import { type FlowGroup, groupsBySlowdown } from '../explain/explanation.ts'
import { exactCount, humanDuration, humanShare } from '../../core/base/format.ts'
import { partColour } from './drawing/part-colours.ts'
import { type Axis, axisFor, timeUnit } from './drawing/ticks.ts'
import { stackedData } from './figure-data.ts'
import type { NamedResult } from './measured-flows.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import { type StackedBar, type StackedBars, stackedBarsFigure, type StackedPiece } from './stacked-bars.ts'

/** Parts with a colour of their own: those with most. */
const SHOWN_MAX = 10
/** A part with less than this share in every bar is among the others. */
const LEAST_SHARE = 0.01
const OTHERS = 'other parts'
/** Pixels, where nothing else is asked for. */
const WIDTH = 720

const SHARES: Axis = {
  kind: 'linear',
  domain: [0, 1],
  ticks: [0, 0.25, 0.5, 0.75, 1],
  labelOf: (share) => `${share * 100} %`,
}

/** A bar before it has lengths. */
interface RankBar {
  readonly group: string
  readonly label: string
  readonly meanPs: number
  /** By series; together 1. */
  readonly shares: ReadonlyMap<string, number>
}

/** Two figures, or none where no result has an autopsy with finished flows. */
export function partFigures(results: readonly NamedResult[], style: Style): ResultFigure[] {
  const explained = results.filter(({ result }) => isExplained(result))
  const groups = explained.flatMap(({ label, result }) =>
    groupsBySlowdown(result).map((group) => ({ result: label, ...group })),
  )
  if (groups.length === 0) return []
  const shown = shownParts(groups)
  const ranks = [...new Set(groups.map(({ label }) => label))]
  const bars = ranks.flatMap((rank) =>
    groups
      .filter(({ label }) => label === rank)
      .map((group): RankBar => {
        const shares = new Map(shown.map((part) => [ALL_PARTS[part]!.label, group.shares[part] ?? 0]))
        const rest = 1 - [...shares.values()].reduce((sum, share) => sum + share, 0)
        return {
          group: explained.length === 1 ? `${rank} (${exactCount(group.flows)})` : rank,
          label: group.result,
          meanPs: group.meanCompletionPs,
          shares: rest > 1e-6 ? shares.set(OTHERS, rest) : shares,
        }
      }),
  )
  const ends = [...new Set(explained.map(({ result }) => result.completion))].join(' or ')
  return [sharesFigure(bars, ends, style), timesFigure(bars, ends, style)]
}

/** In the order of their numbers. */
function shownParts(groups: readonly FlowGroup[]): number[] {
  const mostOf = (part: number): number => Math.max(...groups.map(({ shares }) => shares[part] ?? 0))
  const order = [...ALL_PARTS.keys()]
  const most = order
    .filter((part) => mostOf(part) >= LEAST_SHARE)
    .toSorted((a, b) => mostOf(b) - mostOf(a))
    .slice(0, SHOWN_MAX)
  return order.filter((part) => most.includes(part))
}

function sharesFigure(bars: readonly RankBar[], ends: string, style: Style): ResultFigure {
  const about = {
    subtitle: `time at the ${ends}, summed over the flows of each rank of slowdown`,
    xLabel: 'share of the completion time',
    axis: SHARES,
  }
  return { name: 'parts-by-slowdown', ...drawn(bars, about, (share) => share, style) }
}

/** The same bars as long as their times, so that those of two results compare. */
function timesFigure(bars: readonly RankBar[], ends: string, style: Style): ResultFigure {
  const means = bars.map(({ meanPs }) => meanPs)
  const [scale, unit] = timeUnit(Math.max(...means))
  const about = {
    subtitle: `time at the ${ends}, mean of the flows of each rank of slowdown`,
    xLabel: `completion time (${unit})`,
    axis: axisFor(
      means.map((ps) => ps / scale),
      { fromZero: true },
    ),
    totalOf: ({ meanPs }: RankBar) => humanDuration(meanPs),
  }
  return { name: 'parts-time', ...drawn(bars, about, (share, { meanPs }) => (share * meanPs) / scale, style) }
}

function drawn(
  bars: readonly RankBar[],
  {
    totalOf = () => '',
    ...about
  }: { readonly subtitle: string; readonly xLabel: string; readonly axis: Axis; totalOf?: (bar: RankBar) => string },
  valueOf: (share: number, bar: RankBar) => number,
  style: Style,
): Omit<ResultFigure, 'name'> {
  const columnOf = new Map(ALL_PARTS.map(({ label, column }) => [label, column]))
  const figure: StackedBars = {
    ...style,
    width: style.wideWidth ?? style.width ?? WIDTH,
    ...about,
    bars: bars.map((bar): StackedBar => {
      const pieces = [...bar.shares].map(([series, share]): [string, StackedPiece] => {
        const title = `${series}: ${humanShare(share)}, ${humanDuration(share * bar.meanPs)} a flow`
        return [series, { value: valueOf(share, bar), title }]
      })
      return { group: bar.group, label: bar.label, pieces: new Map(pieces), total: totalOf(bar) }
    }),
    colourOf: (series) => partColour(columnOf.get(series) ?? ''),
  }
  return { svg: stackedBarsFigure(figure), data: stackedData(figure) }
}
