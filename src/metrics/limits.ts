/**
 * Limits: params that every observer has, and what they come to.
 */
import { inputError } from '../base/issue.ts'
import { count, duration, textOrOff, US } from '../base/params.ts'
import type { MetricContext } from './metric.ts'

/** Params of every observer. */
export const tableParams = {
  table: textOrOff({ default: null, help: "name of the table, to tell two observers of one kind apart; off: the kind's name" }),
  maxRows: count({
    default: 200_000,
    min: 1,
    help: 'most rows kept: samples are thinned evenly, of events the first are kept and the others counted',
  }),
}

/** Params of an observer that samples. */
export const sampleParams = {
  interval: duration({ default: 10 * US, min: 1, help: 'time between two samples' }),
  ...tableParams,
}

interface TableValues {
  readonly table: string | null
  readonly maxRows: number
}

/** Name of the table: also a file name, so letters, digits and hyphens. */
export function tableName(values: TableValues, kind: string): string {
  if (values.table === null) return kind
  if (!/^[a-z][a-z0-9-]*$/.test(values.table)) {
    throw inputError('table', 'lower case letters, digits and hyphens, a letter first', `"${values.table}"`)
  }
  return values.table
}

export function rowLimit(values: TableValues, context: MetricContext): number {
  return Math.min(values.maxRows, context.maxRows)
}
