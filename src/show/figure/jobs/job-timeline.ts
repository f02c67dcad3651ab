/**
 * Timeline of jobs by rank: when each rank computes, when messages of it are under way, when it waits; and on which rank the
 * critical path is. Of many ranks some are shown: those where the path is longest, then others at equal distances.
 */
import { exactCount } from '../../../core/base/format.ts'
import { shownName } from '../../../core/base/control-characters.ts'
import { numbersOf, type Result, type Table, tableOfKind, textsOf } from '../../../core/results/index.ts'
import { ALARM, COLOURS, FAINT, GRID } from '../drawing/colours.ts'
import type { FigureText } from '../drawing/figure-text.ts'
import { textWidth } from '../drawing/frame.ts'
import { sharesOf } from '../../pauses/pause-stages.ts'
import { fitText, SMALL } from '../pauses/canvas.ts'
import { BIN_PX, LEFT, newTimeline, pushBars, spanNumbers, type Timeline, timelineFigure } from '../pauses/timeline.ts'
import type { ResultFigure } from '../result-figure.ts'

/** Rows of ranks in the whole figure. */
const ROWS_MAX = 32
const ROW_PX = 18
const PATH_PX = 3
const HEAD_PX = 22
const GAP_PX = 10
const LABEL_PX = 130
const [COMPUTE, MESSAGES] = [COLOURS[2]!, COLOURS[0]!]
const WAITING = '#eceff2'
/** Changes of the path from rank to rank that are drawn as lines. */
const ROUNDS_MAX = 150

type Spans = (readonly [fromPs: number, toPs: number])[]

interface RankTimes {
  readonly rank: number
  readonly name: string
  readonly computes: Spans
  readonly messages: Spans
  readonly path: Spans
}

/** Part of the run's time. */
export interface Window {
  readonly fromPs: number
  readonly toPs: number
}

/** The timeline; undefined: operations were not logged. @param window not given: from the begin of the jobs to their end */
export function jobTimeline(
  result: Result,
  about: Omit<FigureText, 'yLabel'>,
  window?: Window,
): Omit<ResultFigure, 'name'> | undefined {
  const table = tableOfKind(result, 'operations')
  if (table === undefined || table.rowCount === 0) return undefined
  const jobs = rankTimes(result, table)
  const { fromPs, toPs } = window ?? wholeOf(result, table)
  if (!(toPs > fromPs)) return undefined
  const sketch = newTimeline(about.width ?? 820, LABEL_PX, fromPs, toPs)
  const most = Math.max(2, Math.floor(ROWS_MAX / jobs.size))
  let y = 4
  let leftOut = 0
  for (const [tag, ranks] of jobs) {
    const chosen = chosenOf(ranks, most)
    leftOut += ranks.length - chosen.length
    y = drawJob(sketch, tag, ranks.length, chosen, y)
  }
  const bottom = y - GAP_PX + 4
  const hasComputes = [...jobs.values()].flat().some(({ computes }) => computes.length > 0)
  const notes = [
    hasComputes
      ? 'upper half of a rank: its computes; lower half: messages of it under way; grey: neither'
      : 'messages of each rank under way; grey: none',
    ...(leftOut > 0 ? [`${exactCount(leftOut)} ranks are left out, those with least of the critical path first`] : []),
  ]
  const legend = [
    ...(hasComputes ? [{ label: 'computes', mark: 'bar', colour: COMPUTE } as const] : []),
    { label: 'messages', mark: 'bar', colour: MESSAGES },
    { label: 'critical path', mark: 'bar', colour: ALARM },
  ] as const
  const tick = { y1: bottom, y2: bottom + 4, stroke: FAINT }
  return timelineFigure(sketch, about, { bottom, tick, notes, legend, keys: ['job', 'rank', 'of'] })
}

/** The round that took longest, if there are several. */
export function slowestRound(result: Result): Window | undefined {
  const table = tableOfKind(result, 'collectives')
  if (table === undefined || table.rowCount < 2) return undefined
  const [startPs, donePs] = [numbersOf(table, 'startPs'), numbersOf(table, 'donePs')]
  let slowest = -1
  donePs.forEach((endPs, row) => {
    const tookPs = endPs - startPs[row]!
    if (tookPs > (slowest < 0 ? 0 : donePs[slowest]! - startPs[slowest]!)) slowest = row
  })
  return slowest < 0 ? undefined : { fromPs: startPs[slowest]!, toPs: donePs[slowest]! }
}

function wholeOf({ simulatedPs }: Result, table: Table): Window {
  const ends = numbersOf(table, 'donePs')
  const starts = numbersOf(table, 'readyPs')
  const fromPs = starts.reduce((least, ps) => Math.min(least, ps), Infinity)
  const toPs = ends.reduce((most, ps) => (ps > most ? ps : most), 0)
  return { fromPs, toPs: ends.some((ps) => Number.isNaN(ps)) ? simulatedPs : toPs }
}

/** By job, in order. */
function rankTimes(result: Result, table: Table): Map<string, RankTimes[]> {
  const jobs = new Map<string, RankTimes[]>()
  const timesOf = (tag: string, rank: number, name: string): RankTimes => {
    const ranks = jobs.get(tag) ?? []
    jobs.set(tag, ranks)
    return (ranks[rank] ??= { rank, name, computes: [], messages: [], path: [] })
  }
  const [tags, kinds, hosts] = [textsOf(table, 'tag'), textsOf(table, 'kind'), textsOf(table, 'rankName')]
  const [ranks, beginPs] = [numbersOf(table, 'rank'), numbersOf(table, 'beginPs')]
  const [arrivedPs, donePs] = [numbersOf(table, 'arrivedPs'), numbersOf(table, 'donePs')]
  const until = (ps: number): number => (Number.isNaN(ps) ? result.simulatedPs : ps)
  tags.forEach((tag, row) => {
    const times = timesOf(tag, ranks[row]!, hosts[row]!)
    if (Number.isNaN(beginPs[row]!)) return
    if (kinds[row] === 'compute') times.computes.push([beginPs[row]!, until(donePs[row]!)])
    if (kinds[row] === 'send') times.messages.push([beginPs[row]!, until(arrivedPs[row]!)])
  })
  const path = tableOfKind(result, 'critical-path')
  if (path !== undefined) {
    const [pathTags, names, pathRanks] = [textsOf(path, 'tag'), textsOf(path, 'rankName'), numbersOf(path, 'rank')]
    const [fromPs, toPs] = [numbersOf(path, 'fromPs'), numbersOf(path, 'toPs')]
    pathTags.forEach((tag, row) => timesOf(tag, pathRanks[row]!, names[row]!).path.push([fromPs[row]!, toPs[row]!]))
  }
  return new Map([...jobs].map(([tag, own]) => [tag, own.filter((one) => one !== undefined)]))
}

/** Ranks with most of the path in half of the rows, and others at equal distances, in their order. */
function chosenOf(ranks: readonly RankTimes[], most: number): readonly RankTimes[] {
  if (ranks.length <= most) return ranks
  const lengthOf = ({ path }: RankTimes): number => path.reduce((sum, [fromPs, toPs]) => sum + toPs - fromPs, 0)
  const longest = ranks.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, Math.floor(most / 2))
  const chosen = new Set(longest)
  for (let i = 0; chosen.size < most && i < ranks.length; i++) {
    chosen.add(ranks[Math.floor(((i % most) * ranks.length) / most) + Math.floor(i / most)]!)
  }
  return ranks.filter((one) => chosen.has(one))
}

/** @returns where the next job begins */
function drawJob(sketch: Timeline, tag: string, count: number, ranks: readonly RankTimes[], top: number): number {
  const { boxes, rules, words, left, right, bins, fromPs, toPs } = sketch
  const shares = (spans: Spans): Float64Array => sharesOf({ spans }, fromPs, toPs, bins)
  const label = `${shownName(tag)}, ${exactCount(count)} ranks`
  words.push({ x: LEFT, y: top + 10, label: fitText(label, 400, (text) => textWidth(text)), isBold: true })
  let y = top + HEAD_PX
  const hasComputes = ranks.some(({ computes }) => computes.length > 0)
  const pathAt: { readonly rank: RankTimes; readonly y: number; readonly shares: Float64Array }[] = []
  for (const rank of ranks) {
    const name = fitText(`${rank.rank} (${rank.name})`, LABEL_PX - 12, (text) => textWidth(text, SMALL))
    words.push({ x: left - 8, y: y + ROW_PX / 2, label: name, anchor: 'end', size: SMALL })
    boxes.push({ x1: left, x2: right, y1: y + 1, y2: y + ROW_PX - 1, fill: WAITING })
    const middle = y + (hasComputes ? (ROW_PX - PATH_PX) / 2 + 1 : 2)
    pushBars(sketch, shares(rank.computes), { y1: y + 1, y2: middle, fill: COMPUTE })
    pushBars(sketch, shares(rank.messages), { y1: middle, y2: y + ROW_PX - PATH_PX - 1, fill: MESSAGES })
    pathAt.push({ rank, y, shares: shares(rank.path) })
    for (const [of, spans] of [
      ['computes', rank.computes],
      ['messages', rank.messages],
      ['path', rank.path],
    ] as const) {
      if (spans.length > 0) sketch.groups.push({ keys: [tag, `${rank.rank}`, of], numbers: spanNumbers(spans) })
    }
    y += ROW_PX
  }
  drawPath(sketch, pathAt)
  rules.push({ x1: left, x2: right, y1: y, y2: y, stroke: GRID })
  return y + GAP_PX
}

/** At each time on the rank where most of it is, with lines between ranks where these do not hide everything. */
function drawPath(
  { boxes, rules, left, bins }: Timeline,
  ranks: readonly { readonly y: number; readonly shares: Float64Array }[],
): void {
  const at = Array.from({ length: bins }, (_, bin) => {
    const best = ranks.reduce((most, one, i) => (one.shares[bin]! > (ranks[most]?.shares[bin] ?? 0) ? i : most), -1)
    return best
  })
  const rounds: [bin: number, from: number, to: number][] = []
  let from = 0
  for (let bin = 1; bin <= bins; bin++) {
    if (bin < bins && at[bin] === at[from]) continue
    const row = ranks[at[from]!]
    if (row !== undefined) {
      const bottom = row.y + ROW_PX - 1
      boxes.push({ x1: left + from * BIN_PX, x2: left + bin * BIN_PX, y1: bottom - PATH_PX, y2: bottom, fill: ALARM })
    }
    if (bin < bins && at[from]! >= 0 && at[bin]! >= 0) rounds.push([bin, at[from]!, at[bin]!])
    from = bin
  }
  if (rounds.length > ROUNDS_MAX) return
  for (const [bin, a, b] of rounds) {
    const [y1, y2] = [ranks[Math.min(a, b)]!.y, ranks[Math.max(a, b)]!.y].map((y) => y + ROW_PX - 1 - PATH_PX / 2)
    const x = left + bin * BIN_PX
    rules.push({ x1: x, x2: x, y1: y1!, y2: y2!, stroke: ALARM, dashes: '2 2' })
  }
}
