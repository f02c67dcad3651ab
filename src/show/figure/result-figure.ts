/**
 * A figure of results, and what those of one call have in common.
 */
import type { FigureText } from './drawing/figure-text.ts'
import type { FigureData } from './drawing/figure-table.ts'

export interface ResultFigure {
  /** "completion", "queue-depth"; with more words where one series has several values: "rates-window". */
  readonly name: string
  readonly svg: string
  /** Picoseconds of the unit of its axis across; absent: that is not the run's time, or there is a chart. */
  readonly xUnitPs?: number
  /** Absent: those of its chart over time. */
  readonly data?: FigureData
}

/** Settings that all figures of one call share. */
export interface Style extends Pick<FigureText, 'title' | 'isUntitled' | 'width' | 'outerHeight'> {
  /** Pixels of timelines and trees, in place of `width`. */
  readonly wideWidth?: number
}
