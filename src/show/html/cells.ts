/**
 * Cells: values of tables as text, alike on a page and in its script.
 */
import { shownName } from '../../core/base/control-characters.ts'
import { exactCount, humanBytes, humanDuration, humanNumber, humanRate, humanShare } from '../../core/base/format.ts'
import type { ColumnData, ColumnFormat } from './page-data.ts'

export function cellText(value: number | string | null, format: ColumnFormat | 'share'): string {
  if (value === null) return '-'
  if (typeof value === 'string') return shownName(value)
  if (format === 'duration') return humanDuration(value)
  if (format === 'size') return humanBytes(value)
  if (format === 'share') return humanShare(value)
  if (format === 'rate') return humanRate(value)
  if (format === 'mean') return meanText(value)
  return format === 'ratio' ? humanNumber(value) : exactCount(value)
}

/** The whole of a text of which a cell shows a part; undefined: it shows all. */
export function cutName(value: number | string | null): string | undefined {
  return typeof value === 'string' && shownName(value) !== value ? value : undefined
}

/** A mean of counts: whole from 1,000 on, and where it is whole. */
function meanText(value: number): string {
  return Number.isInteger(value) || value >= 1000 ? exactCount(Math.round(value)) : humanNumber(value)
}

/** Half-widths below this share of the mean are rounding errors. */
const ROUNDING = 1e-12

/** " ± 12 %": half of an interval as a share of its mean; "" without one. */
export function spreadText(mean: number, low: number | null | undefined, high: number | null | undefined): string {
  if (typeof low !== 'number' || typeof high !== 'number' || !Number.isFinite(high - low)) return ''
  const half = (high - low) / 2
  return half <= ROUNDING * Math.abs(mean) ? '' : ` ± ${humanShare(half / Math.abs(mean), 2)}`
}

/** The cell of a row: its value, and behind it half of its interval where it has one. */
export function columnText({ values, format, low, high }: ColumnData, row: number): string {
  const value = values[row] ?? null
  const spread = typeof value === 'number' ? spreadText(value, low?.[row], high?.[row]) : ''
  return cellText(value, format) + spread
}

/** Step of colour of a value: 0 of nothing, then one more for each step that it passes; undefined: not observed. */
export function stepOf(value: number | undefined, steps: readonly number[]): number | undefined {
  if (value === undefined) return undefined
  return value > 0 ? 1 + steps.filter((step) => value > step).length : 0
}

/** Words for each step of colour. */
export function stepTexts(steps: readonly number[], format: ColumnFormat | 'share'): string[] {
  const last = steps.at(-1)
  const textOf = (step: number): string => (format === 'share' ? `${Math.round(step * 100)} %` : cellText(step, format))
  return ['0', ...steps.map((step) => `to ${textOf(step)}`), ...(last === undefined ? [] : [`above ${textOf(last)}`])]
}
