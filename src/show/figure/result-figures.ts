/**
 * Figures of results: how completion times spread, slowdown by size or tag, and what observers saw over time; several
 * results side by side. Each result has its lines in every figure that it has data for; those that differ in the seed
 * alone are one entry in distributions and bars.
 */
import { seedGroups } from '../seed-groups.ts'
import { groupedFigures } from './grouped-figures.ts'
import { measuredGroupOf, type NamedResult } from './measured-flows.ts'
import { observedFigures } from './observed-figures.ts'
import { partFigures } from './part-figures.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import { spreadFigures } from './spread-figures.ts'
import { totalFigures } from './total-figures.ts'

export interface FigureOptions {
  /** Quantiles of the slowdown by flow size or by tag, in place of all other figures. */
  readonly by?: 'size' | 'tag'
  /** The names of the scenarios unless given. */
  readonly title?: string
  /** True: titles are labels for screen readers and not drawn. */
  readonly isUntitled?: boolean
  /** Pixels of the whole figure; 720 wide unless given, and as high as it has to be. */
  readonly width?: number
  readonly height?: number
  /** Pixels of timelines and trees, where they are to be wider than the others. */
  readonly wideWidth?: number
}

/** All figures that the results have something for. Flows outside the measuring window are in none. */
export function resultFigures(results: readonly NamedResult[], options: FigureOptions = {}): ResultFigure[] {
  const names = results.map(({ result }) => result.name)
  const style: Style = {
    title: options.title ?? [...new Set(names)].join(' and '),
    ...(options.isUntitled === undefined ? {} : { isUntitled: options.isUntitled }),
    ...(options.width === undefined ? {} : { width: options.width }),
    ...(options.wideWidth === undefined ? {} : { wideWidth: options.wideWidth }),
    ...(options.height === undefined ? {} : { outerHeight: options.height }),
  }
  const groups = seedGroups(results)
  const flows = groups.map(measuredGroupOf)
  if (options.by !== undefined) return groupedFigures(flows, options.by, style)
  return [
    ...partFigures(results, style),
    ...spreadFigures(flows, style),
    ...totalFigures(groups, style),
    ...observedFigures(results, style),
  ]
}
