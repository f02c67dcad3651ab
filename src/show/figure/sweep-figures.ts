/**
 * Figures of a sweep, one a metric: means over seeds with their 95 % intervals, as lines against the first axis whose
 * values are numbers, one line for each combination of the other axes; as bars where no axis has numbers.
 * Intervals end at 0, since no metric is negative, and at the highest value that a metric can have.
 */
import { withoutUnit } from '../../core/base/format.ts'
import { parseQuantity, type QuantityType } from '../../core/base/units.ts'
import {
  type Interval,
  JOB_METRIC_NAMES,
  metricNames,
  type MetricName,
  runMetric,
  saysSomething,
  tagOfMetric,
} from '../../core/results/index.ts'
import { type BarFigure, barFigure } from './bars.ts'
import { barData, lineData } from './figure-data.ts'
import { type LineFigure, lineFigure } from './lines.ts'
import type { ResultFigure } from './result-figure.ts'
import type { FigureOptions } from './result-figures.ts'

/** A sweep as its sweep.json has it, with NaN where there is no number. */
export interface PlottedSweep {
  readonly name: string
  readonly axes: readonly SweepAxis[]
  /** How many seeds each combination was to have. */
  readonly seedCount: number
  readonly rows: readonly PlottedRow[]
  /** "congestion=none" where there are ratios to it, else nothing. */
  readonly baseline: string
}

export interface SweepAxis {
  readonly path: string
  readonly values: readonly string[]
}

export interface PlottedRow {
  readonly values: Readonly<Record<string, string>>
  readonly seeds: number
  readonly stopped: number
  /** By the names of metrics; one that an older program did not know is not there. */
  readonly metrics: Readonly<Partial<Record<MetricName, Interval>>>
  readonly ratios: Readonly<Partial<Record<MetricName, Interval>>>
}

/** The quantity of each row that one figure shows. */
interface Measure {
  readonly name: string
  readonly label: string
  readonly scale: number
  /** No value is higher. */
  readonly most?: number
  /** Drawn over sizes on a log axis, if these vary, whatever other axes have numbers. */
  readonly isOverSizes: boolean
  readonly of: (row: PlottedRow) => Interval | undefined
}

/** Values that differ by this factor and more stand on a log axis. */
const WIDE = 30

/** A figure for each metric that has something to show, and one for its ratio to the baseline. */
export function sweepFigures(sweep: PlottedSweep, options: Omit<FigureOptions, 'by'> = {}): ResultFigure[] {
  const tags = sweep.rows.flatMap((row) => Object.keys(row.metrics).flatMap((name) => tagOfMetric(name) ?? []))
  const measures = metricNames(tags).flatMap((name) => measuresOf(name, sweep))
  return measures.map((measure) => ({ name: measure.name, ...figureOf(measure, sweep, options) }))
}

function measuresOf(name: MetricName, { rows, baseline }: PlottedSweep): Measure[] {
  const means = rows.map((row) => row.metrics[name]?.mean ?? NaN).filter((mean) => Number.isFinite(mean))
  if (!saysSomething(name, rows)) return []
  const { head, kind, most } = runMetric(name)
  const [unit, scale] = kind === 'duration' ? durationUnit(means) : kind === 'rate' ? ['Gb/s', 1e9] : ['', 1]
  const file = fileNameOf(name)
  const label = unit === '' ? head : `${head} (${unit})`
  const isOverSizes = JOB_METRIC_NAMES.some((each) => each === name)
  const measures: Measure[] = [
    { name: file, label, scale, isOverSizes, ...(most === undefined ? {} : { most }), of: (row) => row.metrics[name] },
  ]
  if (rows.some((row) => (row.ratios[name]?.count ?? 0) > 0)) {
    measures.push({
      name: ratioFigure(file),
      label: `${head} / ${baseline}`,
      scale: 1,
      isOverSizes,
      of: (row) => row.ratios[name],
    })
  }
  return measures
}

/** Name of the figure of a metric's ratios to the baseline, of that of the metric. */
export const ratioFigure = (file: string): string => `${file}-ratio`

/** Name of a metric's figure: "slowdown-p99", "goodput-storage". */
export function fileNameOf(name: MetricName): string {
  const tag = tagOfMetric(name)
  const words = withoutUnit(name.replace(/\[.*$/, '')).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return tag === null ? words : `${words}-${tag === '' ? 'untagged' : tag.replace(/[^A-Za-z0-9._-]/g, '_')}`
}

function durationUnit(valuesPs: readonly number[]): [unit: string, scale: number] {
  const most = Math.max(...valuesPs)
  return most >= 2e9 ? ['ms', 1e9] : most >= 2e6 ? ['us', 1e6] : ['ns', 1e3]
}

function figureOf(
  measure: Measure,
  sweep: PlottedSweep,
  { title, isUntitled, width, height }: Omit<FigureOptions, 'by'>,
): Omit<ResultFigure, 'name'> {
  const size = {
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { outerHeight: height }),
    ...(isUntitled === undefined ? {} : { isUntitled }),
  }
  const text = { ...size, title: title ?? sweep.name, subtitle: subtitleOf(sweep, measure), yLabel: measure.label }
  const varied = sweep.axes.filter((axis) => axis.values.length > 1)
  const valueOf = (row: PlottedRow): { readonly value: number; readonly low?: number; readonly high?: number } => {
    const { mean = NaN, low = NaN, high = NaN } = measure.of(row) ?? {}
    const { most = Infinity, scale } = measure
    const ends = { low: Math.max(0, low) / scale, high: Math.min(most, high) / scale }
    return { value: Math.min(most, mean) / scale, ...(Number.isFinite(low) ? ends : {}) }
  }
  const shown = sweep.rows.map((row) => ({ row, ...valueOf(row) }))
  const spanned = shown.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])
  const reach = measure.most === undefined ? {} : { yReach: measure.most }
  const yScale =
    measure.most === undefined && isWide(spanned.filter((value) => Number.isFinite(value))) ? 'log' : 'linear'
  const numeric = varied.flatMap((axis) => numericAxis(axis) ?? [])
  const sizes = measure.isOverSizes ? numeric.find(({ type }) => type === 'size') : undefined
  const measured = sizes ?? numeric[0]
  if (measured === undefined) {
    const [groups, ...others] = varied
    const figure: BarFigure = {
      ...text,
      ...reach,
      yScale,
      showValues: true,
      groups: shown.map(({ row, ...ends }) => ({
        label: groups === undefined ? sweep.name : (row.values[groups.path] ?? ''),
        series: combination(row, others),
        ...ends,
      })),
    }
    return { svg: barFigure(figure), data: barData(figure) }
  }
  const { axis, numbers, label } = measured
  const others = varied.filter((each) => each !== axis)
  const names = [...new Set(sweep.rows.map((row) => combination(row, others)))]
  const figure: LineFigure = {
    ...text,
    ...reach,
    xLabel: label,
    xScale: isWide([...numbers.values()], sizes === undefined ? 10 : 1) ? 'log' : 'linear',
    yScale,
    fromZero: yScale === 'linear',
    lines: names.map((series) => ({
      series,
      points: shown
        .filter(({ row }) => combination(row, others) === series)
        .map(({ row, value, ...ends }) => ({ x: numbers.get(row.values[axis.path] ?? '') ?? NaN, y: value, ...ends })),
    })),
  }
  return { svg: lineFigure(figure), data: lineData(figure) }
}

/** How many seeds the means are of, and what they leave out. */
function subtitleOf({ rows, seedCount }: PlottedSweep, measure: Measure): string {
  const stopped = rows.reduce((sum, row) => sum + row.stopped, 0)
  const ended = rows.reduce((sum, row) => sum + row.seeds, 0)
  const missing = rows.length * seedCount - ended - stopped
  const isOfFewer = rows.some((row) => (measure.of(row)?.count ?? 0) < row.seeds)
  return [
    seedCount === 1 ? 'one seed' : `mean over ${seedCount} seeds with its 95 % interval`,
    ...(stopped === 0 ? [] : [`${stopped} ${stopped === 1 ? 'run' : 'runs'} stopped at the limit, in no mean`]),
    ...(missing === 0 ? [] : [`${missing} ${missing === 1 ? 'run is' : 'runs are'} missing`]),
    ...(isOfFewer ? ['some runs have no number'] : []),
  ].join('; ')
}

/** Positive throughout, and from end to end by this factor or more. */
function isWide(values: readonly number[], factor: number = WIDE): boolean {
  const low = Math.min(...values)
  return low > 0 && Math.max(...values) >= factor * low
}

/** "dcqcn, alpha 1/64": numbers come with the last word of their path, names speak for themselves. */
export function combination({ values }: PlottedRow, axes: readonly SweepAxis[]): string {
  const words = axes.map((axis) => {
    const value = values[axis.path] ?? ''
    return numericAxis(axis) === undefined ? value : `${axis.path.split('.').at(-1)} ${value}`
  })
  return words.join(', ')
}

interface NumericAxis {
  readonly axis: SweepAxis
  /** By the texts of the values. */
  readonly numbers: ReadonlyMap<string, number>
  /** With the unit of the numbers. */
  readonly label: string
  /** Absent: plain numbers. */
  readonly type?: QuantityType
}

const QUANTITIES: readonly (readonly [QuantityType, unit: string, scale: number])[] = [
  ['rate', 'Gb/s', 1e9],
  ['size', 'KB', 1e3],
  ['duration', 'us', 1e6],
]

/** An axis all of whose values are numbers, ratios such as 1/64, or quantities of one kind; undefined for others. */
export function numericAxis(axis: SweepAxis): NumericAxis | undefined {
  const { path, values } = axis
  const plain = axisIn(values, plainNumber)
  if (plain !== undefined) return { axis, numbers: plain, label: path }
  for (const [type, unit, scale] of QUANTITIES) {
    const numbers = axisIn(values, (text) => (parseQuantity(type, text) ?? NaN) / scale)
    if (numbers !== undefined) return { axis, numbers, label: `${path} (${unit})`, type }
  }
  return undefined
}

function axisIn(values: readonly string[], numberOf: (text: string) => number): Map<string, number> | undefined {
  const numbers = new Map(values.map((text) => [text, numberOf(text)]))
  return [...numbers.values()].every((value) => Number.isFinite(value)) ? numbers : undefined
}

function plainNumber(text: string): number {
  const [, above = '', below = '1'] = /^(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?:\/(\d+))?$/.exec(text) ?? []
  return above === '' ? NaN : Number(above) / Number(below)
}
