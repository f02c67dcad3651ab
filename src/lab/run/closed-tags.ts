/**
 * Closed tags: names of messages that start when others are finished, so that two runs have the same ones at other times.
 */
import type { Scenario } from '../../scenario/scenario.ts'
import { workloads } from '../../workload/index.ts'
import { createFrom } from '../build/definitions.ts'

/** Tags of which every workload that has them is closed. */
export function closedTags(scenario: Scenario): ReadonlySet<string> {
  const closed = new Set<string>()
  const open = new Set<string>()
  for (const values of scenario.workload) {
    const isClosed = createFrom(workloads, values).isClosed?.(values as never) === true
    if ('tag' in values) (isClosed ? closed : open).add(values.tag)
  }
  return new Set([...closed].filter((tag) => !open.has(tag)))
}
