/**
 * Timeline of pauses by stage and port: who pauses whom, and when. Each stage has the number of its ports that are paused,
 * and a row for some of them; stages stand in the order in which they begin, so that a spread reads from top to bottom.
 */
import { numbersOf, type Result, tableOfKind } from '../../../core/results/index.ts'
import { exactCount, humanDuration } from '../../../core/base/format.ts'
import { ALARM, COLOURS, FAINT, GRID, HAIRLINE, WATCHDOG } from '../drawing/colours.ts'
import type { FigureText } from '../drawing/figure-text.ts'
import type { ResultFigure } from '../result-figure.ts'
import { textWidth } from '../drawing/frame.ts'
import { fitText, SMALL } from './canvas.ts'
import { BIN_PX, LEFT, newTimeline, pushBars, spanNumbers, type Timeline, timelineFigure, xOf } from './timeline.ts'
import {
  changesOf,
  mostAtOnce,
  type PauseStage,
  type PortPauses,
  sharesOf,
  stagesOf,
} from '../../pauses/pause-stages.ts'
import { GIVE_UP, watchdogActs } from '../../pauses/watchdog-acts.ts'

/** Rows of ports in the whole figure. */
const ROWS_MAX = 40
const ROW_PX = 15
const COUNT_PX = 34
const GAP_PX = 12
const LABEL_PX = 218
const ACTS: Readonly<Record<string, string>> = {
  storm: 'storm found',
  restore: 'restored',
  stop: 'turned off',
  [GIVE_UP]: 'pauses off for good',
}
/** Marks that are drawn, the first ones; each has a line for its words above the stages. */
const MARKS_MAX = 4
const MARK_PX = 14

/** The timeline; undefined: the result has no pauses that say who paused whom. */
export function pauseTimeline(
  result: Result,
  about: Omit<FigureText, 'yLabel'>,
): Omit<ResultFigure, 'name'> | undefined {
  const table = tableOfKind(result, 'pause-intervals')
  const stages = table === undefined ? [] : stagesOf(table)
  if (stages.length === 0) return undefined
  const [fromPs, toPs] = changesOf(stages, result.simulatedPs)
  const sketch = newTimeline(about.width ?? 820, LABEL_PX, fromPs, toPs)
  const most = Math.max(2, Math.floor(ROWS_MAX / stages.length))
  const marks = marksOf(result).filter(({ timePs }) => timePs >= fromPs && timePs <= toPs)
  const drawn = marks.slice(0, MARKS_MAX)
  let y = 4 + drawn.length * MARK_PX
  stages.forEach((stage, k) => (y = drawStage(sketch, stage, COLOURS[k % COLOURS.length]!, y, most)))
  const bottom = y - GAP_PX + 4
  const unmarked = marks.length - drawn.length
  const notes = [
    'above: ports paused at a time; below: single ports, in a fuller colour where paused for more of the time',
    ...(unmarked > 0 ? [`${exactCount(unmarked)} later acts of watchdogs and deadlocks are not marked`] : []),
    ...(toPs < result.simulatedPs
      ? [`nothing changes from ${humanDuration(toPs)} to ${humanDuration(result.simulatedPs)}`]
      : []),
    ...(table !== undefined && (numbersOf(table, 'leftOut').at(-1) ?? 0) > 0 ? ['later pauses were not recorded'] : []),
  ]
  const tick = { y1: 0, y2: bottom, stroke: HAIRLINE }
  const drawOver = (): void => drawn.forEach((mark, k) => drawMark(sketch, mark, k * MARK_PX, bottom))
  return timelineFigure(sketch, about, { bottom, tick, notes, keys: ['stage', 'port'], drawOver })
}

/** @returns where the next stage begins. */
function drawStage(sketch: Timeline, stage: PauseStage, colour: string, top: number, most: number): number {
  const { boxes, rules, words, left, right, bins, fromPs, toPs } = sketch
  const shares = new Map(stage.ports.map((port) => [port, sharesOf(port, fromPs, toPs, bins)]))
  const count = new Float64Array(bins)
  for (const share of shares.values()) share.forEach((part, bin) => (count[bin]! += part))
  const highest = count.reduce((peak, value) => Math.max(peak, value), 0)
  const base = top + COUNT_PX
  count.forEach((value, bin) => {
    if (value === 0) return
    const x1 = left + bin * BIN_PX
    boxes.push({
      x1,
      x2: x1 + BIN_PX,
      y1: base - (value / Math.max(1, highest)) * (COUNT_PX - 8),
      y2: base,
      fill: colour,
      opacity: 0.75,
    })
  })
  rules.push({ x1: left, x2: right, y1: base, y2: base, stroke: GRID })
  const { length } = stage.ports
  words.push({
    x: LEFT,
    y: top + 12,
    label: fitText(stage.label, LABEL_PX - 8, (text) => textWidth(text)),
    isBold: true,
  })
  const ports = `${exactCount(length)} port${length === 1 ? '' : 's'}, up to ${exactCount(mostAtOnce(stage.ports))} at once, from ${humanDuration(stage.firstPs)}`
  words.push({
    x: LEFT,
    y: top + 27,
    label: fitText(ports, LABEL_PX + 40, (text) => textWidth(text, SMALL)),
    size: SMALL,
    fill: FAINT,
  })
  let y = base + 3
  const chosen = chosenOf(stage.ports, most)
  for (const port of chosen) {
    const label = fitText(port.label, LABEL_PX - 8, (text) => textWidth(text, SMALL))
    words.push({ x: left - 8, y: y + ROW_PX / 2, label, anchor: 'end', size: SMALL })
    pushBars(sketch, shares.get(port)!, { y1: y + 2, y2: y + ROW_PX - 2, fill: colour })
    sketch.groups.push({ keys: [stage.label, port.label], numbers: spanNumbers(port.spans) })
    y += ROW_PX
  }
  const more = length - chosen.length
  if (more > 0) {
    words.push({
      x: left - 8,
      y: y + ROW_PX / 2,
      label: `and ${exactCount(more)} more`,
      anchor: 'end',
      size: SMALL,
      fill: FAINT,
    })
    y += ROW_PX
  }
  return y + GAP_PX
}

/** The ports that were paused longest, in the order of their first pauses. */
function chosenOf(ports: readonly PortPauses[], most: number): readonly PortPauses[] {
  if (ports.length <= most) return ports
  const longest = new Set(ports.toSorted((a, b) => b.totalPs - a.totalPs).slice(0, most - 1))
  return ports.filter((port) => longest.has(port))
}

interface Mark {
  readonly timePs: number
  readonly label: string
  readonly colour: string
}

/** Deadlocks and acts of watchdogs, if the run observed them, in the order of time. */
function marksOf(result: Result): Mark[] {
  const table = tableOfKind(result, 'deadlock')
  const onsets = table === undefined ? [] : [...new Set(numbersOf(table, 'onsetPs'))]
  return [
    ...onsets.map((timePs): Mark => ({ timePs, label: `deadlock at ${humanDuration(timePs)}`, colour: ALARM })),
    ...watchdogActs(result).map(({ timePs, who, event }): Mark => {
      return { timePs, label: `${who}: ${ACTS[event] ?? event} at ${humanDuration(timePs)}`, colour: WATCHDOG }
    }),
  ].sort((a, b) => a.timePs - b.timePs)
}

/** A dashed line down all stages, with its words at `top`, to the left of it where they would not fit. */
function drawMark(sketch: Timeline, { timePs, label, colour }: Mark, top: number, bottom: number): void {
  const { rules, words, width } = sketch
  const x = xOf(sketch, timePs)
  rules.push({ x1: x, x2: x, y1: top, y2: bottom, stroke: colour, dashes: '4 3' })
  const isRight = x + 4 + textWidth(label, SMALL) <= width
  const anchored = isRight ? ({ x: x + 4, anchor: 'start' } as const) : ({ x: x - 4, anchor: 'end' } as const)
  words.push({ ...anchored, y: top + 5, label, size: SMALL, fill: colour })
}
