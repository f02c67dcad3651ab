/**
 * Closed tags: names of messages that start when others are finished, so that two runs have the same ones at other times.
 */
import type { Scenario } from '../scenario/scenario.ts'
import { workloads } from '../../core/workload/index.ts'
import type { WorkloadDefinition } from '../../core/workload/workload.ts'
import { definitionOf } from '../network/definitions.ts'

/** Tags that only closed-loop workloads have. */
export function closedTags(scenario: Scenario): ReadonlySet<string> {
  const closed = new Set<string>()
  const open = new Set<string>()
  for (const values of scenario.workload) {
    if ('tag' in values) (isClosed(values) ? closed : open).add(values.tag)
  }
  return new Set([...closed].filter((tag) => !open.has(tag)))
}

/** Whether any messages start when others are finished: then a faster network has them at other times, and perhaps more. */
export function hasClosedLoop({ workload }: Scenario): boolean {
  return workload.some(isClosed)
}

function isClosed(values: Scenario['workload'][number]): boolean {
  return definitionOf<WorkloadDefinition>(workloads, values).isClosed?.(values) === true
}
