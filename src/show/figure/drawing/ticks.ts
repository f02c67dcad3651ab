/**
 * Axes: round ends, round ticks and their labels, known before anything is drawn, so that margins fit the labels.
 * Powers of ten are made by multiplication: the same figure on every engine.
 */
import { assert } from '../../../core/base/assert.ts'
import { ln } from '../../../core/base/math.ts'

export type ScaleKind = 'linear' | 'log'

export interface Axis {
  readonly kind: ScaleKind
  readonly domain: readonly [number, number]
  /** Values with a label. */
  readonly ticks: readonly number[]
  readonly labelOf: (value: number) => string
  /** True: places count something else than the label names, and have no value to show. */
  readonly isOrder?: true
}

export interface AxisOptions {
  readonly kind?: ScaleKind
  /** The axis begins at 0 even when the values do not; a log axis begins and ends at a power of ten. */
  readonly fromZero?: boolean
  /** Fixed ends instead of those of the values. */
  readonly from?: number
  readonly to?: number
  /** Approximate number of ticks. */
  readonly tickCount?: number
}

/** The axis for these values; values that are not finite (or, on a log axis, not above 0) are ignored. */
export function axisFor(values: Iterable<number>, options: AxisOptions = {}): Axis {
  const kind = options.kind ?? 'linear'
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (!Number.isFinite(value) || (kind === 'log' && value <= 0)) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) [low, high] = kind === 'log' ? [1, 10] : [0, 1]
  if (options.fromZero === true && kind === 'linear') [low, high] = [Math.min(0, low), Math.max(0, high)]
  const from = options.from ?? low
  const to = options.to ?? high
  assert(kind === 'linear' || from > 0, 'figure: a log axis begins above 0')
  return kind === 'log' ? logAxis(from, to, options) : linearAxis(from, to, options)
}

/** How far along the axis a value lies: 0 at its beginning, 1 at its end. */
export function shareOf({ kind, domain: [low, high] }: Axis, value: number): number {
  if (kind === 'linear') return (value - low) / (high - low)
  return ln(value / low) / ln(high / low)
}

/** Largest power of ten that is at most `value` (above 0). */
function decadeOf(value: number): number {
  let decade = 1
  while (decade > value) decade /= 10
  while (decade * 10 <= value) decade *= 10
  return decade
}

/** Least difference of values on a linear axis, over their size. */
const FINEST = 1e-9

function linearAxis(from: number, to: number, options: AxisOptions): Axis {
  // Values that differ in the last digits only are one value: no label could tell them apart, and ticks could not be counted.
  const isOne = to - from <= FINEST * Math.max(Math.abs(from), Math.abs(to))
  const span = isOne ? Math.abs(from) || 1 : to - from
  const least = span / (options.tickCount ?? 6)
  const decade = decadeOf(least)
  const step = decade * ([1, 2, 5, 10].find((factor) => decade * factor >= least * (1 - 1e-9)) ?? 10)
  // Ends are pushed out to the next tick, unless they were given.
  const first = options.from === undefined ? Math.floor(from / step + 1e-9) : Math.ceil(from / step - 1e-9)
  const end = isOne ? from + span : to
  const last = options.to === undefined ? Math.ceil(end / step - 1e-9) : Math.floor(end / step + 1e-9)
  const ticks: number[] = []
  for (let i = first; i <= last; i++) ticks.push(i * step)
  const domain: readonly [number, number] = [options.from ?? first * step, options.to ?? last * step]
  return { kind: 'linear', domain, ticks, labelOf: linearLabels(ticks, step) }
}

function logAxis(from: number, to: number, options: AxisOptions): Axis {
  const lowest = decadeOf(from)
  const decades: number[] = []
  for (let decade = lowest; decade <= to * 10; decade *= 10) decades.push(decade)
  const spanned = decades.filter((decade) => decade >= from && decade <= to).length
  const factors = spanned <= 2 ? [1, 2, 5] : [1]
  const marks = decades.flatMap((decade) => factors.map((factor) => decade * factor))
  const ends = decades.flatMap((decade) => (options.fromZero === true ? [decade] : [decade, 2 * decade, 5 * decade]))
  const low = options.from ?? ends.findLast((end) => end <= from * (1 + 1e-9)) ?? from
  const high = options.to ?? ends.find((end) => end >= to * (1 - 1e-9) && end > low) ?? to
  const every = Math.ceil(spanned / 8)
  const ticks = marks
    .filter((mark) => mark >= low * (1 - 1e-9) && mark <= high * (1 + 1e-9))
    .filter((_, i) => factors.length > 1 || i % every === 0)
  const isSmall = factors.length === 1 && low < 0.01
  return { kind: 'log', domain: [low, high], ticks, labelOf: isSmall ? powerLabel : shortLabel }
}

/** One unit for the whole axis, and as many decimals as the step needs. */
function linearLabels(ticks: readonly number[], step: number): (value: number) => string {
  const size = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0)
  const [scale, suffix] = size >= 1e5 ? unitOf(size) : ([1, ''] as const)
  let decimals = 0
  for (let rest = step / scale; decimals < 12 && Math.abs(rest - Math.round(rest)) > 1e-6 * rest; rest *= 10) decimals++
  return (value) => {
    const text = (value / scale).toFixed(decimals)
    return Number(text) === 0 ? '0' : `${text}${suffix}`
  }
}

/** Powers of ten below 1, as of loss rates: "10⁻⁵", "10⁻¹", "1". */
function powerLabel(value: number): string {
  if (value > 0.5) return shortLabel(value)
  let exponent = 0
  for (let rest = value; rest < 0.5; rest *= 10) exponent++
  return `10⁻${String(exponent)
    .split('')
    .map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])
    .join('')}`
}

/** "0.01", "1", "10k", "5M". */
function shortLabel(value: number): string {
  const [scale, suffix] = value >= 1e4 ? unitOf(value) : ([1, ''] as const)
  return `${Number((value / scale).toPrecision(6))}${suffix}`
}

function unitOf(size: number): readonly [number, string] {
  if (size >= 1e12) return [1e12, 'T']
  if (size >= 1e9) return [1e9, 'G']
  return size >= 1e6 ? [1e6, 'M'] : [1e3, 'k']
}

/** Unit of an axis that ends there: picoseconds in it, and its name. */
export function timeUnit(latestPs: number): readonly [number, string] {
  if (latestPs >= 2e12) return [1e12, 's']
  if (latestPs >= 2e9) return [1e9, 'ms']
  if (latestPs >= 2e6) return [1e6, 'us']
  return latestPs >= 2e3 ? [1e3, 'ns'] : [1, 'ps']
}
