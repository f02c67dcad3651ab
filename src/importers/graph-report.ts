/** Graph report: what an imported program of operations holds, as a finding. */
import { type Finding, foundAt, importFindings, type Subject } from '../core/findings/index.ts'
import { type Census, censusOf, type OperationTable } from '../core/workload/graph/index.ts'

/**
 * Counts of a program.
 * @param dropped dependencies that the importer has left out
 */
export function graphReport(table: OperationTable, dropped: number, subject: Subject = {}): Finding {
  return censusReport(censusOf(table), dropped, subject)
}

/** The same of a program that is no table, or whose census is known. */
export function censusReport(
  census: Pick<Census, 'ranks' | 'operations' | 'messages' | 'bytes' | 'longestChain' | 'wildcards' | 'roots'>,
  dropped: number,
  subject: Subject = {},
): Finding {
  const { ranks, operations, messages, bytes, longestChain, wildcards, roots } = census
  return foundAt(importFindings.importGraph, subject, {
    ranks,
    operations,
    messages,
    bytes,
    longestChain,
    wildcards,
    roots,
    dropped,
  })
}
