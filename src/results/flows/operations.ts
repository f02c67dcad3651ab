/**
 * Operations: a row for the messages that were posted together, at one instant and under one tag: all senders of an incast, a
 * round of a permutation, one message of a Poisson workload.
 */
import { eachFlow, type FlowRow } from './flow-rows.ts'
import type { Result } from '../result.ts'
import { type Table, TableBuilder } from '../table.ts'

/**
 * The `operations` table: operation, firstFlow (number of its first message), messages, finished, sizeBytes, startPs,
 * completionPs (until its last message was finished; NaN where one was not), idealPs (the longest of its messages alone in the
 * network), deliveredBytes, measured, tag.
 */
export function operationsOf(result: Pick<Result, 'flows' | 'completion'>): Table {
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
  let sum: (FlowRow & { messages: number; finished: number }) | null = null
  const add = (): void => {
    if (sum === null) return
    const { row, messages, finished, sizeBytes, startPs, completionPs, idealPs, deliveredBytes, isMeasured, tag } = sum
    const lastPs = finished < messages ? NaN : completionPs
    const counts = [builder.rowCount, row, messages, finished, sizeBytes, startPs]
    builder.add(...counts, lastPs, idealPs, deliveredBytes, isMeasured ? 1 : 0, tag)
  }
  eachFlow(result, (flow) => {
    const isFinished = !Number.isNaN(flow.completionPs)
    if (sum !== null && sum.startPs === flow.startPs && sum.tag === flow.tag) {
      sum.messages++
      sum.sizeBytes += flow.sizeBytes
      sum.deliveredBytes += flow.deliveredBytes
      sum.idealPs = Math.max(sum.idealPs, flow.idealPs)
      if (!isFinished) return
      sum.finished++
      sum.completionPs = Number.isNaN(sum.completionPs)
        ? flow.completionPs
        : Math.max(sum.completionPs, flow.completionPs)
      return
    }
    add()
    sum = { ...flow, messages: 1, finished: isFinished ? 1 : 0 }
  })
  add()
  return builder.build()
}
