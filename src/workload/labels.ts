/**
 * Labels: what every message of a workload carries unless it says otherwise, and the name of its random streams.
 */
import { choice, countOrOff, text } from '../base/params.ts'
import type { Message, Operation, WorkloadContext } from './workload.ts'

interface Labels {
  readonly operation: Operation
  readonly trafficClass: number | null
  readonly destinationPort: number | null
  readonly tag: string
}

/** Params for the labels; spread among a workload's own. */
export const labelParams = (tag: string) =>
  ({
    operation: choice(['write', 'send', 'read'], {
      default: 'write',
      help: 'RDMA operation; data flows from source to destination in each of them',
    }),
    trafficClass: countOrOff({ default: null, max: 7, help: "class of the data packets; off: the scenario's" }),
    destinationPort: countOrOff({
      default: null,
      max: 65535,
      help: 'UDP destination port, an input of the ECMP hash; off: 4791',
    }),
    tag: text({ default: tag, help: 'name of the messages in results, and part of the name of the random streams' }),
  }) as const

/** Writes the labels into a message. */
export function applyLabels(out: Message, labels: Labels): void {
  out.operation = labels.operation
  out.trafficClass = labels.trafficClass ?? -1
  out.sourcePort = -1
  out.destinationPort = labels.destinationPort ?? -1
  out.tag = labels.tag
}

/** "poisson/background/0": streams of a workload start with it, so that adding another workload moves no draw. */
export function streamName(kind: string, tag: string, context: WorkloadContext): string {
  return `${kind}/${tag}/${context.instance ?? 0}`
}
