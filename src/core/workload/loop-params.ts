/**
 * Params that all closed-loop workloads share.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { count, countOrOff, duration, MB, size } from '../base/params.ts'
import { applyLabels, labelParams, sizeIssues } from './labels.ts'
import { type Loop, type Pair, IN_FLIGHT_MAX } from './loop-source.ts'
import type { Operation, WorkloadContext } from './workload.ts'

interface LoopValues {
  readonly messageSize: number
  readonly outstanding: number
  readonly messages: number | null
  readonly start: number
  readonly operation: Operation
  readonly workRequests: boolean
  readonly trafficClass: number | null
  readonly destinationPort: number | null
  readonly tag: string
}

/** Params of a closed loop, with its own number of messages per connection (null: no end) and tag. */
export const loopParams = (messages: number | null, tag: string) =>
  ({
    messageSize: size({ default: 1 * MB, min: 1, help: 'size of each message' }),
    outstanding: count({
      default: 1,
      min: 1,
      max: 65536,
      help: 'messages under way on each connection; the next is posted when one is finished',
    }),
    messages: countOrOff({
      default: messages,
      min: 1,
      help: 'messages on each connection in all; off: until measure.generate or the end of the run',
    }),
    start: duration({ default: 0, help: 'time of the first messages' }),
    ...labelParams(tag),
  }) as const

/** Whether messages wait for others at all. */
export function isClosedLoop({ messages, outstanding }: LoopValues): boolean {
  return messages === null || messages > outstanding
}

/** A loop over connections. Throws InputError for messages that cannot be. */
export function loopOf(values: LoopValues, context: WorkloadContext, connections: readonly Pair[]): Loop {
  const issues: Issue[] = sizeIssues('messageSize', values, values.messageSize)
  const inFlight = connections.length * Math.min(values.outstanding, values.messages ?? Infinity)
  if (inFlight > IN_FLIGHT_MAX) {
    issues.push({
      path: 'outstanding',
      expected: `at most ${IN_FLIGHT_MAX} messages under way on all connections`,
      received: `${inFlight} (${connections.length} connections)`,
      hint: 'fewer of them, or larger messages',
    })
  }
  if (issues.length > 0) throw new InputError(issues)
  return {
    connections,
    sizeBytes: values.messageSize,
    outstanding: values.outstanding,
    messages: values.messages,
    startPs: values.start,
    untilPs: context.generateUntilPs,
    label: (out) => applyLabels(out, values),
  }
}
