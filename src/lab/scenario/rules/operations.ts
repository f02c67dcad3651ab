/**
 * Operations of a scenario, set by its workloads or by lines of a trace.
 */
import { isAnswered, isPlain, type Operation, OPERATIONS } from '../../../core/workload/index.ts'
import type { Scenario } from '../scenario.ts'

/** Field of a trace's line that names its operation (workload/trace.ts defines the form). */
const OPERATION_OF_LINE = /\sop=([\w-]+)(?=\s|$)/

/** Operation of a trace's line; undefined if it names an unknown one. */
export function operationOfLine(line: string): Operation | undefined {
  const name = OPERATION_OF_LINE.exec(line)?.[1] ?? 'write'
  return OPERATIONS.find((each) => each === name)
}

/** RDMA operation of the workload's messages; jobs, whose messages wait for each other, write. */
export function operationOf(source: Exclude<Scenario['workload'][number], { kind: 'trace' }>): Operation {
  return 'stepTime' in source ? 'write' : source.operation
}

/** Distinct operations of the scenario. */
export function operationsOf({ workload }: Pick<Scenario, 'workload'>): Operation[] {
  const found = new Set<Operation>()
  for (const source of workload) {
    if (source.kind !== 'trace') {
      found.add(operationOf(source))
      continue
    }
    for (const line of source.flows) {
      const operation = operationOfLine(line)
      if (operation !== undefined) found.add(operation)
    }
  }
  return [...found]
}

/** Some operation returns data or a value: a READ or an atomic. */
export function hasReads(scenario: Pick<Scenario, 'workload'>): boolean {
  return operationsOf(scenario).some(isAnswered)
}

/** Some messages are work requests of verbs queue pairs. */
export function hasWorkRequests(scenario: Pick<Scenario, 'workload'>): boolean {
  return (
    scenario.workload.some(({ workRequests }) => workRequests) || operationsOf(scenario).some((each) => !isPlain(each))
  )
}
