/**
 * Figures of findings: bars, lines or a heat map.
 */
import type { FindingsFigure } from '../findings.ts'

export function titleOf(figure: FindingsFigure): string {
  if ('bars' in figure) return figure.bars.title
  return 'lines' in figure ? figure.lines.title : figure.heatMap.title
}

/** Titles stand above the figures of a report. */
export function untitled(figure: FindingsFigure): FindingsFigure {
  if ('bars' in figure) return { ...figure, bars: { ...figure.bars, isUntitled: true } }
  if ('lines' in figure) return { ...figure, lines: { ...figure.lines, isUntitled: true } }
  return { ...figure, heatMap: { ...figure.heatMap, isUntitled: true } }
}

/** Whether it has values of the paper; heat maps are ratios to them. */
export function hasPaper(figure: FindingsFigure): boolean {
  if ('bars' in figure) {
    return figure.bars.groups.some(({ paper }) => Number.isFinite(paper)) || figure.bars.limit !== undefined
  }
  return 'lines' in figure ? figure.lines.lines.some(({ isPaper }) => isPaper === true) : true
}
