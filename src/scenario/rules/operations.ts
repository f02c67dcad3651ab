/**
 * Operations of a scenario: by those of its workloads, or by a line of a trace.
 */
import { isAnswered, isPlain, type Operation, OPERATIONS } from '../../workload/index.ts'
import type { Scenario } from '../scenario.ts'

/** Where a trace's line names its operation (workload/trace.ts has the form). */
const OPERATION_OF_LINE = /\sop=([\w-]+)(?=\s|$)/

/** Of a trace's line; undefined: it names none that there is. */
export function operationOfLine(line: string): Operation | undefined {
  const name = OPERATION_OF_LINE.exec(line)?.[1] ?? 'write'
  return OPERATIONS.find((each) => each === name)
}

/** Each once. */
export function operationsOf({ workload }: Pick<Scenario, 'workload'>): Operation[] {
  const found = new Set<Operation>()
  for (const source of workload) {
    if (source.kind !== 'trace') {
      if ('operation' in source) found.add(source.operation)
      continue
    }
    for (const line of source.flows) {
      const operation = operationOfLine(line)
      if (operation !== undefined) found.add(operation)
    }
  }
  return [...found]
}

/** Data that are asked for. */
export function hasReads(scenario: Pick<Scenario, 'workload'>): boolean {
  return operationsOf(scenario).some(isAnswered)
}

/** Some of its messages are work requests of verbs queue pairs. */
export function hasWorkRequests(scenario: Pick<Scenario, 'workload'>): boolean {
  return (
    scenario.workload.some(({ workRequests }) => workRequests) || operationsOf(scenario).some((each) => !isPlain(each))
  )
}
