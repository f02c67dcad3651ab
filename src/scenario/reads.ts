/**
 * READs of a scenario: whether a workload reads, by its operation or by a line of a trace.
 */
import type { Scenario } from './scenario.ts'

/** A trace's line that reads (workload/trace.ts has the form). */
const READING_LINE = /\sop=read(?:\s|$)/

export function hasReads({ workload }: Pick<Scenario, 'workload'>): boolean {
  return workload.some((source) =>
    source.kind === 'trace'
      ? source.flows.some((line) => READING_LINE.test(line))
      : 'operation' in source && source.operation === 'read',
  )
}
