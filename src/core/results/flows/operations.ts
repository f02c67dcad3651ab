/**
 * Operations: a row for the messages that were posted together, at one instant and under one tag: all senders of an incast, a
 * round of a permutation, one message of a Poisson workload; and one for all messages of a job, whose rounds have a table of
 * their own.
 */
import { eachFlow, type FlowRow } from './flow-rows.ts'
import type { Result } from '../result.ts'
import { type Table, TableBuilder } from '../table.ts'

/**
 * The `operations` table: operation, firstFlow (number of its first message), messages, finished, sizeBytes, startPs,
 * completionPs (until its last message was finished; NaN where one was not), idealPs (the longest of its messages alone in the
 * network), deliveredBytes, measured, tag. Jobs come last.
 */
export function operationsOf(result: Pick<Result, 'flows' | 'completion' | 'jobs'>): Table {
  const builder = new TableBuilder('operations', [
    { name: 'operation', type: 'integer' },
    { name: 'firstFlow', type: 'integer' },
    { name: 'messages', type: 'integer' },
    { name: 'finished', type: 'integer' },
    { name: 'sizeBytes', type: 'integer' },
    { name: 'startPs', type: 'integer' },
    { name: 'completionPs', type: 'number' },
    { name: 'idealPs', type: 'number' },
    { name: 'deliveredBytes', type: 'number' },
    { name: 'measured', type: 'integer' },
    { name: 'tag', type: 'text' },
  ])
  const jobs = new Map<string, Sum>()
  let last: Sum | null = null
  const add = ({ sum, messages, finished }: Sum): void => {
    const { row, sizeBytes, startPs, completionPs, idealPs, deliveredBytes, isMeasured, tag } = sum
    const lastPs = finished < messages ? NaN : completionPs
    const counts = [builder.rowCount, row, messages, finished, sizeBytes, startPs]
    builder.add(...counts, lastPs, idealPs, deliveredBytes, isMeasured ? 1 : 0, tag)
  }
  const isJob = new Set(result.jobs)
  eachFlow(result, (flow) => {
    const isOfJob = isJob.has(flow.tag)
    const own = isOfJob
      ? jobs.get(flow.tag)
      : last?.sum.startPs === flow.startPs && last.sum.tag === flow.tag
        ? last
        : null
    if (own) return join(own, flow)
    const its = { sum: { ...flow }, messages: 1, finished: Number.isNaN(flow.completionPs) ? 0 : 1 }
    if (isOfJob) {
      jobs.set(flow.tag, its)
      return
    }
    if (last !== null) add(last)
    last = its
  })
  if (last !== null) add(last)
  for (const job of jobs.values()) add(job)
  return builder.build()
}

/** Messages of one row. */
interface Sum {
  readonly sum: FlowRow
  messages: number
  finished: number
}

function join(own: Sum, flow: FlowRow): void {
  const { sum } = own
  own.messages++
  sum.sizeBytes += flow.sizeBytes
  sum.deliveredBytes += flow.deliveredBytes
  sum.idealPs = Math.max(sum.idealPs, flow.idealPs)
  if (Number.isNaN(flow.completionPs)) return
  own.finished++
  const untilPs = flow.startPs - sum.startPs + flow.completionPs
  sum.completionPs = Number.isNaN(sum.completionPs) ? untilPs : Math.max(sum.completionPs, untilPs)
}
