/**
 * Cells: values of tables as text, alike on a page and in its script.
 */
import { exactCount, humanBytes, humanDuration, humanNumber, humanShare } from '../format.ts'
import type { ColumnFormat } from './page-data.ts'

export function cellText(value: number | string | null, format: ColumnFormat | 'share'): string {
  if (value === null) return '-'
  if (typeof value === 'string') return value
  if (format === 'duration') return humanDuration(value)
  if (format === 'size') return humanBytes(value)
  if (format === 'share') return humanShare(value)
  return format === 'ratio' ? humanNumber(value) : exactCount(value)
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
