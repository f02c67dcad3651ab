/**
 * Workload: who sends how much to whom, and when. Pure: time and randomness come in as arguments.
 * A workload gives its next message on request and is notified of finished ones; it never sees the network.
 */
import type { Definition, ParamFields, ValuesOf } from '../base/params.ts'
import type { RandomStreams } from '../base/random.ts'
import type { Operations } from './operations.ts'
import type { Failure, Probe } from './probe.ts'

export const OPERATIONS = [
  'write',
  'send',
  'read',
  'write-immediate',
  'send-immediate',
  'send-invalidate',
  'compare-and-swap',
  'fetch-and-add',
] as const
export type Operation = (typeof OPERATIONS)[number]

/** Operations that may be plain messages; all others are work requests. */
export type PlainOperation = 'write' | 'send' | 'read'

export function isPlain(operation: Operation): operation is PlainOperation {
  return operation === 'write' || operation === 'send' || operation === 'read'
}

/** Treatment of the data: placed in memory, delivered to a Receive WQE, or returned to a READ. */
export function plainOf(operation: Operation): PlainOperation {
  if (isAnswered(operation)) return 'read'
  return operation === 'write' || operation === 'write-immediate' ? 'write' : 'send'
}

/** Whether the data are a response to a request of the host that receives them. */
export function isAnswered(operation: Operation): boolean {
  return operation === 'read' || isAtomic(operation)
}

export function isAtomic(operation: Operation): boolean {
  return operation === 'compare-and-swap' || operation === 'fetch-and-add'
}

/** Size of the operand of an atomic (IBTA 9.4.5). */
export const ATOMIC_BYTES = 8

/** One message to post. The caller owns it and hands it in to be filled. */
export interface Message {
  startPs: number
  /** Positions in Topology.hosts, not node ids. Data flows from source to destination, also for a READ. */
  source: number
  destination: number
  sizeBytes: number
  operation: Operation
  /** A work request of verbs, not a plain message. */
  isWork: boolean
  /** Connection (QP) of this workload it goes on; messages of one connection are sent in order. -1: a QP of its own. */
  connection: number
  /** Port of its source that a new connection has as home, where hosts have several; -1: the next one. */
  port: number
  /** Traffic class 0..7 of its data packets, or -1 for the scenario's default. */
  trafficClass: number
  /** UDP source port, or -1 for the one that the NIC gives its QP. An input of the ECMP hash. */
  sourcePort: number
  /** UDP destination port, or -1 for the default (4791). Only a label, and an input of the ECMP hash. */
  destinationPort: number
  /** For grouping in results ("incast", "background"). */
  tag: string
}

/** A message for sources to fill. */
export function blankMessage(): Message {
  return {
    startPs: 0,
    source: 0,
    destination: 0,
    sizeBytes: 0,
    operation: 'write',
    isWork: false,
    connection: -1,
    port: -1,
    trafficClass: -1,
    sourcePort: -1,
    destinationPort: -1,
    tag: '',
  }
}

/** Messages that are to come when another is finished. */
export interface Waiting {
  /** Running number of the first unfinished message that they wait for; -1: none, they are only not yet due. */
  readonly behind: number
  readonly messages: number
}

/** A running workload. */
export interface Source {
  /**
   * Time of the next message or of a step of its own (onTime), or NEVER_PS while there is none (there may be one again after
   * onDelivered or onComplete).
   */
  readonly nextStartPs: number
  /**
   * Bytes of all messages that are still to come, where their number is given; Infinity where only time ends them.
   * Absent: not known; how far a run is goes by what has been posted.
   */
  readonly leftBytes?: number
  /** It is nextStartPs. Afterwards this is later, or a message is due. Absent: nothing happens but messages. */
  onTime?(nowPs: number): void
  /** Fills `out` with that message and moves on. Only called when nextStartPs is not NEVER_PS, after onTime. */
  take(out: Message): void
  /** The last byte of the message with this running number (0-based, in take order) is at its receiver. */
  onDelivered?(nowPs: number, messageNumber: number): void
  /** The message is finished: received, and acknowledged where there are ACKs. Closed loops post their next. */
  onComplete(nowPs: number, messageNumber: number): void
  /** The message will never finish: its queue pair has failed. Absent: the workload does not care. */
  onFailed?(nowPs: number, messageNumber: number, failure: Failure): void
  /** The log of a workload of probes up to now, in order of start; absent: it keeps none. */
  probes?(nowPs: number): readonly Probe[]
  /** Its operations, if its messages wait for each other; absent: it has none. */
  readonly operations?: Operations
  /**
   * Messages that a workload which has begun has still to give once earlier ones finish.
   * Absent: its messages wait for no other.
   */
  waiting?(nowPs: number): readonly Waiting[]
}

/** Facts of the network that a workload may use. */
export interface WorkloadContext {
  readonly hostCount: number
  /** Ports of each host. */
  readonly portCounts: readonly number[]
  /** Rates of each host's links together, bit/s, by host position. */
  readonly hostRateBps: readonly number[]
  /** Host positions grouped by the switch they hang on, in node order. */
  readonly racks: readonly (readonly number[])[]
  /**
   * By tier of switches, from 1: host positions grouped by which reach each other over switches of this tier and lower ones.
   * The first are the racks.
   */
  readonly groups: readonly (readonly (readonly number[])[])[]
  /** Payload bytes of a full packet, and wire bytes it takes (headers, preamble and gap included). */
  readonly payloadBytes: number
  readonly overheadBytes: number
  /** Extra bytes in the first packet of a WRITE (RETH). */
  readonly writeOverheadBytes: number
  /** End of message generation from the scenario (measure.generate), or NEVER_PS. */
  readonly generateUntilPs: number
  /** Named streams; a workload takes streams named after its kind, its tag, `instance` and the host. */
  readonly random: RandomStreams
  /** Whether the result has a row for each message, so that those of operations are wanted too; absent: no. */
  readonly isLogged?: boolean
  /** ACKs of its messages are held back on purpose (delayed or coalesced); absent: they are not. */
  readonly areAcksLate?: boolean
  /** How many workloads of the same kind and tag stand before it in the scenario; absent: none. */
  readonly instance?: number
}

export interface WorkloadDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** Checks against the network's size are thrown as InputError. */
  create(values: ValuesOf<F>, context: WorkloadContext): Source
  /** Whether messages start when others are finished, so that another run has the same ones at other times. Absent: no. */
  isClosed?(values: ValuesOf<F>): boolean
}

export function defineWorkload<const N extends string, F extends ParamFields>(
  definition: WorkloadDefinition<N, F>,
): WorkloadDefinition<N, F> {
  return definition
}
