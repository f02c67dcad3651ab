/**
 * Limits: params that every observer has, and what they come to.
 */
import { inputError } from '../../core/base/issue.ts'
import { countOrOff, duration, textOrOff, US } from '../../core/base/params.ts'
import type { MetricContext } from './metric.ts'

/** Params of every observer. */
export const tableParams = {
  table: textOrOff({
    default: null,
    help: "name of the table, to tell two observers of one kind apart; off: the kind's name",
  }),
  maxRows: countOrOff({
    default: null,
    min: 1,
    help: 'most rows kept: samples are thinned evenly, of events the first are kept and the rest counted; off: 200000',
    source: 'ours: about 10 MB a table',
  }),
}

/** Params of an observer that samples. */
export const sampleParams = {
  interval: duration({ default: 10 * US, min: 1, help: 'time between two samples' }),
  ...tableParams,
}

interface TableValues {
  readonly table: string | null
  readonly maxRows: number | null
}

/** Name of the table, which is also a file's. */
export function tableName(values: TableValues, kind: string): string {
  if (values.table === null) return kind
  if (/^[a-z][a-z0-9-]*$/.test(values.table)) return values.table
  throw inputError(`${kind}.table`, 'lower case letters, digits and hyphens, a letter first', `"${values.table}"`)
}

export function rowLimit(values: TableValues, context: MetricContext): number {
  return values.maxRows ?? context.maxRows
}
