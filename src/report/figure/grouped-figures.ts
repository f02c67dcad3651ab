/**
 * Quantiles of the slowdown by flow size, in bins of equally many flows, and by tag.
 * A flow that never finished is slower than every other; a quantile that falls among such flows has no value and is
 * marked, not left out.
 */
import { shownName } from '../../base/control-characters.ts'
import { quantileOfSorted, sortedValues, valuesWhere } from '../../results/index.ts'
import { overSeeds, type OverSeeds, SEEDS_NOTE } from '../seed-groups.ts'
import { type Bar, barFigure } from './bars.ts'
import {
  countsByTag,
  countWhere,
  finishedText,
  hasFinite,
  type MeasuredFlows,
  type MeasuredGroup,
  unfinishedNotes,
  withoutIdealNotes,
} from './measured-flows.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import { type SizeBin, type SizeLine, sizeFigure } from './size-figure.ts'

const QUANTILES = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const
/** As the figures of papers have them: 5 % of all flows each, and fewer bins where those would be of few flows. */
const BINS_MAX = 20
const FLOWS_MIN = 50
/** Tags of one figure: those with most flows. */
const TAGS_MAX = 24

type Quantile = (typeof QUANTILES)[number]

export function groupedFigures(results: readonly MeasuredGroup[], by: 'size' | 'tag', style: Style): ResultFigure[] {
  if (!results.some((group) => hasFinite(group, 'slowdown'))) return []
  const draw = by === 'size' ? drawBySize : drawByTag
  const name = `slowdown-by-${by}`
  // One result shows all its quantiles; of several, each quantile is compared in a figure of its own.
  if (results.length === 1) return [{ name, svg: draw(results, QUANTILES, style) }]
  return QUANTILES.map((quantile) => ({ name: `${name}-${quantile[0]}`, svg: draw(results, [quantile], style) }))
}

/** Pairs of result and quantile, each with its name in the legend. */
function seriesOf(results: readonly MeasuredGroup[], quantiles: readonly Quantile[]) {
  return results.flatMap((flows) =>
    quantiles.map(([word, share]) => ({ flows, share, series: results.length === 1 ? word : flows.label })),
  )
}

function drawBySize(results: readonly MeasuredGroup[], quantiles: readonly Quantile[], style: Style): string {
  const each = results.flatMap(({ seeds }) => seeds)
  const bins = sizeBins(each)
  const lines = seriesOf(results, quantiles).map(({ flows, share, series }): SizeLine => {
    const inBins = bins.map((bin) => quantileOver(flows, share, (own, row) => isIn(bin, own.sizeBytes[row]!)))
    return {
      series,
      values: inBins.map(({ value }) => value),
      ...(flows.seeds.length === 1 ? {} : { ranges: inBins.map(({ low = NaN, high = NaN }) => ({ low, high })) }),
    }
  })
  const counts = each.flatMap(({ sizeBytes }) => bins.map((bin) => countWhere(sizeBytes, (size) => isIn(bin, size))))
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  const of = fewest === most ? `${most} flows` : `${fewest} to ${most} flows`
  const binsText = bins.length === 1 ? `one bin of ${of}` : `${bins.length} bins of ${of} each`
  return sizeFigure({
    ...style,
    subtitle: [binsText, finishedText(results), ...notesOf(results)].join('; '),
    xLabel: 'flow size (equal widths hold equally many flows)',
    yLabel: slowdownLabel(results, quantiles),
    bins,
    lines,
  })
}

function drawByTag(results: readonly MeasuredGroup[], quantiles: readonly Quantile[], style: Style): string {
  const counts = countsByTag(results)
  const most = new Set(
    [...counts]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, TAGS_MAX)
      .map(([tag]) => tag),
  )
  const tags = [...counts.keys()].filter((tag) => most.has(tag))
  const bars = tags.flatMap((tag) =>
    seriesOf(results, quantiles).map(({ flows, share, series }) => ({
      label: tag === '' ? 'no tag' : shownName(tag),
      series,
      ...quantileOver(flows, share, (own, row) => own.tag[row] === tag),
    })),
  )
  const endless = bars.filter(({ value }) => value === Infinity)
  const notes = [finishedText(results), ...notesOf(results)]
  if (tags.length < counts.size) notes.push(`the ${TAGS_MAX} of ${counts.size} tags with most flows`)
  if (endless.length > 0) notes.push('a quantile that is an unfinished flow has no bar')
  return barFigure({
    ...style,
    subtitle: notes.join('; '),
    yLabel: slowdownLabel(results, quantiles),
    groups: bars.map((bar): Bar => (bar.value === Infinity ? { ...bar, value: NaN, instead: 'unfinished' } : bar)),
    yScale: 'log',
    // No flow is faster than alone in the network.
    yFrom: 1,
    showValues: true,
  })
}

/** Bins of the figures by size; 0 of no flow. */
export function sizeBinCount(results: readonly MeasuredFlows[]): number {
  return results.some(({ sizeBytes }) => sizeBytes.length > 0) ? sizeBins(results).length : 0
}

const isIn = ({ fromBytes, toBytes }: SizeBin, sizeBytes: number): boolean =>
  sizeBytes >= fromBytes && sizeBytes <= toBytes

function slowdownLabel(results: readonly MeasuredGroup[], quantiles: readonly Quantile[]): string {
  return results.length === 1 ? 'slowdown' : `${quantiles[0]![0]} slowdown`
}

function notesOf(results: readonly MeasuredGroup[]): string[] {
  const isOfSeeds = results.some(({ seeds }) => seeds.length > 1)
  return [...unfinishedNotes(results, ''), ...withoutIdealNotes(results), ...(isOfSeeds ? [SEEDS_NOTE] : [])]
}

/** Over the seeds of a group; the interval ends at 1, since no flow is faster than alone in the network. */
function quantileOver(
  { seeds }: MeasuredGroup,
  share: number,
  isOf: (flows: MeasuredFlows, row: number) => boolean,
): OverSeeds {
  const over = overSeeds(seeds.map((flows) => quantileAmong(flows, share, (row) => isOf(flows, row))))
  return over.low === undefined ? over : { ...over, low: Math.max(1, over.low) }
}

/** NaN of no flow; Infinity among those that never finished. */
function quantileAmong({ slowdown }: MeasuredFlows, share: number, isOf: (row: number) => boolean): number {
  return quantileOfSorted(sortedValues(valuesWhere(slowdown, isOf)), share)
}

/**
 * Bins of about equally many flows, over the sizes of all results together, so that they compare. All flows of one size
 * are in one bin, which then may hold more.
 */
function sizeBins(results: readonly MeasuredFlows[]): SizeBin[] {
  const sizes = allSorted(results.map(({ sizeBytes }) => sizeBytes))
  const fewest = Math.min(...results.map(({ sizeBytes }) => sizeBytes.length))
  const count = Math.min(BINS_MAX, Math.max(1, Math.floor(fewest / FLOWS_MIN)))
  const least = sizes.length / count
  /** Where each bin ends: the index behind its last flow. */
  const ends: number[] = []
  sizes.forEach((size, i) => {
    if (size !== sizes[i + 1] && i + 1 - (ends.at(-1) ?? 0) >= least) ends.push(i + 1)
  })
  const rest = sizes.length - (ends.at(-1) ?? 0)
  // A remainder becomes a bin of its own, or joins the bin before if it is less than half a bin.
  if (rest > 0 && rest < least / 2 && ends.length > 0) ends.pop()
  if (rest > 0) ends.push(sizes.length)
  return ends.map((end, k) => {
    const from = ends[k - 1] ?? 0
    return { fromBytes: sizes[from]!, toBytes: sizes[end - 1]!, share: (end - from) / sizes.length }
  })
}

function allSorted(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return sortedValues(all)
}
