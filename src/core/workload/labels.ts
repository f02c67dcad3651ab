/**
 * Labels: what every message of a workload carries unless it says otherwise, and the name of its random streams.
 */
import type { Issue } from '../base/issue.ts'
import { choice, countOrOff, flag, text } from '../base/params.ts'
import { formatQuantity } from '../base/units.ts'
import {
  ATOMIC_BYTES,
  isAtomic,
  isPlain,
  type Message,
  type Operation,
  OPERATIONS,
  type WorkloadContext,
} from './workload.ts'

interface Labels {
  readonly operation: Operation
  readonly workRequests: boolean
  readonly trafficClass: number | null
  readonly destinationPort: number | null
  readonly tag: string
}

export const workRequestsParam = flag({
  default: false,
  help: 'WRITEs, SENDs and READs too are work requests on verbs queue pairs, as all other operations are: with completions, Receive WQEs, credits and headers of their own (section verbs)',
})

/** Params for the labels; spread among a workload's own. */
export const labelParams = (tag: string) =>
  ({
    operation: choice(OPERATIONS, {
      default: 'write',
      help: 'RDMA operation; data flows from source to destination in each of them: the destination asks for those of READs and atomics',
    }),
    workRequests: workRequestsParam,
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
  out.isWork = labels.workRequests || !isPlain(labels.operation)
  out.port = -1
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

/** Most bytes of a work request. Source: IBTA, 9.7.1: 2^31. */
export const WORK_BYTES_MAX: number = 2 ** 31

/** Issues with the size of a message: the limits of a READ and of a work request, the 8 bytes of an atomic. */
export function sizeIssues(
  path: string,
  { operation, workRequests }: Pick<Labels, 'operation' | 'workRequests'>,
  sizeBytes: number,
): Issue[] {
  const received = formatQuantity('size', sizeBytes)
  if (isAtomic(operation) && sizeBytes !== ATOMIC_BYTES)
    return [{ path, expected: `${ATOMIC_BYTES}B, which every atomic has`, received, hint: '' }]
  const isWork = workRequests || !isPlain(operation)
  if (isWork && sizeBytes > WORK_BYTES_MAX) {
    const expected = `work requests of at most ${formatQuantity('size', WORK_BYTES_MAX)}`
    return [{ path, expected, received, hint: 'cut it into several' }]
  }
  if (operation !== 'read' || sizeBytes <= READ_BYTES_MAX) return []
  const expected = `READs of at most ${formatQuantity('size', READ_BYTES_MAX)}`
  return [{ path, expected, received, hint: 'cut it into several, or WRITE it' }]
}

/** "poisson/background/0": streams of a workload start with it, so that adding another workload moves no draw. */
export function streamName(kind: string, tag: string, context: WorkloadContext): string {
  return `${kind}/${tag}/${context.instance ?? 0}`
}
