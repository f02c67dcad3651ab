/**
 * Timelines that are laid out in pixels: the time of a run along the width in bins, rows below each other.
 */
import { FAINT } from '../drawing/colours.ts'
import type { FigureData, FigureGroup } from '../drawing/figure-table.ts'
import type { FigureText } from '../drawing/figure-text.ts'
import { FONT_SIZE, type LegendEntry } from '../drawing/frame.ts'
import { axisFor, timeUnit } from '../drawing/ticks.ts'
import type { ResultFigure } from '../result-figure.ts'
import { type Box, drawCanvas, type Rule, type Word } from './canvas.ts'

export const LEFT = 16
export const BIN_PX = 2
const AXIS_PX = 44
/** Room on the right of the bins. */
const RIGHT_PX = 24
/** Steps between nothing and all the time. */
const LEVELS = 5
/** Spans of one row in the data of the figure. */
const SPANS_MAX = 1000

/** A drawing as far as it is made, and the places of its time. */
export interface Timeline {
  readonly boxes: Box[]
  readonly rules: Rule[]
  readonly words: Word[]
  /** Spans of the rows that are drawn. */
  readonly groups: FigureGroup[]
  readonly width: number
  /** Pixels where the first bin begins and the last one ends. */
  readonly left: number
  readonly right: number
  readonly bins: number
  readonly fromPs: number
  readonly toPs: number
}

/** @param labelPx room for the names of rows */
export function newTimeline(width: number, labelPx: number, fromPs: number, toPs: number): Timeline {
  const left = LEFT + labelPx
  const bins = Math.max(20, Math.floor((width - left - RIGHT_PX) / BIN_PX))
  const right = left + bins * BIN_PX
  return { boxes: [], rules: [], words: [], groups: [], width, left, right, bins, fromPs, toPs }
}

export function xOf({ left, bins, fromPs, toPs }: Timeline, ps: number): number {
  return left + ((ps - fromPs) / (toPs - fromPs)) * bins * BIN_PX
}

/** Bins of one shade next to each other are one bar. @param shares by bin */
export function pushBars({ boxes, left }: Timeline, shares: Float64Array, bar: Pick<Box, 'y1' | 'y2' | 'fill'>): void {
  const levelOf = (bin: number): number => (bin < shares.length ? Math.ceil(shares[bin]! * LEVELS - 1e-9) : -1)
  let from = 0
  for (let bin = 1; bin <= shares.length; bin++) {
    if (levelOf(bin) === levelOf(from)) continue
    const level = levelOf(from)
    const opacity = 0.15 + (0.85 * level) / LEVELS
    if (level > 0) boxes.push({ ...bar, x1: left + from * BIN_PX, x2: left + bin * BIN_PX, opacity })
    from = bin
  }
}

/** Starts and ends of spans, the first ones. */
export function spanNumbers(spans: readonly (readonly [fromPs: number, toPs: number])[]): number[][] {
  const kept = spans.slice(0, SPANS_MAX)
  return [kept.map(([fromPs]) => fromPs), kept.map(([, toPs]) => toPs)]
}

interface TimelineEnd {
  readonly bottom: number
  /** How ticks are drawn. */
  readonly tick: Pick<Rule, 'y1' | 'y2' | 'stroke'>
  readonly notes: readonly string[]
  readonly legend?: readonly LegendEntry[]
  /** Heads of the keys of its groups. */
  readonly keys: FigureData['keys']
  /** Drawn over the ticks. */
  readonly drawOver?: () => void
}

/** The figure, with its axis of time below `bottom`. */
export function timelineFigure(
  timeline: Timeline,
  about: Omit<FigureText, 'yLabel'>,
  { bottom, tick, notes, legend = [], keys, drawOver }: TimelineEnd,
): Omit<ResultFigure, 'name'> {
  const { rules, words, groups, left, right, fromPs, toPs } = timeline
  const [scale, unit] = timeUnit(toPs)
  const axis = axisFor([fromPs / scale, toPs / scale], { from: fromPs / scale, to: toPs / scale })
  for (const value of axis.ticks) {
    const x = xOf(timeline, value * scale)
    rules.push({ ...tick, x1: x, x2: x })
    words.push({ x, y: bottom + 12, label: axis.labelOf(value), anchor: 'middle', size: FONT_SIZE })
  }
  rules.push({ x1: left, x2: right, y1: bottom, y2: bottom, stroke: FAINT })
  words.push({ x: (left + right) / 2, y: bottom + 32, label: `time (${unit})`, anchor: 'middle' })
  drawOver?.()
  const subtitle = [...(about.subtitle === undefined ? [] : [about.subtitle]), ...notes].join('; ')
  const time = { fromPs, toPs, fromPx: left, toPx: right }
  const svg = drawCanvas({ ...about, subtitle }, { ...timeline, legend, height: bottom + AXIS_PX, time })
  return { svg, data: { keys, numbers: ['fromPs', 'toPs'], groups } }
}
