/**
 * Figures of findings: bars or lines.
 */
import type { FindingsFigure } from '../findings.ts'

export function titleOf(figure: FindingsFigure): string {
  return 'bars' in figure ? figure.bars.title : figure.lines.title
}

/** Titles stand above the figures of a report. */
export function untitled(figure: FindingsFigure): FindingsFigure {
  return 'bars' in figure
    ? { ...figure, bars: { ...figure.bars, isUntitled: true } }
    : { ...figure, lines: { ...figure.lines, isUntitled: true } }
}

/** Whether it has values of the paper. */
export function hasPaper(figure: FindingsFigure): boolean {
  if ('lines' in figure) return figure.lines.lines.some(({ isPaper }) => isPaper === true)
  return figure.bars.groups.some(({ paper }) => Number.isFinite(paper)) || figure.bars.limit !== undefined
}
