/**
 * Quantiles of the slowdown by flow size, in bins of equally many flows, and by tag.
 * A flow that never finished is slower than every other; a quantile that falls among such flows has no value and is
 * marked, not left out. A quantile of too few flows is not drawn.
 */
import { shownName } from '../../core/base/control-characters.ts'
import { hasQuantile, knownQuantile, sortedValues, valuesWhere } from '../../core/results/index.ts'
import { overSeeds, type OverSeeds, SEEDS_NOTE } from '../seed-groups.ts'
import { type Bar, type BarFigure, barFigure } from './bars.ts'
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
import { barData, sizeData } from './figure-data.ts'
import type { ResultFigure, Style } from './result-figure.ts'
import { type SizeBin, type SizeFigure, sizeFigure, type SizeLine } from './size-figure.ts'

const QUANTILES = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const
/** As the figures of papers have them: 5 % of all flows each, and fewer bins where those would be too few for a p99. */
const BINS_MAX = 20
const FLOWS_MIN = 100
/** Tags of one figure: those with most flows. */
const TAGS_MAX = 24

type Quantile = (typeof QUANTILES)[number]

export function groupedFigures(results: readonly MeasuredGroup[], by: 'size' | 'tag', style: Style): ResultFigure[] {
  if (!results.some((group) => hasFinite(group, 'slowdown'))) return []
  const draw = by === 'size' ? drawBySize : drawByTag
  const name = `slowdown-by-${by}`
  const carried = QUANTILES.filter(([, share]) =>
    results.some(({ seeds }) => seeds.every((own) => isCarried(own, share))),
  )
  // One result shows all its quantiles; of several, each quantile is compared in a figure of its own.
  if (results.length === 1) return [{ name, ...draw(results, carried, style) }]
  return carried.map((quantile) => ({ name: `${name}-${quantile[0]}`, ...draw(results, [quantile], style) }))
}

function isCarried({ slowdown }: MeasuredFlows, share: number): boolean {
  return hasQuantile(
    countWhere(slowdown, (value) => !Number.isNaN(value)),
    share,
  )
}

/** Pairs of result and quantile, each with its name in the legend. */
function seriesOf(results: readonly MeasuredGroup[], quantiles: readonly Quantile[]) {
  return results.flatMap((flows) =>
    quantiles.map(([word, share]) => ({ flows, share, series: results.length === 1 ? word : flows.label })),
  )
}

type Drawn = Omit<ResultFigure, 'name'>

function drawBySize(results: readonly MeasuredGroup[], quantiles: readonly Quantile[], style: Style): Drawn {
  const each = results.flatMap(({ seeds }) => seeds)
  const bins = sizeBins(each)
  const lines = seriesOf(results, quantiles).flatMap(({ flows, share, series }): SizeLine[] => {
    const inBins = bins.map((bin) => quantileOver(flows, share, (own, row) => isIn(bin, own.sizeBytes[row]!)))
    const values = inBins.map(({ value }) => value)
    if (values.every(Number.isNaN)) return []
    const ranges =
      flows.seeds.length === 1 ? {} : { ranges: inBins.map(({ low = NaN, high = NaN }) => ({ low, high })) }
    return [{ series, values, ...ranges }]
  })
  const counts = each.flatMap(({ sizeBytes }) => bins.map((bin) => countWhere(sizeBytes, (size) => isIn(bin, size))))
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  const of = fewest === most ? `${most} flows` : `${fewest} to ${most} flows`
  const binsText = bins.length === 1 ? `one bin of ${of}` : `${bins.length} bins of ${of} each`
  const figure: SizeFigure = {
    ...style,
    subtitle: [binsText, finishedText(results), ...notesOf(results), ...fewNotes(results, quantiles, fewest)].join(
      '; ',
    ),
    xLabel: 'flow size (equal widths hold equally many flows)',
    yLabel: slowdownLabel(quantiles),
    bins,
    lines,
  }
  return { svg: sizeFigure(figure), data: sizeData(figure) }
}

function drawByTag(results: readonly MeasuredGroup[], quantiles: readonly Quantile[], style: Style): Drawn {
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
      flows: fewestOf(flows, tag),
      ...quantileOver(flows, share, (own, row) => own.tag[row] === tag),
    })),
  )
  const endless = bars.filter(({ value }) => value === Infinity)
  const fewest = Math.min(...bars.map(({ flows }) => flows))
  const notes = [finishedText(results), ...notesOf(results), ...fewNotes(results, quantiles, fewest)]
  if (tags.length < counts.size) notes.push(`the ${TAGS_MAX} of ${counts.size} tags with most flows`)
  if (endless.length > 0) notes.push('a quantile that is an unfinished flow has no dot')
  const figure: BarFigure = {
    ...style,
    subtitle: notes.join('; '),
    yLabel: slowdownLabel(quantiles),
    groups: bars.map(({ flows, ...bar }): Bar => {
      if (bar.value === Infinity) return { ...bar, value: NaN, instead: 'unfinished' }
      return Number.isNaN(bar.value) && flows > 0 ? { ...bar, instead: `only ${flows} flows` } : bar
    }),
    yScale: 'log',
    // No flow is faster than alone in the network.
    yReach: 1,
    showValues: true,
  }
  return { svg: barFigure(figure), data: barData(figure) }
}

/** Bins of the figures by size; 0 of no flow. */
export function sizeBinCount(results: readonly MeasuredFlows[]): number {
  return results.some(({ sizeBytes }) => sizeBytes.length > 0) ? sizeBins(results).length : 0
}

const isIn = ({ fromBytes, toBytes }: SizeBin, sizeBytes: number): boolean =>
  sizeBytes >= fromBytes && sizeBytes <= toBytes

function slowdownLabel(quantiles: readonly Quantile[]): string {
  return quantiles.length === 1 ? `${quantiles[0]![0]} slowdown` : 'slowdown'
}

function notesOf(results: readonly MeasuredGroup[]): string[] {
  const isOfSeeds = results.some(({ seeds }) => seeds.length > 1)
  return [...unfinishedNotes(results, ''), ...withoutIdealNotes(results), ...(isOfSeeds ? [SEEDS_NOTE] : [])]
}

/** Over the seeds of a group, all of which have it; the interval ends at 1, since no flow is faster than alone in the network. */
function quantileOver(
  { seeds }: MeasuredGroup,
  share: number,
  isOf: (flows: MeasuredFlows, row: number) => boolean,
): OverSeeds {
  const values = seeds.map((flows) => quantileAmong(flows, share, (row) => isOf(flows, row)))
  if (values.some(Number.isNaN)) return { value: NaN }
  const over = overSeeds(values)
  return over.low === undefined ? over : { ...over, low: Math.max(1, over.low) }
}

/** NaN of too few flows; Infinity among those that never finished. */
function quantileAmong({ slowdown }: MeasuredFlows, share: number, isOf: (row: number) => boolean): number {
  return knownQuantile(sortedValues(valuesWhere(slowdown, isOf)), share)
}

/** Flows of a tag with a slowdown, in the seed that has fewest. */
function fewestOf({ seeds }: MeasuredGroup, tag: string): number {
  const counts = seeds.map(({ slowdown, tag: tags }) =>
    countWhere(slowdown, (value, row) => tags[row] === tag && !Number.isNaN(value)),
  )
  return Math.min(...counts)
}

/** Which quantiles are not drawn where flows are so few. */
function fewNotes(results: readonly MeasuredGroup[], quantiles: readonly Quantile[], fewest: number): string[] {
  const names = (results.length === 1 ? QUANTILES : quantiles)
    .filter(([, share]) => !hasQuantile(fewest, share))
    .map(([word, share]) => `a ${word} of fewer than ${Math.round(1 / (1 - share))} flows`)
  return names.length === 0 ? [] : [`${names.join(' and ')} is not drawn`]
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
  // A remainder becomes a bin of its own, or joins the bin before if it is less than half a bin or too few for a p99.
  if (rest > 0 && rest < Math.max(least / 2, FLOWS_MIN) && ends.length > 0) ends.pop()
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
