/**
 * Labels: what every message of a workload carries unless it says otherwise, and the name of its random streams.
 */
import type { Issue } from '../base/issue.ts'
import { choice, countOrOff, text } from '../base/params.ts'
import { formatQuantity } from '../base/units.ts'
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

/**
 * Most bytes of a READ: its request carries the size as a signed integer of 32 bits. The standard's limit of any message
 * is one byte more (IBTA: 2^31); WRITEs and SENDs are not held to it.
 */
export const READ_BYTES_MAX: number = 2 ** 31 - 1

/** What is wrong with messages of this size: a READ may be too large to be asked for. */
export function readSizeIssues(path: string, operation: Operation, sizeBytes: number): Issue[] {
  if (operation !== 'read' || sizeBytes <= READ_BYTES_MAX) return []
  const expected = `READs of at most ${formatQuantity('size', READ_BYTES_MAX)}`
  return [{ path, expected, received: formatQuantity('size', sizeBytes), hint: 'cut it into several, or WRITE it' }]
}

/** "poisson/background/0": streams of a workload start with it, so that adding another workload moves no draw. */
export function streamName(kind: string, tag: string, context: WorkloadContext): string {
  return `${kind}/${tag}/${context.instance ?? 0}`
}
